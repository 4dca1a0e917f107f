//! How full the context is, by whose word, and what the user is told of it: each level once, at exactly its percentage.

use serde_json::json;
use tests::payloads::Session;
use tests::transcripts::Transcript;

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

#[test]
fn several_levels_at_once_are_told_as_the_highest() {
    let recorder = Recorder::new("");
    let told = recorder.climb(&recorder.session, 195_000);
    assert!(told.starts_with("pause-recorder: the context is 97 % full") && !told.contains('\n'), "{told}");
    assert!(told.contains("next to nothing is left") && told.contains("from here on"), "{told}");
    assert_eq!(recorder.climb(&recorder.session, 199_000), "");
}

#[test]
fn every_event_of_a_turn_may_tell() {
    let events: [fn(&Session) -> tests::payloads::Payload; 5] = [
        |session| session.user_prompt_submit("go on"),
        |session| session.stop("Done."),
        |session| session.post_tool_use_failure("Bash", json!({ "command": "false" }), "Exit code 1"),
        |session| session.replay("StopFailure-529"),
        |session| session.pre_compact("manual"),
    ];
    for event in events {
        let recorder = Recorder::new("");
        holds(&recorder.session, 150_000);
        let payload = event(&recorder.session);
        let told = notice(recorder.ask(&payload).as_ref());
        assert!(told.contains("75 % full"), "{payload:?}: {told:?}");
    }
}

/// Who says how much fits.
struct Window<'a> {
    settings: &'a str,
    /// The model of the session's start.
    chosen: &'a str,
    /// The model of the reply.
    replied: &'a str,
    /// What the status line last told, an hour ago.
    told: u64,
    tokens: u64,
    expected: &'a str,
}

const SILENT: Window<'_> =
    Window { settings: "", chosen: MODEL, replied: MODEL, told: 0, tokens: 0, expected: "" };

#[test]
fn how_much_fits_is_told_by_the_first_who_knows() {
    let million = "(700,000 of 1,000,000 tokens)";
    for window in [
        Window { tokens: 140_000, expected: "(140,000 of 200,000 tokens)", ..SILENT },
        Window { told: 1_000_000, tokens: 700_000, expected: million, ..SILENT },
        Window { told: 1_000_000, tokens: 199_000, ..SILENT },
        Window { told: 400_000, settings: "context_window_tokens: 300000", tokens: 210_000, ..SILENT },
        Window {
            settings: "context_window_tokens: 300000",
            tokens: 210_000,
            expected: "(210,000 of 300,000 tokens)",
            ..SILENT
        },
        Window { chosen: "claude-sonnet-4-6[1m]", tokens: 700_000, expected: million, ..SILENT },
        Window { chosen: "claude-sonnet-4-6[1m]", tokens: 195_000, ..SILENT },
        Window { replied: "claude-opus-5-5-20261001", tokens: 700_000, expected: million, ..SILENT },
        Window { replied: "claude-opus-5-5-20261001", tokens: 699_999, ..SILENT },
        Window {
            settings: "context_windows_tokens: {claude-sonnet-4: 500000, claude-sonnet-4-6: 400000}",
            tokens: 280_000,
            expected: "(280,000 of 400,000 tokens)",
            ..SILENT
        },
        // More is in it than is said to fit.
        Window { tokens: 700_000, expected: million, ..SILENT },
        Window { tokens: 200_001, ..SILENT },
    ] {
        check_window(&window);
    }
}

#[track_caller]
fn check_window(window: &Window<'_>) {
    let Window { settings, chosen, replied, told, tokens, expected } = *window;
    let recorder = Recorder::new(settings);
    let session = &recorder.session;
    recorder.ask(&session.session_start("startup").with("model", chosen));
    if told > 0 {
        status_line(&recorder, session, replied, told, 5, 3_600);
    }
    Transcript::of(session).context(replied, tokens).text("Going on.").write();
    let notice = notice(recorder.call(session).as_ref());
    let is_expected = if expected.is_empty() { notice.is_empty() } else { notice.contains(expected) };
    assert!(is_expected, "{settings:?} {chosen} {replied} {told} {tokens}: {notice:?}");
}

#[test]
fn what_the_status_line_told_of_a_model_is_learnt_for_other_sessions() {
    let recorder = Recorder::new("");
    status_line(&recorder, &recorder.session, "claude-new-1", 400_000, 1_000, 0);
    recorder.ask(&recorder.session.stop("Done."));
    let other = recorder.another("other");
    Transcript::of(&other).context("claude-new-1", 280_000).text("Going on.").write();
    let told = notice(recorder.call(&other).as_ref());
    assert!(told.contains("70 % full (280,000 of 400,000 tokens)"), "{told}");
}

#[test]
fn what_the_status_line_told_a_while_ago_counts_for_nothing() {
    for ago in [61, 3_600] {
        let recorder = Recorder::new("");
        status_line(&recorder, &recorder.session, MODEL, 200_000, 195_000, ago);
        assert_eq!(recorder.climb(&recorder.session, 20_000), "", "{ago}");
    }
}

#[test]
fn the_last_real_reply_of_the_main_conversation_counts_once() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    let blocks = Transcript::of(session).context(MODEL, 100_000).message("msg_1").text("One.");
    // Each block repeats the whole reply's numbers.
    blocks.call("toolu_1", "Bash", &json!({ "command": "ls" })).text("Three.").write();
    let mut text = std::fs::read_to_string(&session.transcript).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let mut side = last.clone();
    side["isSidechain"] = json!(true);
    side["message"]["usage"]["input_tokens"] = json!(190_000);
    let mut error = last;
    error["isApiErrorMessage"] = json!(true);
    error["message"]["model"] = json!("<synthetic>");
    error["message"]["usage"]["input_tokens"] = json!(195_000);
    text.extend([format!("{side}\n"), format!("{error}\n")]);
    std::fs::write(&session.transcript, text).unwrap();
    assert_eq!(recorder.call(session), None);
    let tokens = || {
        let status: serde_json::Value =
            serde_json::from_slice(&recorder.run(&["status", "--json"]).stdout).unwrap();
        status["context"]["tokens_used"].clone()
    };
    assert_eq!(tokens(), 100_000, "before there is a record, by the transcript's name");
    recorder.typed(session, "pause-recorder start").unwrap();
    assert_eq!(tokens(), 100_000);
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
fn a_compaction_the_user_has_asked_for_teaches_nothing() {
    let recorder = Recorder::new("");
    compacted(&recorder, &recorder.session, 167_000, "manual");
    assert!(recorder.actives().is_empty());
    let told = recorder.climb(&recorder.another("a0000000-x"), 165_000);
    assert!(told.contains("82 % full") && !told.contains("recorded"), "{told}");
}

#[test]
fn a_compaction_that_was_only_announced_teaches_nothing() {
    let recorder = Recorder::new("");
    holds(&recorder.session, 167_000);
    recorder.ask(&recorder.session.pre_compact("auto"));
    let told = recorder.climb(&recorder.another("a0000000-x"), 165_000);
    assert!(!told.contains("recorded"), "{told}");
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
fn levels_are_where_the_settings_say() {
    let recorder = Recorder::new("levels: {caution: 10, warning: 20, auto_pause: 30, critical: 100}");
    for (tokens, part) in
        [(20_000, "10 % full"), (40_000, "20 % full"), (60_000, "30 % full"), (200_000, "100 % full")]
    {
        assert!(recorder.climb(&recorder.session, tokens).contains(part), "{tokens}");
    }
}

#[test]
fn one_that_is_off_tells_and_records_nothing() {
    let recorder = Recorder::new("enabled: false");
    assert_eq!(recorder.climb(&recorder.session, 195_000), "");
    assert!(!recorder.dir().exists());
}
