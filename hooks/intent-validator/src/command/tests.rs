//! What can be typed, and what is said of it.

use shared::cli::{self, Asker};
use shared::config::{SectionSpec, Sources, load};
use shared::hook::Hook;
use shared::host::Places;
use shared::messages::Texts;
use shared::operator::Caller;
use shared::switches::Position;

use super::{rules_text, status_text};
use crate::IntentValidator;
use crate::plan::tests::defaults;
use crate::prompts::tests::{assert_filled, host};
use crate::settings::Stage2;

#[test]
fn a_prompt_is_a_command_only_with_nothing_left_over() {
    for (prompt, expected) in [
        ("intent-validator rules", true),
        ("  intent-validator rules ", true),
        ("intent-validator RULES", true),
        ("intent-validator STATUS", true),
        ("intent-validator off", true),
        ("intent-validator rules please", false),
        ("intent-validator is strict", false),
        ("intent-validator declare --file a", false),
        ("rules", false),
        ("intent-validator rules\nand more", false),
    ] {
        assert_eq!(IntentValidator::is_command(prompt), expected, "{prompt:?}");
    }
}

#[test]
fn a_typed_status_says_who_decides_in_whatever_case_it_is_typed() {
    let (host, places) = (host(), Places::default());
    let asker = Asker { host: &host, places: &places, store: None, session: None, caller: Caller::Typed };
    for prompt in ["intent-validator status", "intent-validator STATUS"] {
        let reply = cli::typed::<IntentValidator>(prompt, &asker).unwrap();
        assert!(reply.text.contains("\nstage 1, was it declared: "), "{prompt}: {}", reply.text);
    }
}

#[test]
fn the_rules_are_told_with_where_they_are_set() {
    let spec = SectionSpec { name: "intent-validator", root_keys: &["judge"], ..SectionSpec::default() };
    let mut section = load(spec, &Sources::default(), Position::Auto).unwrap();
    let by = "(built-in defaults)";
    let told = rules_text(&section);
    let origin = section.origin("tdd").unwrap().to_string();
    let told = told.replace(&format!("({origin})"), by);
    for line in [
        "tdd: core code needs TEST (built-in defaults)",
        "checks: secrets on, commented_out_code on, max_function_lines 50, max_nesting 5 (built-in defaults)",
        "rules, held against by a model: (built-in defaults)",
        "- bare-except: no handler catches everything (built-in defaults)",
    ] {
        assert!(told.lines().any(|told| told == line), "{line} in {told}");
    }
    section.settings.stage2 = Stage2::Off;
    section.settings.rules.clear();
    let told = rules_text(&section);
    assert!(told.contains("held against by nobody (stage2: off)") && !told.contains("\n- "), "{told}");
}

#[test]
fn the_status_says_who_decides() {
    let (host, places, own) = (host(), Places::default(), [].into());
    let mut texts = Texts::new(&own, &host, &places);
    let text = status_text(&mut texts, &defaults());
    assert_filled(&text);
    let expected = "stage 1, was it declared: by the form; without one, claude-haiku-5-5 is asked\n\
                    stage 2, does it match: claude-sonnet-5-5 is asked\n\
                    core code: src, lib, core, source, libraries, kernel; TEST is needed there";
    assert_eq!(text, expected);
}
