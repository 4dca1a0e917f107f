//! What only the user may satisfy, under the real client: no way of Claude's own leads there, and the user's way does.

use super::{project, satisfactions, to_satisfy};
use crate::scene::{Scene, between, obeying};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;
use tests::client::executable;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::Level;
use tests::script;

/// For a whole branch, so that a satisfaction of any session would do.
const USERS: &str = "requirements: {plan_ok: {enabled: true, scope: branch, satisfied_by: user}}\n";

/// Locked by the user, for all projects; Claude may satisfy it.
const LOCKED: &str = "locked: [requirements.commit_plan]
requirements: {commit_plan: {enabled: true, message: keep to the plan}}
";

/// A satisfaction as the hook writes it, but by hand.
const FORGED: &str = r#"{"version":"1.0","branch":"main","requirements":{"plan_ok":{"scope":"branch","satisfied":true,"satisfied_by":"user","satisfied_at":1763750000}}}"#;

const LOCAL: &str = ".claude/requirements.local.yaml";

/// With the user's own file for the project, which says nothing.
fn with_local_file(requirements: &str) -> Scene {
    let scene = project(requirements);
    scene.sandbox.write(LOCAL, "requirements: {}\n");
    scene
}

/// Calls that change the rules, their registration or the satisfactions, by editing and by shells, after the local file was
/// read.
fn around_the_rules(scene: &Scene) -> Vec<Reply> {
    let record = ".git/requirements/main.json";
    let shells = [
        format!("sed -i 's/requirements: {{}}/enabled: false/' {LOCAL}"),
        format!("echo 'enabled: false' >{LOCAL}"),
        "sed -i s/true/false/ .claude/requirements.yaml ~/.claude/requirements.yaml".to_owned(),
        format!("mkdir -p .git/requirements && echo '{FORGED}' >{record}"),
        "cd .git && mkdir -p requirements && cd requirements && cp /dev/null main.json".to_owned(),
    ];
    let edits = [
        scene.edit(LOCAL, "requirements: {}", "enabled: false"),
        scene.write(".claude/settings.local.json", r#"{"disableAllHooks": true}"#),
        scene.write(record, FORGED),
    ];
    edits.into_iter().chain(shells.iter().map(|line| Reply::bash(line))).collect()
}

fn all(calls: impl IntoIterator<Item = Reply>) -> Script {
    calls.into_iter().fold(script![], Script::reply)
}

#[test]
fn neither_shells_nor_nested_clients_nor_forged_files_satisfy_what_only_the_user_may() {
    let scene = with_local_file(USERS);
    let claude = executable().display().to_string();
    let nested =
        format!("'{claude}' -p --resume \"$CLAUDE_CODE_SESSION_ID\" 'req satisfy plan_ok' </dev/null");
    // What a script does inside is not seen; then the other client's hook refuses, and `req` itself.
    scene.sandbox.write("ask.sh", format!("{nested}\nenv -u CLAUDECODE req satisfy plan_ok 2>&1\n"));
    let tried = [scene.read(LOCAL), Reply::bash("req satisfy plan_ok 2>&1"), Reply::bash("sh ask.sh")];
    let denied = [
        scene.write("new.txt", "new\n"),
        Reply::bash("env -u CLAUDECODE req satisfy plan_ok"),
        Reply::bash("unset CLAUDECODE; req satisfy plan_ok"),
        Reply::bash(&nested),
        Reply::bash(&format!("script -qec \"'{claude}' 'req satisfy plan_ok'\" /dev/null")),
    ];
    let calls = tried.into_iter().chain(denied).chain(around_the_rules(&scene));

    // In the terminal, where the shell's environment speaks of a client that somebody watches.
    let mut user = scene.user(all(calls).reply("the end of it"));
    user.enters("work");
    user.terminal.wait_until("the end", Duration::from_secs(90), |screen| screen.contains("the end of it"));

    let results = user.results();
    let expected = [vec!["ran", "failed", "failed"], vec!["denied"; 5 + 8]].concat();
    assert_eq!(user.outcomes(), expected, "{results:#?}");
    let refusal = "plan_ok is the user's to satisfy";
    assert_eq!(
        [1, 2].map(|tried: usize| results[tried].text.matches(refusal).count()),
        [1, 2],
        "{results:#?}"
    );
    for denied in &results[3..] {
        assert!(denied.text.contains("plan_ok"), "{denied:?}");
    }
    assert_eq!(satisfactions(&scene), [] as [Value; 0]);
    assert_eq!(
        (scene.content(LOCAL).as_str(), scene.content("new.txt").as_str()),
        ("requirements: {}\n", "")
    );
    assert_eq!(scene.content(".claude/requirements.yaml"), USERS);
    assert!(!scene.sandbox.settings_path(Level::Local).exists());
}

#[test]
fn locked_key_is_not_loosened_and_its_file_stays() {
    let scene = with_local_file("requirements: {commit_plan: {enabled: false}}\n");
    scene.sandbox.requirements(Level::User, LOCKED);
    let new = || scene.write("new.txt", "new\n");
    let calls = [scene.read(LOCAL)].into_iter().chain(around_the_rules(&scene));

    let session =
        scene.ask("work", all(calls).reply(new()).reply(obeying(to_satisfy)).reply(new()).reply("end"));

    let results = session.results();
    let expected = [vec!["ran"], vec!["denied"; 8 + 1], vec!["ran", "ran"]].concat();
    assert_eq!(session.outcomes(), expected, "{results:#?}");
    for denied in &results[1..=8] {
        assert!(
            denied.text.contains("requirements.commit_plan") && denied.text.contains("locked"),
            "{denied:?}"
        );
    }
    assert_eq!(scene.content(LOCAL), "requirements: {}\n");
    assert_eq!(fs::read_to_string(scene.sandbox.requirements_path(Level::User)).unwrap(), LOCKED);
}

#[test]
fn a_prompt_of_a_script_is_answered_and_satisfies_nothing() {
    let scene = project(USERS);
    let api = MessagesApi::start(script![]);
    let first = scene.client(&api).ask("hello");

    let alone = scene.client(&api).ask("req satisfy plan_ok");
    let resumed = scene.client(&api).args(&["--resume", first.session_id()]).ask("req satisfy plan_ok");
    let piped = scene.client(&api).pipe("req satisfy plan_ok\n");

    for run in [alone, resumed, piped] {
        assert!(run.text().contains("plan_ok is the user's to satisfy"), "{}", run.text());
    }
    assert_eq!(satisfactions(&scene), [] as [Value; 0]);
    assert_eq!(api.requests().len(), 1, "none of them reached the model");
}

#[test]
fn the_users_own_prompt_satisfies_it_but_not_one_that_claude_has_scheduled() {
    let scene = project(USERS);
    let load = Reply::tool("ToolSearch", &json!({ "query": "select:CronCreate" }));
    let input = json!({ "cron": "0 0 1 1 *", "prompt": "req satisfy plan_ok", "recurring": false });
    let script = script![load, Reply::tool("CronCreate", &input), "planned for later"];
    let mut user = scene.user_as(script, |client| client.allow("CronCreate,ToolSearch"));
    user.asks("plan it", "planned for later");
    // For the hook the scheduled prompt is the same as these words typed (tests/client-facts.md, 5), only later.
    user.commands("req satisfy plan_ok", "plan_ok is the user's to satisfy");
    assert_eq!((user.outcomes(), satisfactions(&scene)), (vec!["ran", "ran"], Vec::new()));

    let scene = project(USERS);
    let new = || scene.write("new.txt", "new\n");
    let mut user = scene.user(script![new(), "asking", new(), "the end of it"]);
    user.asks("work", "asking");
    let denial = user.results()[0].text.clone();
    let typed =
        between(&denial, "type this as a prompt (only the user may satisfy it): ", "\n").expect("a prompt");
    user.commands(typed, "satisfied: plan_ok (every session on main)");
    user.commands("req status", "1 of 1 satisfied on main");
    user.asks("go on", "the end of it");

    assert_eq!(user.outcomes(), ["denied", "ran"], "{:#?}", user.results());
    assert_eq!(user.requests().len(), 4, "neither command reached the model");
}
