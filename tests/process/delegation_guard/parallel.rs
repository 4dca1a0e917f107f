//! Many calls at once: one refusal among them, and no call lost or counted twice.

use super::Said::Denial;
use super::{Guard, ON, Said, said};

const COPIES: usize = 20;

/// What twenty first calls of a session are answered with that begin at once.
fn twenty_at_once(guard: &Guard, session: &str) -> Vec<Said> {
    let calls: Vec<_> = (0..COPIES)
        .map(|number| {
            let call = guard.before("Bash").with("session_id", session);
            call.with("tool_use_id", format!("toolu_{number}"))
        })
        .collect();
    guard.ask_at_once(&calls).iter().map(|answer| said(answer.as_ref())).collect()
}

#[test]
fn of_twenty_first_calls_at_once_exactly_one_is_refused_a_hundred_times_over() {
    let guard = Guard::new(ON);
    for round in 0..100 {
        let said = twenty_at_once(&guard, &format!("session-{round}"));
        let denials = said.iter().filter(|said| **said == Denial).count();
        assert_eq!(denials, 1, "round {round}: {said:?}\n{}", guard.journal());
    }
}
