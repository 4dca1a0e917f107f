//! The rules, event by event. Pure: facts in, a verdict and changes out.

mod after;
mod before;
mod session;
pub(crate) mod stop;

use shared::hook::{Input, Memory, Outcome, Reaction, ReactionKind, Verdict};

use crate::RequirementsCheck;
use crate::change::Change;
use crate::facts::Facts;
use crate::rule::Rule;
use crate::state::State;
use crate::view::{View, World};
use crate::words::plain;

type Answer = Outcome<State, Change>;

pub(crate) fn decide(input: &Input<'_, RequirementsCheck>) -> Answer {
    let answer = match input.facts {
        Facts::Before(facts) => before::a_call(input, facts),
        Facts::After(facts) => after::a_call(input, facts),
        Facts::Prompt(world, answered) => session::prompt(input, world, answered.as_ref()),
        Facts::Stop(world, work) => stop::of_a_turn(input, world, *work),
        Facts::Start(world) => session::start(input, world),
        Facts::End(world) => session::end(input, world),
    };
    // Names and messages are shown without characters that move the cursor or turn the writing round.
    let verdict = match answer.verdict {
        Verdict::Deny { reason, rule } => Verdict::Deny { reason: plain(&reason), rule },
        Verdict::Block { reason, rule } => Verdict::Block { reason: plain(&reason), rule },
        Verdict::Advise { text } => Verdict::Advise { text: plain(&text) },
        Verdict::Reply { text } => Verdict::Reply { text: plain(&text) },
        verdict => verdict,
    };
    Outcome { verdict, notice: answer.notice.as_deref().map(plain), ..answer }
}

fn view<'a>(input: &'a Input<'_, RequirementsCheck>, world: &'a World, call: Option<&'a str>) -> View<'a> {
    let session = input.request.call.session_id.as_deref();
    View { session, call, state: input.state, world, now: input.now }
}

fn advice(text: Option<String>) -> Verdict {
    text.map_or(Verdict::Pass, |text| Verdict::Advise { text })
}

/// A silent answer that remembers the state if it has changed.
fn remember(input: &Input<'_, RequirementsCheck>, state: State) -> Answer {
    let memory = if state == *input.state { Memory::Keep } else { Memory::Note(state) };
    Outcome::pass().remembering(memory)
}

/// Outcomes of earlier denials and blocks, now that some requirements are satisfied.
fn reactions(
    input: &Input<'_, RequirementsCheck>,
    view: &View<'_>,
    is_satisfied: impl Fn(&str) -> bool,
    state: &mut State,
) -> Vec<Reaction> {
    state.settle(|name| match Rule::named(input.settings, name) {
        // Switched off meanwhile.
        None => Some(ReactionKind::Overridden),
        Some(_) if !is_satisfied(name) => None,
        Some(rule) if view.exception(&rule).is_some() => Some(ReactionKind::Overridden),
        Some(_) => Some(ReactionKind::Followed),
    })
}

#[cfg(test)]
mod tests;
