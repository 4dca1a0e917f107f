//! The page and the YAML say what the JSON says, and nothing of it becomes markup.

use serde_json::{Value, json};
use shared::config::read_typed;

use super::{code, markdown, yaml};
use crate::snapshot::tests::{full, least};

#[test]
fn a_page_as_people_read_it() {
    let page = markdown(&full());
    for part in [
        "# Paused session `session-20260106-120000`\n\n- paused at: `",
        "\n- context: 93 % full (186,000 of 200,000 tokens)\n- recorded: 21 actions in 5 min\n",
        "\n- repository: branch `main`\n\n## Open\n\n- `asked last, without an answer: and the docs?`\n",
        "\n## Untracked files\n\n- `with space`\n- `\"line\\nbreak\"`\n",
    ] {
        assert!(page.contains(part), "{part}\n---\n{page}");
    }
    assert!(markdown(&least()).contains("- context: not known\n"));
}

#[test]
fn hostile_texts_forge_no_line_of_the_page() {
    let mut snapshot = full();
    let hostile = "x\n\n# Heading\n```\n- item\u{2028}<b>\u{202e}`".to_owned();
    snapshot.git.branch = Some(hostile.clone());
    snapshot.git.recent_commits[0].message = hostile.clone();
    snapshot.files_touched = vec![hostile.clone()];
    snapshot.next_steps = vec![hostile.clone(), String::new()];
    snapshot.paused_at = hostile.clone();
    snapshot.session_id = hostile;
    let page = markdown(&snapshot);
    let lines = |page: &str| page.lines().map(|line| line.chars().take(2).collect()).collect::<Vec<String>>();
    assert!(lines(&page).iter().all(|line| ["- ", "# ", "##", ""].contains(&line.as_str())), "{page}");
    assert_eq!(page.matches("\n## ").count(), markdown(&full()).matches("\n## ").count(), "{page}");
}

#[test]
fn texts_stand_as_code_whatever_they_hold() {
    for (text, expected) in [
        ("<b>&amp;</b> [x](y)", "`<b>&amp;</b> [x](y)`"),
        ("", "`\"\"`"),
        ("a`b``c", "```a`b``c```"),
        ("`a", "`` `a ``"),
        (" a ", "`  a  `"),
        ("a\n\n# b", "`\"a\\n\\n# b\"`"),
        ("a\u{202e}\"\\\n", "`\"a\\u{202e}\\\"\\\\\\n\"`"),
    ] {
        assert_eq!(code(text), expected, "{text:?}");
    }
}

#[test]
fn reads_back_as_the_same_value() {
    let odd = [
        "yes",
        "~",
        "1e3",
        "2026-01-06T12:00:00Z",
        "- x",
        "a: b",
        "",
        "\u{0}\u{7f}\u{85}\u{2028}",
        "\u{feff}\u{ffff}",
        "'\"\\",
        "🦀",
    ];
    let value = json!({
        "id": "session-1", "share": 0.93, "none": null, "range": [0.9, 1.0], "tasks": [], "map": {},
        "actions": [{ "type": "tool_call", "on": true }, { "of": [odd] }], "texts": odd,
    });
    let text = yaml(&value);
    assert_eq!(read_typed::<Value>(&text).unwrap(), value, "{text}");
    assert!(!text.contains(|char: char| char.is_control() && char != '\n'), "{text:?}");
    assert!(text.starts_with("id: \"session-1\"\nshare: 0.93\nnone: null\nrange:\n  - 0.9\n"), "{text}");
}
