//! For whom and how long a satisfaction counts, and where it is kept.

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
fn satisfactions_lie_in_one_file_per_branch_and_one_for_all_branches() {
    let world = World::of_team(
        "requirements: {a: {enabled: true}, b: {enabled: true, scope: branch}, c: {enabled: true, scope: permanent}}\n",
    );
    world.switch("feature/auth");
    let claude = world.claude();
    claude.does("req satisfy a b c --note 'in docs'");
    let marks = world.marks("feature-auth.json");
    assert_eq!((&marks["version"], &marks["branch"]), (&json!("2"), &json!("feature/auth")));
    assert_eq!(marks["project"], json!(world.sandbox.project()));
    let own = &marks["requirements"]["a"]["sessions"][&claude.session.id];
    assert_eq!((&own["satisfied_by"], &own["metadata"]["note"]), (&json!("agent"), &json!("in docs")));
    assert_eq!(marks["requirements"]["b"]["everyone"]["satisfied_by"], "agent");
    assert_eq!(marks["requirements"]["c"], Value::Null);
    assert_eq!(world.marks("permanent.json")["requirements"]["c"]["everyone"]["satisfied_by"], "agent");
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
fn the_end_of_a_session_keeps_its_satisfactions_unless_it_is_cleared() {
    let world = scoped("session");
    let (claude, other) = (world.claude(), world.another(2));
    for session in [&claude, &other] {
        session.does("req satisfy plan");
    }
    for (reason, is_kept) in [("other", true), ("clear", false)] {
        assert_eq!(claude.ask(&claude.session.session_end(reason)), None);
        assert_eq!((is_denied(&claude), is_denied(&other)), (!is_kept, false), "{reason}");
    }
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
