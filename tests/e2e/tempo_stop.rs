//! tempo-stop under the real client: which stops are blocked with what, which are let go, and which are worth a question.

use crate::judging::{API, approved};
use crate::scene::{Scene, touch, wait_until};
use serde_json::json;
use std::fs;
use std::thread;
use std::time::Duration;
use tests::messages_api::{MessagesApi, Reply};
use tests::script;

/// On in `-p` too, because a run with nobody watching is what most of these tests can drive.
const ON: &str = "tempo-stop: {enabled: true, headless: true}\n";

const PROMPT: &str = "Add the two files";

const FEEDBACK: &str = "The second file is missing.";

fn scene(hooks: &[&str], section: &str) -> Scene {
    Scene::with(hooks, &format!("{API}{section}"))
}

fn blocked() -> Reply {
    Reply::json(&json!({ "verdict": "BLOCKED", "feedback": FEEDBACK }))
}

/// Says it, as no model does at once: what the last call came to is on disk by then.
fn says(text: &str) -> Reply {
    Reply::text(text).after(Duration::from_millis(300))
}

#[test]
fn stop_with_work_left_is_blocked_with_what_is_missing_and_then_allowed() {
    let scene = scene(&["tempo-stop"], ON);
    let script =
        script![touch("one"), says("One file is there."), touch("two"), says("Both are there."), "more"];

    let session = scene.ask(PROMPT, script.judge(blocked()).judge(approved()));

    assert_eq!(
        (session.text(), scene.files()),
        ("Both are there.", vec!["one".to_owned(), "two".to_owned()])
    );
    let requests = session.requests();
    assert_eq!(requests[0].count("tempo-stop: when you end a turn in which you worked"), 1);
    let feedback = format!("Stop hook feedback:\ntempo-stop: {FEEDBACK}");
    assert_eq!(
        [1, 2].map(|at: usize| requests[at].count(&feedback)),
        [0, 1],
        "{:?}",
        requests[2].shown_texts()
    );
    let judged = session.judged();
    for (question, name, expected) in [
        (0, "requests", PROMPT),
        (0, "last_message", "One file is there."),
        (0, "state", "sent back for this request already: 0 times"),
        (1, "tool_calls", "Bash touch one: ok\nBash touch two: ok"),
        (1, "state", "sent back for this request already: 1 times"),
    ] {
        let shown = judged[question].part(name);
        assert!(shown.contains(expected), "question {question}, {name}: `{expected}` is not in {shown}");
    }
    assert_eq!(judged[0].model(), "claude-haiku-5-5");
    assert_eq!(scene.journal_texts("judge"), ["stop: answered", "stop: answered"]);
}

#[test]
fn stop_beside_background_work_is_allowed() {
    let scene = scene(&["tempo-stop"], ON);
    let waiting = Reply::bash("until test -e main-stopped; do sleep 0.05; done");
    let script = script![Reply::background_agent("sub"), "It works in the background.", "All is done."];
    let api = MessagesApi::start(script.agent("sub", [waiting, Reply::text("done")]).judge(blocked()));
    let journal = || fs::read_to_string(scene.state("journal.jsonl")).unwrap_or_default();
    // The subagent goes on when the stop is through.
    thread::scope(|scope| {
        let run = scope.spawn(|| scene.client(&api).ask(PROMPT));
        wait_until("the stop", || journal().contains("background work or a wake-up is in flight"));
        scene.sandbox.write("main-stopped", "");
        run.join().unwrap().outcome.assert_exit(0);
    });
    assert!(api.judged().is_empty(), "{}", journal());
}

/// As far as the cheap hook is done by the time the other looks: on a busy machine not every time.
#[test]
fn a_stop_that_another_hook_blocks_is_not_paid_for() {
    let section = format!("{ON}stop-momentum: {{enabled: true, headless: true}}\n");
    // Whichever the client starts first.
    for hooks in [["tempo-stop", "stop-momentum"], ["stop-momentum", "tempo-stop"]] {
        let questions = || {
            let scene = scene(&hooks, &section);
            let script = script![touch("one"), says("One."), says("Two."), "Three."];
            let session = scene.ask(PROMPT, script.judge(approved()));
            // stop-momentum blocks the first one; of the second it has had enough.
            assert_eq!(session.text(), "Two.");
            session.judged().iter().map(|request| request.part("last_message")).collect::<Vec<_>>()
        };
        assert!((0..5).any(|_| questions() == ["Two."]), "{hooks:?}: paid for every time");
    }
}

#[test]
fn in_the_terminal_the_user_reads_why_a_stop_went_unjudged() {
    let scene = scene(&["tempo-stop"], "tempo-stop: {enabled: true}\n");
    let script = script![touch("one"), "One file."].judge(Reply::error(529, "overloaded_error"));
    let mut user = scene.user(script);
    user.asks(PROMPT, "gave no verdict: the model is overloaded, or its server fails; turns end unjudged");
    assert_eq!(user.requests().len(), 2);
}
