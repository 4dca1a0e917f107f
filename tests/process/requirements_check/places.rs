//! Wherever the work is done: below the project, in its other work trees, in other repositories, without git; and whichever
//! of the three files says what is required.

use super::world::{Claude, World, command_in, link};
use crate::driver::{denial, notice};
use std::fs;
use std::path::{Path, PathBuf};
use tests::sandbox::Level;

const PLAN: &str = "requirements: {plan: {enabled: true}}\n";
const GUARD: &str = "requirements: {guard: {enabled: true, type: guard, guard_type: protected_branch}}\n";

#[track_caller]
fn is_refused(claude: &Claude<'_>, file: impl AsRef<Path>) -> bool {
    denial(claude.before(&claude.edit(file)).as_ref()).is_some()
}

/// An edit is refused until what the refusal says is done.
#[track_caller]
fn is_gated(claude: &Claude<'_>, file: impl AsRef<Path>) {
    let text = claude.refused(&claude.edit(&file));
    claude.does(&command_in(&text));
    claude.passes(&claude.edit(&file));
}

fn folder(world: &World, path: &str) -> PathBuf {
    let folder = world.sandbox.project().join(path);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_shell_that_went_below_the_top_sees_the_same() {
    let world = World::of_team(PLAN);
    let below = folder(&world, "packages/a");
    let claude = world.claude();
    claude.starts("startup");
    let claude = claude.gone_to(&below);
    is_gated(&claude, "a.rs");
    assert!(!is_refused(&world.claude(), "b.rs"));
    world.sandbox.write("packages/b/.claude/requirements.yaml", "requirements: {other: {enabled: true}}\n");
    let claude = claude.gone_to(folder(&world, "packages/b"));
    assert!(!is_refused(&claude, "a.rs"), "the top's file is the project's");
}

#[test]
fn commands_below_the_top_are_those_of_the_project() {
    let world = World::of_team(
        "\
requirements:
  green:
    enabled: true
    type: evidence
    enforce: both
    command: ./check
    trigger_tools: [{tool: Bash, command_pattern: git commit}]
",
    );
    let below = folder(&world, "packages/a");
    let check = world.sandbox.write("packages/a/check", "#!/bin/sh\n");
    #[cfg(unix)]
    crate::driver::restrict(&check, 0o755);
    let claude = world.claude();
    claude.refused(&claude.bash("cd packages/a && git commit -m x"));
    claude.does("cd packages/a && ./check");
    claude.passes(&claude.bash("git commit -m x"));
    claude.edits("packages/b/b.rs", "");
    let claude = claude.gone_to(&below);
    claude.refused(&claude.bash("git commit -m x"));
    claude.does("./check");
    claude.passes(&claude.bash("git -C ../.. commit -m x"));
    claude.stops();
}

#[test]
fn a_home_that_is_the_project_has_one_file_and_it_is_the_users() {
    for with_git in [false, true] {
        let world = World::of_user(PLAN);
        let home = world.sandbox.home();
        fs::write(home.join(".claude/requirements.local.yaml"), "requirements: {other: {enabled: true}}\n")
            .unwrap();
        if with_git {
            world.git(&home, &["init", "--quiet", "--initial-branch", "main"]);
        }
        let claude = world.claude().started_in(&home);
        let status = claude.starts("startup").unwrap();
        assert!(status.contains("plan") && !status.contains("other"), "{status}");
        is_gated(&claude, "notes.txt");
        claude.passes(&claude.edit(home.join(".claude/plans/x.md")));
    }
}

#[test]
fn each_of_the_three_files_is_enough() {
    for level in [Level::User, Level::Project, Level::Local] {
        let world = World::empty();
        world.sandbox.requirements(level, PLAN);
        let claude = world.claude();
        let text = claude.refused(&claude.edit("a.rs"));
        let file = world.sandbox.requirements_path(level);
        assert!(text.contains(&format!("{}:1", file.file_name().unwrap().display())), "{text}");
        is_gated(&world.another(2), "a.rs");
    }
}

#[test]
fn what_the_user_locked_stands_whatever_deeper_files_say() {
    let world = World::of_user("locked: [requirements.plan]\nrequirements: {plan: {enabled: true}}\n");
    for deeper in [
        "requirements: {plan: {enabled: false}}\n",
        "requirements: {plan: {trigger_tools: [WebFetch]}}\n",
        "inherit: false\n",
        "requirements-check: {enabled: false}\n",
        "enabled: false\n",
    ] {
        for level in [Level::Project, Level::Local] {
            let file = world.sandbox.requirements(level, deeper);
            assert!(is_refused(&world.claude(), "a.rs"), "{deeper}");
            fs::remove_file(file).unwrap();
        }
    }
}

#[test]
fn a_linked_work_tree_and_its_sessions_go_their_own_ways() {
    let world = World::of_user(PLAN);
    let tree = world.work_tree("feature");
    let (main, linked) = (world.claude(), world.another(2).started_in(&tree));
    for session in [&main, &linked] {
        session.starts("startup");
    }
    is_gated(&main, "a.rs");
    let before = fs::read(world.marks_file("main.json")).unwrap();
    is_gated(&linked, "a.rs");
    assert_eq!(fs::read(world.marks_file("main.json")).unwrap(), before);
    assert!(world.marks_file("feature.json").exists());
    linked.does("req clear plan");
    assert!(is_refused(&linked, "b.rs") && !is_refused(&main, "b.rs"));
}

#[test]
fn a_detached_head_is_known_by_its_commit_and_is_no_branch() {
    let world = World::of_user(PLAN);
    let every_branch = GUARD.replace("protected_branch}", "protected_branch, protected_branches: ['*']}");
    world.sandbox.requirements(Level::Project, &every_branch);
    world.sandbox.commit("first");
    world.sandbox.git(&["checkout", "--quiet", "--detach"]);
    let claude = world.claude();
    let text = claude.refused(&claude.edit("a.rs"));
    let commit = world.sandbox.git(&["rev-parse", "HEAD"]);
    assert!(text.contains(&format!("commit {}", &commit[..8])) && !text.contains("guard"), "{text}");
    claude.does(&command_in(&text));
    claude.edits("a.rs", "");
    world.sandbox.commit("second");
    assert!(is_refused(&claude, "b.rs"), "another commit");
    world.sandbox.git(&["checkout", "--quiet", &commit]);
    assert!(!is_refused(&claude, "b.rs"));
}

#[test]
fn without_git_marks_are_the_projects_and_lie_in_the_state_folder() {
    let world = World::of_user(
        "\
requirements:
  plan: {enabled: true}
  notes: {enabled: true, scope: branch}
  guard: {enabled: true, type: guard, guard_type: protected_branch}
  size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 1}}
",
    );
    let folders = ["one", "two"].map(|name| {
        let folder = world.sandbox.root().join(name);
        fs::create_dir(&folder).unwrap();
        folder
    });
    let claude = world.claude().started_in(&folders[0]);
    claude.starts("startup");
    let text = claude.refused(&claude.edit("a.rs"));
    assert!(text.contains("no git") && !text.contains("guard") && !text.contains("size"), "{text}");
    claude.does(&command_in(&text));
    claude.edits("a.rs", "");
    assert!(fs::read_dir(&folders[0]).unwrap().all(|entry| entry.unwrap().file_name() == "a.rs"));
    assert!(is_refused(&world.another(2).started_in(&folders[0]), "a.rs"), "another session");
    assert!(is_refused(&claude.started_in(&folders[1]), "a.rs"), "another project");
}

#[test]
fn a_file_in_another_repository_is_judged_by_its_branch_there() {
    let world = World::of_team(PLAN);
    let other = world.repository("other");
    let claude = world.claude();
    claude.starts("startup");
    is_gated(&claude, "a.rs");
    let text = claude.refused(&claude.edit(other.join("a.rs")));
    assert!(command_in(&text).starts_with(&format!("cd {} && ", other.display())), "{text}");
    claude.does(&command_in(&text));
    claude.passes(&claude.edit(other.join("src/deep/a.rs")));
    assert!(crate::driver::marks_file(&other, "main.json").exists());
    world.git(&other, &["switch", "--quiet", "-c", "elsewhere"]);
    assert!(is_refused(&claude, other.join("a.rs")) && !is_refused(&claude, "a.rs"));
}

#[test]
fn a_protected_branch_of_another_repository_is_left_there() {
    let world = World::of_team(GUARD);
    world.switch("feature");
    let other = world.repository("the other");
    let claude = world.claude();
    claude.passes(&claude.edit("a.rs"));
    is_gated(&claude, other.join("a.rs"));
    assert_eq!(world.sandbox.git(&["branch", "--show-current"]), "feature");
}

#[test]
fn a_project_reached_through_a_link_is_the_same_project() {
    let world = World::of_team(
        "requirements: {plan: {enabled: true}, green: {enabled: true, type: evidence, command: ./check, paths: ['src/**']}}\n",
    );
    let linked = world.sandbox.root().join("linked");
    link(&world.sandbox.project(), &linked);
    let check = world.sandbox.write("check", "#!/bin/sh\n");
    #[cfg(unix)]
    crate::driver::restrict(&check, 0o755);
    let claude = world.claude().started_in(&linked);
    claude.starts("startup");
    let text = claude.refused(&claude.edit("src/a.rs"));
    assert_eq!(command_in(&text), "req satisfy plan");
    claude.does(&command_in(&text));
    claude.passes(&claude.edit("docs/plans/x.md"));
    claude.edits("src/a.rs", "");
    claude.held();
    claude.does("./check");
    claude.at_prompt(2).stops();
    world.claude().passes(&world.claude().edit("src/a.rs"));
}

/// Repositories that git lays out in ways of its own.
#[test]
fn every_layout_of_a_repository_is_understood() {
    type Make = fn(&World) -> PathBuf;
    let layouts: [(&str, Make); 5] = [
        ("a git folder elsewhere", |world| {
            let folder = world.sandbox.root().join("there");
            fs::create_dir(&folder).unwrap();
            let elsewhere = world.sandbox.root().join("elsewhere.git");
            let elsewhere = elsewhere.to_str().unwrap();
            world.git(&folder, &["init", "--quiet", "-b", "main", "--separate-git-dir", elsewhere]);
            world.git(&folder, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
            folder
        }),
        ("references in a table", |world| {
            let folder = world.sandbox.root().join("there");
            fs::create_dir(&folder).unwrap();
            world.git(&folder, &["init", "--quiet", "-b", "main", "--ref-format=reftable"]);
            world.git(&folder, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
            folder
        }),
        ("packed references", |world| {
            let folder = world.repository("there");
            world.git(&folder, &["pack-refs", "--all", "--prune"]);
            folder
        }),
        ("other hashes", |world| {
            let folder = world.sandbox.root().join("there");
            fs::create_dir(&folder).unwrap();
            world.git(&folder, &["init", "--quiet", "-b", "main", "--object-format=sha256"]);
            world.git(&folder, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
            folder
        }),
        ("a submodule", |world| {
            let source = world.repository("source");
            let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
            world.sandbox.git(&[&add[..], &[source.to_str().unwrap(), "part"]].concat());
            world.sandbox.project().join("part")
        }),
    ];
    for (name, make) in layouts {
        let world = World::of_user(
            "requirements: {plan: {enabled: true}, green: {enabled: true, type: evidence, command: \"true\"}}\n",
        );
        let folder = make(&world);
        let claude = world.claude().started_in(&folder);
        let start = claude.ask(&claude.session.session_start("startup"));
        assert_eq!(notice(start.as_ref()), "", "{name}");
        let text = claude.refused(&claude.edit("a.rs"));
        assert!(text.contains("on main"), "{name}: {text}");
        claude.does(&command_in(&text));
        claude.edits("a.rs", "one");
        claude.held();
        claude.does("true");
        let claude = claude.at_prompt(2);
        claude.stops();
        fs::write(folder.join("a.rs"), "two").unwrap();
        claude.held();
        world.git(&folder, &["switch", "--quiet", "-c", "feature"]);
        assert!(is_refused(&claude, "a.rs"), "{name}");
        world.git(&folder, &["switch", "--quiet", "main"]);
        assert!(!is_refused(&claude, "a.rs"), "{name}");
    }
}

/// git itself refuses it, so there is no branch to be had.
#[test]
#[cfg(unix)]
fn a_repository_of_another_user_has_marks_of_the_session() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only the superuser can give a repository to somebody else");
        return;
    }
    let world = World::of_user(
        "requirements: {plan: {enabled: true}, green: {enabled: true, type: evidence, command: \"true\"}}\n",
    );
    let foreign = world.repository("foreign");
    world.git(&foreign, &["switch", "--quiet", "-c", "feature"]);
    fs::write(foreign.join("a.rs"), "").unwrap();
    give_away(&foreign);
    let claude = world.claude().started_in(&foreign);
    claude.starts("startup");
    is_gated(&claude, "a.rs");
    claude.edits("a.rs", "one");
    claude.held();
    claude.does("true");
    let claude = claude.at_prompt(2);
    claude.stops();
    fs::write(foreign.join("a.rs"), "two").unwrap();
    claude.held();
    assert!(is_refused(&world.another(2).started_in(&foreign), "a.rs"));
}

#[cfg(unix)]
fn give_away(path: &Path) {
    tests::process::give_to_unprivileged(path);
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
}

#[test]
fn a_branch_without_a_commit_is_a_branch() {
    let world = World::of_user(
        "\
requirements:
  plan: {enabled: true}
  green: {enabled: true, type: evidence, command: \"true\"}
  size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 5}}
",
    );
    let fresh = world.sandbox.root().join("fresh");
    fs::create_dir(&fresh).unwrap();
    world.git(&fresh, &["init", "--quiet", "--initial-branch", "trunk"]);
    let claude = world.claude().started_in(&fresh);
    is_gated(&claude, "a.rs");
    assert!(crate::driver::marks_file(&fresh, "trunk.json").exists());
    claude.edits("a.rs", "");
    claude.does("true");
    claude.stops();
    claude.edits("a.rs", &"line\n".repeat(6));
    assert!(claude.refused(&claude.edit("a.rs")).contains("- size:"));
    claude.held();
}

#[test]
fn a_file_of_no_repository_is_judged_from_where_the_session_is() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    is_gated(&claude, world.sandbox.temporary_dir().join("notes.md"));
    claude.passes(&claude.edit("a.rs"));
}
