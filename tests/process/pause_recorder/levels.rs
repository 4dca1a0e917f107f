//! The levels: each reported once at exactly its percentage; a compaction of the model moves the record's.

use tests::payloads::Session;

use super::{Recorder, holds};

#[test]
fn reports_each_level_once_at_exactly_its_percentage() {
    let recorder = Recorder::new("");
    for (tokens, expected) in [
        (139_999, ""),
        (140_000, "pause-recorder: the context is 70 % full (140,000 of 200,000 tokens)"),
        (179_999, "pause-recorder: the context is 89 % full (179,999 of 200,000 tokens); a good moment to"),
        (
            180_000,
            "pause-recorder: the context is 90 % full (180,000 of 200,000 tokens); from here on this session is recorded in .claude/sessions.",
        ),
        (
            190_000,
            "pause-recorder: the context is 95 % full (190,000 of 200,000 tokens); next to nothing is left",
        ),
        (199_999, ""),
    ] {
        let told = recorder.climb(&recorder.session, tokens);
        assert!(told.starts_with(expected) && told.is_empty() == expected.is_empty(), "{tokens}: {told:?}");
        assert_eq!(recorder.actives().len(), usize::from(tokens >= 180_000), "{tokens}");
    }
}

/// The client compacts this session by itself, at so many tokens.
fn compacted(recorder: &Recorder, session: &Session, tokens: u64) {
    holds(session, tokens);
    recorder.ask(&session.pre_compact("auto"));
    recorder.ask(&session.session_start("compact"));
}

#[test]
fn where_the_client_has_compacted_a_model_the_record_begins_before() {
    let recorder = Recorder::new("");
    compacted(&recorder, &recorder.session, 167_000);
    // 83.5 % less 3.
    for (number, (tokens, begins)) in [(160_998, false), (161_002, true)].into_iter().enumerate() {
        let session = recorder.another(&format!("{number}0000000-x"));
        let told = recorder.climb(&session, tokens);
        assert_eq!(told.contains("from here on this session is recorded"), begins, "{tokens}: {told}");
    }
}
