//! The parts of a question.

use shared::host::Places;
use shared::messages::Texts;

use super::{about_change, about_declaration};
use crate::plan::tests::{defaults, known};
use crate::wording::tests::{assert_filled, host};

/// The instructions of the question of stage 1.
fn asked_about_declaration(wants_test: bool) -> String {
    let (settings, host, places, own) = (defaults(), host(), Places::default(), [].into());
    let mut known = known();
    known.heard.wants_test = wants_test;
    about_declaration(&settings, &known, &mut Texts::new(&own, &host, &places)).instructions
}

/// The purpose and the instructions of the question of stage 2 about this diff.
fn asked_about_change(diff: &str) -> (&'static str, String) {
    let (settings, host, places, own) = (defaults(), host(), Places::default(), [].into());
    let mut texts = Texts::new(&own, &host, &places);
    let question = about_change(&settings, &mut texts, "src/a.py", "D", diff, "C");
    (question.purpose, question.instructions)
}

#[test]
fn long_diff_is_cut_and_model_and_journal_say_so() {
    for (lines, purpose, is_cut) in [(10, "review", false), (2_000, "review of a part", true)] {
        let (found, told) = asked_about_change(&"+x = 1\n".repeat(lines));
        assert_eq!((found, told.contains("\n\nOf the diff only the end is shown")), (purpose, is_cut));
    }
}

#[test]
fn question_has_all_its_parts() {
    for wants_test in [true, false] {
        let told = asked_about_declaration(wants_test);
        assert_filled(&told);
        assert!(told.contains("CHANGES: ") && told.contains("intent-validator declare --file"), "{told}");
        assert_eq!(told.contains("in src, lib"), wants_test, "{told}");
        assert_eq!(told.contains("wants no test"), !wants_test, "{told}");
    }
    let told = asked_about_change("+x").1;
    assert_filled(&told);
    let checked = ["hardcoded-secrets", "commented-out-code", "long-functions", "deep-nesting"];
    for rule in defaults().rules.keys() {
        let is_asked = !checked.contains(&rule.as_str());
        assert_eq!(told.contains(&format!("\n- {rule}: ")), is_asked, "{rule} in {told}");
    }
}
