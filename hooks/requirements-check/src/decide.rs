//! The rules, event by event. Pure: what to look at was found beforehand, what is to be done is returned.

mod after;
mod before;
mod prompt;
mod reactions;
mod start;
pub(crate) mod stop;

use shared::hook::{Input, Memory, Outcome, Verdict};

use crate::RequirementsCheck;
use crate::change::Change;
use crate::facts::Facts;
use crate::rule::Rule;
use crate::settings::Settings;
use crate::state::State;
use crate::view::{View, World};
use crate::words::plain;

type Answer = Outcome<State, Change>;

pub(crate) fn decide(input: &Input<'_, RequirementsCheck>) -> Answer {
    plainly(match input.facts {
        Facts::Before(facts) => before::a_call(input, facts),
        Facts::After(facts) => after::a_call(input, facts),
        Facts::Prompt(facts) => prompt::submitted(input, facts),
        Facts::Stop(facts) => stop::of_a_turn(input, facts),
        Facts::Scheduled(prompts) => {
            Outcome { effects: prompts.iter().copied().map(Change::Scheduled).collect(), ..Outcome::pass() }
        }
        Facts::Start(facts) => start::of_a_session(input, facts),
        Facts::End(facts) => start::end_of_a_session(input, facts),
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
fn view<'a>(input: &'a Input<'_, RequirementsCheck>, world: &'a World, call: Option<&'a str>) -> View<'a> {
    View {
        session: input.request.call.session_id.as_deref(),
        call,
        state: input.state,
        world,
        now: input.now,
    }
}

/// Remembers in silence; nothing is written where nothing changed.
fn remember(input: &Input<'_, RequirementsCheck>, state: State) -> Answer {
    let memory = if state == *input.state { Memory::Keep } else { Memory::Note(state) };
    Outcome::pass().remembering(memory)
}

/// The requirements in force.
fn rules(settings: &Settings) -> impl Iterator<Item = Rule<'_>> + Clone {
    Rule::all(settings)
}

#[cfg(test)]
mod tests;
