//! Each setting seen to count, and what switches the guard off.

use super::Said::{Advice, Denial, Nothing};
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
