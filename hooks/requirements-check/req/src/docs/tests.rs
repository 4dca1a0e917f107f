//! The manual: nothing is forgotten, every topic is found, and what its pages say can be typed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::catalog::Catalog;

use super::{HOOKS, WRITTEN, answer, docs, without_markers};
use crate::verb::clap_command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn asked(topic: &str) -> String {
    answered(Some(topic), false).unwrap_or_else(|why| panic!("{why}"))
}

fn answered(topic: Option<&str>, json: bool) -> Result<String, String> {
    docs(topic, json).map(|reply| reply.text)
}

/// The answer as a program reads it.
fn read(topic: Option<&str>) -> Value {
    serde_json::from_str(&answered(topic, true).unwrap()).unwrap()
}

#[test]
fn each_hook_of_the_catalog_has_its_page_and_no_other_has_one() {
    let catalog = Catalog::built_in().unwrap();
    let hooks: Vec<&str> = catalog.hooks.iter().map(|hook| hook.name.as_str()).collect();
    let pages: Vec<&str> = HOOKS.iter().map(|(name, _)| *name).collect();
    assert_eq!(pages, hooks, "run `cargo xtask schema`");
    for (name, page) in HOOKS {
        assert!(page.starts_with(&format!("# {name}\n")), "{name} has another hook's page");
    }
}

#[test]
fn each_hook_tells_claude_how_to_answer_it() {
    for (name, page) in HOOKS {
        let answer = answer(&(name, page));
        let words = answer.split_whitespace().count();
        assert!(words >= 10, "hooks/{name}/README.md needs a part `### For Claude` that says what to do");
        assert!(asked("answering").contains(answer.trim_end()), "{name}");
    }
}

#[test]
fn each_file_of_the_manual_is_a_page_of_its_name_and_says_first_what_it_is_about() {
    let files = fs::read_dir(root().join("config/manual")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    // Beside the pages lie their pictures.
    let files: BTreeSet<String> = names.filter(|name| name != "pictures").collect();
    let pages: BTreeSet<String> = WRITTEN.iter().map(|(name, _)| format!("{name}.md")).collect();
    assert_eq!(files, pages);
    for (name, text) in WRITTEN {
        assert!(text.starts_with("# "), "{name}");
    }
}

#[test]
fn a_page_fits_a_screen_or_two_and_a_terminal() {
    for (name, text) in WRITTEN {
        // What is looked up, entry by entry, may be longer.
        let longest = if *name == "troubleshooting" { 120 } else { 80 };
        assert!(text.lines().count() <= longest, "{name} is long");
        for line in text.lines().filter(|line| !line.starts_with('|') && !line.starts_with("    ")) {
            assert!(line.chars().count() <= 130, "{name}: {line}");
        }
    }
}

#[test]
fn a_topic_is_printed_as_it_was_written_in_upper_case_too() {
    let page = fs::read_to_string(root().join("config/manual/evidence.md")).unwrap();
    for topic in ["evidence", "Evidence", " EVIDENCE "] {
        assert_eq!(asked(topic), page.trim_end());
    }
    for (name, page) in HOOKS {
        assert_eq!(asked(name), without_markers(page).trim_end());
        assert!(!asked(name).contains("<!--"), "{name}");
    }
}

#[test]
fn each_command_of_a_hook_names_its_page_too() {
    for hook in Catalog::built_in().unwrap().hooks {
        for command in &hook.commands {
            assert_eq!(asked(&command.to_uppercase()), asked(&hook.name), "{command}");
            assert_eq!(read(Some(command))["topics"][0]["name"], hook.name, "{command}");
        }
    }
}

#[test]
fn what_is_written_down_elsewhere_is_put_in_from_there() {
    let defaults = fs::read_to_string(root().join("config/defaults.yaml")).unwrap();
    assert!(asked("defaults").contains(&defaults));
    let commands = asked("commands");
    for verb in clap_command().get_subcommands() {
        assert!(commands.contains(&format!("\n- `req {}`: ", verb.get_name())), "{}", verb.get_name());
    }
    assert!(commands.contains("\n    req status --summary\n"), "{commands}");
}

#[test]
fn a_word_that_is_no_topic_names_the_topics_it_occurs_in() {
    let text = asked("single_USE");
    let (first, rest) = text.split_once('\n').unwrap();
    assert_eq!(first, "No page is called single_USE, but it stands in these:");
    for topic in ["satisfactions", "requirements", "requirements-check"] {
        assert!(rest.contains(&format!("  {topic} ")), "{rest}");
    }
    assert!(!rest.contains("  trust "), "{rest}");
}

#[test]
fn an_unknown_topic_is_told_with_the_nearest_one() {
    for (word, said) in [
        ("evidnce", "req: the manual has no page evidnce; did you mean evidence?"),
        ("qqqq", "req: the manual has no page qqqq, and the word is on none; req docs lists them"),
    ] {
        assert_eq!(answered(Some(word), false).unwrap_err(), said);
    }
}

#[test]
fn for_programs_the_answer_has_one_form() {
    let all = read(None);
    assert_eq!((&all["version"], &all["asked"]), (&1.into(), &Value::Null));
    assert_eq!(all["topics"].as_array().unwrap().len(), WRITTEN.len() + HOOKS.len());
    assert_eq!(all["topics"][0]["name"], "start");
    assert_eq!(all["topics"][0]["text"], Value::Null);

    let one = read(Some("trust"));
    assert_eq!(one["topics"].as_array().unwrap().len(), 1);
    assert!(one["topics"][0]["text"].as_str().unwrap().starts_with("# A guard rail"));

    let found = read(Some("single_use"));
    assert_eq!(found["asked"], "single_use");
    for topic in found["topics"].as_array().unwrap() {
        assert!(topic["text"].is_null() && topic["summary"].is_string(), "{topic}");
    }
}
