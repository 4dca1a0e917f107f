//! The hint at a session's start: once for each repository with a remote in which nothing is set up.

use super::super::desk::{Desk, yes};
use crate::driver::notice;
use tests::sandbox::Level;

/// What the user is told when a session begins.
fn told(desk: &Desk, source: &str) -> String {
    notice(desk.ask(&desk.session.session_start(source)).as_ref())
}

fn cloned() -> Desk {
    let desk = Desk::empty();
    desk.sandbox.git(&["remote", "add", "origin", "git@github.com:owner/name.git"]);
    desk
}

#[test]
fn it_is_said_once_to_the_user_and_what_it_says_can_be_done() {
    let desk = cloned();
    let said = told(&desk, "startup");
    assert!(said.contains("nothing is required") && said.contains("req init"), "{said}");
    for _ in 0..2 {
        assert_eq!(told(&desk, "startup"), "");
    }
    let other = desk.sandbox.root().join("linked");
    desk.sandbox.git(&["worktree", "add", "--quiet", other.to_str().unwrap()]);
    let event = desk.session.session_start("startup").with("cwd", other.display().to_string());
    let there = desk.hook().env("CLAUDE_PROJECT_DIR", other.display().to_string());
    assert_eq!(
        there.stdin(event.to_bytes()).run().stdout_text(),
        "",
        "another work tree of the same repository"
    );
    yes(desk.script(&["init", "--yes"]));
}

#[test]
fn claude_is_told_nothing_of_it() {
    let desk = cloned();
    let answer = desk.ask(&desk.session.session_start("startup")).unwrap();
    assert!(answer.get("hookSpecificOutput").is_none(), "{answer}");
}

#[test]
fn where_nobody_reads_it_or_something_is_set_up_or_there_is_no_remote_there_is_silence() {
    let desk = cloned();
    for source in ["resume", "clear", "compact"] {
        assert_eq!(told(&desk, source), "", "{source}");
    }
    let headless = desk.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    let outcome = headless.stdin(desk.session.session_start("startup").to_bytes()).run();
    assert_eq!(outcome.stdout_text(), "");
    for (level, text) in [
        (Level::User, "requirements: {a: {enabled: false}}\n"),
        (Level::Project, "version: \"1.0\"\n"),
        (Level::Local, ""),
    ] {
        let desk = cloned();
        desk.sandbox.requirements(level, text);
        assert_eq!(told(&desk, "startup"), "", "{level:?}");
    }
    assert_eq!(told(&Desk::empty(), "startup"), "", "no remote");
    let off = cloned();
    off.sandbox.requirements(Level::User, "requirements-check: {enabled: false}\n");
    assert_eq!(told(&off, "startup"), "", "switched off");
}

#[test]
fn a_global_file_that_requires_nothing_is_no_reason_for_silence() {
    let desk = cloned();
    desk.sandbox.requirements(Level::User, "rate-awareness: {repeat: 5}\n");
    assert!(told(&desk, "startup").contains("req init"));
}
