//! For whom and how long a mark counts: for a session on its branch, for a branch, for all branches, for one call.

use super::world::{Claude, World};
use crate::driver::denial;
use serde_json::{Value, json};
use std::fs;
use tests::payloads::Payload;

fn scoped(scope: &str) -> World {
    let world = World::of_team(&format!("requirements: {{plan: {{enabled: true, scope: {scope}}}}}\n"));
    world.switch("one");
    world
}

/// An edit would be refused for want of a mark.
#[track_caller]
fn is_refused(claude: &Claude<'_>) -> bool {
    denial(claude.before(&claude.edit("a.rs")).as_ref()).is_some()
}

#[test]
fn marks_are_seen_by_those_whose_scope_they_have() {
    // Whether it is refused: to the session itself elsewhere, to another session here, to another session elsewhere.
    for (scope, elsewhere, another, another_elsewhere) in
        [("session", true, true, true), ("branch", true, false, true), ("permanent", false, false, false)]
    {
        let world = scoped(scope);
        let (claude, other) = (world.claude(), world.another(2));
        assert!(is_refused(&claude) && is_refused(&other), "{scope}");
        claude.does("req satisfy plan");
        assert!(!is_refused(&claude), "{scope}");
        assert_eq!(is_refused(&other), another, "{scope}: another session");
        world.switch("two");
        assert_eq!(is_refused(&claude), elsewhere, "{scope}: elsewhere");
        assert_eq!(is_refused(&other), another_elsewhere, "{scope}: another session elsewhere");
        world.switch("one");
        assert!(!is_refused(&claude), "{scope}: back again");
    }
}

#[test]
fn marks_lie_where_the_original_tool_keeps_them() {
    let world = World::of_team(
        "requirements: {a: {enabled: true}, b: {enabled: true, scope: branch}, c: {enabled: true, scope: permanent}}\n",
    );
    world.switch("feature/auth");
    let claude = world.claude();
    claude.does("req satisfy a b c");
    let marks = world.marks("feature-auth.json");
    assert_eq!((&marks["version"], &marks["branch"]), (&json!("2"), &json!("feature/auth")));
    assert_eq!(marks["project"], json!(world.sandbox.project()));
    assert_eq!(marks["requirements"]["a"]["sessions"][&claude.session.id]["satisfied_by"], "agent");
    assert_eq!(marks["requirements"]["b"]["everyone"]["satisfied_by"], "agent");
    assert_eq!(marks["requirements"]["c"], Value::Null);
    assert_eq!(world.marks("permanent.json")["requirements"]["c"]["everyone"]["satisfied_by"], "agent");
}

#[test]
fn claude_marks_for_its_own_session_only_which_the_first_characters_of_its_id_may_name() {
    let world = scoped("session");
    let (claude, other) = (world.claude(), world.another(2));
    claude.starts("startup");
    other.starts("startup");
    // In Claude's shell only its own session is meant; the others are their own's or the user's.
    for session in ["00000002", "00000003"] {
        assert_eq!(claude.shell(&format!("req satisfy plan --session {session}")).status.code(), Some(1));
    }
    assert!(is_refused(&other) && is_refused(&claude));
    let own = claude.session.id[..8].to_owned();
    claude.does(&format!("req satisfy plan --session {own}"));
    assert!(is_refused(&other) && !is_refused(&claude));
}

#[test]
fn clearing_takes_nobody_elses_marks() {
    let world = scoped("session");
    let (claude, other) = (world.claude(), world.another(2));
    for session in [&claude, &other] {
        session.does("req satisfy plan");
    }
    claude.does("req clear plan");
    assert!(is_refused(&claude) && !is_refused(&other));
    claude.does("req satisfy plan");
    claude.does("req clear --all");
    assert!(is_refused(&claude) && !is_refused(&other));
    assert_eq!(claude.shell("req clear plan --branch").status.code(), Some(1), "it is everybody's");
    assert!(!is_refused(&other));
}

#[test]
fn the_end_of_a_session_keeps_its_marks_unless_it_is_cleared() {
    for (settings, reason, is_kept) in [
        ("", "other", true),
        ("", "prompt_input_exit", true),
        ("", "logout", true),
        ("", "clear", false),
        ("hooks: {session_end: {clear_session_state: true}}\n", "other", false),
    ] {
        let world = World::of_team(&format!("requirements: {{plan: {{enabled: true}}}}\n{settings}"));
        let (claude, other) = (world.claude(), world.another(2));
        for session in [&claude, &other] {
            session.starts("startup");
            session.does("req satisfy plan");
        }
        assert_eq!(claude.ask(&claude.session.session_end(reason)), None);
        assert_eq!(!is_refused(&claude), is_kept, "{settings}{reason}");
        assert!(!is_refused(&other), "{settings}{reason}: another session's");
    }
}

const ONCE: &str = "\
requirements:
  review:
    enabled: true
    scope: single_use
    trigger_tools: [Edit, {tool: Bash, command_pattern: git push}]
";

#[test]
fn of_two_parallel_calls_one_gets_the_mark() {
    let world = World::of_team(ONCE);
    let claude = world.claude();
    for _ in 0..5 {
        claude.does("req satisfy review");
        let calls: Vec<_> = (0..6).map(|_| claude.bash("git push")).collect();
        let events: Vec<Payload> = calls.iter().map(|call| claude.event_before(call)).collect();
        let answers = world.ask_at_once(&events);
        let passed: Vec<_> = answers.iter().zip(&calls).filter(|(answer, _)| answer.is_none()).collect();
        assert_eq!(passed.len(), 1, "{answers:?}");
        claude.succeeded(passed[0].1);
    }
}

#[test]
fn a_mark_is_set_once_though_hook_and_command_both_see_it() {
    let world = scoped("session");
    let claude = world.claude();
    let line = "req satisfy plan --note 'mine'";
    let call = claude.bash(line);
    claude.passes(&call);
    claude.shell(line).assert_exit(0);
    let before = fs::read(world.marks_file("one.json")).unwrap();
    claude.succeeded(&call);
    assert_eq!(fs::read(world.marks_file("one.json")).unwrap(), before);
}

#[test]
fn a_session_mark_may_be_widened_to_the_branch_or_to_another_one() {
    let world = scoped("session");
    let (claude, other) = (world.claude(), world.another(2));
    claude.does("req satisfy plan --branch");
    assert!(!is_refused(&other));
    world.sandbox.git(&["branch", "two"]);
    claude.does("req satisfy plan --branch two");
    world.switch("two");
    assert!(!is_refused(&claude) && !is_refused(&other));
    world.switch("three");
    assert!(is_refused(&claude));
}
