//! The page says what the JSON says, and nothing of it becomes markup.

use proptest::prelude::*;
use serde_json::Value;
use shared::host::Timestamp;

use super::super::world::{any_snapshot, full, least};
use super::super::{Snapshot, told_time};
use super::{code, markdown, words};

/// Every value that has no values inside, with the key it stands under.
fn leaves<'a>(key: &'a str, value: &'a Value) -> Vec<(&'a str, &'a Value)> {
    match value {
        Value::Object(map) => map.iter().flat_map(|(key, value)| leaves(key, value)).collect(),
        Value::Array(entries) => entries.iter().flat_map(|entry| leaves("", entry)).collect(),
        leaf => vec![(key, leaf)],
    }
}

/// How a value stands in the page.
fn told(key: &str, value: &Value) -> String {
    let value_text = value.as_str().unwrap_or_default();
    let value = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => code(text),
        plain => plain.to_string(),
    };
    let value = match key {
        "paused_at" | "timestamp" => code(&told_time(value_text)),
        _ => value,
    };
    if key.is_empty() { value } else { format!("{}: {value}", words(key)) }
}

fn missing(snapshot: &Snapshot) -> Vec<String> {
    let page = markdown(snapshot);
    let mut value = serde_json::to_value(snapshot).unwrap();
    // As whole percent, and not at all where nobody knows.
    value["incremental_pause"].as_object_mut().unwrap().remove("context_range");
    value["context_usage"].as_object_mut().unwrap().remove("percentage");
    if snapshot.context_usage.tokens_total == 0 {
        value["context_usage"].as_object_mut().unwrap().clear();
    }
    let all = leaves("", &value).into_iter().map(|(key, value)| told(key, value));
    all.filter(|told| !page.contains(told.as_str())).collect()
}

/// The headings of a page, and lines that are neither heading, list nor empty.
fn structure(page: &str) -> (Vec<String>, Vec<String>) {
    let lines = page.split('\n').filter(|line| !line.is_empty() && !line.starts_with("- "));
    let (headings, others): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with('#'));
    let own = |lines: Vec<&str>| lines.into_iter().map(str::to_owned).collect();
    (own(headings), own(others))
}

const HEADINGS: [&str; 15] = [
    "## Context usage",
    "## Incremental pause",
    "### Actions summary",
    "## Git",
    "### Recent commits",
    "### Status",
    "#### Modified files",
    "#### Untracked files",
    "## Todos",
    "### Active",
    "### Completed",
    "## Files touched",
    "## Done",
    "## Open",
    "# Paused session",
];

#[track_caller]
fn check_structure(page: &str) {
    let (headings, others) = structure(page);
    let are_ours = headings.iter().enumerate().all(|(at, heading)| {
        if at == 0 {
            heading.starts_with("# Paused session ")
        } else {
            HEADINGS[..14].contains(&heading.as_str())
        }
    });
    let unknown = usize::from(page.contains("- context usage: not known\n"));
    assert!(are_ours && headings.len() + unknown == HEADINGS.len(), "{headings:?}");
    assert!(others.iter().all(|line| line == "None."), "{others:?}");
}

#[test]
fn a_page_as_people_read_it() {
    let page = markdown(&full());
    let paused = Timestamp::from_rfc3339("2026-01-06T12:05:00.000Z").unwrap().local();
    let called = Timestamp::from_rfc3339("2026-01-06T12:01:00.000Z").unwrap().local();
    for part in [
        "# Paused session `session-20260106-120000`\n\n- each action: `session-20260106-120000-incremental.jsonl`, beside this",
        &format!("- session id: `session-20260106-120000`\n- paused at: `{paused}`\n"),
        "\n## Context usage\n\n- tokens used: 186000\n",
        "- percentage: 93 %\n",
        "- context range: 90 % to 93 %\n",
        &format!("- type: `tool_call`, timestamp: `{called}`\n"),
        "\n#### Untracked files\n\n- `with space`\n- `\"line\\nbreak\"`\n",
    ] {
        assert!(page.contains(part), "{part}\n---\n{page}");
    }
}

#[test]
fn where_nobody_knows_how_full_the_context_was_no_percentage_is_told() {
    let page = markdown(&least());
    assert!(!page.contains('%') && page.contains("- context range: not known\n"), "{page}");
}

#[test]
fn the_page_says_what_the_json_says() {
    for snapshot in [full(), least()] {
        assert_eq!(missing(&snapshot), Vec::<String>::new());
        check_structure(&markdown(&snapshot));
    }
}

#[test]
fn texts_stand_as_code_whatever_they_hold() {
    for (text, expected) in [
        ("plain", "`plain`"),
        ("", "(empty)"),
        ("`", "`` ` ``"),
        ("a`b``c", "```a`b``c```"),
        ("`a", "`` `a ``"),
        (" a ", "`  a  `"),
        ("  ", "`  `"),
        ("<b>&amp;</b> [x](y)", "`<b>&amp;</b> [x](y)`"),
        ("a\n\n# b", "`\"a\\n\\n# b\"`"),
        ("a\u{202e}\"\\\n", "`\"a\\u{202e}\\\"\\\\\\n\"`"),
    ] {
        assert_eq!(code(text), expected, "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_snapshot_is_told_whole_and_forges_nothing(snapshot in any_snapshot()) {
        prop_assert_eq!(missing(&snapshot), Vec::<String>::new());
        check_structure(&markdown(&snapshot));
    }

    #[test]
    fn no_text_ends_its_code(text in any::<String>()) {
        let code = code(&text);
        prop_assume!(!text.is_empty());
        let fence = code.chars().take_while(|char| *char == '`').count();
        let inside = &code[fence..code.len() - fence];
        let runs = inside.split(|char| char != '`').map(str::len);
        prop_assert!(runs.into_iter().all(|run| run < fence) && !code.contains(['\n', '\r']));
    }
}
