//! Question 18: when the client runs the status line's command, what it is told, and what becomes of what it prints.

use super::stage::{SOON, Stage, once};
use serde_json::{Value, json};
use tests::clock::epoch_micros;
use tests::loopback;
use tests::messages_api::{self, Script};
use tests::recording::{Behaviour, Reply, Run};

const HOUR: u64 = 3600;

#[test]
fn every_line_it_prints_is_shown_and_it_is_told_the_width() {
    let (stage, mut terminal) = ready(with_a_status_line(Script::new().reply("end one")));

    terminal.wait_until("two lines below the input line", SOON, |screen| {
        let lines: Vec<_> = screen.lines().map(str::trim).collect();
        lines.windows(2).any(|pair| pair == ["first of two", "second of two"])
    });
    let start = &stage.recorder.runs("line")[0].start;
    assert_eq!(start.env.get("COLUMNS").map(String::as_str), Some("140"));
    assert_eq!(start.env.get("LINES").map(String::as_str), Some("45"));
    assert_eq!(start.terminals, [false; 3]);
    assert_eq!(start.payload["context_window"]["current_usage"], Value::Null);
    terminal.enter("work");
    stage.recorder.wait_until("a run after the reply", SOON, |_| {
        let runs = stage.recorder.runs("line");
        runs.iter().any(|run| !run.start.payload["context_window"]["current_usage"].is_null())
    });
}

#[test]
fn it_does_not_run_in_print_mode() {
    let stage = with_a_status_line(Script::new().reply("end one")).recording(&["Stop"]);
    assert_eq!(stage.client().ask("work").text(), "end one");
    assert_eq!(stage.order(), ["Stop"]);
}

#[test]
fn it_does_not_run_while_a_hook_sleeps_after_a_tool() {
    let script = Script::new().reply(messages_api::Reply::bash("true")).reply("end");
    let stage =
        with_a_status_line(script).hook("PostToolUse", "sleeper", once(Reply::silent().after_ms(4000)));

    let (stage, mut terminal) = ready(stage);
    terminal.enter("work");
    stage.wait_for_ends("sleeper", 1);
    let sleeper = stage.recorder.runs("sleeper").remove(0);
    stage.recorder.wait_until("a run after the sleep", SOON, |_| {
        stage.recorder.runs("line").iter().any(|run| run.started_us > sleeper.ended())
    });

    // Within the first second it runs, or ends running, because of the reply before.
    let settled = sleeper.started_us + 1_500_000;
    let meanwhile = stage.recorder.runs("line").into_iter().map(|run| run.started_us);
    let meanwhile: Vec<_> = meanwhile.filter(|at| (settled..sleeper.ended()).contains(at)).collect();
    assert_eq!(meanwhile, [] as [u64; 0]);
}

#[test]
fn a_subscription_tells_the_windows_after_its_first_reply() {
    let Some(alone) = loopback::only_in_here(a_subscription_tells_the_windows_after_its_first_reply) else {
        return;
    };
    let now = epoch_micros() / 1_000_000;
    let stage = with_a_status_line(limits(Script::new().reply("end one"), now));
    let client = stage.client().subscribed(&alone);
    let mut terminal = super::stage::ready(client);
    terminal.wait_for("first of two");
    terminal.enter("work");
    terminal.wait_for("end one");
    stage.recorder.wait_until("the windows", SOON, |_| !windows(&stage).is_empty());

    assert_eq!(stage.recorder.runs("line")[0].start.payload["rate_limits"], Value::Null);
    let expected = json!({
        "five_hour": { "used_percentage": 42, "resets_at": now + 3 * HOUR },
        "seven_day": { "used_percentage": 17, "resets_at": now + 70 * HOUR },
    });
    assert_eq!(windows(&stage).last(), Some(&expected));
}

#[test]
fn a_key_does_not_whatever_the_api_says() {
    let now = epoch_micros() / 1_000_000;
    let (stage, mut terminal) = ready(with_a_status_line(limits(Script::new().reply("end one"), now)));
    terminal.enter("work");
    stage.recorder.wait_until("a run after the reply", SOON, |_| {
        let used = |run: &Run| !run.start.payload["context_window"]["current_usage"].is_null();
        stage.recorder.runs("line").iter().any(used)
    });
    assert_eq!(windows(&stage), [] as [Value; 0]);
}

/// A recording hook as the status line: it prints two lines.
fn with_a_status_line(script: Script) -> Stage {
    let stage = Stage::new(script);
    let behaviour = Behaviour::replying([Reply::stdout("first of two\nsecond of two")]);
    let command = stage.recorder.line("line", behaviour);
    stage.with("statusLine", json!({ "type": "command", "command": command }))
}

fn ready(stage: Stage) -> (Stage, tests::terminal::Terminal) {
    let terminal = stage.terminal();
    terminal.wait_for("first of two");
    (stage, terminal)
}

/// The API tells of two windows, one with three hours to go, one with seventy.
fn limits(script: Script, now: u64) -> Script {
    let windows = [("5h", "0.42", now + 3 * HOUR), ("7d", "0.17", now + 70 * HOUR)];
    windows.into_iter().fold(script, |script, (name, used, resets)| {
        let header = |what: &str| format!("anthropic-ratelimit-unified-{name}-{what}");
        script.header(&header("utilization"), used).header(&header("reset"), &resets.to_string())
    })
}

/// What each run was told of the windows.
fn windows(stage: &Stage) -> Vec<Value> {
    let told = stage.inputs("line", "rate_limits");
    told.into_iter().filter(|limits| !limits.is_null()).collect()
}
