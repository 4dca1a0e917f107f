//! The texts, to the letter. That following them passes is shown in `observe`.

use shared::host::{Clock, Environment, Host, Timestamp};

use super::{found, lacks};
use crate::checks::Finding;
use crate::form::{Lack, Part};
use crate::plan::Known;
use crate::plan::tests::{finding, known};
use crate::state::{Cause, Place};

pub(crate) fn host() -> Host {
    let started = Timestamp::from_secs(1_000_000);
    Host { started, clock: Clock::System, environment: Environment::default() }
}

/// No text of ours has a brace but those of its placeholders.
#[track_caller]
pub(crate) fn assert_filled(text: &str) {
    assert!(!text.contains(['{', '}']), "{text}");
}

#[test]
fn a_refusal_shows_the_form_with_the_file_and_nothing_else_filled_in() {
    let place = Place { file: "sub/src/it's.py".into(), agent: None };
    let text = lacks(&Known { place: place.clone(), ..known() }, &Lack::Form).0;
    let expected = "intent-validator: sub/src/it's.py: this change is not declared. Write this form in the message that makes the edit, \
                    filled in, and make the edit again:\n\n\
                    FILE: sub/src/it's.py\nCHANGES: <what you change>\nGOAL: <why you change it>\nTEST: <test file or test>\n\n\
                    Example: \"CHANGES: round each line to whole cents\", \"GOAL: invoices match the ledger\".\n\
                    Without a test, quote a whole sentence from the user's last five messages, as in TEST: none, the user said: \"...\"\n\
                    Where a message carries no text, run this first, filled in and alone on a line: intent-validator declare --file 'sub/src/it'\"'\"'s.py' \
                    --changes '<what you change>' --goal '<why you change it>' --test '<test file or test>'";
    assert_eq!(text, expected);
    let plain = lacks(&Known { place, ..Known::default() }, &Lack::Form).0;
    assert!(!plain.contains("TEST") && !plain.contains("--test"), "{plain}");
}

#[test]
fn the_fault_is_named() {
    let known = known();
    for (lack, why) in [
        (Lack::Parts(vec![Part::Goal]), "GOAL is missing, one word, or not filled in."),
        (Lack::Test, "this is core code, and TEST names no test file and no test."),
        (
            Lack::Quote("skip\nthem".into()),
            "the user's last five messages do not contain \"skip them\" as a sentence of its own.",
        ),
    ] {
        let text = lacks(&known, &lack).0;
        assert!(text.starts_with(&format!("intent-validator: src/a.py: {why} Write this form")), "{text}");
    }
    let quote = format!("{} ghp_0123456789abcdefghijABCDEFGHIJ012345", "x ".repeat(40));
    let text = lacks(&known, &Lack::Quote(quote)).0;
    assert!(!text.contains("ghp_0123"), "a secret is masked before it is cut: {text}");
}

#[test]
fn each_finding_takes_one_line_and_the_list_is_bounded() {
    let many: Vec<Finding> = (1..=7).map(|line| Finding { line, ..finding() }).collect();
    let text = found(&known(), &many, Cause::Checks).0;
    assert!(text.contains("\n- line 5, scope-creep: w. Fix: f.\n- and 2 more\nFix that"), "{text}");
    let bare = Finding { why: "w".into(), ..finding() };
    assert!(found(&known(), &[bare], Cause::Checks).0.contains(": w. Fix: f."));
    let wild = Finding {
        rule: "a\u{1b}[2Jb".into(),
        line: 0,
        why: "x".repeat(5_000),
        fix: "one\ntwo\u{202e}three".into(),
    };
    let text = found(&known(), &[wild], Cause::Review).0;
    assert!(text.contains("\n- a [2Jb: xxx") && text.contains("… Fix: one two three\n"), "{text}");
    assert!(text.len() < 1_000);
}
