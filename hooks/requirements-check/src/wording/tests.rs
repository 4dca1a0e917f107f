//! What Claude reads: what each requirement needs, where, and the command to type.

use std::path::PathBuf;

use shared::protocol::Mode;

use crate::scene::{Scene, denied};
use crate::world::World;

const SEVERAL: &str = "\
plan: {message: Plan first., checklist: [Read the issue.]}
review: {satisfied_by_skill: code-review}
users: {satisfied_by: user}
size: {type: dynamic, calculator: branch_size, thresholds: {warn: 250, block: 400}}
alone: {type: guard, guard_type: single_session}
tests: {type: evidence, command: cargo test, file: docs/*.md, enforce: both, trigger_tools: [Edit]}
";

fn scene() -> Scene {
    let mut scene = Scene::new(SEVERAL);
    scene.measures("size", 400);
    scene.world.others = vec!["0c4e7a11".to_owned()];
    scene
}

#[test]
fn a_refusal_has_a_way_out_of_each_requirement() {
    let answer = scene().edit("t1");
    let reason = denied(&answer);
    for way in [
        "run in Bash: req satisfy plan review",
        "complete the skill code-review",
        "req satisfy users",
        "req approve size",
        "end the other session",
        "run alone on a line (no pipe): cargo test",
        "req waive tests --note \"the reason\"",
    ] {
        assert!(reason.contains(way), "{way} in {reason}");
    }
    assert!(reason.ends_with("Then repeat the call."), "{reason}");
}

#[test]
fn the_command_is_the_one_that_can_be_run_where_the_denial_is_read() {
    let denial = |change: &dyn Fn(&mut World)| {
        let mut scene = scene();
        change(&mut scene.world);
        denied(&scene.edit("t1")).to_owned()
    };
    for mode in [None, Some(Mode::Default), Some(Mode::Auto), Some(Mode::Plan), Some(Mode::DontAsk)] {
        let reason = denial(&|world| world.mode = mode);
        assert!(reason.contains("run in Bash: req satisfy plan review"), "{reason}");
        let asks = reason.contains("ask the user to type as a prompt: req satisfy plan review");
        assert_eq!(asks, matches!(mode, Some(Mode::Plan | Mode::DontAsk)), "{mode:?}: {reason}");
        let headless =
            denial(&|world| (world.mode, world.environment.entrypoint) = (mode, Some("sdk-cli".to_owned())));
        assert!(headless.contains("run in Bash: req satisfy plan review"), "{headless}");
        assert!(!headless.contains("ask the user"), "{mode:?}: {headless}");
    }
    let elsewhere = denial(&|world| world.elsewhere = Some(PathBuf::from("/other tree")));
    assert!(elsewhere.contains("run in Bash: cd '/other tree' && req satisfy plan"), "{elsewhere}");
    let quoted = Scene::new("plan of the week: {}\n\"it's\": {}\n").edit("t1");
    assert!(denied(&quoted).contains(r#"req satisfy 'it'"'"'s' 'plan of the week'"#), "{}", denied(&quoted));
}

#[test]
fn a_refusal_names_the_commands_that_need_something_and_else_the_tool() {
    const COMMIT: &str = "commit: {trigger_tools: [Edit, {tool: Bash, command_pattern: git commit}]}\n";
    let several =
        format!("{COMMIT}push: {{trigger_tools: [{{tool: Bash, command_pattern: 'git (push|tag)'}}]}}\n");
    let bash = format!("{COMMIT}all: {{trigger_tools: [Bash]}}\n");
    for (requirements, line, subject) in [
        (COMMIT, "git -C sub commit -m x", "`git commit` needs"),
        (COMMIT, "git commit -m x; git commit -m y", "`git commit` needs"),
        (&several, "git commit -m x && git push origin", "`git (push|tag)`, `git commit` needs"),
        (&several, "git push https://me:secret@example.org", "`git (push|tag)` needs"),
        (&bash, "git commit -m x", "Bash needs"),
        (COMMIT, "git commit -m 'unclosed", "Bash needs"),
    ] {
        let answer = Scene::new(requirements).bash("t1", line);
        let reason = denied(&answer);
        assert!(reason.starts_with(&format!("requirements-check: {subject}")), "{line}: {reason}");
        assert!(!reason.contains("secret"), "{reason}");
    }
    assert!(denied(&Scene::new(COMMIT).edit("t1")).starts_with("requirements-check: Edit needs"));
}

#[test]
fn the_place_of_one_requirement_is_left_to_be_added_and_of_several_stands_with_each() {
    let one = Scene::new("plan: {}\n").edit("t1");
    assert!(!denied(&one).contains("requirements.yaml:"), "{}", denied(&one));
    let two = Scene::new("plan: {}\nadr: {}\n").edit("t1");
    assert_eq!(denied(&two).matches("requirements.yaml:").count(), 2, "{}", denied(&two));
}

#[test]
fn denial_names_twenty_of_a_thousand_requirements_and_counts_the_rest() {
    let names: Vec<String> = (0..1000).map(|number| format!("r{number}: {{}}")).collect();
    let text = names.join("\n");
    let reason = denied(&Scene::new(&text).edit("t1")).to_owned();
    assert!(reason.contains("- and 980 more, named when these are satisfied"), "{reason}");
    assert_eq!(reason.lines().filter(|line| line.starts_with("- r")).count(), 20, "{reason}");
    let (_, to_mark) = reason.split_once("req satisfy ").unwrap();
    assert_eq!(to_mark.lines().next().unwrap().split(' ').count(), 20, "{to_mark}");
}
