//! Evidence for commits: a test command must have passed on exactly these files, and nothing else counts.

use super::{Obeying, client, edit, outcomes, project, read, results, to_pass};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::Sandbox;

const TESTS_GREEN: &str = "requirements:
  tests_green:
    enabled: true
    type: evidence
    enforce: both
    command: ./run-tests
    trigger_tools: [{tool: Bash, command_pattern: git commit}]
";

/// The tests of this project: green while the code says so. Each run leaves a line outside of the project.
const RUN_TESTS: &str = "#!/bin/sh\necho run >>\"$HOME/test-runs\"\ngrep -q green code.txt\n";

/// A formatter as nobody knows it.
const TIDY: &str = "#!/bin/sh\nprintf '%s\\n' '# tidy' >>code.txt\n";

fn tested_project() -> Sandbox {
    let sandbox = project(TESTS_GREEN);
    for (name, script) in [("run-tests", RUN_TESTS), ("tidy", TIDY)] {
        let file = sandbox.write(name, script);
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    sandbox.write("code.txt", "green 0\n");
    sandbox.commit("code");
    sandbox.write("code.txt", "green 1\n");
    sandbox
}

fn commit() -> Reply {
    Reply::bash("git commit --quiet --allow-empty --all --message step")
}

fn commits(sandbox: &Sandbox) -> usize {
    sandbox.git(&["log", "--format=%s"]).lines().filter(|subject| *subject == "step").count()
}

fn test_runs(sandbox: &Sandbox) -> usize {
    fs::read_to_string(sandbox.home().join("test-runs")).unwrap_or_default().lines().count()
}

/// The call, and then a commit that is refused, what the refusal asks for, and the commit again.
fn refused_after(script: Script, calls: impl IntoIterator<Item = Reply>) -> Script {
    let script = calls.into_iter().fold(script, Script::reply);
    script.reply(commit()).obey(to_pass).reply(commit())
}

#[test]
fn a_commit_waits_for_tests_that_have_passed_on_exactly_these_files() {
    let sandbox = tested_project();
    let change = |from: &str, to: &str| edit(&sandbox, "code.txt", from, to);
    let never = refused_after(Script::new(), []);
    let edited = refused_after(never, [read(&sandbox, "code.txt"), change("green 1", "green 2")]);
    let by_sed = refused_after(edited, [Reply::bash("sed -i 's/green 2/green 3/' code.txt")]);
    let by_formatter = refused_after(by_sed, [Reply::bash("./tidy")]);
    let checked_out = refused_after(by_formatter, [Reply::bash("git checkout --quiet HEAD~2 -- code.txt")]);
    let api = MessagesApi::start(checked_out.reply("end"));

    let run = client(&sandbox, &api).ask("work");
    assert_eq!(run.text(), "end", "{:#?}", results(&api));

    let way_out = ["refused", "ran", "ran"];
    let expected: Vec<&str> = [vec![], vec!["ran", "ran"], vec!["ran"], vec!["ran"], vec!["ran"]]
        .into_iter()
        .flat_map(|calls| calls.into_iter().chain(way_out))
        .collect();
    assert_eq!(outcomes(&api), expected, "{:#?}", results(&api));
    assert_eq!((commits(&sandbox), test_runs(&sandbox)), (5, 5));
    for refused in results(&api).iter().filter(|result| result.is_error) {
        assert_eq!(to_pass(&refused.text), Some("./run-tests"), "{refused:?}");
        assert!(refused.text.contains("tests_green"), "{refused:?}");
    }
}

#[test]
fn a_run_in_the_background_does_not_count_and_the_denial_has_the_line_that_would() {
    let sandbox = tested_project();
    let background =
        json!({ "command": "./run-tests --fast", "description": "test", "run_in_background": true });
    let script = Script::new().reply(Reply::tool("Bash", background)).reply(commit()).obey(to_pass);
    let api = MessagesApi::start(script.reply(commit()).reply("end"));

    client(&sandbox, &api).ask("work").outcome.assert_exit(0);

    assert_eq!(outcomes(&api)[..4], ["ran", "refused", "ran", "ran"], "{:#?}", results(&api));
    assert_eq!(commits(&sandbox), 1);
    let denied = &results(&api)[1].text;
    assert!(denied.contains("background"), "{denied}");
    assert_eq!(to_pass(denied), Some("./run-tests --fast"), "{denied}");
}
