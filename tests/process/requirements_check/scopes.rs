//! For whom and how long a satisfaction counts, and where it is kept.

use super::world::{Claude, World};
use crate::driver::denial;
use std::fs;
use tests::payloads::Payload;

fn scoped(scope: &str) -> World {
    let world = World::of_team(&format!("requirements: {{plan: {{enabled: true, scope: {scope}}}}}\n"));
    world.switch("one");
    world
}

#[track_caller]
fn is_denied(claude: &Claude<'_>) -> bool {
    denial(claude.before(&claude.edit("a.rs")).as_ref()).is_some()
}

#[test]
fn satisfactions_are_seen_by_those_whose_scope_they_have() {
    // Whether an edit is denied: to the session itself elsewhere, to another session here, to another session elsewhere.
    for (scope, elsewhere, another, another_elsewhere) in
        [("session", true, true, true), ("branch", true, false, true), ("permanent", false, false, false)]
    {
        let world = scoped(scope);
        let (claude, other) = (world.claude(), world.another(2));
        claude.does("req satisfy plan");
        assert_eq!((is_denied(&claude), is_denied(&other)), (false, another), "{scope}");
        world.switch("two");
        assert_eq!((is_denied(&claude), is_denied(&other)), (elsewhere, another_elsewhere), "{scope}: two");
        world.switch("one");
        assert!(!is_denied(&claude), "{scope}: back again");
    }
}

#[test]
fn satisfies_for_every_session_of_a_branch_from_claudes_shell() {
    let world = scoped("session");
    let (claude, other) = (world.claude(), world.another(2));
    claude.does("req satisfy plan --branch");
    assert!(!is_denied(&other));
    world.sandbox.git(&["branch", "two"]);
    claude.does("req satisfy plan --branch two");
    world.switch("two");
    assert!(!is_denied(&claude) && !is_denied(&other));
    world.switch("three");
    assert!(is_denied(&claude));
}

#[test]
fn of_two_parallel_calls_one_gets_the_satisfaction() {
    let world = World::of_team(
        "requirements: {review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: git push}]}}\n",
    );
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
fn a_satisfaction_is_written_once_though_hook_and_command_both_see_it() {
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
