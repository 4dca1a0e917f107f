//! What can be typed, and what is said of it.

use shared::config::{SectionSpec, Sources, load};
use shared::host::Places;
use shared::messages::Texts;
use shared::switches::Position;

use super::{rules_text, status_text};
use crate::plan::tests::defaults;
use crate::prompts::tests::{assert_filled, host};
use crate::settings::Stage2;

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
