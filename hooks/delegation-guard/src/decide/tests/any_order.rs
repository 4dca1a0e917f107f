//! Properties: what holds whatever happens in whatever order.

use proptest::prelude::*;
use shared::config::Bounded;

use super::Said::{Advice, Denial, Nothing};
use super::{Said, Session};
use crate::observe::Facts;
use crate::settings::FirstCall;

/// An event of a session.
#[derive(Debug, Clone, Copy)]
enum Step {
    Call,
    End,
    Delegation,
    SubagentStart,
    SubagentStop,
    NamedSubagentStart,
    Later,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => Just(Step::Call),
        8 => Just(Step::End),
        1 => Just(Step::Delegation),
        1 => Just(Step::SubagentStart),
        2 => Just(Step::SubagentStop),
        1 => Just(Step::NamedSubagentStart),
        1 => Just(Step::Later),
    ];
    proptest::collection::vec(step, 0..120)
}

proptest! {
    /// Whatever happens in whatever order: one denial between two delegations, a streak that is the number of counted
    /// calls, advice at powers of two only, and never two texts for one call.
    #[test]
    fn no_order_of_events_breaks_the_rules(steps in steps(), first_call in 0_usize..3, every in 1_u32..8) {
        let first_call = [FirstCall::Deny, FirstCall::Advise, FirstCall::Off][first_call];
        let mut session = Session::new(|settings| {
            settings.first_call = first_call;
            settings.reminder.every = Bounded::new(every).unwrap();
        });
        let (mut counted, mut fired, mut begun, mut spoken_to) = (0_u32, 0, Vec::new(), Vec::new());
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Call => {
                    let id = number.to_string();
                    let said = session.call(&id);
                    let is_running = !session.state.at(session.now, session.settings.subagent_timeout()).subagents.is_empty();
                    fired += u32::from(said == Denial || said == Advice(0));
                    counted += u32::from(said != Denial && !is_running);
                    prop_assert!(fired <= u32::from(first_call != FirstCall::Off));
                    match said {
                        Nothing => {}
                        Denial | Advice(0) => prop_assert!(!is_running),
                        Advice(_) => prop_assert!(counted >= 2 && counted.is_power_of_two() && !is_running),
                        Said::Reminder => prop_assert!(false, "a reminder before a call"),
                    }
                    if said != Denial {
                        begun.push(id.clone());
                    }
                    if matches!(said, Advice(_)) {
                        spoken_to.push(id);
                    }
                    prop_assert_eq!(session.state.streak, counted);
                }
                Step::End => {
                    let id = begun.pop().unwrap_or_else(|| "unknown".to_owned());
                    let said = session.ended(&id);
                    prop_assert!(matches!(said, Nothing | Said::Reminder));
                    prop_assert!(said == Nothing || !spoken_to.iter().rev().take(8).any(|advised| *advised == id));
                    spoken_to.retain(|advised| *advised != id);
                }
                Step::Delegation => {
                    session.delegates();
                    (counted, fired) = (0, 0);
                }
                Step::SubagentStart => session.quietly(&Facts::SubagentStart),
                Step::SubagentStop => session.quietly(&Facts::SubagentStop),
                Step::NamedSubagentStart => session.quietly(&Facts::NamedSubagentStart),
                Step::Later => session.later(700),
            }
        }
    }
}
