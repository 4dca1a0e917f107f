//! The page says what the JSON says, and nothing of it becomes markup.

use shared::host::Timestamp;

use super::{code, markdown};
use crate::snapshot::tests::{full, least};

/// The headings of a page, and lines that are neither heading, list nor empty.
fn structure(page: &str) -> (Vec<String>, Vec<String>) {
    let lines = page.split('\n').filter(|line| !line.is_empty() && !line.starts_with("- "));
    let (headings, others): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with('#'));
    let own = |lines: Vec<&str>| lines.into_iter().map(str::to_owned).collect();
    (own(headings), own(others))
}

const HEADINGS: [&str; 14] = [
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
];

#[track_caller]
fn check_structure(page: &str) {
    let (mut headings, others) = structure(page);
    assert!(headings.remove(0).starts_with("# Paused session "), "{page}");
    let unknown = usize::from(page.contains("- context usage: not known\n"));
    assert_eq!(headings, HEADINGS[unknown..], "{page}");
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
fn hostile_texts_forge_no_line_of_the_page() {
    let mut snapshot = full();
    let hostile = "x\n\n# Heading\n```\n- item\u{2028}<b>\u{202e}`".to_owned();
    snapshot.git.branch = Some(hostile.clone());
    snapshot.files_touched = vec![hostile.clone()];
    snapshot.next_steps = vec![hostile.clone(), String::new()];
    snapshot.session_id = hostile;
    for snapshot in [snapshot, full(), least()] {
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
