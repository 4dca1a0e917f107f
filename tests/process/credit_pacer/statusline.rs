//! The status line: what the client tells is written down first, then a line is printed, whatever goes wrong. Ends of windows
//! are told from the clock of the machine, with hours to spare.

use std::fs;

use serde_json::{Value, json};
use tests::payloads::{Payload, Session};
use tests::process::{Invocation, Outcome};

use super::{HOUR, Pacing, now_secs};
use crate::driver::tree;

impl Pacing {
    /// The command as the client runs it, in a terminal of this width that knows no colours.
    fn status_line(&self) -> Invocation {
        self.program(&["statusline"]).env("COLUMNS", "100").env("NO_COLOR", "1")
    }

    /// What it prints.
    #[track_caller]
    fn line(&self, payload: &Payload) -> String {
        printed(&self.status_line().stdin(payload.to_bytes()).run())
    }

    /// The usual input.
    fn usual(&self) -> Payload {
        told(&self.session, 70, (42.0, 3), (17.0, 100))
    }

    /// What is known: used of the five hours and of the week.
    #[track_caller]
    fn known(&self) -> (f64, f64) {
        let windows = self.remembered("usage.json")["windows"].clone();
        let used = |name: &str| windows[name]["used_percent"].as_f64().unwrap();
        (used("five_hour"), used("seven_day"))
    }
}

/// The input after so many milliseconds of replies: usage of the 5-hour and of the weekly limit, with the hours until they
/// reset.
fn told(session: &Session, api_ms: u64, five_hour: (f64, i64), seven_day: (f64, i64)) -> Payload {
    let payload = session.status_line();
    let mut cost = payload.get("cost").clone();
    cost["total_api_duration_ms"] = api_ms.into();
    let window = |(used, hours): (f64, i64)| json!({ "used_percentage": used, "resets_at": now_secs() / 3600 * HOUR + hours * HOUR });
    let limits = json!({ "five_hour": window(five_hour), "seven_day": window(seven_day) });
    payload.with("cost", cost).with("rate_limits", limits)
}

/// Its output, which it has printed without a word of complaint.
#[track_caller]
fn printed(outcome: &Outcome) -> String {
    outcome.assert_exit(0);
    assert_eq!(outcome.stderr_text(), "", "{outcome}");
    let text = outcome.stdout_text();
    let line = text.strip_suffix('\n').unwrap_or_else(|| panic!("no line: {outcome}"));
    assert!(!line.is_empty(), "{outcome}");
    line.to_owned()
}

#[test]
fn status_line_report_is_kept_and_shown() {
    let pacing = Pacing::new("");
    let secret = "hunter2-the-input";
    let payload = pacing.usual().with("transcript_path", secret);
    let line = pacing.line(&payload.with("output_style", json!({ "name": secret })));
    assert!(line.starts_with("Sonnet 5 · ctx 3% · 5h 42% "), "{line}");
    assert!(line.contains(" · wk 17% "), "{line}");
    assert_eq!(pacing.known(), (42.0, 17.0));
    let own = pacing.remembered(&format!("{}-usage.json", pacing.session.id));
    assert_eq!(own["model"], "claude-sonnet-5");
    assert_eq!(own["context"], json!({ "size": 200_000, "used_tokens": 5000, "used_percent": 3.0 }));
    assert_eq!(own["observed_at"], own["written_at"]);
    assert!(fs::read(pacing.state("usage.db")).unwrap().starts_with(b"SQLite format 3\0"));
    for (path, content) in tree(&pacing.sandbox.state_dir()) {
        assert!(!content.contains(secret), "{}", path.display());
    }
    assert_eq!(pacing.journal(), "");
}

#[test]
fn while_it_is_switched_off_it_still_records_and_says_so() {
    let pacing = Pacing::new("credit-pacer: { max_delay_secs: 77 }\n");
    let payload = told(&pacing.session, 70, (94.9, 5), (10.0, 160));
    let line = pacing.line(&payload);
    assert!(line.ends_with(" · next +77s"), "{line}");
    fs::write(pacing.state("OFF"), "").unwrap();
    let line = pacing.line(&told(&pacing.session, 71, (95.0, 5), (10.0, 160)));
    assert!(line.ends_with(" · pacing off") && line.contains("5h 95% "), "{line}");
    assert_eq!(pacing.known(), (95.0, 10.0));
}

#[test]
fn a_chained_command_is_given_the_same_and_printed_below() {
    let pacing = Pacing::new(
        "credit-pacer: { statusline: { chain: 'printf \"\\033[35m\"; cat; pwd; echo \"$MINE\"' } }\n",
    );
    let payload = pacing.usual();
    let run = pacing.status_line().env("MINE", "yours").stdin(payload.to_bytes()).run();
    let text = printed(&run);
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(first.starts_with("Sonnet 5 · "), "{text}");
    let (json, rest) = rest.strip_prefix("\u{1b}[35m").unwrap().split_at(payload.to_bytes().len() - 1);
    assert_eq!(serde_json::from_str::<Value>(json).unwrap()["session_id"], *pacing.session.id);
    assert_eq!(rest, format!("{}\nyours", pacing.sandbox.project().display()));
}

#[test]
fn unreadable_input_leaves_a_line_all_the_same() {
    let pacing = Pacing::new("");
    let half = &pacing.usual().to_bytes()[..200];
    for input in [&b""[..], b"[1, 2]", b"\xff\xfe{\"a\"", half] {
        let line = printed(&pacing.status_line().stdin(input).run());
        assert_eq!(line, "no usage reported yet", "{}", String::from_utf8_lossy(input));
    }
    assert_eq!(printed(&pacing.status_line().stdin_closed().run()), "no usage reported yet");
    assert!(!pacing.state("usage.json").exists());
    let payload = told(&pacing.session, 95, (43.0, 3), (17.0, 100)).to_bytes();
    let line = printed(&pacing.status_line().stdin_held_open(payload).run());
    assert!(line.contains("5h 43% "), "an input that never ends: {line}");
}

#[test]
fn a_closed_output_is_no_error_and_the_reading_is_kept() {
    let pacing = Pacing::new("");
    let payload = pacing.usual().to_bytes();
    pacing.status_line().stdin(&payload).stdout_without_reader().run().assert_exit(0);
    pacing.status_line().stdin(&payload).stdout_closed().run().assert_exit(0);
    assert_eq!(pacing.known(), (42.0, 17.0));
}

#[test]
fn status_line_says_that_nothing_can_be_written() {
    let pacing = Pacing::new("");
    let payload = pacing.usual().to_bytes();
    let full = pacing.status_line().files_cannot_grow().stdin(&payload).run();
    let line = printed(&full);
    assert_eq!(line, "Sonnet 5 · ctx 3% · not recorded");
    assert!(!pacing.state("usage.json").exists());
    let homeless = pacing.status_line().unset("CLAUDE_HOOK_STATE_DIR").unset("HOME").stdin(&payload).run();
    assert!(printed(&homeless).ends_with(" · not recorded"));
}

#[test]
fn twenty_at_once_lose_nothing() {
    let pacing = Pacing::new("");
    let inputs: Vec<Payload> = (0..20_u32)
        .map(|number| {
            let session = Session::new(&pacing.sandbox)
                .with_id(&format!("0000000{}-0000-4000-8000-000000000000", number % 4));
            told(&session, u64::from(number) + 1, (f64::from(number) + 1.0, 3), (17.0, 100))
        })
        .collect();
    let running: Vec<_> =
        inputs.iter().map(|input| pacing.status_line().stdin(input.to_bytes()).start()).collect();
    for run in running {
        let line = printed(&run.wait());
        assert!(line.starts_with("Sonnet 5 · ") && !line.contains("not recorded"), "{line}");
    }
    assert_eq!(pacing.known(), (20.0, 17.0));
    assert_eq!(pacing.journal(), "", "every row is kept");
    assert!(!pacing.state_names().iter().any(|name| name.contains("corrupt")));
}
