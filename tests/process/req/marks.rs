//! `req satisfy`, `clear`, `approve`, `waive`: what is stored, who may, and where there is no repository or another one than
//! the session's. The rules are tables in the crate `req`.

use crate::requirements_check::world::{OTHER, TEAM, World, command_in, json_of, no, standing, yes};
use serde_json::{Value, json};
use std::fs;
use tests::process::Invocation;
use tests::sandbox::Level;

#[test]
fn hook_counts_what_req_satisfies() {
    let world = World::new("requirements:\n  commit_plan: {enabled: true}\n");
    let claude = world.claude();
    let edit = claude.edit("a.rs");
    claude.does(&(command_in(&claude.refused(&edit)) + " --note 'in docs/plan.md'"));
    claude.passes(&edit);
    let kept: Value = serde_json::from_slice(&fs::read(world.marks_file("main.json")).unwrap()).unwrap();
    let mark = &kept["requirements"]["commit_plan"]["sessions"][world.session.id.as_str()];
    let found = [&mark["satisfied_by"], &mark["metadata"]["note"], &mark["metadata"]["entrypoint"]];
    assert_eq!(found, ["agent", "in docs/plan.md", "cli"]);
}

#[test]
fn claudes_shell_and_scripts_get_the_line_to_type_for_the_users_verbs() {
    let world = World::new(TEAM);
    yes(world.req_of(OTHER, &["satisfy", "commit_plan"]));
    let before = fs::read(world.marks_file("main.json")).unwrap();
    for words in [&["satisfy", "release_notes"][..], &["clear", "--all", "--branch"]] {
        for command in [world.req(words), world.req(words).unset("CLAUDECODE"), world.script(words)] {
            let said = no(command);
            let line = format!("req {}", words.join(" "));
            assert!(said.contains("req: denied") && said.lines().any(|said| said.ends_with(&line)), "{said}");
        }
    }
    assert_eq!(fs::read(world.marks_file("main.json")).unwrap(), before);
    assert!(!world.marks_file("permanent.json").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn the_user_at_a_terminal_may_and_the_line_that_takes_it_back_does() {
    let world = World::new(TEAM);
    let standing = |name: &str, expected: &str| assert_eq!(world.standing(name), expected, "{name}");
    world.sandbox.git(&["switch", "--quiet", "--create", "release"]);
    standing("not_on_main", "open");
    let waived = world.user("waive not_on_main --for 10m --note 'a hotfix'");
    assert_eq!(waived.status, 0, "{}", waived.screen);
    standing("not_on_main", "met");
    let (_, line) = waived.screen.trim_end().split_once("take it back with: req ").unwrap();
    assert_eq!(world.user(line).status, 0);
    standing("not_on_main", "open");
    world.claude().starts("startup");
    assert_eq!(world.user("satisfy release_notes").status, 0, "the only live session is meant");
    standing("release_notes", "met");
    let status = world.user("status").screen;
    assert!(!status.contains("ask the user"), "the user is not sent to the user: {status}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_below_claude_is_claudes() {
    let world = World::new(TEAM);
    let claude = crate::typed::claude(&world.sandbox);
    let req = tests::binaries::path("req");
    for (shell, variables) in [(claude, &[][..]), (crate::typed::shell(), &[("CLAUDECODE", "1")])] {
        let typed = crate::typed::typed(&req, &world.sandbox, &shell, "approve branch_size", variables);
        assert_eq!(typed.status, 1, "{}", typed.screen);
        assert!(
            typed.screen.contains("req: denied") && !world.marks_file("permanent.json").exists(),
            "{}",
            typed.screen
        );
    }
}

#[test]
fn hook_records_what_claudes_shell_may_not_write() {
    let world = World::new(TEAM);
    world.open_to_all();
    let program = world.sandbox.temporary_dir().join("req");
    fs::copy(tests::binaries::path("req"), &program).unwrap();
    let sandboxed = |words: &[&str]| {
        Invocation::new(&program, &world.sandbox)
            .args(words.iter().copied())
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_SESSION_ID", world.session.id.as_str())
            .unprivileged()
    };
    let said = yes(sandboxed(&["satisfy", "commit_plan"]));
    assert!(said.contains("the hook records it"), "{said}");
    assert_eq!(world.standing("commit_plan"), "open", "not yet");
    let claude = world.claude();
    let call = claude.bash("req satisfy commit_plan");
    claude.passes(&call);
    claude.succeeded(&call);
    assert_eq!(world.standing("commit_plan"), "met");
    // The hook does not see to a line for other sessions.
    let said = no(sandboxed(&["satisfy", "commit_plan", "--branch"]));
    assert!(said.contains("Nothing was changed"), "{said}");
}

#[test]
fn without_git_satisfactions_are_kept_for_the_folder_and_count_for_their_session() {
    let world = World::empty();
    world.sandbox.requirements(Level::User, TEAM);
    let folder = world.sandbox.root().join("plain");
    fs::create_dir_all(&folder).unwrap();
    let status = || json_of(world.req(&["status", "--json"]).cwd(&folder));
    assert_eq!((&status()["branch"], &status()["place"]), (&Value::Null, &"this project (no git)".into()));
    yes(world.req(&["satisfy", "commit_plan", "adr_reviewed", "license_checked"]).cwd(&folder));
    let others = json_of(world.req_of(OTHER, &["status", "--json"]).cwd(&folder));
    for name in ["commit_plan", "adr_reviewed", "license_checked"] {
        assert_eq!(standing(&status(), name), "met", "{name}");
        assert_eq!(standing(&others, name), "open", "a session's satisfactions are its own: {name}");
    }
    assert_eq!(world.standing("adr_reviewed"), "open", "another folder");
    assert!(fs::read_dir(&folder).unwrap().next().is_none(), "and nothing is written into it");
    assert!(yes(world.req(&["list"]).cwd(&folder)).contains("no git"));
    assert!(yes(world.req(&["prune"]).cwd(&folder)).contains("nothing was removed"));
    yes(world.req(&["clear", "commit_plan"]).cwd(&folder));
    assert_eq!(standing(&status(), "commit_plan"), "open");
    world.sandbox.write_home("../plain/.claude/requirements.yaml", TEAM);
    let satisfy = world.req(&["satisfy", "adr_reviewed", "--session", &world.session.id]).cwd(&folder);
    let said = no(satisfy.unset("HOME").unset("CLAUDE_HOOK_STATE_DIR"));
    assert!(said.contains("set HOME") && said.contains("Nothing was changed"), "{said}");
}

#[test]
fn session_elsewhere_still_needs_what_its_project_requires() {
    let world = World::new(TEAM);
    world.claude().starts("startup");
    let elsewhere = world.sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    world.sandbox.git(&["-C", elsewhere.to_str().unwrap(), "init", "--quiet", "--initial-branch", "theirs"]);
    let status = || json_of(world.req(&["status", "--json"]).cwd(&elsewhere));
    assert_eq!(
        (standing(&status(), "commit_plan"), &status()["branch"]),
        ("open".to_owned(), &"theirs".into())
    );
    yes(world.req(&["satisfy", "commit_plan"]).cwd(&elsewhere));
    assert_eq!(world.standing("commit_plan"), "open", "the satisfaction is the other repository's");
    assert_eq!(standing(&status(), "commit_plan"), "met");
    let nobody = json_of(world.script(&["status", "--json"]).cwd(&elsewhere));
    assert_eq!(nobody["requirements"], json!([]), "without a session the folder counts");
}
