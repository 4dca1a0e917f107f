//! Question 10: which variables the `env` of a settings file can change for the hooks. What a project cannot change may
//! be believed against it.

use super::stage::{Stage, ready};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use tests::client::Client;
use tests::messages_api::{Reply, Script};
use tests::recording::Behaviour;
use tests::sandbox::Level;
use tests::settings::Settings;

/// Of these a project can set none.
const KEPT_FROM_PROJECTS: [&str; 14] = [
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
    "HOME",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Of these it can set every one.
const OPEN_TO_PROJECTS: [&str; 8] = [
    "AI_AGENT",
    "ANY_UNKNOWN_NAME",
    "CLAUDE_HOOK_STATE_DIR",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "LD_LIBRARY_PATH",
    "PATH",
    "SHELL",
];

/// Of these not even the user's own settings can.
const KEPT_FROM_THE_USER: [&str; 4] =
    ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_REMOTE", "CLAUDE_PROJECT_DIR"];

const OPEN_TO_THE_USER: [&str; 4] = ["CLAUDE_HOOK_STATE_DIR", "HOME", "TMPDIR", "XDG_STATE_HOME"];

const EVENTS: [&str; 4] = ["PreToolUse", "SessionStart", "Stop", "UserPromptSubmit"];

/// What every variable is set to: a folder without anything, and where programs are, for `PATH`.
const VALUE: &str = "/nonexistent:/usr/bin:/bin";

#[test]
fn a_project_can_set_path_and_the_state_folder_but_not_home_or_the_entrypoint() {
    assert_seen_with(Level::Project, &KEPT_FROM_PROJECTS, &OPEN_TO_PROJECTS, in_print_mode);
}

#[test]
fn local_settings_can_do_no_more() {
    assert_seen_with(Level::Local, &KEPT_FROM_PROJECTS, &OPEN_TO_PROJECTS, in_print_mode);
}

#[test]
fn a_project_can_do_no_more_in_a_trusted_terminal() {
    assert_seen_with(Level::Project, &KEPT_FROM_PROJECTS, &OPEN_TO_PROJECTS, in_the_terminal);
}

#[test]
fn the_user_can_also_set_home() {
    assert_seen_with(Level::User, &KEPT_FROM_THE_USER, &OPEN_TO_THE_USER, in_print_mode);
}

/// Sets all variables in the settings of that level and compares what the hooks see with a session that sets none.
fn assert_seen_with(level: Level, kept: &[&str], open: &[&str], run: fn(&Stage, Client<'_>)) {
    let stage = recording_env(kept, open);
    let names = kept.iter().chain(open);
    let set: Map<String, Value> = names.map(|&name| (name.to_owned(), VALUE.into())).collect();
    let stage = match level {
        Level::User => stage.with("env", set.into()),
        Level::Project | Level::Local => {
            stage.sandbox.settings(level, &Settings::new().with("env", set).json());
            stage
        }
    };
    run(&stage, stage.client());
    for event in EVENTS {
        let env = &stage.recorder.runs(event)[0].start.env;
        let changed = |name: &&&str| env.get(**name).is_some_and(|value| value == VALUE);
        assert_eq!(
            kept.iter().filter(changed).collect::<Vec<_>>(),
            [] as [&&str; 0],
            "{event}: {level:?} changed these"
        );
        assert!(
            open.iter().all(|name| changed(&name)),
            "{event}: {level:?} left some as they were: {env:#?}"
        );
        assert_are_what_they_should_be(env, &stage, kept);
    }
}

/// Variables that cannot be set are not merely another value: those with a meaning have it.
fn assert_are_what_they_should_be(env: &BTreeMap<String, String>, stage: &Stage, kept: &[&str]) {
    assert_eq!(env["CLAUDE_PROJECT_DIR"], stage.sandbox.project().display().to_string());
    assert_eq!(env["CLAUDECODE"], "1");
    assert!(["cli", "sdk-cli"].contains(&&*env["CLAUDE_CODE_ENTRYPOINT"]), "{env:#?}");
    if kept.contains(&"HOME") {
        assert_eq!(env["HOME"], stage.sandbox.home().display().to_string());
    }
}

fn in_print_mode(_: &Stage, client: Client<'_>) {
    client.ask("work").outcome.assert_exit(0);
}

fn in_the_terminal(stage: &Stage, client: Client<'_>) {
    let mut terminal = ready(client);
    terminal.enter("work");
    stage.wait_for_ends("Stop", 1);
}

fn recording_env(kept: &[&str], open: &[&str]) -> Stage {
    let stage = Stage::new(Script::new().reply(Reply::bash("true")).reply("end"));
    let noting = |event: &str| (event.to_owned(), Behaviour::default().noting(kept).noting(open));
    EVENTS
        .map(noting)
        .into_iter()
        .fold(stage, |stage, (event, behaviour)| stage.hook(&event, &event, behaviour))
}
