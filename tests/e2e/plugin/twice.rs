//! What costs time, money or attention, beside an installation into settings: a doubled delay, a doubled question to a model, a
//! doubled notice and a doubled record would each be counted here.

use super::{install_plugin, tree};
use crate::doctor::req;
use crate::judging::approved;
use crate::requirements_check::client;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tests::clock::epoch_micros;
use tests::messages_api::{MessagesApi, Reply, Script, Usage};
use tests::payloads::Session;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

const REQUIREMENTS: &str = "judge: {backend: messages_api, yield_to_pacing: false}
intent-validator: {enabled: true}
tempo-stop: {enabled: true, headless: true}
credit-pacer: {base_delay_secs: 1, max_delay_secs: 1, alerts: []}
";

/// A window of 200,000 tokens, which the client does not compact before the API refuses.
const MODEL: &str = "claude-sonnet-4-5";

const DECLARED: &str =
    "FILE: src/timer.py\nCHANGES: add the time to live\nGOAL: old entries go\nTEST: tests/test_timer.py";

/// How often each was seen in one session.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    /// Questions to a model: one about the change, one about the stop.
    questions: usize,
    /// How often one call waited at most: whether it waits depends on how long the one before did.
    delays_of_a_call: usize,
    /// Messages to the user that the context fills.
    notices: usize,
    /// Calls that were recorded.
    recorded: usize,
}

fn filling(percent: u64) -> Usage {
    let usage = Usage::default();
    Usage { cache_read: percent * 2_000 - usage.input - usage.output, ..usage }
}

/// A call that takes as long as the client needs to write down how full the context is.
fn call(percent: u64) -> Reply {
    Reply::bash(&format!("sleep 0.4; echo at {percent}")).usage(filling(percent))
}

/// More is used of the credits than is planned by now, as the client tells the status line.
fn overused(sandbox: &Sandbox) {
    let window = json!({ "used_percentage": 79, "resets_at": epoch_micros() / 1_000_000 + 7200 });
    let payload = Session::new(sandbox).status_line().with("rate_limits", json!({ "five_hour": window }));
    let line = Invocation::new(tree().join("bin/credit-pacer"), sandbox).args(["statusline"]);
    line.unset("CLAUDE_HOOK_STATE_DIR").stdin(payload.to_bytes()).run().assert_exit(0);
}

/// A change that is announced and looked at, calls that wait while the context fills, and a stop that is looked at.
fn session(sandbox: &Sandbox) -> Seen {
    sandbox.requirements(Level::User, REQUIREMENTS);
    overused(sandbox);
    let change = json!({ "file_path": sandbox.project().join("src/timer.py"), "content": "TTL = DAY\n" });
    let script = Script::new()
        .reply(Reply::text(DECLARED).and_tool("Write", change).usage(filling(72)))
        .reply(call(91))
        .reply(call(93))
        .reply(call(94))
        .reply(Reply::text("The timer is there.").usage(filling(94)).after(Duration::from_millis(300)))
        .judge(approved());
    let api = MessagesApi::start(script);
    let client = client(sandbox, &api).args(&["--model", MODEL]).unset("CLAUDE_HOOK_STATE_DIR");
    let run = client.ask("Add the timer");
    assert_eq!(run.text(), "The timer is there.", "{}", run.outcome);
    let transcript = lines(&sandbox.transcript(run.session_id()).expect("the transcript"));
    let is_notice = |line: &&Value| {
        let attachment = &line["attachment"];
        attachment["type"] == "hook_system_message"
            && attachment["content"].to_string().contains("pause-recorder")
    };
    Seen {
        questions: api.judge_requests().len(),
        delays_of_a_call: most_delays(&journal(sandbox)),
        notices: transcript.iter().filter(is_notice).count(),
        recorded: record(sandbox).iter().filter(|line| line["type"] == "tool_call").count(),
    }
}

fn lines(file: &PathBuf) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn journal(sandbox: &Sandbox) -> Vec<Value> {
    lines(&sandbox.home().join(".claude/hook-state/journal.jsonl"))
}

fn most_delays(journal: &[Value]) -> usize {
    let delays = journal.iter().filter(|line| line["what"] == "sleep");
    let mut of_calls: BTreeMap<String, usize> = BTreeMap::new();
    for delay in delays {
        *of_calls.entry(delay["call"].to_string()).or_default() += 1;
    }
    of_calls.into_values().max().unwrap_or_default()
}

/// The record of the session, the only one.
fn record(sandbox: &Sandbox) -> Vec<Value> {
    let files = fs::read_dir(sandbox.project().join(".claude/sessions")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let records: Vec<PathBuf> = files.filter(|file| file.to_string_lossy().ends_with(".jsonl")).collect();
    let [record] = &records[..] else { panic!("one record: {records:?}") };
    lines(record)
}

#[test]
fn delays_questions_notices_and_records_are_no_more_with_both() {
    let places = ["settings", "the plugin", "both"];
    let seen = std::thread::scope(|scope| {
        let sessions = places.map(|place| {
            scope.spawn(move || {
                let sandbox = Sandbox::new();
                if place != "the plugin" {
                    req(&sandbox, &tree().join("req"), "hooks install --all --yes").assert_exit(0);
                }
                if place != "settings" {
                    install_plugin(&sandbox);
                }
                session(&sandbox)
            })
        });
        sessions.map(|session| session.join().unwrap())
    });
    for (place, seen) in places.iter().zip(seen) {
        assert_eq!(seen, Seen { questions: 2, delays_of_a_call: 1, notices: 2, recorded: 3 }, "in {place}");
    }
}
