//! Evidence: a command that passed on exactly the files that are there, or a file.

use super::world::{Claude, World, command_in, shell_response};
use crate::driver::denial;
use serde_json::json;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

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
    world.write_program("run-tests", SCRIPT);
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
fn any_other_content_makes_the_evidence_stale_whoever_wrote_it() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    claude.does("./run-tests");
    for line in
        ["sed -i s/new/newer/ src/a.txt", "git checkout --quiet HEAD -- src/a.txt", "chmod +x src/a.txt"]
    {
        commit_passes(&claude);
        claude.does(line);
        let text = commit_denied(&claude);
        assert!(text.contains("files have changed"), "{line}: {text}");
        claude.does(&command_in(&text));
    }
    world.sandbox.write("src/b.txt", "theirs\n");
    commit_denied(&claude);
}

#[test]
fn a_run_that_does_not_count_is_named_with_the_line_that_would() {
    let world = project(TESTS);
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    claude.does("./run-tests 2>&1 | tail");
    let text = commit_denied(&claude);
    assert!(text.contains("did not count"), "{text}");
    claude.does(&command_in(&text));
    commit_passes(&claude);
}

#[test]
fn a_run_is_about_the_files_as_they_were_when_it_began() {
    let world = project(TESTS);
    world.write_program("run-tests", "#!/bin/sh\necho formatted > src/a.txt\n");
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    claude.does("./run-tests");
    commit_denied(&claude);
    claude.does("./run-tests");
    commit_passes(&claude);
}

#[test]
fn the_output_must_show_what_is_asked_for_also_where_claude_code_cut_it() {
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
fn without_git_files_are_known_by_size_and_time() {
    let world = project(TESTS);
    fs::remove_dir_all(world.sandbox.project().join(".git")).unwrap();
    let claude = world.claude();
    claude.edits("src/a.txt", "new\n");
    commit_denied(&claude);
    claude.does("./run-tests");
    commit_passes(&claude);
    claude.stops();
    claude.edits("src/a.txt", "newer\n");
    commit_denied(&claude);
    claude.held();
}

const REVIEW: &str = "\
requirements:
  reviewed:
    enabled: true
    type: evidence
    enforce: both
    file: {file: 'docs/review*.md', newer_than: HEAD, contains: ['^# Review', 'verdict: (good|fair)']}
    trigger_tools: [{tool: Bash, command_pattern: git push}]
";

#[test]
fn the_denial_says_what_the_file_must_be_like_and_one_of_several_is_enough() {
    let world = World::of_team(REVIEW);
    let claude = world.claude();
    let text = claude.refused(&claude.bash("git push"));
    for words in ["docs/review*.md", "newer than the last commit", "^# Review", "verdict: (good|fair)"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let minute = Duration::from_secs(60);
    for (file, at, passes) in [
        ("docs/review-old.md", SystemTime::now() - minute, false),
        ("docs/review-new.md", SystemTime::now() + minute, true),
    ] {
        let path = world.sandbox.write(file, "# Review\nverdict: fair\n");
        File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
        let answer = claude.before(&claude.bash("git push"));
        assert_eq!(answer.is_none(), passes, "{file}: {answer:?}");
    }
}
