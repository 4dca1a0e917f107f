//! The manual: nothing is forgotten, every topic is found, and its links lead somewhere.

use std::collections::BTreeSet;
use std::fs;

use installer::catalog::Catalog;
use serde_json::Value;

use super::{HOOKS, WRITTEN, answer, docs, without_markers};
use crate::verb::clap_command;

const MANUAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../config/manual");

fn asked(topic: &str) -> String {
    docs(Some(topic), false).unwrap_or_else(|why| panic!("{why}")).text
}

#[test]
fn each_hook_of_the_catalog_has_its_page_and_tells_claude_how_to_answer_it() {
    let catalog = Catalog::built_in().unwrap();
    let hooks: Vec<&str> = catalog.hooks.iter().map(|hook| hook.name.as_str()).collect();
    let pages: Vec<&str> = HOOKS.iter().map(|(name, _)| *name).collect();
    assert_eq!(pages, hooks, "run `cargo xtask schema`");
    for (name, page) in HOOKS {
        assert!(page.starts_with(&format!("# {name}\n")), "{name} has another hook's page");
        let answer = answer(&(name, page));
        assert!(answer.split_whitespace().count() >= 10, "hooks/{name}/README.md needs a `### For Claude`");
        assert!(asked("answering").contains(answer.trim_end()), "{name}");
        assert_eq!(asked(name), without_markers(page).trim_end());
    }
}

#[test]
fn each_file_of_the_manual_is_a_page_of_its_name_that_fits_a_screen_or_two() {
    let files = fs::read_dir(MANUAL).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    // Beside the pages lie their pictures.
    let files: BTreeSet<String> = names.filter(|name| name != "pictures").collect();
    let pages: BTreeSet<String> = WRITTEN.iter().map(|(name, _)| format!("{name}.md")).collect();
    assert_eq!(files, pages);
    for (name, text) in WRITTEN {
        // A page whose entries are looked up one by one may be longer.
        let longest = if *name == "troubleshooting" { 120 } else { 80 };
        assert!(text.starts_with("# ") && text.lines().count() <= longest, "{name}");
        let mut lines = text.lines().filter(|line| !line.starts_with('|') && !line.starts_with("    "));
        assert!(lines.all(|line| line.chars().count() <= 130), "{name}");
    }
}

#[test]
fn every_topic_that_a_page_names_is_there() {
    let mut count = 0;
    for (name, _) in WRITTEN.iter().chain(HOOKS) {
        let page = asked(name);
        // A line may break between the words.
        let words: Vec<&str> = page.split_whitespace().collect();
        for at in words.windows(3).filter(|at| at[0].ends_with("`req") && at[1] == "docs") {
            let topic = at[2].split('`').next().unwrap();
            assert!(topic.contains("TOPIC") || docs(Some(topic), false).is_ok(), "{name}: {topic}");
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} were found");
}

#[test]
fn defaults_and_commands_are_put_in_from_where_they_are_written_down() {
    assert!(asked("defaults").contains("\nrequirements-check:"));
    let commands = asked("commands");
    for verb in clap_command().get_subcommands() {
        assert!(commands.contains(&format!("\n- `req {}`: ", verb.get_name())), "{}", verb.get_name());
    }
}

#[test]
fn topic_is_found_in_any_case_and_an_unknown_one_names_the_nearest() {
    let page = fs::read_to_string(format!("{MANUAL}/evidence.md")).unwrap();
    for topic in ["evidence", " EVIDENCE "] {
        assert_eq!(asked(topic), page.trim_end());
    }
    let unknown = docs(Some("evidnce"), true).unwrap_err().to_string();
    assert_eq!(unknown, "there is no page evidnce; did you mean evidence?");
    let part = docs(Some("tests"), false).unwrap_err().to_string();
    assert_eq!(part, "there is no page tests; did you mean want-tests-before-commit?");
    let json: Value = serde_json::from_str(&docs(None, true).unwrap().text).unwrap();
    assert_eq!(json["topics"].as_array().unwrap().len(), WRITTEN.len() + HOOKS.len());
}
