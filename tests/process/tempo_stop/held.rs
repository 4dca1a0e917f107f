//! A stop that is held: with what, how often, and what the journal says when it is not any more.

use serde_json::Value;

use super::{reason, strict};
use crate::judged::{Judged, REQUEST, worked};

/// Five stops of one prompt, of which each goes on where the last was held.
fn five_stops(judged: &Judged) -> Vec<Option<Value>> {
    worked(&judged.session, REQUEST);
    let stops = (0..5).map(|number| match number {
        0 => judged.session.stop("All of it is done."),
        _ => judged.session.stop_again(&format!("All of it is done, I said ({number}).")),
    });
    stops.map(|stop| judged.ask(&stop)).collect()
}

#[test]
fn a_stop_is_held_with_the_models_words_no_more_often_than_set() {
    let judged = strict("");
    let reasons: Vec<_> = five_stops(&judged).iter().map(|answer| reason(answer.as_ref())).collect();
    let held: Vec<bool> = reasons.iter().map(Option::is_some).collect();
    assert_eq!(held, [true, true, true, false, false], "{reasons:?}");
    assert!(reasons[0].as_ref().unwrap().starts_with("tempo-stop: Nobody is greeted yet.\n"), "{reasons:?}");
    assert_eq!(judged.api.requests().len(), 3, "who is let go is not asked about");
    assert_eq!(judged.texts("let-go"), ["blocked often enough for this prompt"; 2]);
}

#[test]
fn twenty_stops_of_one_prompt_at_once_are_held_no_more_often_than_set() {
    let judged = strict("");
    worked(&judged.session, REQUEST);
    let stops = vec![judged.session.stop("Done."); 20];
    let answers = judged.ask_at_once(&stops);
    let held = answers.iter().filter(|answer| reason(answer.as_ref()).is_some()).count();
    assert!((1..=3).contains(&held), "{held}: {}", judged.journal());
}
