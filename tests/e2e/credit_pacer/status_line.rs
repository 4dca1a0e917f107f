//! The status line in a real terminal: wired by the installer, with the line that was there before; and, with a subscription,
//! as the only source of what is paced by.

use super::scene::{END, SHORT, Scene, now_secs};
use crate::registered::settings;
use crate::typing::{SOON, ready};
use serde_json::{Value, json};
use std::fs;
use tests::binaries;
use tests::client::Client;
use tests::loopback;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

#[test]
fn the_installer_wires_it_and_the_line_that_was_there_before_stays_below_it() {
    let sandbox = Sandbox::new();
    let before = json!({ "statusLine": { "type": "command", "command": "echo the line before" } });
    sandbox.settings(Level::User, &before);
    let programs = binaries::for_client("credit-pacer").parent().unwrap().display().to_string();
    xtask(
        &sandbox,
        &["install", "--prebuilt", &programs, "--hooks", "credit-pacer", "--statusline", "--yes"],
    );

    let api = MessagesApi::start(Script::new().reply(END));
    let client = Client::new(&sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR");
    let mut terminal = ready(client);
    terminal.enter("work");
    terminal.wait_for_within(END, SOON);
    terminal.wait_until("our line, and below it the one before", SOON, |screen| {
        let lines: Vec<_> = screen.lines().map(str::trim).collect();
        lines.windows(2).any(|pair| pair[0].contains("Opus") && pair[1] == "the line before")
    });
    assert!(terminal.quit().success());

    xtask(&sandbox, &["uninstall", "--yes"]);
    let after: Value =
        serde_json::from_slice(&fs::read(sandbox.settings_path(Level::User)).unwrap()).unwrap();
    assert_eq!(after, before);
}

#[test]
fn a_subscription_is_paced_by_what_its_own_status_line_is_told() {
    let Some(alone) = loopback::only_in_here(a_subscription_is_paced_by_what_its_own_status_line_is_told)
    else {
        return;
    };
    let scene = Scene::unregistered(SHORT);
    let line = format!("'{}' statusline", binaries::for_client("credit-pacer").display());
    let with_line =
        settings(&["credit-pacer"]).with("statusLine", json!({ "type": "command", "command": line }));
    scene.sandbox.settings(Level::User, &with_line.json());
    let usage = scene.sandbox.state_dir().join("usage.json");
    // The first call lasts until the reading is there: the client runs the status line a moment after the reply.
    let wait = format!("for i in $(seq 200); do [ -s '{}' ] && break; sleep 0.05; done", usage.display());
    let script = Script::new()
        .header("anthropic-ratelimit-unified-5h-utilization", "0.96")
        .header("anthropic-ratelimit-unified-5h-reset", &(now_secs() + 7200).to_string())
        .header("anthropic-ratelimit-unified-7d-utilization", "0.17")
        .header("anthropic-ratelimit-unified-7d-reset", &(now_secs() + 250_000).to_string())
        .reply(Reply::bash(&wait))
        .reply(END);
    let api = MessagesApi::start(script);

    let mut terminal = ready(Client::new(&scene.sandbox, &api).subscribed(&alone));
    terminal.enter("work");
    terminal.wait_for_within("waited 2 s so that your usage limits last. 5-hour limit: 96 % used", SOON);
    terminal.wait_for_within(END, SOON);
    terminal.wait_until("the line with what is used", SOON, |screen| {
        screen.lines().any(|line| line.contains("Sonnet") && line.contains("96"))
    });
    assert!(terminal.quit().success());

    let usage: Value = serde_json::from_slice(&fs::read(usage).unwrap()).unwrap();
    let windows = &usage["state"]["windows"];
    assert_eq!(
        (&windows["five_hour"]["used_percent"], &windows["seven_day"]["used_percent"]),
        (&json!(96.0), &json!(17.0))
    );
    assert_eq!(scene.sleeps().len(), 1);
}

/// The installer, as the user of this sandbox starts it.
#[track_caller]
fn xtask(sandbox: &Sandbox, words: &[&str]) {
    let installer = Invocation::new(binaries::installer(), sandbox).unset("CLAUDE_HOOK_STATE_DIR");
    installer.args(words.iter().copied()).run().assert_exit(0);
}
