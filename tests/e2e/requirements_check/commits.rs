//! Evidence for commits: a test command must have passed on exactly these files, and nothing else counts.

use super::{project, to_pass};
use crate::scene::{Scene, obeying};
use serde_json::json;
use tests::messages_api::{Reply, Script};
use tests::script;

const TESTS_GREEN: &str = "requirements:
  tests_green:
    enabled: true
    type: evidence
    enforce: both
    command: ./run-tests
    trigger_tools: [{tool: Bash, command_pattern: git commit}]
";

/// Green while the code says so.
fn tested_project() -> Scene {
    // A formatter as nobody knows it.
    let tidy = "#!/bin/sh\nprintf '%s\\n' '# tidy' >>code.txt\n";
    let scene = project(TESTS_GREEN).program("run-tests", "#!/bin/sh\ngrep -q green code.txt\n");
    let scene = scene.program("tidy", tidy).committed("code.txt", "green 0\n");
    scene.sandbox.write("code.txt", "green 1\n");
    scene
}

fn commit() -> Reply {
    Reply::bash("git commit --quiet --allow-empty --all --message step")
}

fn commits(scene: &Scene) -> usize {
    scene.sandbox.git(&["log", "--format=%s"]).lines().filter(|subject| *subject == "step").count()
}

#[test]
fn a_commit_waits_for_tests_that_have_passed_on_exactly_these_files() {
    let scene = tested_project();
    let ways: [&[Reply]; 5] = [
        &[],
        &[scene.read("code.txt"), scene.edit("code.txt", "green 1", "green 2")],
        &[Reply::bash("sed -i 's/green 2/green 3/' code.txt")],
        &[Reply::bash("./tidy")],
        &[Reply::bash("git checkout --quiet HEAD~2 -- code.txt")],
    ];
    // Each change, a commit that is denied, what the denial asks for, and the commit again.
    let script = ways.iter().fold(script![], |script, calls| {
        let script = calls.iter().cloned().fold(script, Script::reply);
        script.reply(commit()).reply(obeying(to_pass)).reply(commit())
    });

    let session = scene.ask("work", script.reply("end"));

    let expected =
        ways.iter().flat_map(|calls| [vec!["ran"; calls.len()], vec!["denied", "ran", "ran"]].concat());
    assert_eq!(session.outcomes(), expected.collect::<Vec<_>>(), "{:#?}", session.results());
    assert_eq!(commits(&scene), ways.len());
    for denied in session.results().iter().filter(|result| result.is_error) {
        assert_eq!(to_pass(&denied.text), Some("./run-tests"), "{denied:?}");
    }
}

#[test]
fn a_run_in_the_background_does_not_count_and_the_denial_has_the_line_that_would() {
    let scene = tested_project();
    let input = json!({ "command": "./run-tests --fast", "description": "test", "run_in_background": true });
    let script = script![Reply::tool("Bash", &input), commit(), obeying(to_pass), commit(), "end"];

    let session = scene.ask("work", script);

    assert_eq!(session.outcomes()[..4], ["ran", "denied", "ran", "ran"], "{:#?}", session.results());
    assert_eq!(commits(&scene), 1);
    let denied = &session.results()[1].text;
    assert!(denied.contains("background") && to_pass(denied) == Some("./run-tests --fast"), "{denied}");
}
