//! What is typed as a prompt: our commands are answered without the model, everything else goes to it as it is.

use super::scene::{END, LONG, SHORT, Scene, one_call};
use crate::typing::{SOON, answered};
use tests::client::Client;
use tests::messages_api::{MessagesApi, Reply, Script};

#[test]
fn status_is_answered_without_a_request_and_off_and_on_take_effect() {
    let scene = Scene::new(SHORT);
    scene.used(96);
    let script =
        Script::new().reply(Reply::bash("true")).reply("end one").reply(Reply::bash("true")).reply("end two");
    let api = MessagesApi::start(script);
    let mut terminal = scene.terminal(&api);

    answered(&mut terminal, "pace-maker status", "next delay: 2 s");
    assert!(api.requests().is_empty(), "{:?}", api.requests());
    answered(&mut terminal, "pace-maker off", "credit-pacer: off, set by its switch");
    terminal.enter("first");
    terminal.wait_for_within("end one", SOON);
    assert_eq!(scene.sleeps(), []);
    answered(&mut terminal, "pace-maker on", "credit-pacer: on, set by its switch");
    terminal.enter("second");
    terminal.wait_for_within("end two", SOON);
    assert_eq!(scene.sleeps().len(), 1, "{}", terminal.screen());
    assert_eq!(api.main_requests().len(), 4, "none for a command");
    assert!(!api.main_requests()[3].shows("pace-maker"), "the model hears of none");
    assert!(terminal.quit().success());
}

#[test]
fn typed_during_a_delay_off_ends_it() {
    let scene = Scene::new(LONG);
    scene.used(96);
    let api = MessagesApi::start(one_call());
    let mut terminal = scene.terminal(&api);
    terminal.enter("work");
    terminal.wait_for_within("pacing usage; type credit-pacer off to stop", SOON);

    terminal.enter("pace-maker off");

    let sleeps = scene.wait_for_sleeps(1);
    assert!(sleeps[0].0 < 60_000 && sleeps[0].1 == "cut short: switched off", "{sleeps:?}");
    terminal.wait_for_within(END, SOON);
    assert!(!api.main_requests()[1].shows("pace-maker off"), "{:#?}", api.shown_after(0));
    assert!(terminal.quit().success());
}

#[test]
fn in_print_mode_status_is_answered_and_off_is_refused() {
    let scene = Scene::new(SHORT);
    scene.used(96);
    let api = MessagesApi::start(one_call());

    let status = Client::new(&scene.sandbox, &api).ask("pace-maker status");
    status.outcome.assert_exit(0);
    assert!(status.text().contains("96 %"), "{}", status.text());
    let off = Client::new(&scene.sandbox, &api).ask("pace-maker off");
    off.outcome.assert_exit(0);
    assert!(api.main_requests().is_empty());
    assert!(!scene.sandbox.state_dir().join("switches.json").exists(), "{}", off.text());

    assert_eq!(Client::new(&scene.sandbox, &api).ask("do it").text(), END);
    assert_eq!(scene.sleeps().len(), 1, "it still paces");
}
