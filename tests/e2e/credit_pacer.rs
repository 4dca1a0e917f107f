//! credit-pacer under the real client: whose next request waits and for how long, what ends it, who is told, what can be
//! typed, and the status line.
//!
//! Delays are of two seconds, or so long that nobody sits them out: each of them is cut short.

use crate::scene::{Scene, wait_until};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tests::binaries;
use tests::clock::epoch_micros;
use tests::loopback;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::payloads;
use tests::process::{Invocation, is_running, started_in};
use tests::recording::Behaviour;
use tests::sandbox::{Level, Sandbox};
use tests::script;
use tests::terminal::{DEADLINE, Key};

/// Every delay is of two seconds.
const SHORT: &str = "base_delay_secs: 1, max_delay_secs: 2, alerts: []";

/// How long that is.
const DELAY: Duration = Duration::from_secs(2);

/// How much of it is seen at least: the hook that tells when a tool had ended is started beside ours, and may come later.
const LEAST: Duration = Duration::from_millis(1500);

/// Nobody waits for the end of these.
const LONG: &str = "max_delay_secs: 300, alerts: []";

/// From the key to the end of the hook's process; seen: a tenth of a second.
const UNTIL_GONE: Duration = Duration::from_secs(2);

/// The last words of the model.
const END: &str = "It is finished.";

/// The hook with these keys of its section, and so much of the five hours used.
fn scene(section: &str, percent: u32) -> Scene {
    let scene = Scene::with(&["credit-pacer"], &format!("credit-pacer: {{{section}}}\n"));
    let program = scene.sandbox.home().join(".claude/hooks/credit-pacer");
    uses(&scene.sandbox, &program, percent);
    scene.hook("PostToolUse", "after", Behaviour::default())
}

/// The client tells the status line that so much of the five hours is used, of which three are over. The safe line is at 57 %.
pub(crate) fn uses(sandbox: &Sandbox, program: &Path, percent: u32) {
    let window = json!({ "used_percentage": percent, "resets_at": now_secs() + 7200 });
    let payload =
        payloads::Session::new(sandbox).status_line().with("rate_limits", json!({ "five_hour": window }));
    let line = Invocation::new(program, sandbox).args(["statusline"]).unset("CLAUDE_HOOK_STATE_DIR");
    line.stdin(payload.to_bytes()).run().assert_exit(0);
}

fn now_secs() -> u64 {
    epoch_micros() / 1_000_000
}

/// One Bash call, then the end.
fn one_call() -> Script {
    script![Reply::bash("true"), END]
}

/// How long each delay took in milliseconds, and the words of the journal.
fn sleeps(scene: &Scene) -> Vec<(u64, String)> {
    let lines = scene.journal("sleep");
    let words = |line: &Value| line["text"].as_str().unwrap_or_default().to_owned();
    lines.iter().map(|line| (line["slept_ms"].as_u64().unwrap(), words(line))).collect()
}

/// The longest time from the end of a Bash call to this request.
fn pause_before(scene: &Scene, at_us: u64) -> Duration {
    let runs = scene.recorder.runs("after").into_iter().filter(|run| run.payload["tool_name"] == "Bash");
    runs.map(|run| Duration::from_micros(at_us - run.started_us)).max().unwrap()
}

#[test]
fn above_the_line_the_next_request_comes_later_by_the_delay_and_below_it_nothing_is_added() {
    for (percent, is_paced) in [(92, true), (50, false)] {
        let scene = scene(SHORT, percent);
        let session = scene.ask("do it", one_call());
        assert_eq!(session.text(), END);
        let pause = pause_before(&scene, session.requests()[1].at_us);
        assert_eq!(pause >= LEAST, is_paced, "{pause:?}");
        assert_eq!(sleeps(&scene).len(), usize::from(is_paced));
    }
}

#[test]
fn a_subagents_calls_wait_with_those_of_its_session() {
    let scene = scene(SHORT, 96);
    // The call of the main loop lasts until the subagent makes its own, so that both end together.
    let main = Reply::agent("sub").also(Reply::bash("until [ -e sub ]; do sleep 0.02; done"));

    let session =
        scene.ask("do it", script![main, END].agent("sub", [Reply::bash("touch sub"), Reply::text("done")]));

    assert_eq!(session.text(), END);
    let longest = pause_before(&scene, session.of_agent("sub")[1].at_us);
    assert!((LEAST..2 * DELAY).contains(&longest), "one delay for both: {longest:?}");
}

#[test]
fn the_screen_says_why_it_waits_and_afterwards_that_it_waited() {
    let scene = scene(SHORT, 92);
    let mut user = scene.user(one_call());
    user.terminal.wait_for("credit-pacer: calls wait about 2 s each for now. 5-hour limit: 92 % used");

    user.asks("work", "(pacing usage; type credit-pacer off to stop… ");
    user.terminal.wait_for("waited 2 s so that your usage limits last. 5-hour limit: 92 % used");
    user.terminal.wait_for(END);

    assert!(!user.screen().contains("pacing usage"), "{}", user.screen());
    assert!(!user.last().shows("waited"), "the model is not told");
}

#[test]
fn escape_ends_a_long_delay_at_once_and_leaves_no_process() {
    let scene = scene(LONG, 96);
    let mut user = scene.user(one_call());
    user.asks("work", "pacing usage");
    // The client shows the message before it has started the hook.
    let hooks = || started_in(&scene.sandbox, "credit-pacer");
    wait_until("the hook that sleeps", || hooks().len() == 1);
    let hook = hooks()[0];

    user.terminal.press(Key::Escape);
    let pressed = Instant::now();
    wait_until("the end of the hook", || !is_running(hook));
    assert!(pressed.elapsed() < UNTIL_GONE, "{:?}", pressed.elapsed());

    wait_until("the line of the journal", || !sleeps(&scene).is_empty());
    let sleeps = sleeps(&scene);
    assert!(sleeps[0].0 < 60_000 && sleeps[0].1 == "cut short by the client", "{sleeps:?}");
    user.terminal.wait_for("Interrupted");
    user.asks("go on", END);
}

#[test]
fn status_is_answered_without_a_request_and_off_and_on_take_effect() {
    let scene = scene("base_delay_secs: 1, max_delay_secs: 2", 96);
    let mut user = scene.user(script![Reply::bash("true"), "end one", Reply::bash("true"), "end two"]);

    user.commands("pace-maker status", "next delay: 2 s");
    user.commands("pace-maker off", "credit-pacer: off, set by its switch");
    assert!(user.requests().is_empty());
    user.asks("first", "end one");
    assert_eq!(sleeps(&scene), []);
    let alert = "credit-pacer: 5-hour limit 96 % used";
    assert_eq!(
        user.screen().matches(alert).count(),
        1,
        "told once, also while pacing is off: {}",
        user.screen()
    );
    user.commands("pace-maker on", "credit-pacer: on, set by its switch");
    user.asks("second", "end two");
    assert_eq!(sleeps(&scene).len(), 1, "{}", user.screen());
    assert!(user.requests().len() == 4 && !user.last().shows("pace-maker"), "the model hears of none");
}

#[test]
fn typed_during_a_delay_off_ends_it() {
    let scene = scene(LONG, 96);
    let mut user = scene.user(one_call());
    user.asks("work", "pacing usage; type credit-pacer off to stop");

    user.asks("pace-maker off", END);

    let sleeps = sleeps(&scene);
    assert!(sleeps[0].0 < 60_000 && sleeps[0].1 == "cut short: switched off", "{sleeps:?}");
    assert!(!user.last().shows("pace-maker off"), "{:#?}", user.last().shown_texts());
}

#[test]
fn print_mode_answers_status_and_denies_off() {
    let scene = scene(SHORT, 96);
    let api = MessagesApi::start(one_call());

    let status = scene.client(&api).ask("pace-maker status");
    assert!(status.text().contains("96 %"), "{}", status.text());
    let off = scene.client(&api).ask("pace-maker off");
    assert!(api.requests().is_empty() && !scene.state("switches.json").exists(), "{}", off.text());

    assert_eq!(scene.client(&api).ask("do it").text(), END);
    assert_eq!(sleeps(&scene).len(), 1, "it still paces");
}

#[test]
fn the_installer_wires_the_status_line_and_the_one_that_was_there_before_stays_below_it() {
    let scene = Scene::new();
    let before = json!({ "statusLine": { "type": "command", "command": "echo the line before" } });
    let settings = scene.sandbox.settings(Level::User, &before);
    let programs = binaries::folder_for_client().display().to_string();
    let line = format!("install --prebuilt {programs} --hooks credit-pacer --statusline --yes");
    scene.run(&binaries::installer(), &line).assert_exit(0);

    let mut user = scene.user(script![END]);
    user.asks("work", END);
    user.terminal.wait_until("our line, and below it the one before", DEADLINE, |screen| {
        let lines: Vec<_> = screen.lines().map(str::trim).collect();
        lines.windows(2).any(|pair| pair[0].contains("Opus") && pair[1] == "the line before")
    });

    scene.run(&binaries::installer(), "uninstall --yes").assert_exit(0);
    let after: Value = serde_json::from_slice(&fs::read(settings).unwrap()).unwrap();
    assert_eq!(after, before);
}

#[test]
fn subscription_is_paced_by_its_own_status_line() {
    let Some(alone) = loopback::only_in_here(subscription_is_paced_by_its_own_status_line) else {
        return;
    };
    let scene = Scene::with(&["credit-pacer"], &format!("credit-pacer: {{{SHORT}}}\n"));
    let line = format!("'{}' statusline", scene.sandbox.home().join(".claude/hooks/credit-pacer").display());
    let scene = scene.setting("statusLine", json!({ "type": "command", "command": line }));
    let usage = scene.state("usage.json");
    // The first call lasts until the reading is there: the client runs the status line a moment after the reply.
    let wait = format!("for i in $(seq 200); do [ -s '{}' ] && break; sleep 0.05; done", usage.display());
    let windows = [("5h", "0.96", 7200), ("7d", "0.17", 250_000)];
    let script = windows.into_iter().fold(script![Reply::bash(&wait), END], |script, (name, used, left)| {
        let header = |what: &str| format!("anthropic-ratelimit-unified-{name}-{what}");
        script.header(&header("utilization"), used).header(&header("reset"), &(now_secs() + left).to_string())
    });

    let mut user = scene.user_as(script, |client| client.subscribed(&alone));
    user.asks("work", "waited 2 s so that your usage limits last. 5-hour limit: 96 % used");
    user.terminal.wait_for(END);
    user.terminal.wait_until("the line with what is used", DEADLINE, |screen| {
        screen.lines().any(|line| line.contains("Sonnet") && line.contains("96"))
    });

    let usage: Value = serde_json::from_slice(&fs::read(usage).unwrap()).unwrap();
    let percents =
        ["five_hour", "seven_day"].map(|window| &usage["state"]["windows"][window]["used_percent"]);
    assert_eq!(percents, [&json!(96.0), &json!(17.0)]);
    assert_eq!(sleeps(&scene).len(), 1);
}
