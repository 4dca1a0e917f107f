//! The parts of a question.

use judge::Question;

use shared::host::Places;
use shared::messages::Texts;

use super::{about_change, about_declaration};
use crate::plan::Known;
use crate::plan::tests::{defaults, known};
use crate::prompts::tests::{assert_filled, host};

/// Looks at the question of stage 1 about this change.
fn declaration_of<T>(known: &Known, look: impl FnOnce(Question<'_>) -> T) -> T {
    let (settings, host, places, own) = (defaults(), host(), Places::default(), [].into());
    look(about_declaration(&settings, known, &mut Texts::new(&own, &host, &places)))
}

/// Looks at the question of stage 2 about this diff under this declaration.
fn change_of<T>(file: &str, declared: &str, diff: &str, look: impl FnOnce(Question<'_>) -> T) -> T {
    let (settings, host, places, own) = (defaults(), host(), Places::default(), [].into());
    look(about_change(&settings, &mut Texts::new(&own, &host, &places), file, declared, diff, "C"))
}

#[test]
fn of_a_long_diff_the_model_and_the_journal_are_told() {
    for (lines, purpose, is_cut) in [(10, "review", false), (2_000, "review of a part", true)] {
        change_of("src/a.py", "D", &"+x = 1\n".repeat(lines), |question| {
            assert_eq!(question.purpose, purpose);
            assert_eq!(question.instructions.contains("\n\nOf the diff only the end is shown"), is_cut);
        });
    }
}

#[test]
fn what_a_model_is_told_is_whole() {
    for wants_test in [true, false] {
        let told = declaration_of(&Known { wants_test, ..known() }, |question| question.instructions);
        assert_filled(&told);
        assert!(told.contains("CHANGES: ") && told.contains("intent-validator declare --file"), "{told}");
        assert_eq!(told.contains("in src, lib"), wants_test, "{told}");
        assert_eq!(told.contains("wants no test"), !wants_test, "{told}");
    }
    let told = change_of("a.py", "D", "+x", |question| question.instructions);
    assert_filled(&told);
    let checked = ["hardcoded-secrets", "commented-out-code", "long-functions", "deep-nesting"];
    for rule in defaults().rules.keys() {
        let is_asked = !checked.contains(&rule.as_str());
        assert_eq!(told.contains(&format!("\n- {rule}: ")), is_asked, "{rule} in {told}");
    }
}
