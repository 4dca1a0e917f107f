//! What the manual quotes in indented blocks and nobody types: what Claude writes, and what a hook says. Each is made anew.

use serde_json::json;
use tests::sandbox::Level;

use super::{Block, Page};
use crate::driver::{Driver, denial};
use crate::judged::{CALL, Judged, approves, says, write};

/// A quotation: its page, and how it begins.
type Quotation = (&'static str, &'static str);

const DECLARATION: Quotation = ("hooks/intent-validator/README.md", "FILE: ");

const DENIAL: Quotation = ("README.md", "● Bash(git commit");

/// It is one of those that are made anew here.
pub(super) fn is_said(block: &Block) -> bool {
    [DECLARATION, DENIAL].iter().any(|(page, start)| {
        block.place.split_once(':').is_some_and(|(path, _)| path == *page) && block.text.starts_with(start)
    })
}

#[track_caller]
fn text_of((page, start): Quotation) -> String {
    let blocks = Page::read(page).blocks().into_iter();
    let mut texts = blocks.filter(|block| block.language == "indented").map(|block| block.text);
    texts.find(|text| text.starts_with(start)).unwrap_or_else(|| panic!("{page}: {start}"))
}

/// What is between a line's label and its end.
fn value<'a>(text: &'a str, label: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(label)).unwrap_or_else(|| panic!("{label}: {text}"))
}

#[test]
fn the_declaration_that_is_shown_is_enough_as_it_stands() {
    let declaration = text_of(DECLARATION);
    let file = value(&declaration, "FILE: ");
    let content = "def validate_password(text):\n    return len(text) >= 12\n";
    let asked = "Weak passwords have to be refused.";
    for (prose, is_enough) in [(declaration.as_str(), true), ("Now.", false)] {
        let judged = Judged::new("intent-validator", "stage1: local, stage2: \"off\"", "", [approves()]);
        says(&judged.session, asked, prose);
        let answer = judged.ask(&write(&judged.session, file, content).with("tool_use_id", CALL));
        assert_eq!(denial(answer.as_ref()).is_none(), is_enough, "{prose}: {answer:?}");
    }
}

#[test]
fn readme_shows_the_real_denial() {
    const TEAM: &str = "requirements:
  tests_green: {enabled: true, type: evidence, command: cargo test, trigger_tools: [{tool: Bash, command_pattern: git commit}]}
";
    let driver = Driver::unconfigured("requirements-check");
    driver.sandbox.requirements(Level::Project, TEAM);
    driver.sandbox.commit("what is required");
    driver.sandbox.git(&["switch", "--quiet", "--create", "expired-tokens"]);
    let commit = json!({ "command": "git commit -am 'Reject expired tokens'" });
    let answer = driver.ask(&driver.session.pre_tool_use("Bash", commit).with("tool_use_id", CALL));
    let denial = denial(answer.as_ref()).unwrap();
    let shown = text_of(DENIAL);
    for line in denial.lines() {
        assert!(shown.contains(line.trim()), "README.md does not show `{line}` of:\n{denial}");
    }
}
