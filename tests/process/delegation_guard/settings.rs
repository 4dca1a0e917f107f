//! Each setting seen to count, and what switches the guard off.

use super::Said::{Advice, Denial, FirstCallAdvice, Nothing, Reminder};
use super::{Guard, ON, Said, said};
use crate::driver::{documented, notice};
use tests::payloads::Payload;
use tests::sandbox::Level;

/// A guard that is on, with these settings in the project's file.
fn with(settings: &str) -> Guard {
    let guard = Guard::new(ON);
    guard.sandbox.requirements(Level::Project, &format!("delegation-guard: {{{settings}}}\n"));
    guard
}

#[test]
fn off_until_enabled() {
    let guard = Guard::new("");
    assert_eq!((guard.calls(3), guard.ends(6)), (vec![Nothing; 3], vec![Nothing; 6]));
    assert!(!guard.file().exists());
    let guard = Guard::new("delegation-guard: {enabled: false}\n");
    assert_eq!((guard.calls(3), guard.ends(6)), (vec![Nothing; 3], vec![Nothing; 6]));
}

#[test]
fn the_first_call_may_be_refused_advised_on_or_left_alone() {
    for (first_call, expected) in [
        ("deny", [Denial, Nothing, Advice(2), Nothing]),
        ("advise", [FirstCallAdvice, Advice(2), Nothing, Advice(4)]),
        ("off", [Nothing, Advice(2), Nothing, Advice(4)]),
    ] {
        assert_eq!(with(&format!("first_call: {first_call}")).calls(4), expected, "{first_call}");
    }
}

#[test]
fn the_refusal_waits_for_its_streak() {
    let guard = with("min_streak_before_block: 3");
    assert_eq!(guard.calls(5), [Nothing, Advice(2), Nothing, Denial, Advice(4)]);
}

#[test]
fn advice_begins_where_it_is_set_to() {
    let guard = with("first_call: off, advise_from: 3");
    assert_eq!(guard.calls(6), [Nothing, Nothing, Advice(3), Nothing, Nothing, Advice(6)]);
}

#[test]
fn exempt_tools_replaces_the_list_and_exempt_tools_add_extends_it() {
    let guard = with("exempt_tools: [Read]");
    assert_eq!((guard.call("Read"), guard.call("Skill")), (Nothing, Denial));
    let guard = with("exempt_tools_add: [Read, mcp__a__b]");
    let exempt = ["Read", "mcp__a__b", "Skill", "TaskCreate"];
    assert_eq!(exempt.map(|tool| guard.call(tool)), [Nothing; 4]);
    assert_eq!(guard.call("mcp__a__c"), Denial);
    let guard = with("exempt_tools: [], exempt_tools_add: [Read]");
    assert_eq!((guard.call("Read"), guard.call("TaskList")), (Nothing, Denial));
    let guard = with("exempt_tools_add: [Agent, Task]");
    assert_eq!(guard.calls(2), [Denial, Nothing]);
    assert_eq!(guard.call("Agent"), Nothing);
    assert_eq!(guard.call("Bash"), Denial, "a delegation is one, whatever the list says");
}

#[test]
fn the_reminder_comes_after_as_many_tools_as_is_set() {
    assert_eq!(with("reminder: {every: 2}").ends(4), [Nothing, Reminder, Nothing, Reminder]);
    let guard = with("first_call: off, reminder: {every: 1, quiet_after_advice: 1}");
    assert_eq!(guard.calls(2), [Nothing, Advice(2)]);
    let other = guard.after("Bash").with("tool_use_id", "toolu_of_another_call");
    let after: Vec<Said> = (0..2).map(|_| said(guard.ask(&other).as_ref())).collect();
    assert_eq!(after, [Nothing, Reminder]);
}

#[test]
fn a_wrong_value_leaves_the_default_and_is_told() {
    let guard = with("first_call: perhaps, reminder: {evry: 1}, advise_from: 0, exempt_tools: Read");
    let answer = guard.ask(&guard.before("Bash"));
    let text = notice(answer.as_ref());
    for part in [
        "delegation-guard.first_call: expected one of: deny, advise, off",
        "delegation-guard.reminder.evry: no such key; did you mean every?",
        "delegation-guard.advise_from: expected a whole number from 1 to 1000",
        "delegation-guard.exempt_tools: expected a list",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert_eq!(said(answer.as_ref()), Denial);
    assert_eq!(guard.calls(2), [Nothing, Advice(2)]);
}

fn headless(guard: &Guard, event: &Payload) -> Said {
    let hook = guard.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli").stdin(event.to_bytes());
    said(documented(&hook.run()).as_ref())
}

#[test]
fn headless_it_says_nothing_and_counts_nothing_unless_it_may() {
    let guard = Guard::new(ON);
    for _ in 0..6 {
        assert_eq!(headless(&guard, &guard.before("Bash")), Nothing);
        assert_eq!(headless(&guard, &guard.after("Bash")), Nothing);
    }
    assert!(!guard.file().exists());

    let guard = Guard::new("delegation-guard: {enabled: true, headless: true}\n");
    let said: Vec<Said> = (0..3).map(|_| headless(&guard, &guard.before("Bash"))).collect();
    assert_eq!(said, [Denial, Nothing, Advice(2)]);
}

#[test]
fn a_switch_turns_it_off_and_on() {
    use shared::switches::{Position, Reach, turn};
    let guard = Guard::new(ON);
    let store = shared::state::Store::open(&guard.sandbox.state_dir()).unwrap();
    let switch = |position| {
        let now = shared::host::Clock::System.now();
        turn(&store, "delegation-guard", Reach::Session(&guard.session.id), position, now).unwrap();
    };
    switch(Position::Off);
    assert_eq!(guard.calls(2), [Nothing; 2]);
    switch(Position::Auto);
    assert_eq!(guard.calls(2), [Denial, Nothing]);
}
