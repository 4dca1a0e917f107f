//! Evidence: a command that passed on exactly the files that are there. What makes it count, what takes it away again, and
//! what is said where a run did not count.

use super::world::{Claude, World, command_in, shell_response};
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
fn a_run_whose_failure_would_not_show_does_not_count_and_the_refusal_says_which_line_would() {
    let lines = ["./run-tests 2>&1 | tail", "./run-tests --list"];
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
