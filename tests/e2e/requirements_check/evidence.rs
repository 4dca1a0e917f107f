//! Evidence for commits: a test command must have passed on exactly these files, and nothing else counts.

use super::{Obeying, client, content, edit, outcomes, project, read, results, to_pass};
use serde_json::{Value, json};
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
fn a_failure_takes_the_evidence_away_though_the_files_come_back() {
    let sandbox = tested_project();
    let script = Script::new()
        .reply(Reply::bash("./run-tests"))
        .reply(Reply::bash("cp code.txt ../kept; echo red >code.txt"))
        .reply(Reply::bash("./run-tests"))
        .reply(Reply::bash("cp ../kept code.txt"));
    let api = MessagesApi::start(refused_after(script, []).reply("end"));

    assert_eq!(client(&sandbox, &api).ask("work").text(), "end");

    assert_eq!(
        outcomes(&api),
        ["ran", "ran", "failed", "ran", "refused", "ran", "ran"],
        "{:#?}",
        results(&api)
    );
    assert_eq!((content(&sandbox, "code.txt").as_str(), commits(&sandbox)), ("green 1\n", 1));
}

#[test]
fn a_run_whose_exit_status_is_hidden_does_not_count_and_the_denial_has_the_line_that_would() {
    let sandbox = tested_project();
    let background =
        json!({ "command": "./run-tests --fast", "description": "test", "run_in_background": true });
    let forms: [(Reply, &str); 5] = [
        (Reply::bash("./run-tests --fast 2>&1 | tail"), "pipe"),
        (Reply::bash("./run-tests --fast || true"), "`||`"),
        (Reply::bash("./run-tests --fast; echo done"), "after it"),
        (Reply::bash("./run-tests --fast &"), "`&`"),
        (Reply::tool("Bash", background), "background"),
    ];
    let script =
        forms.iter().fold(Script::new(), |script, (form, _)| script.reply(form.clone()).reply(commit()));
    let api = MessagesApi::start(script.obey(to_pass).reply(commit()).reply("end"));

    let run = client(&sandbox, &api).ask("work");

    run.outcome.assert_exit(0);
    let expected: Vec<&str> =
        ["ran", "refused"].repeat(forms.len()).into_iter().chain(["ran", "ran"]).collect();
    assert_eq!(outcomes(&api)[..expected.len()], expected, "{:#?}", results(&api));
    assert_eq!(commits(&sandbox), 1);
    let refused: Vec<_> = results(&api).into_iter().filter(|result| result.is_error).collect();
    for ((_, why), refused) in forms.iter().zip(&refused) {
        assert!(refused.text.contains(why), "{why} is not in {}", refused.text);
        assert_eq!(to_pass(&refused.text), Some("./run-tests --fast"), "{refused:?}");
    }
    let calls = ran_in_bash(&api);
    assert!(calls.contains(&"./run-tests --fast".to_owned()), "{calls:?}");
}

/// The lines the model ran with Bash in the foreground.
fn ran_in_bash(api: &MessagesApi) -> Vec<String> {
    let requests = api.main_requests();
    let messages = requests.last().unwrap().body["messages"].as_array().unwrap();
    let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    let calls = blocks.filter(|block| {
        block["type"] == "tool_use" && block["input"]["run_in_background"] != Value::Bool(true)
    });
    calls.filter_map(|call| call["input"]["command"].as_str().map(str::to_owned)).collect()
}
