//! Hooks registered in a project's own settings, as the real client reads them: for who has them, and for who has not.

use crate::registered::{journal, newest_result, ran, touch};
use std::fs;
use tests::binaries;
use tests::client::{CLIENT_VERSION, Client};
use tests::messages_api::{MessagesApi, Script};
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox, toolchain_env};

/// A project whose team has registered the guard in it, and a user who has installed it.
fn team() -> Sandbox {
    let sandbox = Sandbox::new();
    let program = binaries::for_client("delegation-guard");
    let prebuilt = program.parent().unwrap().display().to_string();
    let words =
        ["install", "--hooks", "delegation-guard", "--scope", "project", "--yes", "--prebuilt", &prebuilt];
    let outcome = Invocation::new(binaries::installer(), &sandbox).args(words).envs(toolchain_env()).run();
    outcome.assert_exit(0);
    assert!(!sandbox.settings_path(Level::User).exists());
    sandbox
}

fn script() -> Script {
    Script::new().reply(touch("one")).reply(touch("two")).reply("all at its end")
}

#[test]
fn who_has_installed_the_hook_is_guarded() {
    let sandbox = team();
    sandbox.requirements(Level::User, "delegation-guard: {headless: true}\n");
    let api = MessagesApi::start(script());

    assert_eq!(Client::new(&sandbox, &api).ask("do it").text(), "all at its end");

    assert!(newest_result(&api.main_requests()[1]).text.contains("delegation-guard refused this call once"));
    assert_eq!(ran(&sandbox), ["two"]);
}

#[test]
fn who_has_registered_it_for_all_projects_is_guarded_once() {
    let sandbox = team();
    sandbox.requirements(Level::User, "delegation-guard: {headless: true}\n");
    let deployed = sandbox.home().join(".claude/hooks/delegation-guard");
    let hook = tests::settings::Hook::new(&deployed, &[]);
    let own = tests::settings::Settings::new().hook("PreToolUse", &hook).hook("PostToolUse", &hook);
    sandbox.settings(Level::User, &own.json());
    let api = MessagesApi::start(
        (1..=3).fold(Script::new(), |script, call| script.reply(touch(&format!("call-{call}")))).reply("end"),
    );

    assert_eq!(Client::new(&sandbox, &api).ask("do it").text(), "end");

    let last = api.main_requests().pop().unwrap();
    assert_eq!(last.count("delegation-guard refused"), 1);
    assert_eq!(last.count("(advice at streak 2)"), 1, "counted twice, the advice would come a call earlier");
    assert!(!api.main_requests()[2].shows("(advice at streak 2)"));
}

#[test]
fn who_has_not_is_told_and_nothing_breaks() {
    let sandbox = team();
    fs::remove_dir_all(sandbox.home().join(".claude/hooks")).unwrap();
    let api = MessagesApi::start(script());

    let mut terminal = Client::new(&sandbox, &api).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.wait_for("have not installed (delegation-guard)");
    terminal.enter("do it");
    terminal.wait_for("all at its end");
    let screen = terminal.screen();
    assert!(terminal.quit().success());

    assert!(!screen.contains("hook error"), "{screen}");
    assert_eq!(ran(&sandbox), ["one", "two"]);
    assert_eq!(journal(&sandbox), "");
}

#[test]
fn a_script_of_who_has_not_goes_on_as_without() {
    let sandbox = team();
    fs::remove_dir_all(sandbox.home().join(".claude/hooks")).unwrap();
    let api = MessagesApi::start(script());

    let run = Client::new(&sandbox, &api).ask("do it");

    assert_eq!((run.text(), run.is_error()), ("all at its end", false));
    assert!(!api.main_requests().iter().any(|request| request.shows("Barbless")));
}
