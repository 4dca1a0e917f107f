//! What only the user may mark, under the real client: no way of Claude's own leads to a mark, and the user's way does.

use super::{client, content, edit, marks, outcome, outcomes, project, read, results, to_mark, write};
use super::{Obeying, between, take_back};
use serde_json::json;
use std::path::Path;
use tests::client::{CLIENT_VERSION, executable};
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::{Level, Sandbox};

/// Marked for a whole branch, so that a mark of any session would do.
const USERS: &str = "requirements: {plan_ok: {enabled: true, scope: branch, satisfied_by: user}}\n";

/// Locked by the user, for all projects; Claude may mark it.
const LOCKED: &str = "locked: [requirements.commit_plan]
requirements: {commit_plan: {enabled: true, message: keep to the plan}}
";

/// A mark as the hook writes it, but by hand.
const FORGED: &str = r#"{"version":"1.0","branch":"main","requirements":{"plan_ok":{"scope":"branch","satisfied":true,"satisfied_by":"user","satisfied_at":1763750000}}}"#;

/// Runs the calls one by one and says what came of each.
#[track_caller]
fn come_of(sandbox: &Sandbox, calls: impl IntoIterator<Item = Reply>) -> Vec<String> {
    let api = MessagesApi::start(calls.into_iter().fold(Script::new(), Script::reply).reply("end"));
    let run = client(sandbox, &api).ask("work");
    assert_eq!(run.text(), "end", "{}", run.outcome);
    results(&api).iter().map(|result| format!("{}: {}", outcome(result), result.text)).collect()
}

/// Calls that change the rules or the marks, by editing and by shells.
fn around_the_rules(sandbox: &Sandbox) -> Vec<Reply> {
    let marks = ".git/requirements/main.json";
    vec![
        write(sandbox, ".claude/requirements.local.yaml", "requirements: {}\n"),
        edit(sandbox, ".claude/requirements.yaml", "enabled", "disabled"),
        Reply::bash("sed -i s/true/false/ .claude/requirements.yaml ~/.claude/requirements.yaml"),
        Reply::bash("echo 'enabled: false' >.claude/requirements.local.yaml"),
        write(sandbox, marks, FORGED),
        Reply::bash(&format!("mkdir -p .git/requirements && echo '{FORGED}' >{marks}")),
        Reply::bash("cd .git && mkdir -p requirements && cd requirements && cp /dev/null main.json"),
    ]
}

#[test]
fn neither_shells_nor_nested_clients_nor_forged_files_mark_what_only_the_user_may() {
    let sandbox = project(USERS);
    let claude = executable();
    let nested = format!("'{}' -p --resume \"$CLAUDE_CODE_SESSION_ID\" 'req satisfy plan_ok' </dev/null", claude.display());
    // What a script does inside is not seen; then the other client's hook refuses.
    sandbox.write("ask.sh", format!("{nested}\n"));
    sandbox.commit("a script");
    let refused = [
        write(&sandbox, "new.txt", "new\n"),
        Reply::bash("env -u CLAUDECODE req satisfy plan_ok"),
        Reply::bash("unset CLAUDECODE; req satisfy plan_ok"),
        Reply::bash(&nested),
        Reply::bash(&format!("script -qec \"'{}' 'req satisfy plan_ok'\" /dev/null </dev/null & sleep 8", claude.display())),
    ];
    let mut calls = vec![read(&sandbox, ".claude/requirements.yaml"), Reply::bash("req satisfy plan_ok"), Reply::bash("sh ask.sh")];
    calls.extend(refused);
    calls.extend(around_the_rules(&sandbox));
    calls.push(write(&sandbox, "new.txt", "new\n"));

    let came = come_of(&sandbox, calls);

    println!("MARKS {}", marks(&sandbox));
    assert!(came[0].starts_with("ran: "), "reading is free: {}", came[0]);
    for (refusal, call) in came[1..3].iter().zip(["failed: ", "ran: "]) {
        assert!(refusal.starts_with(call) && refusal.contains("req: refused, because plan_ok is the user's"), "{refusal}");
    }
    for refusal in &came[3..] {
        assert!(refusal.starts_with("refused: ") && refusal.contains("plan_ok"), "{refusal}");
    }
    assert_eq!(marks(&sandbox), json!({}));
    assert_eq!(content(&sandbox, "new.txt"), "");
    assert_eq!(content(&sandbox, ".claude/requirements.yaml"), USERS);
    assert!(!sandbox.requirements_path(Level::Local).exists());
}

#[test]
fn what_the_user_has_locked_is_not_loosened_and_stays_as_it_is() {
    let sandbox = project("requirements: {commit_plan: {enabled: false}}\n");
    sandbox.requirements(Level::User, LOCKED);
    let api = MessagesApi::start(
        around_the_rules(&sandbox)
            .into_iter()
            .fold(Script::new().reply(read(&sandbox, ".claude/requirements.yaml")), Script::reply)
            .reply(write(&sandbox, "new.txt", "new\n"))
            .obey(to_mark)
            .reply(write(&sandbox, "new.txt", "new\n"))
            .reply("end"),
    );

    assert_eq!(client(&sandbox, &api).ask("work").text(), "end");

    let mut expected = vec!["ran"];
    expected.extend(["refused"; 7]);
    expected.extend(["refused", "ran", "ran"]);
    assert_eq!(outcomes(&api), expected, "{:#?}", results(&api));
    for refusal in &results(&api)[1..8] {
        assert!(refusal.text.contains("requirements.commit_plan") && refusal.text.contains("locked"), "{refusal:?}");
    }
    assert_eq!(std::fs::read_to_string(sandbox.requirements_path(Level::User)).unwrap(), LOCKED);
    assert_eq!(content(&sandbox, "new.txt"), "new\n");
}

#[test]
fn a_prompt_of_a_script_is_answered_and_marks_nothing() {
    let sandbox = project(USERS);
    let api = MessagesApi::start(Script::new());
    let first = client(&sandbox, &api).ask("hello");

    let alone = client(&sandbox, &api).ask("req satisfy plan_ok");
    let resumed = client(&sandbox, &api).args(&["--resume", first.session_id()]).ask("req satisfy plan_ok");
    let piped = client(&sandbox, &api).pipe("req satisfy plan_ok\n");

    for run in [alone, resumed, piped] {
        assert!(run.text().contains("req: refused, because plan_ok is the user's to mark"), "{}", run.text());
    }
    assert_eq!(marks(&sandbox), json!({}));
    assert_eq!(api.main_requests().len(), 1, "none of them reached the model");
}

#[test]
fn a_prompt_that_claude_has_scheduled_marks_nothing_when_it_comes() {
    let sandbox = project(USERS);
    let load = Reply::tool("ToolSearch", json!({ "query": "select:CronCreate" }));
    let cron = json!({ "cron": "0 0 1 1 *", "prompt": "req satisfy plan_ok", "recurring": false });
    let script = Script::new().reply(load).reply(Reply::tool("CronCreate", cron)).reply("planned for later");
    let api = MessagesApi::start(script);

    let mut terminal = client(&sandbox, &api).allow(&["CronCreate", "ToolSearch"]).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter("plan it");
    terminal.wait_for("planned for later");
    // For the hook the scheduled prompt is the same as these words typed (tests/client-facts.md, 5), only later.
    terminal.enter("req satisfy plan_ok");
    terminal.wait_for("req: refused, because plan_ok is the user's");
    assert!(terminal.quit().success());

    assert_eq!(outcomes(&api), ["ran", "ran"], "{:#?}", results(&api));
    assert_eq!(marks(&sandbox), json!({}));
}

#[test]
fn the_users_own_prompt_marks_it_and_the_terminal_shows_the_answer() {
    let sandbox = project(USERS);
    let new = || write(&sandbox, "new.txt", "new\n");
    let api = MessagesApi::start(Script::new().reply(new()).reply("asking").reply(new()).reply("the end of it"));

    let mut terminal = client(&sandbox, &api).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter("work");
    terminal.wait_for("asking");
    let denial = results(&api)[0].text.clone();
    let typed = between(&denial, "type this as a prompt (only the user may mark it): ", "\n").expect("a prompt to type");
    terminal.enter(typed);
    terminal.wait_for("marked as met: plan_ok (every session on main)");
    take_back(&mut terminal, typed);
    terminal.enter("req status");
    terminal.wait_for("1 of 1 met on main");
    take_back(&mut terminal, "req status");
    terminal.enter("go on");
    terminal.wait_for("the end of it");
    assert!(terminal.quit().success());

    assert_eq!(outcomes(&api), ["refused", "ran"], "{:#?}", results(&api));
    assert_eq!(content(&sandbox, "new.txt"), "new\n");
    assert_eq!(api.main_requests().len(), 4, "neither command reached the model");
    let mark = &marks(&sandbox)["main.json"];
    assert!(mark.to_string().contains("plan_ok"), "{mark}");
    assert!(Path::new(&sandbox.project()).join(".git/requirements").is_dir());
}
