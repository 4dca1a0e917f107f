//! pause-recorder under the real client: what is told as the context fills, what is left at the end, and who is told of it.

use crate::scene::{Scene, Session, json_lines, json_lines_in, names};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tests::messages_api::{Reply, Script};
use tests::script;
use tests::terminal::DEADLINE;

/// A window of 200,000 tokens, which the client does not compact before the API refuses.
const UNCOMPACTED: &str = "claude-sonnet-4-5";

/// A window of 200,000 tokens, which the client compacts at 167,000.
const COMPACTED: &str = "claude-sonnet-4-6";

/// How the brief begins, as the model reads it.
const BRIEF: &str = "pause-recorder: an earlier session of this project";

fn scene(requirements: &str) -> Scene {
    Scene::with(&["pause-recorder"], requirements)
}

/// In `-p` a new session is told of a snapshot only with this.
fn told_headless() -> Scene {
    scene("pause-recorder: {headless: true}\n")
}

/// A call in a reply that fills the context to so many percent. It takes as long as the client needs to write the reply down:
/// a quick one is told by the next.
pub(crate) fn call(percent: u64) -> Reply {
    Reply::bash(&format!("sleep 0.4; echo at {percent}")).filling(percent * 2_000)
}

fn ask(scene: &Scene, model: &str, script: Script) -> Session {
    scene.ask_as("build the parser", script, |client| client.model(model))
}

/// Climbs past all levels and ends. What the last words add is not written down when the turn ends.
fn climb() -> Script {
    let script = [60, 72, 74, 86, 91, 93, 96, 97].map(call).into_iter().fold(script![], Script::reply);
    script.reply(Reply::text("The parser is done.").filling(196_000))
}

fn folder(scene: &Scene) -> PathBuf {
    scene.sandbox.project().join(".claude/sessions")
}

/// The id of the latest snapshot.
#[track_caller]
fn latest(scene: &Scene) -> String {
    let text = fs::read_to_string(folder(scene).join("LATEST-SESSION.txt")).expect("LATEST-SESSION.txt");
    text.lines().next().unwrap().to_owned()
}

/// The record of the latest session.
#[track_caller]
fn record(scene: &Scene) -> Vec<Value> {
    json_lines(&folder(scene).join(format!("{}-incremental.jsonl", latest(scene))))
}

#[test]
fn each_level_is_reported_once_and_the_rest_of_the_session_is_recorded() {
    let scene = scene("");
    let session = ask(&scene, UNCOMPACTED, climb());

    let told = scene.shown_to_user(&session, "pause-recorder");
    for (text, part) in told.iter().zip(["72 % full", "86 % full", "91 % full", "96 % full"]) {
        assert!(text.contains(part), "{part}: {told:#?}");
    }
    assert_eq!(told.len(), 4, "{told:#?}");

    let lines = record(&scene);
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let expected = "pause_started system_event tool_call tool_call system_event tool_call tool_call \
                    assistant_response system_event pause_finalized";
    assert_eq!(kinds.join(" "), expected, "{lines:#?}");
    let shares: Vec<f64> = lines.iter().map(|line| line["context_percentage"].as_f64().unwrap()).collect();
    assert!(shares.is_sorted() && (0.9..0.93).contains(&shares[0]), "{shares:?}");
    assert_eq!(lines[0]["data"]["initial_state"]["claude_session_id"], session.run.session_id());
    assert!(lines[2]["data"]["args"].as_str().unwrap().contains("echo at 91"));
    assert_eq!(lines[7]["data"]["summary"], "The parser is done.");
}

#[test]
fn a_session_that_is_compacted_before_ninety_percent_still_leaves_a_record() {
    let scene = scene("");
    let end = || Reply::text("The parser is done.").filling(20_000);
    ask(&scene, COMPACTED, script![call(53), call(60), Reply::bash("true").filling(167_100), end()]);

    let lines = record(&scene);
    assert_eq!(lines[0]["data"]["reason"], "compaction");
    let compaction = json!({ "event": "compaction", "trigger": "auto" });
    assert!(lines[1..3].iter().any(|line| line["data"] == compaction), "{lines:#?}");
    let last = lines.iter().rev().find(|line| line["type"] == "assistant_response").unwrap();
    assert_eq!(last["data"]["summary"], "The parser is done.");

    // The next one begins three points before the place where the client did it.
    ask(&scene, COMPACTED, script![call(79), call(82), Reply::text("done").filling(164_000)]);
    let lines = record(&scene);
    assert_eq!(
        (&lines[0]["data"]["reason"], &lines[0]["context_percentage"]),
        (&json!("auto_pause"), &json!(0.82))
    );
}

#[test]
fn next_session_gets_the_brief_once_and_no_committed_one() {
    let scene = told_headless();
    ask(&scene, UNCOMPACTED, climb());
    let id = latest(&scene);
    // Another user's home, in whose project lie the files of that session, an active record as well.
    let other = told_headless();
    for name in names(&folder(&scene)) {
        other
            .sandbox
            .write(format!(".claude/sessions/{name}"), scene.content(&format!(".claude/sessions/{name}")));
    }
    let record = scene.content(&format!(".claude/sessions/{id}-incremental.jsonl"));
    other.sandbox.write(".claude/sessions/ACTIVE-PAUSE-0a1b2c3d.jsonl", record);

    for (scene, count) in [(&scene, 1), (&scene, 0), (&other, 0)] {
        let session = ask(scene, UNCOMPACTED, script!["hello"]);
        let first = session.last();
        assert_eq!(first.count(BRIEF), count, "{:#?}", first.shown_texts());
        assert_eq!(first.shows("The parser is done."), count == 1);
        assert_eq!(first.shows(&format!(".claude/sessions/{id}.json")), count == 1);
    }
}

#[test]
fn linked_folder_is_not_used_and_the_session_goes_on() {
    let scene = scene("");
    let elsewhere = scene.sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::create_dir_all(scene.sandbox.project().join(".claude")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder(&scene)).unwrap();

    let session = ask(&scene, UNCOMPACTED, climb());

    assert_eq!((session.text(), names(&elsewhere).len()), ("The parser is done.", 0));
    let told = scene.shown_to_user(&session, "pause-recorder");
    assert_eq!(told.iter().filter(|text| text.contains("link")).count(), 1, "{told:#?}");
}

#[test]
fn typed_it_is_started_looked_at_and_dropped_without_a_request() {
    let scene = scene("");
    let mut user = scene.user_as(script![call(20), "first done"], |client| client.model(UNCOMPACTED));
    for (line, shown) in [
        ("pause-recorder start", "discard drops it"),
        ("pause-recorder status", "record: session-"),
        ("pause-recorder list", "of this session"),
    ] {
        user.commands(line, shown);
    }
    assert!(user.requests().is_empty());
    assert_eq!(json_lines_in(&folder(&scene)).len(), 1);
    user.asks("work", "first done");

    // The harness may send it twice, and then the last answer says that nothing is recorded.
    user.commands("pause-recorder discard", "Original prompt: pause-recorder discard");
    user.enters("/exit");
    assert!(user.terminal.wait_for_exit(DEADLINE).success());
    assert_eq!(names(&folder(&scene)), [".gitignore"], "its end leaves nothing either");
}

#[test]
fn new_session_after_clear_gets_the_brief() {
    let scene = scene("pause-recorder: {levels: {caution: 40, warning: 45, auto_pause: 50}}\n");
    let script = script![call(55), Reply::text("first done").filling(110_000), "second done"];
    let mut user = scene.user_as(script, |client| client.model(UNCOMPACTED));
    user.asks("work", "first done");
    user.enters("/clear");
    user.terminal.wait_until("a clear screen", DEADLINE, |screen| !screen.contains("first done"));
    user.asks("go on", "second done");
    assert_eq!(user.last().count(BRIEF), 1, "{:#?}", user.last().shown_texts());
}
