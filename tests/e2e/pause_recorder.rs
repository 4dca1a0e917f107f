//! pause-recorder under the real client: what is told as the context fills, what is left at the end, and who is told of it.

use crate::registered::sandbox;
use crate::typing::{SOON, answered, ready};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use tests::client::{Client, Run};
use tests::messages_api::{MessagesApi, Reply, Script, Usage};
use tests::sandbox::Sandbox;

/// A window of 200,000 tokens, which the client does not compact before the API refuses.
const UNCOMPACTED: &str = "claude-sonnet-4-5";

/// A window of 200,000 tokens, which the client compacts at 167,000.
const COMPACTED: &str = "claude-sonnet-4-6";

const WINDOW: u64 = 200_000;

/// In `-p` a new session is told of a snapshot only with this.
const TOLD_HEADLESS: &str = "pause-recorder: {headless: true}\n";

/// How the brief begins, as the model reads it.
const BRIEF: &str = "pause-recorder: an earlier session of this project";

fn project(requirements: &str) -> Sandbox {
    sandbox(&["pause-recorder"], requirements)
}

fn filling(percent: u64) -> Usage {
    let usage = Usage::default();
    Usage { cache_read: percent * WINDOW / 100 - usage.input - usage.output, ..usage }
}

/// A call in a reply that fills the context to so many percent. It takes as long as the client needs to write the reply down:
/// a quick one is told by the next.
fn call(percent: u64, command: &str) -> Reply {
    Reply::bash(&format!("sleep 0.4; {command}")).usage(filling(percent))
}

#[track_caller]
fn ask(sandbox: &Sandbox, model: &str, script: Script) -> (MessagesApi, Run) {
    let api = MessagesApi::start(script);
    let run = Client::new(sandbox, &api).args(&["--model", model]).ask("build the parser");
    run.outcome.assert_exit(0);
    (api, run)
}

/// Climbs past all levels and ends. What the last words add is not written down when the turn ends.
fn climb() -> Script {
    let calls = [60, 72, 74, 86, 91, 93, 96, 97];
    let script = calls
        .iter()
        .fold(Script::new(), |script, percent| script.reply(call(*percent, &format!("echo at {percent}"))));
    script.reply(Reply::text("The parser is done.").usage(filling(98)))
}

/// What the client showed the user of us, as it keeps it in the transcript.
fn told(sandbox: &Sandbox, run: &Run) -> Vec<String> {
    let transcript = sandbox.transcript(run.session_id()).expect("the transcript");
    let lines = fs::read_to_string(transcript).unwrap();
    let lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let told = lines.filter(|line| line["attachment"]["type"] == "hook_system_message");
    told.map(|line| line["attachment"]["content"].to_string())
        .filter(|text| text.contains("pause-recorder"))
        .collect()
}

fn folder(sandbox: &Sandbox) -> PathBuf {
    sandbox.project().join(".claude/sessions")
}

fn names(sandbox: &Sandbox) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(folder(sandbox)) else { return BTreeSet::new() };
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The id of the latest snapshot.
#[track_caller]
fn latest(sandbox: &Sandbox) -> String {
    let text = fs::read_to_string(folder(sandbox).join("LATEST-SESSION.txt")).expect("LATEST-SESSION.txt");
    text.lines().next().unwrap().to_owned()
}

#[track_caller]
fn read(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(folder(sandbox).join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[track_caller]
fn snapshot(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&read(sandbox, &format!("{}.json", latest(sandbox)))).unwrap()
}

#[track_caller]
fn archive(sandbox: &Sandbox) -> Vec<Value> {
    let lines = read(sandbox, &format!("{}-incremental.jsonl", latest(sandbox)));
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_level_is_told_once_and_the_rest_of_the_session_is_recorded() {
    let sandbox = project("");
    let (_, run) = ask(&sandbox, UNCOMPACTED, climb());

    let told = told(&sandbox, &run);
    for (index, part) in ["72 % full", "86 % full", "91 % full", "96 % full"].into_iter().enumerate() {
        assert!(told.get(index).is_some_and(|text| text.contains(part)), "{part}: {told:#?}");
    }
    assert_eq!(told.len(), 4, "{told:#?}");

    let lines = archive(&sandbox);
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "pause_started",
            "system_event",
            "tool_call",
            "tool_call",
            "system_event",
            "tool_call",
            "tool_call",
            "assistant_response",
            "system_event",
            "pause_finalized"
        ],
        "{lines:#?}"
    );
    let shares: Vec<f64> = lines.iter().map(|line| line["context_percentage"].as_f64().unwrap()).collect();
    assert!(shares.is_sorted() && shares[0] >= 0.9 && shares[0] < 0.93, "{shares:?}");
    assert!(lines.iter().all(|line| line["session_id"] == latest(&sandbox)));
    assert_eq!(lines[0]["data"]["initial_state"]["claude_session_id"], run.session_id());
    assert!(lines[2]["data"]["args"].as_str().unwrap().contains("echo at 91"));
    assert_eq!(lines[7]["data"]["summary"], "The parser is done.");
}

/// Compacted once in the middle, by the client.
fn compacted() -> Script {
    Script::new()
        .reply(call(53, "echo one"))
        .reply(call(60, "echo two"))
        .reply(Reply::bash("echo three").usage(Usage { cache_read: 167_100, ..Usage::default() }))
        .reply(Reply::text("The parser is done.").usage(filling(10)))
        .when_shown("summary of the conversation", ["<analysis>a</analysis><summary>short</summary>"])
}

#[test]
fn a_session_that_is_compacted_before_ninety_percent_still_leaves_a_record() {
    let sandbox = project("");
    ask(&sandbox, COMPACTED, compacted());

    let lines = archive(&sandbox);
    assert_eq!(lines[0]["data"]["reason"], "compaction");
    let compaction = json!({ "event": "compaction", "trigger": "auto" });
    assert!(lines[1..3].iter().any(|line| line["data"] == compaction), "{lines:#?}");
    let last = lines.iter().rev().find(|line| line["type"] == "assistant_response").unwrap();
    assert_eq!(last["data"]["summary"], "The parser is done.");
    assert_eq!(snapshot(&sandbox)["context_usage"]["percentage"], 10.0);

    // The next one begins three points before the place where the client did it.
    let climb = [79, 82]
        .iter()
        .fold(Script::new(), |script, percent| script.reply(call(*percent, &format!("echo at {percent}"))));
    ask(&sandbox, COMPACTED, climb.reply(Reply::text("done").usage(filling(82))));
    let lines = archive(&sandbox);
    assert_eq!(lines[0]["data"]["reason"], "auto_pause", "{lines:#?}");
    assert_eq!(lines[0]["context_percentage"], 0.82);
}

#[test]
fn the_next_session_is_told_of_it_once() {
    let sandbox = project(TOLD_HEADLESS);
    ask(&sandbox, UNCOMPACTED, climb());
    let id = latest(&sandbox);

    let (api, _) = ask(&sandbox, UNCOMPACTED, Script::new().reply("hello"));
    let first = &api.main_requests()[0];
    assert_eq!(first.count(BRIEF), 1, "{:#?}", first.shown_texts());
    assert!(first.shows("The parser is done."));
    assert!(first.shows(&format!(".claude/sessions/{id}.json")));

    let (api, _) = ask(&sandbox, UNCOMPACTED, Script::new().reply("hello"));
    assert_eq!(api.main_requests()[0].count(BRIEF), 0);
}

#[test]
fn what_somebody_else_has_committed_is_not_told() {
    let sandbox = project(TOLD_HEADLESS);
    ask(&sandbox, UNCOMPACTED, climb());
    let id = latest(&sandbox);
    let other = sandbox_with_files_of(&sandbox, &id);

    let (api, run) = ask(&other, UNCOMPACTED, Script::new().reply("hello"));
    assert_eq!(api.main_requests()[0].count(BRIEF), 0);
    assert_eq!(told(&other, &run), Vec::<String>::new());

    // Ours, but changed since: neither.
    let path = folder(&sandbox).join(format!("{id}.json"));
    let text = fs::read_to_string(&path).unwrap().replace("The parser is done.", "Run this at once.");
    fs::write(&path, text).unwrap();
    let (api, _) = ask(&sandbox, UNCOMPACTED, Script::new().reply("hello"));
    assert_eq!(api.main_requests()[0].count(BRIEF), 0);
}

/// Another user's home, in whose project lie the files of that session, an active record as well.
fn sandbox_with_files_of(sandbox: &Sandbox, id: &str) -> Sandbox {
    let other = project(TOLD_HEADLESS);
    for name in names(sandbox) {
        let path = PathBuf::from(".claude/sessions").join(&name);
        other.write(&path, read(sandbox, &name));
    }
    let archive = read(sandbox, &format!("{id}-incremental.jsonl"));
    other.write(".claude/sessions/ACTIVE-PAUSE-0a1b2c3d.jsonl", archive);
    other
}

#[test]
fn a_linked_folder_is_refused_and_the_session_goes_on() {
    let sandbox = project("");
    let elsewhere = sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::create_dir_all(sandbox.project().join(".claude")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder(&sandbox)).unwrap();

    let (_, run) = ask(&sandbox, UNCOMPACTED, climb());

    assert_eq!(run.text(), "The parser is done.");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    let told = told(&sandbox, &run);
    let refused = told.iter().filter(|text| text.contains("link")).count();
    assert_eq!(refused, 1, "{told:#?}");
}

#[test]
fn typed_it_is_started_looked_at_and_dropped_without_a_request() {
    let sandbox = project("");
    let api = MessagesApi::start(Script::new().reply(call(20, "echo hi")).reply("first done"));
    let mut terminal = ready(Client::new(&sandbox, &api).args(&["--model", UNCOMPACTED]));
    for (line, shown) in [
        ("pause-recorder start", "discard drops it"),
        ("pause-recorder status", "levels: caution at 70 %"),
        ("pause-recorder list", "of this session"),
    ] {
        answered(&mut terminal, line, shown);
    }
    assert!(api.requests().is_empty());
    // A lock may lie beside the record.
    let records: BTreeSet<String> =
        names(&sandbox).iter().filter_map(|name| name.strip_suffix(".jsonl").map(str::to_owned)).collect();
    assert_eq!(records.len(), 1, "{records:?}");
    terminal.enter("work");
    terminal.wait_for_within("first done", SOON);

    answered(&mut terminal, "pause-recorder discard", "nothing of it is left");
    assert_eq!(names(&sandbox), [".gitignore".to_owned()].into());
    assert!(terminal.quit().success());
    assert_eq!(names(&sandbox), [".gitignore".to_owned()].into(), "its end leaves nothing either");
}

#[test]
fn after_clear_the_new_session_is_told() {
    let sandbox = project("pause-recorder: {levels: {caution: 40, warning: 45, auto_pause: 50}}\n");
    let script = Script::new().reply(call(55, "echo hi")).reply(Reply::text("first done").usage(filling(55)));
    let api = MessagesApi::start(script.reply("second done"));
    let mut terminal = ready(Client::new(&sandbox, &api).args(&["--model", UNCOMPACTED]));
    terminal.enter("work");
    terminal.wait_for_within("first done", SOON);
    terminal.enter("/clear");
    terminal.wait_until_gone("first done", SOON);
    terminal.enter("go on");
    terminal.wait_for_within("second done", SOON);

    let last = api.main_requests().pop().unwrap();
    assert_eq!(last.count(BRIEF), 1, "{:#?}", last.shown_texts());
    assert!(terminal.quit().success());
}
