//! A prompt: a sign of life, and sometimes one of our commands, which is answered here and never reaches Claude.

use shared::hook::{Given, Outcome, Verdict};
use shared::operator::Caller;

use super::{Answer, remember, start::sign_of_life, view};
use crate::RequirementsCheck;
use crate::command::answer;
use crate::facts::Prompt;

pub(super) fn submitted(given: &Given<'_, RequirementsCheck>, facts: &Prompt) -> Answer {
    let mut effects = sign_of_life(given, &facts.world);
    if let Some(reply) = &facts.answered {
        effects.extend(reply.changes.iter().cloned());
        let verdict = Verdict::Reply { text: reply.text.clone() };
        return Outcome { verdict, effects, ..Outcome::pass() };
    }
    let Some(asked) = &facts.asked else {
        let mut state = given.state.clone();
        state.release_all();
        return Outcome { effects, ..remember(given, state) };
    };
    let asked = match asked {
        Ok(asked) => asked,
        Err(help) => {
            return Outcome { verdict: Verdict::Reply { text: help.clone() }, effects, ..Outcome::pass() };
        }
    };
    let view = view(given, &facts.world, None);
    let caller = if facts.is_typed { Caller::Typed } else { Caller::Untyped };
    let reply = answer(asked, given.settings, &view, caller, given.origin);
    effects.extend(reply.changes);
    let verdict = Verdict::Reply { text: reply.text };
    Outcome { verdict, effects, ..Outcome::pass() }
}
