//! Evidence: a command that passed on exactly the files that are there. What makes it count, what takes it away again, and
//! what is said where a run did not count.

use super::world::{Claude, World, command_in, prompt_in, shell_response};
use crate::driver::denial;
use serde_json::json;
use std::fs;

const TESTS: &str = "\
requirements:
  tests_green:
    enabled: true
    type: evidence
    enforce: both
    command: ./run-tests
    trigger_tools: [{tool: Bash, command_pattern: git commit}]
";

/// Tests that fail while there is a file `broken`.
const SCRIPT: &str = "#!/bin/sh\necho \"$(ls src | wc -l) passed\"\ntest ! -e broken\n";

const COMMIT: &str = "git add --all && git commit --quiet --message change";

/// A project with tests, where this is required.
fn project(yaml: &str) -> World {
    let world = World::of_team(yaml);
    make_program(&world, "run-tests", SCRIPT);
    world.sandbox.write("src/a.txt", "old\n");
    world.sandbox.write(".gitignore", "broken\n*.log\n");
    world.sandbox.commit("tests");
    world
}

fn make_program(world: &World, name: &str, script: &str) {
    let file = world.sandbox.write(name, script);
    #[cfg(unix)]
    crate::driver::restrict(&file, 0o755);
}

/// The reason with which a commit is refused; fails if it is not.
#[track_caller]
fn commit_refused(claude: &Claude<'_>) -> String {
    claude.refused(&claude.bash(COMMIT))
}

/// A commit would pass.
#[track_caller]
fn commit_passes(claude: &Claude<'_>) {
    claude.passes(&claude.bash(COMMIT));
}

#[test]
fn a_commit_needs_a_run_that_passed_on_these_files() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    let text = commit_refused(&claude);
    assert!(text.contains("tests_green"), "{text}");
    claude.does(&command_in(&text));
    claude.does(COMMIT);
    assert_eq!(world.git(&world.sandbox.project(), &["log", "-1", "--format=%s"]), "change");
}

#[test]
fn a_commit_of_what_was_tested_leaves_the_evidence_valid() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    claude.edits("src/b.txt", "untracked\n");
    claude.does("./run-tests");
    claude.does(COMMIT);
    claude.stops();
    commit_passes(&claude);
}

#[test]
fn any_other_content_makes_the_evidence_stale_whoever_wrote_it() {
    type Change = fn(&Claude<'_>, &World);
    let changes: [(&str, Change); 9] = [
        ("one more edit", |claude, _| claude.edits("src/a.txt", "newer\n")),
        ("sed -i", |claude, _| claude.does("sed -i s/new/newer/ src/a.txt")),
        ("a formatter", |claude, _| claude.does("sed 's/$/;/' src/a.txt > tmp.log && mv tmp.log src/a.txt")),
        ("a checkout", |claude, _| claude.does("git checkout --quiet HEAD -- src/a.txt")),
        ("a stash", |claude, _| claude.does("git stash --quiet")),
        ("a new file", |claude, _| claude.edits("src/b.txt", "b\n")),
        ("a removal", |claude, _| claude.does("rm src/a.txt")),
        ("a mode", |claude, _| claude.does("chmod +x src/a.txt")),
        ("somebody else", |_, world| drop(world.sandbox.write("src/a.txt", "theirs\n"))),
    ];
    for (name, change) in changes {
        let world = project(TESTS);
        let claude = world.claude();
        claude.edits("src/a.txt", "new\n");
        claude.does("./run-tests");
        commit_passes(&claude);
        change(&claude, &world);
        let text = commit_refused(&claude);
        assert!(text.contains("files have changed"), "{name}: {text}");
        claude.does(&command_in(&text));
        commit_passes(&claude);
    }
}

#[test]
fn a_branch_with_other_content_needs_its_own_run() {
    let world = project(&TESTS.replace("enabled: true", "enabled: true\n    scope: permanent"));
    world.switch("feature");
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    claude.does("./run-tests");
    claude.does(COMMIT);
    commit_passes(&claude);
    claude.does("git switch --quiet main");
    assert!(commit_refused(&claude).contains("files have changed"));
    claude.does("git switch --quiet feature");
    commit_passes(&claude);
}

#[test]
fn the_same_content_written_again_leaves_the_evidence_valid() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    claude.does("./run-tests");
    claude.does("cp src/a.txt tmp.log && mv tmp.log src/a.txt && touch src/a.txt");
    claude.does("git add --all");
    claude.does("echo ignored > build.log");
    commit_passes(&claude);
    claude.edits("src/a.txt", "other\n");
    claude.edits("src/a.txt", "new\n");
    commit_passes(&claude);
}

#[test]
fn a_run_whose_failure_would_not_show_does_not_count_and_the_refusal_says_which_line_would() {
    let lines = [
        "./run-tests 2>&1 | tail",
        "./run-tests || true",
        "./run-tests; echo done",
        "./run-tests\necho done",
        "./run-tests &",
        "true || ./run-tests",
        "if ./run-tests; then echo yes; fi",
        "for i in 1; do ./run-tests; done",
        "echo $(./run-tests)",
        "(./run-tests) | cat",
        "./run-tests --list",
        "./run-tests --no-run",
        "./run-tests --help",
        "exit 0; ./run-tests",
        "trap 'exit 0' EXIT; ./run-tests",
        "sh -c './run-tests | cat'",
    ];
    let world = project(TESTS);
    for (number, line) in (1..).zip(lines) {
        let claude = world.another(number);
        claude.edits("src/a.txt", &format!("{number}\n"));
        claude.does(line);
        let text = commit_refused(&claude);
        assert!(text.contains("did not count"), "{line}: {text}");
        let command = command_in(&text);
        assert_eq!(command, "./run-tests", "{line}");
        claude.does(&command);
        commit_passes(&claude);
    }
}

#[test]
fn the_line_to_type_keeps_what_matters_of_the_one_that_did_not_count() {
    for (line, to_type) in [
        ("./run-tests --list --fast \"$HOME\"", "./run-tests --fast \"$HOME\""),
        ("X=1 ./run-tests 'a b' | cat", "X=1 ./run-tests 'a b'"),
        ("cd src && ../run-tests || true", "cd src && ../run-tests"),
    ] {
        let world = project(&TESTS.replace("command: ./run-tests", "command: run-tests"));
        let claude = world.claude();
        claude.runs(line);
        assert_eq!(command_in(&commit_refused(&claude)), to_type);
        claude.runs(to_type);
    }
}

#[test]
fn a_run_that_decides_its_line_counts() {
    let lines = [
        "./run-tests",
        "  ./run-tests 2>&1",
        "./run-tests > out.log 2>&1",
        "cd . && ./run-tests",
        "echo first && ./run-tests && echo last",
        "echo first; ./run-tests",
        "set -o pipefail; ./run-tests 2>&1 | tail",
        "set -euo pipefail\n./run-tests | tail -3",
        "X=1 ./run-tests --fast",
        "timeout 20 ./run-tests",
        "sh -c ./run-tests",
        "(./run-tests)",
        "cd src && cd .. && ./run-tests",
    ];
    let world = project(TESTS);
    for (number, line) in (1..).zip(lines) {
        let claude = world.another(number);
        claude.edits("src/a.txt", &format!("{number}\n"));
        claude.does(line);
        let answer = claude.before(&claude.bash(COMMIT));
        assert_eq!(denial(answer.as_ref()), None, "{line}");
    }
}

#[test]
fn a_run_in_the_background_does_not_count() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    let call = claude.call("Bash", json!({ "command": "./run-tests", "run_in_background": true }));
    let mut response = shell_response("");
    response["backgroundTaskId"] = json!("bqm9162xj");
    claude.passes(&call);
    assert_eq!(claude.after(&call, response.clone()), None);
    let text = commit_refused(&claude);
    assert!(text.contains("did not count") && text.contains("background"), "{text}");
    // One that was sent there after it had begun.
    let call = claude.bash("./run-tests");
    claude.passes(&call);
    assert_eq!(claude.after(&call, response), None);
    commit_refused(&claude);
    claude.does(&command_in(&full_refusal(&claude)));
    commit_passes(&claude);
}

/// A refusal of a commit in full, however soon after the last one.
#[track_caller]
fn full_refusal(claude: &Claude<'_>) -> String {
    let answer = claude.shell("req check --bash 'git commit'");
    answer.assert_exit(1);
    answer.stdout_text()
}

#[test]
fn an_interrupted_run_does_not_count() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    let call = claude.bash("./run-tests");
    claude.passes(&call);
    let mut response = shell_response("1 passed");
    response["interrupted"] = json!(true);
    assert_eq!(claude.after(&call, response), None);
    assert!(commit_refused(&claude).contains("did not count"));
}

#[test]
fn a_run_that_fails_takes_the_evidence_away() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    claude.does("./run-tests");
    commit_passes(&claude);
    world.sandbox.write("broken", "");
    assert_eq!(claude.runs("./run-tests").status, 1);
    let text = commit_refused(&claude);
    assert!(text.contains("tests_green"), "{text}");
    fs::remove_file(world.sandbox.project().join("broken")).unwrap();
    claude.does("./run-tests");
    commit_passes(&claude);
}

#[test]
fn a_run_is_about_the_files_as_they_were_when_it_began() {
    let world = project(TESTS);
    make_program(&world, "run-tests", "#!/bin/sh\necho formatted > src/a.txt\n");
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    claude.does("./run-tests");
    commit_refused(&claude);
    claude.does("./run-tests");
    commit_passes(&claude);
}

#[test]
fn an_edit_in_parallel_to_the_run_makes_it_stale() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    let run = claude.bash("./run-tests");
    claude.passes(&run);
    claude.edits("src/a.txt", "newer\n");
    claude.succeeded(&run);
    assert!(commit_refused(&claude).contains("files have changed"));
}

#[test]
fn a_run_whose_beginning_nobody_saw_does_not_count() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.succeeded(&claude.bash("./run-tests"));
    assert!(commit_refused(&claude).contains("did not count"));
}

#[test]
fn a_commit_in_the_same_line_as_its_tests_is_refused() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.refused(&claude.bash("./run-tests && git commit --quiet --message x"));
    claude.does("./run-tests");
    claude.passes(&claude.bash("./run-tests && git commit --quiet --message x"));
}

#[test]
fn arguments_that_prove_nothing_can_be_named() {
    let world = project(&TESTS.replace("enforce: both", "enforce: both\n    not_args: [--quick, -q]"));
    let claude = world.claude();
    for line in ["./run-tests --quick", "./run-tests -v -q", "./run-tests --quick=yes"] {
        claude.does(line);
        commit_refused(&claude);
    }
    claude.does("./run-tests --list");
    commit_passes(&claude);
}

#[test]
fn the_output_may_have_to_show_that_something_ran() {
    let world =
        project(&TESTS.replace("enforce: both", "enforce: both\n    min_output: '[1-9][0-9]* passed'"));
    let claude = world.claude();
    make_program(&world, "run-tests", "#!/bin/sh\necho 0 passed\n");
    claude.does("./run-tests");
    let text = commit_refused(&claude);
    assert!(text.contains("did not count") && text.contains("passed"), "{text}");
    make_program(&world, "run-tests", SCRIPT);
    claude.does("./run-tests");
    commit_passes(&claude);
}

#[test]
fn one_of_several_commands_is_enough() {
    let yaml =
        TESTS.replace("command: ./run-tests", "command: [cargo test, '(npm|pnpm) (run )?test', ./run-tests]");
    let world = project(&yaml);
    let claude = world.claude();
    assert_eq!(command_in(&commit_refused(&claude)), "cargo test");
    for line in ["cargo test --workspace", "pnpm test", "cd . && npm run test", "cargo +nightly test"] {
        let claude = world.another(line.len().try_into().unwrap());
        let call = claude.bash(line);
        claude.passes(&call);
        claude.succeeded(&call);
        let answer = claude.before(&claude.bash(COMMIT));
        assert_eq!(denial(answer.as_ref()), None, "{line}");
    }
}

#[test]
fn where_only_an_expression_is_given_it_is_shown() {
    let world = project(&TESTS.replace("command: ./run-tests", "command: '\\./run-(tests|checks)'"));
    let claude = world.claude();
    assert!(commit_refused(&claude).contains("run-(tests|checks)"));
    claude.does("./run-tests");
    commit_passes(&claude);
}

#[test]
fn only_the_files_it_is_about_matter() {
    let world = project(&TESTS.replace("enforce: both", "enforce: both\n    paths: ['src/**', '*.toml']"));
    let claude = world.claude();
    claude.edits("README.md", "first\n");
    claude.does("sed -i s/first/second/ README.md");
    claude.does("echo third > docs.md");
    claude.stops();
    claude.edits("src/deep/b.txt", "b\n");
    claude.held();
    claude.does("./run-tests");
    claude.edits("README.md", "third\n");
    claude.edits("docs/plan.toml", "x\n");
    commit_passes(&claude);
    claude.edits("Cargo.toml", "x\n");
    commit_refused(&claude);
}

#[test]
fn a_run_in_another_repository_is_no_evidence_for_this_one() {
    let world = project(TESTS);
    let other = world.repository("other");
    fs::write(other.join("run-tests"), SCRIPT).unwrap();
    #[cfg(unix)]
    crate::driver::restrict(&other.join("run-tests"), 0o755);
    fs::create_dir(other.join("src")).unwrap();
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    claude.does(&format!("cd {} && ./run-tests", other.display()));
    commit_refused(&claude);
    claude.does("./run-tests");
    commit_passes(&claude);
}

#[test]
fn a_run_and_a_commit_in_another_repository_belong_together() {
    let world = project(TESTS);
    let other = world.repository("other");
    fs::write(other.join("run-tests"), "#!/bin/sh\n").unwrap();
    #[cfg(unix)]
    crate::driver::restrict(&other.join("run-tests"), 0o755);
    let claude = world.claude();
    let commit = format!("git -C {} commit --allow-empty --quiet -m x", other.display());
    let text = claude.refused(&claude.bash(&commit));
    assert!(command_in(&text).starts_with("cd "), "{text}");
    claude.does(&command_in(&text));
    claude.does(&commit);
    commit_refused(&claude);
}

#[test]
fn evidence_holds_for_its_session_or_for_all_on_the_branch() {
    for (scope, is_shared) in [("session", false), ("branch", true)] {
        let world = project(&TESTS.replace("enabled: true", &format!("enabled: true\n    scope: {scope}")));
        world.claude().does("./run-tests");
        commit_passes(&world.claude());
        let other = world.another(2);
        let answer = other.before(&other.bash(COMMIT));
        assert_eq!(denial(answer.as_ref()).is_none(), is_shared, "{scope}");
    }
}

#[test]
fn without_git_files_are_known_by_size_and_time() {
    let world = project(TESTS);
    fs::remove_dir_all(world.sandbox.project().join(".git")).unwrap();
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    commit_refused(&claude);
    claude.does("./run-tests");
    commit_passes(&claude);
    claude.stops();
    claude.edits("src/a.txt", "newer\n");
    commit_refused(&claude);
    claude.held();
}

#[test]
fn the_user_may_waive_evidence_for_a_while() {
    let world = project(TESTS);
    let claude = world.claude();
    let prompt = prompt_in(&commit_refused(&claude));
    assert_eq!(claude.shell("req waive tests_green --note x").status.code(), Some(1));
    claude.answer_to(&prompt);
    commit_passes(&claude);
}

#[test]
fn evidence_cannot_be_marked_by_hand() {
    let world = project(TESTS);
    let claude = world.claude();
    let answer = claude.shell("req satisfy tests_green");
    assert_eq!(answer.status.code(), Some(1), "{answer}");
    assert!(answer.stderr_text().contains("./run-tests"), "{answer}");
    assert!(claude.answer_to("req satisfy tests_green").contains("./run-tests"));
    commit_refused(&claude);
}
