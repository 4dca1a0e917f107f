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
    for (own, most) in [("", 3), ("max_blocks: 1", 1)] {
        let judged = strict(own);
        let reasons: Vec<_> = five_stops(&judged).iter().map(|answer| reason(answer.as_ref())).collect();
        let held: Vec<bool> = reasons.iter().map(Option::is_some).collect();
        assert_eq!(held, (0..5).map(|number| number < most).collect::<Vec<_>>(), "{own}: {reasons:?}");
        for reason in reasons.into_iter().flatten() {
            let lines: Vec<&str> = reason.lines().filter(|line| !line.is_empty()).collect();
            // The setting behind it has the last line.
            assert_eq!((lines[0], lines.len()), ("tempo-stop: Nobody is greeted yet.", 3), "{reason}");
        }
        assert_eq!(judged.api.requests().len(), most, "{own}: who is let go is not asked about");
        assert_eq!(judged.texts("let-go"), vec!["held often enough for this prompt"; 5 - most], "{own}");
        assert_eq!(judged.texts("block").len(), most, "{own}: {}", judged.journal());
    }
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

/// What a refusal asks for is said, and the stop goes through.
#[test]
fn a_question_to_the_user_ends_the_turn_as_the_text_says() {
    let judged = strict("");
    worked(&judged.session, REQUEST);
    let reason = reason(judged.ask(&judged.session.stop("Done.")).as_ref()).unwrap();
    assert!(reason.contains("end with a question to them"), "{reason}");
    assert_eq!(judged.ask(&judged.session.stop_again("Shall I greet them in French?")), None);
    assert_eq!(judged.texts("let-go"), ["the last message ends in a question"]);
    assert_eq!(judged.api.requests().len(), 1);
}
