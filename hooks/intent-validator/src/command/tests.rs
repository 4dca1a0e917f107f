//! What can be typed, and what is said of it.

use shared::host::Places;
use shared::messages::Texts;

use super::status_text;
use crate::plan::tests::defaults;
use crate::prompts::tests::{assert_filled, host};

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
