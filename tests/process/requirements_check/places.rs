//! Wherever the work is done: below the project, in its other work trees, in other repositories, without git; and whichever
//! of the three files says what is required.

use super::world::{Claude, World, command_in, link};
use crate::driver::marks_file;
use std::fs;
use std::path::Path;

const PLAN: &str = "requirements: {plan: {enabled: true}}\n";
const PLAN_AND_TESTS: &str = "\
requirements:
  plan: {enabled: true}
  green: {enabled: true, type: evidence, command: \"true\"}
";

/// An edit is denied until what the denial says is done; its text.
#[track_caller]
fn is_gated(claude: &Claude<'_>, file: impl AsRef<Path>) -> String {
    let text = claude.refused(&claude.edit(&file));
    claude.does(&command_in(&text));
    claude.passes(&claude.edit(&file));
    text
}

/// An edit makes the tests due, they pass, and another edit makes them due again.
#[track_caller]
fn needs_tests(claude: Claude<'_>) {
    claude.edits("a.rs", "one");
    claude.held();
    claude.does("true");
    let claude = claude.at_prompt(2);
    claude.stops();
    fs::write(claude.session.cwd.join("a.rs"), "two").unwrap();
    claude.held();
}

#[test]
fn a_folder_below_the_top_and_a_link_to_the_project_are_the_same_project() {
    let world = World::of_team(PLAN_AND_TESTS);
    let claude = world.claude().gone_to(world.folder("packages/a"));
    assert_eq!(command_in(&is_gated(&claude, "a.rs")), "req satisfy plan");
    world.sandbox.write("packages/b/.claude/requirements.yaml", "requirements: {other: {enabled: true}}\n");
    assert!(
        !claude.gone_to(world.folder("packages/b")).may_not_edit("a.rs"),
        "the top's file is the project's"
    );
    let linked = world.sandbox.root().join("linked");
    link(&world.sandbox.project(), &linked);
    let claude = world.claude().started_in(&linked);
    claude.passes(&claude.edit("docs/plans/x.md"));
    needs_tests(claude);
}

#[test]
fn a_linked_work_tree_and_its_sessions_go_their_own_ways() {
    let world = World::of_user(PLAN);
    let tree = world.sandbox.root().join("tree");
    world.sandbox.git(&["worktree", "add", "--quiet", "-b", "feature", tree.to_str().unwrap()]);
    let (main, linked) = (world.claude(), world.another(2).started_in(&tree));
    is_gated(&main, "a.rs");
    let before = fs::read(world.marks_file("main.json")).unwrap();
    is_gated(&linked, "a.rs");
    assert_eq!(fs::read(world.marks_file("main.json")).unwrap(), before);
    assert!(world.marks_file("feature.json").exists());
    linked.does("req clear plan");
    assert!(linked.may_not_edit("b.rs") && !main.may_not_edit("b.rs"));
}

#[test]
fn a_file_elsewhere_is_judged_by_its_branch_there_and_one_of_no_repository_here() {
    let guard = "  guard: {enabled: true, type: guard, guard_type: protected_branch}\n";
    let world = World::of_team(&format!("requirements:\n  plan: {{enabled: true}}\n{guard}"));
    world.sandbox.git(&["switch", "--quiet", "-c", "feature"]);
    let (other, claude) = (world.repository("the other"), world.claude());
    is_gated(&claude, world.sandbox.temporary_dir().join("notes.md"));
    claude.passes(&claude.edit("a.rs"));
    let text = claude.refused(&claude.edit(other.join("a.rs")));
    let switch = text.lines().find(|line| line.contains("git switch")).expect("how to leave the branch");
    for command in [command_in(switch), command_in(&text.replace(switch, ""))] {
        assert!(command.starts_with(&format!("cd '{}' && ", other.display())), "{command}");
        claude.does(&command);
    }
    claude.passes(&claude.edit(other.join("src/deep/a.rs")));
    assert!(marks_file(&other, "my-change.json").exists());
    world.git(&other, &["switch", "--quiet", "-c", "elsewhere"]);
    assert!(claude.may_not_edit(other.join("a.rs")) && !claude.may_not_edit("a.rs"));
}

#[test]
fn a_commit_behind_a_cd_that_fails_is_judged_where_the_call_runs() {
    let guard = "{enabled: true, type: guard, guard_type: protected_branch, trigger_tools: [{tool: Bash, command_pattern: git commit}]}";
    let world = World::of_team(&format!("requirements: {{guard: {guard}}}\n"));
    let (other, claude) = (world.repository("the other"), world.claude());
    world.git(&other, &["switch", "--quiet", "-c", "feature"]);
    let folder = other.display();
    claude.passes(&claude.bash(&format!("cd '{folder}'; git commit -m x")));
    claude.refused(&claude.bash(&format!("cd '{folder}/missing'; git commit -m x")));
}

#[test]
fn every_layout_of_a_repository_is_understood() {
    for option in ["--separate-git-dir=../elsewhere.git", "--ref-format=reftable", "--object-format=sha256"] {
        let world = World::of_user(PLAN);
        let folder = world.sandbox.root().join("there");
        fs::create_dir(&folder).unwrap();
        world.git(&folder, &["init", "--quiet", "-b", "main", option]);
        world.git(&folder, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
        let claude = world.claude().started_in(&folder);
        assert!(is_gated(&claude, "a.rs").contains("on main"), "{option}");
        world.git(&folder, &["switch", "--quiet", "-c", "feature"]);
        assert!(claude.may_not_edit("a.rs"), "{option}");
    }
}

/// git itself rejects it, so there is no branch to be had.
#[test]
fn a_repository_of_another_user_has_satisfactions_of_the_session() {
    fn give_away(path: &Path) {
        tests::process::give_to_unprivileged(path);
        for entry in fs::read_dir(path).into_iter().flatten() {
            give_away(&entry.unwrap().path());
        }
    }
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only the superuser can give a repository to somebody else");
        return;
    }
    let world = World::of_user(PLAN_AND_TESTS);
    let foreign = world.repository("foreign");
    world.git(&foreign, &["switch", "--quiet", "-c", "feature"]);
    give_away(&foreign);
    let claude = world.claude().started_in(&foreign);
    is_gated(&claude, "a.rs");
    needs_tests(claude);
    assert!(world.another(2).started_in(&foreign).may_not_edit("a.rs"));
}
