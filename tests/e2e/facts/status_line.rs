//! Question 18: when the client runs the status line's command, what it is told, and what becomes of what it prints.

use crate::scene::Scene;
use serde_json::{Value, json};
use tests::messages_api::Reply;
use tests::recording::Behaviour;
use tests::script;
use tests::terminal::DEADLINE;

#[test]
fn every_line_is_shown_and_it_runs_after_a_reply_but_not_while_a_hook_sleeps() {
    let printing = (0..20).fold(Behaviour::default(), |all, _| all.then("first of two\nsecond of two", 0));
    let scene = Scene::new().hook("PostToolUse", "sleeper", Behaviour::default().then(Value::Null, 4000));
    let command = scene.recorder.line("line", printing);
    let scene = scene.setting("statusLine", json!({ "type": "command", "command": command }));

    let mut user = scene.user(script![Reply::bash("true"), "the end"]);
    user.terminal.wait_until("two lines below the input line", DEADLINE, |screen| {
        let lines: Vec<_> = screen.lines().map(str::trim).collect();
        lines.windows(2).any(|pair| pair == ["first of two", "second of two"])
    });
    user.asks("work", "the end");
    scene.recorder.wait_until("a run after the sleep", |runs| {
        let sleeper = runs.iter().find(|run| run.id == "sleeper").and_then(|run| run.ended_us);
        sleeper.is_some_and(|ended| runs.iter().any(|run| run.id == "line" && run.started_us > ended))
    });

    let (runs, sleeper) = (scene.recorder.runs("line"), scene.recorder.runs("sleeper").remove(0));
    let first = &runs[0];
    assert_eq!([&*first.env["COLUMNS"], &*first.env["LINES"]], ["140", "45"]);
    assert!(!first.has_terminal && first.payload["context_window"]["current_usage"].is_null());
    assert!(runs.last().unwrap().payload["context_window"]["current_usage"].is_object());
    assert!(runs.iter().all(|run| run.payload["rate_limits"].is_null()), "with a key");
    // Within the first second it runs, or ends running, because of the reply before.
    let asleep = sleeper.started_us + 1_500_000..sleeper.ended();
    assert!(!runs.iter().any(|run| asleep.contains(&run.started_us)), "{runs:#?}");

    let before = runs.len();
    scene.ask("work", script![]);
    assert_eq!(scene.recorder.runs("line").len(), before, "print mode has none");
}
