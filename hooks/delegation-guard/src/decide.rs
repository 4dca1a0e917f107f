//! The rules. Before a call: a delegation resets; while subagents run that cannot be told apart, silence; the first call
//! is refused once; every other one counts and is advised on at doublings. After it: every fifth time a reminder. What
//! comes of a refusal or an advice is told to the journal: the next call delegates, or it does not. Pure.

use std::borrow::Cow;

use shared::hook::{Given, Heeded, Memory, Outcome, Verdict};
use shared::protocol::Event;

use crate::DelegationGuard;
use crate::messages::{Message, OwnTexts};
use crate::observe::Facts;
use crate::settings::FirstCall;
use crate::state::State;

/// The setting behind what is said about a first call.
const FIRST_CALL: &str = "first_call";

pub(crate) fn decide(given: &Given<'_, DelegationGuard>) -> Outcome<State> {
    let state = given.state.at(given.now, given.settings.subagent_timeout());
    match given.facts {
        Facts::Delegation => {
            let (state, followed) = state.answered(given.started);
            let heed = followed.map(|open| Heeded::Followed.of(open.rule));
            remember(given, state.delegated()).heeding(heed)
        }
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
    let (state, overridden) = state.answered(given.started);
    let is_first = !state.block_fired && state.streak >= settings.min_streak_before_block.get();
    let outcome = match settings.first_call {
        FirstCall::Deny if is_first => deny(own, state.fired().asked(FIRST_CALL, given.now)),
        FirstCall::Advise if is_first => {
            let state = state.fired().counted().asked(FIRST_CALL, given.now);
            advise(given, own, Message::FirstCallAdvice, state)
        }
        _ => count(given, own, state.counted()),
    };
    outcome.heeding(overridden.map(|open| Heeded::Overridden.of(open.rule)))
}

fn count(given: &Given<'_, DelegationGuard>, own: &OwnTexts, state: State) -> Outcome<State> {
    match given.settings.advice_at(state.streak) {
        Some(number) => advise(given, own, Message::advice(number), state.asked("advise_from", given.now)),
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
    let deny = |reason| Verdict::Deny { reason, rule: Cow::Borrowed(FIRST_CALL) };
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
    Outcome { verdict: verdict(text), notice, memory: Memory::Save(state), ..Outcome::pass() }
}

fn call_id(event: &Event) -> Option<&str> {
    event.tool_call()?.tool_use_id.as_deref()
}

#[cfg(test)]
pub(crate) mod tests;
