//! Evidence: a command that passed on exactly the files that are there, or a file.

use super::world::{Claude, World, command_in, link, shell_response};
use crate::driver::denial;
use serde_json::json;
use std::fs;
use tests::sandbox::Level;

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
const SCRIPT: &str = "#!/bin/sh\ntest ! -e broken\n";

const COMMIT: &str = "git add --all && git commit --quiet --message change";

/// A project with tests, where this is required.
fn project(yaml: &str) -> World {
    let world = World::of_team(yaml);
    crate::driver::restrict(&world.sandbox.write("run-tests", SCRIPT), 0o755);
    world.sandbox.write("src/a.txt", "old\n");
    world.sandbox.write(".gitignore", "broken\n*.log\n");
    world.sandbox.commit("tests");
    world
}

#[track_caller]
fn commit_denied(claude: &Claude<'_>) -> String {
    claude.refused(&claude.bash(COMMIT))
}

#[track_caller]
fn commit_passes(claude: &Claude<'_>) {
    claude.passes(&claude.bash(COMMIT));
}

#[test]
fn a_commit_needs_a_run_that_passed_on_these_files_and_leaves_it_valid() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    let text = commit_denied(&claude);
    assert!(text.contains("tests_green"), "{text}");
    claude.does(&command_in(&text));
    commit_passes(&claude);
    world.sandbox.write("broken", "");
    assert_eq!(claude.runs("./run-tests"), 1);
    commit_denied(&claude);
    fs::remove_file(world.sandbox.project().join("broken")).unwrap();
    claude.does("./run-tests");
    claude.does(COMMIT);
    claude.stops();
    commit_passes(&claude);
    assert_eq!(world.git(&world.sandbox.project(), &["log", "-1", "--format=%s"]), "change");
}

#[test]
fn min_output_is_read_also_where_claude_code_cut_the_output() {
    let world =
        project(&TESTS.replace("enforce: both", "enforce: both\n    min_output: '[1-9][0-9]* passed'"));
    let claude = world.claude();
    for (output, persisted, counts) in [
        ("0 passed", None, false),
        ("first lines", Some("0 passed"), false),
        ("first lines", Some("7 passed"), true),
    ] {
        let mut response = shell_response(output);
        if let Some(persisted) = persisted {
            let file = world.sandbox.write_home("output.txt", persisted);
            response["persistedOutputPath"] = json!(file);
        }
        let call = claude.bash("./run-tests");
        claude.passes(&call);
        assert_eq!(claude.after(&call, response), None);
        let text = denial(claude.before(&claude.bash(COMMIT)).as_ref());
        assert_eq!(text.is_none(), counts, "{output} {persisted:?}: {text:?}");
        assert!(text.is_none_or(|text| text.contains("did not count") && text.contains("passed")));
    }
}

#[test]
fn a_commit_of_another_staged_version_needs_it_staged_again() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "untested\n");
    world.git(&world.sandbox.project(), &["add", "src/a.txt"]);
    claude.edits("src/a.txt", "tested\n");
    claude.does("./run-tests");
    let text = claude.refused(&claude.bash("git commit -m x"));
    assert!(text.contains("git add src/a.txt"), "{text}");
    claude.passes(&claude.bash("git add src/a.txt && git commit -m x"));
}

#[test]
fn a_run_during_which_its_files_changed_proves_nothing_about_those_before() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.does("echo tested > src/a.txt && ./run-tests");
    world.sandbox.write("src/a.txt", "old\n");
    claude.edits("src/b.txt", "new\n");
    fs::remove_file(world.sandbox.project().join("src/b.txt")).unwrap();
    let text = commit_denied(&claude);
    assert!(text.contains("files changed while its line ran: src/a.txt"), "{text}");
    claude.does(&command_in(&text));
    commit_passes(&claude);
}

#[test]
fn a_run_behind_a_checkout_proves_nothing_about_the_branch_before() {
    let world = project(TESTS);
    let claude = world.claude();
    world.sandbox.git(&["switch", "--quiet", "-c", "feature"]);
    world.sandbox.write("src/a.txt", "worse\n");
    world.sandbox.commit("worse");
    for line in
        ["git checkout --quiet main src/a.txt && ./run-tests", "git switch --quiet main && ./run-tests"]
    {
        claude.does(line);
        world.sandbox.git(&["reset", "--quiet", "--hard", "feature"]);
        let text = commit_denied(&claude);
        assert!(text.contains("files changed while its line ran"), "{line}: {text}");
    }
}

#[test]
fn file_with_a_mistake_gets_no_advice_to_set_up() {
    for (yaml, expected) in [(None, true), (Some("requirements: [\n"), false)] {
        let world = World::empty();
        world.sandbox.git(&["remote", "add", "origin", "https://example.org/x.git"]);
        if let Some(yaml) = yaml {
            world.sandbox.requirements(Level::Project, yaml);
        }
        let claude = world.claude();
        let answer = claude.ask(&claude.session.session_start("startup")).unwrap();
        let notice = answer["systemMessage"].as_str().unwrap();
        assert_eq!(notice.contains("nothing is required"), expected, "{notice}");
    }
}

#[test]
fn a_run_counts_for_the_work_tree_it_ran_in_whatever_stands_before_it() {
    let world = project(TESTS);
    let (claude, tree) = (world.claude(), world.sandbox.project().join(".claude/worktrees/fix"));
    world.sandbox.git(&["worktree", "add", "--quiet", "-b", "fix", tree.to_str().unwrap()]);
    claude.does("ls && cd .claude/worktrees/fix && ./run-tests");
    let commit = |line: &str| denial(claude.before(&claude.bash(line)).as_ref());
    assert!(commit("git commit -m x").is_some());
    assert_eq!(commit("git -C .claude/worktrees/fix commit -m x"), None);
    let (aside, link_to) = (world.sandbox.root().join("aside"), world.sandbox.project().join("link"));
    world.sandbox.git(&["worktree", "add", "--quiet", "-b", "aside", aside.to_str().unwrap()]);
    link(&aside, &link_to);
    claude.does("cd link && ./run-tests");
    assert_eq!(commit("git -C link commit -m x"), None, "a folder behind a link");
    // The `cd` to a missing folder fails, and the line goes on here.
    claude.does("cd .claude/worktrees/missing; ./run-tests");
    assert_eq!(commit("git commit -m x"), None);
}
