//! The rules, event by event. Pure: what to look at was found beforehand, what is to be done is returned.

mod after;
mod before;
mod heeds;
mod prompt;
mod start;
pub(crate) mod stop;

use shared::hook::{Given, Memory, Outcome, Verdict};

use crate::RequirementsCheck;
use crate::change::Change;
use crate::facts::Facts;
use crate::rule::Rule;
use crate::settings::Settings;
use crate::state::State;
use crate::view::{View, World};
use crate::words::plain;

type Answer = Outcome<State, Change>;

pub(crate) fn decide(given: &Given<'_, RequirementsCheck>) -> Answer {
    plainly(match given.facts {
        Facts::Before(facts) => before::a_call(given, facts),
        Facts::After(facts) => after::a_call(given, facts),
        Facts::Prompt(facts) => prompt::submitted(given, facts),
        Facts::Stop(facts) => stop::of_a_turn(given, facts),
        Facts::Scheduled(prompts) => {
            Outcome { effects: prompts.iter().copied().map(Change::Scheduled).collect(), ..Outcome::pass() }
        }
        Facts::Start(facts) => start::of_a_session(given, facts),
        Facts::End(facts) => start::end_of_a_session(given, facts),
    })
}

/// Whatever names and messages hold, what is said shows as it is.
fn plainly(answer: Answer) -> Answer {
    let verdict = match answer.verdict {
        Verdict::Deny { reason, rule } => Verdict::Deny { reason: plain(&reason), rule },
        Verdict::Block { reason, rule } => Verdict::Block { reason: plain(&reason), rule },
        Verdict::Advise { text } => Verdict::Advise { text: plain(&text) },
        Verdict::Reply { text } => Verdict::Reply { text: plain(&text) },
        verdict => verdict,
    };
    Outcome { verdict, notice: answer.notice.as_deref().map(plain), ..answer }
}

/// What requirements are judged by, for this event.
fn view<'a>(given: &'a Given<'_, RequirementsCheck>, world: &'a World, call: Option<&'a str>) -> View<'a> {
    View { session: given.input.call.session_id.as_deref(), call, state: given.state, world, now: given.now }
}

/// Remembers in silence; nothing is written where nothing changed.
fn remember(given: &Given<'_, RequirementsCheck>, state: State) -> Answer {
    let memory = if state == *given.state { Memory::Keep } else { Memory::Note(state) };
    Outcome::pass().remembering(memory)
}

/// The requirements in force.
fn rules(settings: &Settings) -> impl Iterator<Item = Rule<'_>> + Clone {
    Rule::all(settings)
}

#[cfg(test)]
mod tests;
