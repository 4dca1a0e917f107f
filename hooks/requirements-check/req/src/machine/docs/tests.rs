//! The manual: nothing is forgotten, every topic is found, and what its pages say can be typed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::catalog::Catalog;

use super::{HOOKS, WRITTEN, answer_of, docs, pages, shown_with, without_markers};
use crate::command::arguments::Docs;
use crate::command::{Reply, clap_command};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn asked(topic: Option<&str>) -> Reply {
    docs(&Docs { topic: topic.map(ToOwned::to_owned), json: false })
}

/// The answer as a program reads it.
fn read(topic: Option<&str>) -> Value {
    let reply = docs(&Docs { topic: topic.map(ToOwned::to_owned), json: true });
    serde_json::from_str(&reply.text).unwrap()
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
        let answer = answer_of(page);
        let words = answer.as_deref().map_or(0, |text| text.split_whitespace().count());
        assert!(words >= 10, "hooks/{name}/README.md needs a part `### For Claude` that says what to do");
        let all = asked(Some("answering")).text;
        assert!(all.contains(&format!("\n## {name}\n\n{}", answer.unwrap())), "{name} in {all}");
    }
}

#[test]
fn each_file_of_the_manual_is_a_page_of_its_name_and_says_first_what_it_is_about() {
    let files = fs::read_dir(root().join("config/manual")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    // Beside the pages lie their pictures.
    let files: BTreeSet<String> = names.filter(|name| name != "pictures").collect();
    let pages: BTreeSet<String> = WRITTEN.iter().map(|page| format!("{}.md", page.name)).collect();
    assert_eq!(files, pages);
    for page in WRITTEN {
        let file = fs::read_to_string(root().join(format!("config/manual/{}.md", page.name))).unwrap();
        assert!(file == page.text, "{} shows another file", page.name);
        assert!(file.starts_with("# "), "{}", page.name);
    }
}

#[test]
fn a_page_fits_a_screen_or_two_and_a_terminal() {
    for page in WRITTEN {
        // What is looked up, entry by entry, may be longer.
        let longest = if page.name == "troubleshooting" { 120 } else { 80 };
        assert!(page.text.lines().count() <= longest, "{} is long", page.name);
        for line in page.text.lines().filter(|line| !line.starts_with('|') && !line.starts_with("    ")) {
            assert!(line.chars().count() <= 130, "{}: {line}", page.name);
        }
    }
}

#[test]
fn without_a_topic_all_are_listed_with_a_line_each() {
    let reply = asked(None);
    assert!(!reply.is_no);
    for page in pages() {
        assert!(!page.summary.is_empty(), "{}", page.name);
        let line = reply.text.lines().find(|line| line.trim_start().starts_with(&format!("{} ", page.name)));
        let line = line.unwrap_or_else(|| panic!("{} in {}", page.name, reply.text));
        assert!(line.ends_with(&page.summary) && line.chars().count() <= 120, "{line}");
    }
}

#[test]
fn a_topic_is_printed_as_it_was_written_in_upper_case_too() {
    let page = fs::read_to_string(root().join("config/manual/evidence.md")).unwrap();
    for topic in ["evidence", "Evidence", " EVIDENCE "] {
        assert_eq!(asked(Some(topic)).text, page.trim_end());
    }
    for (name, page) in HOOKS {
        assert_eq!(asked(Some(name)).text, without_markers(page).trim_end());
        assert!(!asked(Some(name)).text.contains("<!--"), "{name}");
    }
}

#[test]
fn each_command_of_a_hook_names_its_page_too() {
    for hook in Catalog::built_in().unwrap().hooks {
        for command in &hook.commands {
            assert_eq!(asked(Some(&command.to_uppercase())).text, asked(Some(&hook.name)).text, "{command}");
            assert_eq!(read(Some(command))["topics"][0]["name"], hook.name, "{command}");
        }
    }
}

#[test]
fn what_is_written_down_elsewhere_is_put_in_from_there() {
    let defaults = fs::read_to_string(root().join("config/defaults.yaml")).unwrap();
    assert!(asked(Some("defaults")).text.contains(&defaults));
    let commands = asked(Some("commands")).text;
    for verb in clap_command().get_subcommands() {
        assert!(commands.contains(&format!("\n- `req {}`: ", verb.get_name())), "{}", verb.get_name());
    }
    assert!(commands.contains("\n    req status --summary\n"), "{commands}");
}

#[test]
fn a_word_that_is_no_topic_names_the_topics_it_occurs_in() {
    let reply = asked(Some("single_use"));
    assert!(!reply.is_no);
    let (first, rest) = reply.text.split_once('\n').unwrap();
    assert_eq!(first, "No page is called single_use, but it stands in these:");
    for topic in ["marks", "requirements", "requirements-check"] {
        assert!(rest.contains(&format!("  {topic} ")), "{rest}");
    }
    assert!(!rest.contains("  trust "), "{rest}");
    assert!(!asked(Some("SINGLE_use")).is_no, "whatever the case");
}

#[test]
fn of_a_long_line_the_part_is_told_in_which_the_word_stands() {
    assert_eq!(shown_with("the Word first", "word"), "the Word first");
    let (before, after) = ("b".repeat(200), "a".repeat(200));
    let shown = shown_with(&format!("{before} Word {after}"), "word");
    assert!(shown.starts_with("…b") && shown.contains(" Word a") && shown.ends_with('…'), "{shown}");
    assert_eq!(shown.chars().count(), 92);
}

#[test]
fn an_unknown_topic_is_told_with_the_nearest_one() {
    for (word, said) in [
        ("evidnce", "req: the manual has no page evidnce; did you mean evidence?"),
        ("", "req: the manual has no page , and the word is on none; req docs lists them"),
        ("qqqq", "req: the manual has no page qqqq, and the word is on none; req docs lists them"),
    ] {
        let reply = asked(Some(word));
        assert!(reply.is_no && !reply.is_report, "{word}");
        assert_eq!(reply.text, said);
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
        let lines = topic["lines"].as_array().unwrap();
        assert!(topic["text"].is_null() && (1..=3).contains(&lines.len()), "{topic}");
        assert!(lines.iter().all(|line| line.as_str().unwrap().contains("single_use")), "{topic}");
    }
}
