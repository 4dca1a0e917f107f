//! The rules, pure. A delegation resets the streak. The first call is denied once. Every other call counts, with advice at
//! doublings and a reminder after every fifth executed call. The journal records whether the next call after a denial or an
//! advice delegates. While subagents without an id run, the guard is silent.

use std::borrow::Cow;

use shared::hook::{Input, Memory, Outcome, ReactionKind, Verdict};
use shared::protocol::Event;

use crate::DelegationGuard;
use crate::messages::{Message, Wording};
use crate::observe::Facts;
use crate::settings::FirstCall;
use crate::state::State;

/// The setting behind what is said about a first call.
const FIRST_CALL: &str = "first_call";

pub(crate) fn decide(input: &Input<'_, DelegationGuard>) -> Outcome<State> {
    let state = input.state.at(input.now, input.settings.subagent_timeout());
    match input.facts {
        Facts::Delegation => {
            let (state, followed) = state.answered(input.started);
            let reaction = followed.map(|open| ReactionKind::Followed.of(open.rule));
            remember(input, state.delegated()).with_reactions(reaction)
        }
        Facts::Call(_) | Facts::Executed(_) if !state.subagents.is_empty() => Outcome::pass(),
        Facts::Call(wording) => {
            Outcome { notice: wording.notice.clone(), ..before_a_call(input, wording, state) }
        }
        Facts::Executed(wording) => {
            Outcome { notice: wording.notice.clone(), ..after_a_call(input, wording, state) }
        }
        Facts::NamedSubagentStart => remember(input, State { subagents: [].into(), ..state }),
        Facts::SubagentStart => remember(input, state.with_subagent(input.now)),
        Facts::SubagentStop => remember(input, state.without_oldest_subagent()),
        Facts::SessionEnd => Outcome::pass().remembering(Memory::Drop),
    }
}

/// In silence; nothing is written where nothing changes.
fn remember(input: &Input<'_, DelegationGuard>, state: State) -> Outcome<State> {
    let memory = if state == *input.state { Memory::Keep } else { Memory::Save(state) };
    Outcome::pass().remembering(memory)
}

fn before_a_call(input: &Input<'_, DelegationGuard>, wording: &Wording, state: State) -> Outcome<State> {
    let settings = input.settings;
    let (state, overridden) = state.answered(input.started);
    let is_first = !state.block_fired && state.streak >= settings.min_streak_before_block.get();
    let outcome = match settings.first_call {
        FirstCall::Deny if is_first => deny(wording, state.fired().asked(FIRST_CALL, input.now)),
        FirstCall::Advise if is_first => {
            let state = state.fired().counted().asked(FIRST_CALL, input.now);
            advise(input, wording, Message::FirstCallAdvice, state)
        }
        _ => count(input, wording, state.counted()),
    };
    outcome.with_reactions(overridden.map(|open| ReactionKind::Overridden.of(open.rule)))
}

fn count(input: &Input<'_, DelegationGuard>, wording: &Wording, state: State) -> Outcome<State> {
    match input.settings.advice_at(state.streak) {
        Some(number) => {
            advise(input, wording, Message::Advice(number), state.asked("advise_from", input.now))
        }
        None => remember(input, state),
    }
}

fn after_a_call(input: &Input<'_, DelegationGuard>, wording: &Wording, state: State) -> Outcome<State> {
    let (state, may_remind) = state.executed(call_id(&input.request.event));
    // A count that has reached its end counts nothing any more.
    let is_due =
        state.executed.is_multiple_of(input.settings.reminder.every.get()) && state.executed < u32::MAX;
    if may_remind && is_due { say(wording, Message::Reminder, state) } else { remember(input, state) }
}

fn deny(wording: &Wording, state: State) -> Outcome<State> {
    let deny = |reason| Verdict::Deny { reason, rule: Cow::Borrowed(FIRST_CALL) };
    speak(wording, Message::FirstCallDenial, state, deny)
}

/// Advice before a call, which keeps the reminder quiet for a while.
fn advise(
    input: &Input<'_, DelegationGuard>,
    wording: &Wording,
    message: Message,
    state: State,
) -> Outcome<State> {
    let quiet_calls = input.settings.reminder.quiet_after_advice.get();
    say(wording, message, state.advised(call_id(&input.request.event), quiet_calls))
}

fn say(wording: &Wording, message: Message, state: State) -> Outcome<State> {
    speak(wording, message, state, |text| Verdict::Advise { text })
}

fn speak(
    wording: &Wording,
    message: Message,
    state: State,
    verdict: impl FnOnce(String) -> Verdict,
) -> Outcome<State> {
    let text = wording.texts[message.index()]
        .replace("{streak}", &state.streak.to_string())
        .replace("{executed}", &state.executed.to_string());
    Outcome { verdict: verdict(text), memory: Memory::Save(state), ..Outcome::pass() }
}

fn call_id(event: &Event) -> Option<&str> {
    event.tool_call()?.tool_use_id.as_deref()
}

#[cfg(test)]
pub(crate) mod tests;
