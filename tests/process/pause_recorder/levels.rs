//! How full the context is, by whose word, and what the user is told of it: each level once, at exactly its percentage.

use tests::payloads::Session;

use super::{MODEL, Recorder, holds, status_line};
use crate::driver::notice;

/// Tokens of 200,000, and how what is told then begins; empty: nothing.
const CLIMB: [(u64, &str); 12] = [
    (20_000, ""),
    (139_999, ""),
    (140_000, "pause-recorder: the context is 70 % full (140,000 of 200,000 tokens)"),
    (140_001, ""),
    (169_999, ""),
    (170_000, "pause-recorder: the context is 85 % full (170,000 of 200,000 tokens); a good moment to"),
    (179_999, ""),
    (
        180_000,
        "pause-recorder: the context is 90 % full (180,000 of 200,000 tokens); from here on this session is recorded in .claude/sessions.",
    ),
    (189_999, ""),
    (
        190_000,
        "pause-recorder: the context is 95 % full (190,000 of 200,000 tokens); next to nothing is left",
    ),
    (190_000, ""),
    (199_999, ""),
];

#[track_caller]
fn check_climb(told: impl Fn(&Recorder, u64) -> String) {
    let recorder = Recorder::new("");
    for (tokens, expected) in CLIMB {
        let told = told(&recorder, tokens);
        assert!(told.starts_with(expected) && told.is_empty() == expected.is_empty(), "{tokens}: {told:?}");
        assert_eq!(recorder.actives().len(), usize::from(tokens >= 180_000), "{tokens}");
    }
}

#[test]
fn each_level_is_told_once_at_exactly_its_percentage_by_the_transcript() {
    check_climb(|recorder, tokens| recorder.climb(&recorder.session, tokens));
}

#[test]
fn each_level_is_told_once_at_exactly_its_percentage_by_the_status_line() {
    check_climb(|recorder, tokens| {
        // A reply that is not in the transcript yet, and one that says something else.
        holds(&recorder.session, 1_000);
        status_line(recorder, &recorder.session, MODEL, 200_000, tokens, 0);
        notice(recorder.call(&recorder.session).as_ref())
    });
}

/// The client compacts this session by itself, at so many tokens.
fn compacted(recorder: &Recorder, session: &Session, tokens: u64, trigger: &str) {
    holds(session, tokens);
    recorder.ask(&session.pre_compact(trigger));
    recorder.ask(&session.session_start("compact"));
}

#[test]
fn where_the_client_has_compacted_a_model_the_record_begins_before() {
    let recorder = Recorder::new("");
    compacted(&recorder, &recorder.session, 167_000, "auto");
    // 83.5 % less 3.
    for (number, (tokens, begins)) in [(160_998, false), (161_002, true)].into_iter().enumerate() {
        let session = recorder.another(&format!("{number}0000000-x"));
        let told = recorder.climb(&session, tokens);
        assert_eq!(told.contains("from here on this session is recorded"), begins, "{tokens}: {told}");
    }
}

#[test]
fn after_a_compaction_the_climb_is_told_anew() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    assert!(recorder.climb(session, 171_000).contains("85 % full"));
    status_line(&recorder, session, MODEL, 200_000, 171_000, 0);
    recorder.ask(&session.pre_compact("manual"));
    recorder.ask(&session.session_start("compact"));
    std::fs::remove_file(&session.transcript).unwrap();
    assert_eq!(recorder.call(session), None, "what the status line told before is in no context any more");
    assert_eq!(recorder.climb(session, 30_000), "");
    std::fs::remove_file(recorder.state(&format!("{}-usage.json", session.id))).unwrap();
    assert!(recorder.climb(session, 141_000).contains("70 % full"));
}

#[test]
fn one_that_is_off_tells_and_records_nothing() {
    let recorder = Recorder::new("enabled: false");
    assert_eq!(recorder.climb(&recorder.session, 195_000), "");
    assert!(!recorder.dir().exists());
}
