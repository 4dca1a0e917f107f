//! What a judge says is bounded and cleaned before anybody reads it.

use serde_json::{Value, json};

use super::{NAME, finding, finds_fault};
use crate::driver::{denial, notice};
use crate::judged::{Judged, PATIENT};

/// Longer no text may be, in bytes.
const MAX_TEXT: usize = 6_000;

/// What a terminal obeys, or what is not to be seen.
pub(crate) fn is_dangerous(char: char) -> bool {
    (char.is_control() && char != '\n')
        || matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn reason(findings: &[Value]) -> String {
    let judged = Judged::new(NAME, "", PATIENT, [finds_fault(findings)]);
    let answer = judged.ask(&judged.question(1));
    let reason = denial(answer.as_ref()).unwrap_or_else(|| panic!("{answer:?}: {}", judged.journal()));
    assert!(reason.len() <= MAX_TEXT, "{}: {reason}", reason.len());
    assert!(!reason.contains(is_dangerous), "{reason:?}");
    assert!(
        reason.starts_with("intent-validator: a model that reviewed this change of tools/greet.py"),
        "{reason}"
    );
    let remembered = judged.state_of(&format!("{}-intent.json", judged.session.id)).to_string();
    assert!(remembered.len() < 300_000, "{}", remembered.len());
    reason
}

#[test]
fn what_a_terminal_would_obey_is_taken_out_of_a_finding() {
    let escapes = "\u{1b}[2J\u{1b}]0;title\u{7}red\r\u{8}\u{202e}txt.exe\u{200b}\u{2066}\u{feff}\u{9b}31m";
    let reason =
        reason(&[finding(escapes, escapes), json!({ "rule": escapes, "line": -7, "why": "x", "fix": "y" })]);
    assert!(reason.contains("red") && reason.contains("txt.exe"), "{reason:?}");
}

#[test]
fn an_answer_of_a_megabyte_is_no_verdict() {
    let judged = Judged::new(NAME, "", PATIENT, [finds_fault(&[finding(&"long ".repeat(200_000), "x")])]);
    let answer = judged.ask(&judged.question(1));
    assert_eq!(denial(answer.as_ref()), None);
    assert!(notice(answer.as_ref()).contains("is no verdict"), "{answer:?}");
}
