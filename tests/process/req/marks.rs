//! `req satisfy`, `clear`, `approve`, `waive`: what is stored, and who may. The rules are tables in the crate `req`.

use super::desk::{Desk, OTHER, TEAM, no, yes};
use crate::driver::denial;
use serde_json::{Value, json};
use std::fs;

#[test]
fn what_is_satisfied_is_met_for_the_hook_too() {
    let desk = Desk::new("requirements:\n  commit_plan: {enabled: true}\n");
    let edit = desk.session.pre_tool_use("Edit", json!({ "file_path": desk.sandbox.project().join("a.rs") }));
    let reason = denial(desk.ask(&edit).as_ref()).unwrap();
    assert!(reason.contains("satisfy commit_plan"), "{reason}");
    let said = yes(desk.claude(&["satisfy", "commit_plan", "--note", "in docs/plan.md"]));
    assert!(said.contains("commit_plan") && said.contains("session 5e55104e on main"), "{said}");
    assert_eq!(desk.ask(&edit), None);
    let kept: Value = serde_json::from_slice(&fs::read(desk.marks_file("main.json")).unwrap()).unwrap();
    let mark = &kept["requirements"]["commit_plan"]["sessions"][desk.session.id.as_str()];
    assert_eq!(mark["satisfied_by"], "agent");
    assert_eq!(
        (&mark["metadata"]["note"], &mark["metadata"]["entrypoint"]),
        (&json!("in docs/plan.md"), &json!("cli"))
    );
}

#[test]
fn in_claudes_shell_and_in_a_script_the_users_verbs_are_refused_with_the_line_to_type() {
    let desk = Desk::new(TEAM);
    yes(desk.claude_of(OTHER, &["satisfy", "commit_plan"]));
    let before = fs::read(desk.marks_file("main.json")).unwrap();
    for words in [&["satisfy", "release_notes"][..], &["clear", "--all", "--branch"]] {
        for command in [desk.claude(words), desk.claude(words).unset("CLAUDECODE"), desk.script(words)] {
            let said = no(command);
            let line = format!("req {}", words.join(" "));
            assert!(said.contains("req: denied") && said.lines().any(|said| said.ends_with(&line)), "{said}");
        }
    }
    assert_eq!(fs::read(desk.marks_file("main.json")).unwrap(), before);
    assert!(!desk.marks_file("permanent.json").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn the_user_at_a_terminal_may_and_the_line_that_takes_it_back_does() {
    let desk = Desk::new(TEAM);
    let standing = |name: &str, expected: &str| assert_eq!(desk.standing(name), expected, "{name}");
    desk.sandbox.git(&["switch", "--quiet", "--create", "release"]);
    standing("not_on_main", "open");
    let waived = desk.user("waive not_on_main --for 10m --note 'a hotfix'");
    assert_eq!(waived.status, 0, "{}", waived.screen);
    standing("not_on_main", "met");
    let (_, line) = waived.screen.trim_end().split_once("take it back with: req ").unwrap();
    assert_eq!(desk.user(line).status, 0);
    standing("not_on_main", "open");
    desk.starts(&desk.session);
    assert_eq!(desk.user("satisfy release_notes").status, 0, "the only live session is meant");
    standing("release_notes", "met");
    let status = desk.user("status").screen;
    assert!(!status.contains("ask the user"), "the user is not sent to the user: {status}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_below_claude_is_claudes() {
    let desk = Desk::new(TEAM);
    let claude = crate::typed::claude(&desk.sandbox);
    let req = tests::binaries::path("req");
    for (shell, variables) in [(claude, &[][..]), (crate::typed::shell(), &[("CLAUDECODE", "1")])] {
        let typed = crate::typed::typed(&req, &desk.sandbox, &shell, "approve branch_size", variables);
        assert_eq!(typed.status, 1, "{}", typed.screen);
        assert!(
            typed.screen.contains("req: denied") && !desk.marks_file("permanent.json").exists(),
            "{}",
            typed.screen
        );
    }
}

#[test]
#[cfg(unix)]
fn where_claudes_shell_may_not_write_the_hook_records_it_when_the_command_has_ended() {
    let desk = Desk::new(TEAM);
    desk.open_to_all();
    let program = desk.sandbox.temporary_dir().join("req");
    fs::copy(tests::binaries::path("req"), &program).unwrap();
    crate::driver::restrict(&program, 0o755);
    let sandboxed = |words: &[&str]| {
        tests::process::Invocation::new(&program, &desk.sandbox)
            .args(words.iter().copied())
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_SESSION_ID", desk.session.id.as_str())
            .unprivileged()
    };
    let said = yes(sandboxed(&["satisfy", "commit_plan"]));
    assert!(said.contains("the hook records it"), "{said}");
    assert_eq!(desk.standing("commit_plan"), "open", "not yet");
    assert_eq!(desk.ran("req satisfy commit_plan"), [None, None]);
    assert_eq!(desk.standing("commit_plan"), "met");
    // The hook does not see to a line for other sessions.
    let said = no(sandboxed(&["satisfy", "commit_plan", "--branch"]));
    assert!(said.contains("Nothing was changed"), "{said}");
}
