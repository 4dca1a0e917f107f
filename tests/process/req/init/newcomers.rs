//! The hint at a session's start: once for each repository with a remote in which nothing is set up.

use super::super::desk::Desk;
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
fn hint_is_given_once_to_the_user_alone() {
    let desk = cloned();
    let answer = desk.ask(&desk.session.session_start("startup"));
    assert!(
        answer.as_ref().unwrap().get("hookSpecificOutput").is_none(),
        "Claude reads nothing of it: {answer:?}"
    );
    let said = notice(answer.as_ref());
    assert!(said.contains("nothing is required") && said.contains("req init"), "{said}");
    assert_eq!(told(&desk, "startup"), "");
    let other = desk.sandbox.root().join("linked");
    desk.sandbox.git(&["worktree", "add", "--quiet", other.to_str().unwrap()]);
    let event = desk.session.session_start("startup").with("cwd", other.display().to_string());
    let there = desk.hook().env("CLAUDE_PROJECT_DIR", other.display().to_string());
    let said = there.stdin(event.to_bytes()).run().stdout_text();
    assert_eq!(said, "", "another work tree of the same repository");
}

#[test]
fn hint_is_left_out_where_nobody_reads_it_or_something_is_set_up_or_there_is_no_remote() {
    let desk = cloned();
    assert_eq!(told(&desk, "resume"), "");
    let headless = desk.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    let outcome = headless.stdin(desk.session.session_start("startup").to_bytes()).run();
    assert_eq!(outcome.stdout_text(), "");
    assert_eq!(told(&Desk::empty(), "startup"), "", "no remote");
    for (level, text, is_told) in [
        (Level::User, "requirements: {a: {enabled: false}}\n", false),
        (Level::User, "requirements-check: {enabled: false}\n", false),
        (Level::User, "rate-awareness: {repeat: 5}\n", true),
        (Level::Local, "", false),
    ] {
        let desk = cloned();
        desk.sandbox.requirements(level, text);
        assert_eq!(told(&desk, "startup").contains("req init"), is_told, "{text}");
    }
}
