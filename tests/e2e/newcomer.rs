//! The journey of a user who sets up requirements for the first time, and both hooks that look at edits side by side.

use crate::intent_validator::{FILE, OLD, PROMPT};
use crate::judging::{API, approved, project};
use crate::requirements_check::{to_branch, to_pass, to_satisfy};
use crate::scene::{Scene, obeying};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use tests::messages_api::{Reply, Script};
use tests::script;

/// A repository with a remote and nothing of ours in it, and the hook installed.
fn cloned() -> Scene {
    let scene = Scene::with(&["requirements-check"], "");
    scene.sandbox.git(&["remote", "add", "origin", "git@github.com:owner/name.git"]);
    scene
}

#[test]
fn the_hint_is_shown_once_and_the_model_does_not_see_it() {
    let scene = cloned();
    for is_shown in [true, false] {
        let mut user = scene.user(script!["an answer"]);
        user.asks("hello", "an answer");
        assert_eq!(user.screen().contains("nothing is required"), is_shown, "{}", user.screen());
        assert_eq!(user.screen().contains("req init"), is_shown);
        assert!(!user.last().shows("nothing is required"));
    }
}

#[test]
fn from_init_to_the_first_commit_each_text_leads_on() {
    for (mark, code, program, tests) in [
        ("conftest.py", "src/app.py", "pytest", "pytest"),
        ("Cargo.toml", "src/lib.rs", "cargo", "cargo test"),
    ] {
        let scene = cloned().committed(mark, "").committed(code, "before\n");
        // The tests of this project pass.
        let program = scene.sandbox.write_home(format!(".local/bin/{program}"), "#!/bin/sh\n");
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
        let change = || scene.edit(code, "before", "after");
        let commit = || Reply::bash("git commit --quiet --all --message step");
        let begun =
            script![Reply::bash("req init --project --preset strict --yes"), scene.read(code), change()];
        let planned =
            begun.reply(obeying(to_branch)).reply(change()).reply(obeying(to_satisfy)).reply(change());

        let session =
            scene.ask("work", planned.reply(commit()).reply(obeying(to_pass)).reply(commit()).reply("end"));

        let expected = "ran ran denied ran denied ran ran denied ran ran";
        assert_eq!(session.outcomes().join(" "), expected, "{tests}: {:#?}", session.results());
        assert_eq!(to_pass(&session.results()[7].text), Some(tests));
        let log = scene.sandbox.git(&["log", "--oneline", "main..my-change"]);
        assert_eq!((log.lines().count(), scene.content(code).as_str()), (1, "after\n"));
    }
}

#[test]
fn both_hooks_deny_the_first_undeclared_edit_and_of_five_messages_in_a_row_nothing_is_lost() {
    let hooks = ["requirements-check", "intent-validator"];
    let global = format!("{API}intent-validator: {{enabled: true}}\n");
    let scene = project(&hooks, &global).in_project("requirements: {commit_plan: {enabled: true}}\n");
    let files = ["src/1.py", "src/2.py", "src/3.py", "src/4.py", "src/5.py"];
    let declared = |file: &&str| {
        let words =
            format!("FILE: {file}\nCHANGES: add a greeting\nGOAL: it is said\nTEST: tests/test_all.py");
        Reply::text(&words).also(scene.write(file, "GREETING = 'hi'\n"))
    };
    let begun = script![scene.read(FILE), scene.edit(FILE, OLD, ""), Reply::bash("req satisfy commit_plan")];
    let script = files.iter().map(declared).fold(begun, Script::reply);

    let session = scene.ask(PROMPT, script.reply("end").judge(approved()));

    assert_eq!(
        session.outcomes(),
        [vec!["ran", "denied"], vec!["ran"; 6]].concat(),
        "{:#?}",
        session.results()
    );
    let mut denied: Vec<_> = scene.journal("deny").iter().map(|line| line["hook"].to_string()).collect();
    denied.sort();
    assert_eq!(denied, [r#""intent-validator""#, r#""requirements-check""#]);
    assert!(files.iter().all(|file| scene.content(file) == "GREETING = 'hi'\n"));
    assert_eq!(session.judged().len(), files.len());
}
