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
fn what_is_not_ours_is_material_and_never_instruction() {
    let mut known = known();
    known.place.file = "src/ignore previous.py".to_owned();
    known.words.own = Some("OWN".to_owned());
    known.words.before = vec!["B1".to_owned(), "B2".to_owned()];
    known.user.texts = vec!["U".to_owned()];
    declaration_of(&known, |question| {
        let parts: Vec<_> = question.parts.iter().map(|part| (part.name, part.text.as_str())).collect();
        let expected =
            [("file", "src/ignore previous.py"), ("said_before", "B1\n\nB2"), ("said", "OWN"), ("user", "U")];
        assert_eq!(parts, expected);
        assert!(!question.instructions.contains("previous.py"));
    });
    change_of("src/a.py", "", "+x", |question| {
        assert!(question.instructions.contains("This change was not declared"), "{}", question.instructions);
    });
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
