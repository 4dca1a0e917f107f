//! What the user sees: why it waits, that it waited, what is nearly used up, and that Escape ends it.

use super::scene::{END, LONG, SHORT, Scene, one_call};
use crate::typing::{SOON, answered};
use std::time::{Duration, Instant};
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::process::{is_running, started_in};
use tests::terminal::Key;

/// From the key to the end of the hook's process; seen: a tenth of a second.
const UNTIL_GONE: Duration = Duration::from_secs(2);

#[test]
fn the_screen_says_why_it_waits_and_afterwards_that_it_waited() {
    let scene = Scene::new(SHORT);
    scene.used(79);
    let api = MessagesApi::start(one_call());
    let mut terminal = scene.terminal(&api);
    terminal.wait_for("credit-pacer: calls wait about 2 s each for now. 5-hour limit: 79 % used");

    terminal.enter("work");
    terminal.wait_for_within("(pacing usage; type credit-pacer off to stop… ", SOON);
    terminal.wait_for_within("waited 2 s so that your usage limits last. 5-hour limit: 79 % used", SOON);
    terminal.wait_for_within(END, SOON);

    assert!(!terminal.screen().contains("pacing usage"), "{}", terminal.screen());
    assert!(!api.main_requests()[1].shows("waited"), "the model is not told");
    assert!(terminal.quit().success());
}

#[test]
fn below_the_line_nothing_is_said() {
    let scene = Scene::new(SHORT);
    scene.used(50);
    let api = MessagesApi::start(one_call());
    let mut terminal = scene.terminal(&api);
    terminal.enter("work");
    terminal.wait_for_within(END, SOON);
    for words in ["pac", "credit"] {
        assert!(!terminal.screen().contains(words), "{}", terminal.screen());
    }
    assert!(terminal.quit().success());
}

#[test]
fn escape_ends_a_long_delay_at_once_and_leaves_no_process() {
    let scene = Scene::new(LONG);
    scene.used(96);
    let api = MessagesApi::start(one_call());
    let mut terminal = scene.terminal(&api);
    terminal.enter("work");
    terminal.wait_for_within("pacing usage", SOON);
    // The client shows the message before it has started the hook.
    let hooks = || started_in(&scene.sandbox, "credit-pacer");
    terminal.wait_until("the hook that sleeps", SOON, |_| hooks().len() == 1);
    let hooks = hooks();

    terminal.press(Key::Escape);
    let pressed = Instant::now();
    while is_running(hooks[0]) {
        assert!(pressed.elapsed() < UNTIL_GONE, "it is still there:\n{}", terminal.screen());
        std::thread::sleep(Duration::from_millis(10));
    }

    let sleeps = scene.wait_for_sleeps(1);
    assert!(sleeps[0].0 < 60_000 && sleeps[0].1 == "cut short by the client", "{sleeps:?}");
    terminal.wait_for("Interrupted");
    terminal.enter("go on");
    terminal.wait_for_within(END, SOON);
    assert!(terminal.quit().success());
}

#[test]
fn a_window_that_is_nearly_used_up_is_told_once_also_while_pacing_is_off() {
    let scene = Scene::new("max_delay_secs: 2, base_delay_secs: 1");
    scene.used(96);
    let script = Script::new().reply(Reply::bash("true")).reply(Reply::bash("true")).reply(END);
    let api = MessagesApi::start(script);
    let mut terminal = scene.terminal(&api);
    answered(&mut terminal, "pace-maker off", "credit-pacer: off, set by its switch");
    terminal.enter("work");
    terminal.wait_for_within(END, SOON);

    let told = "credit-pacer: 5-hour limit 96 % used";
    assert_eq!(terminal.screen().matches(told).count(), 1, "{}", terminal.screen());
    assert_eq!(scene.sleeps(), []);
    assert!(terminal.quit().success());
}
