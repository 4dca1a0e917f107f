//! The rules. Before a call: a delegation resets; while subagents run that cannot be told apart, silence; the first call
//! is refused once; every other one counts and is advised on at doublings. After it: every fifth time a reminder. Pure.

use std::borrow::Cow;

use shared::hook::{Given, Memory, Outcome, Verdict};
use shared::protocol::Event;

use crate::DelegationGuard;
use crate::messages::{Message, OwnTexts};
use crate::observe::Facts;
use crate::settings::FirstCall;
use crate::state::State;

pub(crate) fn decide(given: &Given<'_, DelegationGuard>) -> Outcome<State> {
    let state = given.state.at(given.now, given.settings.subagent_timeout());
    match given.facts {
        Facts::Delegation => remember(given, state.delegated()),
        Facts::Call(_) | Facts::Executed(_) if !state.subagents.is_empty() => Outcome::pass(),
        Facts::Call(own) => before_a_call(given, own, state),
        Facts::Executed(own) => after_a_call(given, own, state),
        Facts::NamedSubagentStart => remember(given, State { subagents: [].into(), ..state }),
        Facts::SubagentStart => remember(given, state.with_subagent(given.now)),
        Facts::SubagentStop => remember(given, state.without_oldest_subagent()),
        Facts::SessionEnd => Outcome::pass().remembering(Memory::Drop),
    }
}

/// In silence; nothing is written where nothing changes.
fn remember(given: &Given<'_, DelegationGuard>, state: State) -> Outcome<State> {
    let memory = if state == *given.state { Memory::Keep } else { Memory::Save(state) };
    Outcome::pass().remembering(memory)
}

fn before_a_call(given: &Given<'_, DelegationGuard>, own: &OwnTexts, state: State) -> Outcome<State> {
    let settings = given.settings;
    let is_first = !state.block_fired && state.streak >= settings.min_streak_before_block.get();
    match settings.first_call {
        FirstCall::Deny if is_first => deny(own, state.fired()),
        FirstCall::Advise if is_first => {
            advise(given, own, Message::FirstCallAdvice, state.fired().counted())
        }
        _ => count(given, own, state.counted()),
    }
}

fn count(given: &Given<'_, DelegationGuard>, own: &OwnTexts, state: State) -> Outcome<State> {
    match given.settings.advice_at(state.streak) {
        Some(number) => advise(given, own, Message::advice(number), state),
        None => remember(given, state),
    }
}

fn after_a_call(given: &Given<'_, DelegationGuard>, own: &OwnTexts, state: State) -> Outcome<State> {
    let (state, may_remind) = state.executed(call_id(&given.input.event));
    // A count that has reached its end counts nothing any more.
    let is_due =
        state.executed.is_multiple_of(given.settings.reminder.every.get()) && state.executed < u32::MAX;
    if may_remind && is_due { say(own, Message::Reminder, state) } else { remember(given, state) }
}

fn deny(own: &OwnTexts, state: State) -> Outcome<State> {
    let deny = |reason| Verdict::Deny { reason, rule: Cow::Borrowed("first_call") };
    speak(own, Message::FirstCallDenial, state, deny)
}

/// Advice before a call, which keeps the reminder quiet for a while.
fn advise(
    given: &Given<'_, DelegationGuard>,
    own: &OwnTexts,
    message: Message,
    state: State,
) -> Outcome<State> {
    let quiet_calls = given.settings.reminder.quiet_after_advice.get();
    say(own, message, state.advised(call_id(&given.input.event), quiet_calls))
}

fn say(own: &OwnTexts, message: Message, state: State) -> Outcome<State> {
    speak(own, message, state, |text| Verdict::Advise { text })
}

fn speak(
    own: &OwnTexts,
    message: Message,
    mut state: State,
    verdict: impl FnOnce(String) -> Verdict,
) -> Outcome<State> {
    let (text, unusable) = own.text(message);
    let text = text
        .replace("{streak}", &state.streak.to_string())
        .replace("{executed}", &state.executed.to_string());
    let notice = unusable.filter(|_| state.tell(message)).map(|file| {
        let key = message.key();
        format!("delegation-guard: message_files.{key} {file} cannot be read or is empty; the built-in text was used")
    });
    Outcome { verdict: verdict(text), notice, memory: Memory::Save(state), remark: None, effects: Vec::new() }
}

fn call_id(event: &Event) -> Option<&str> {
    event.tool_call()?.tool_use_id.as_deref()
}

#[cfg(test)]
pub(crate) mod tests;
