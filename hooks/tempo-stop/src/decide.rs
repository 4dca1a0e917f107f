//! The rules at a stop, in this order: never-block cases, the mode, enough blocks, an error of the client, the model's
//! verdict. Pure.

use std::time::Duration;

use shared::claude_code::ERROR_MESSAGES;
use shared::cli::Reply;
use shared::hook::{Audit, Input, Memory, Outcome, ReactionKind, Verdict};
use shared::host::Timestamp;
use shared::protocol::{Event, Stop};
use shared::stop_gate::{self, never_blocked};
use shared::switches::Turn;

use crate::TempoStop;
use crate::observe::{Facts, StopFacts};
use crate::question::{self, Verdict as Judged};
use crate::settings::{Mode, Settings};
use crate::state::State;

const BLOCKED_ENOUGH: &str = "blocked often enough for this prompt";

pub(crate) fn decide(input: &Input<'_, TempoStop>) -> Outcome<State, Turn> {
    match (&input.request.event, input.facts) {
        (Event::Stop(stop), Facts::Stop(facts)) => at_stop(input, stop, facts),
        (Event::UserPromptSubmit { prompt, .. }, Facts::Prompt { .. }) => at_prompt(input, prompt),
        (Event::SessionStart { .. }, Facts::SessionStart { announcement, notice }) => {
            let verdict = announcement.clone().map_or(Verdict::Pass, |text| Verdict::Advise { text });
            Outcome { verdict, notice: notice.clone(), ..Outcome::pass() }
        }
        (Event::SessionEnd { .. }, _) => Outcome::pass().remembering(Memory::Drop),
        _ => Outcome::pass(),
    }
}

fn at_prompt(input: &Input<'_, TempoStop>, prompt: &str) -> Outcome<State, Turn> {
    let Facts::Prompt { answered, is_typed } = input.facts else { return Outcome::pass() };
    let state = is_typed.then(|| input.state.after_prompt(prompt, input.now)).flatten();
    let outcome = answered.as_ref().map_or_else(Outcome::pass, Reply::outcome);
    outcome.remembering(state.map_or(Memory::Keep, Memory::Note))
}

fn at_stop(input: &Input<'_, TempoStop>, stop: &Stop, facts: &StopFacts) -> Outcome<State, Turn> {
    let gate = stop_gate::StopFacts {
        call: &input.request.call,
        stop,
        work: facts.work,
        blocks: input.blocks,
        started: input.started,
    };
    let outcome = match why_not(&gate, input.settings, input.state, input.now) {
        Some(BLOCKED_ENOUGH) => {
            let notice = format!(
                "tempo-stop: this turn ends with work left, as the last check found: allowed after max_blocks ({}) blocks",
                input.settings.max_blocks.get()
            );
            let outcome =
                Outcome::allow(BLOCKED_ENOUGH).with_reactions([ReactionKind::Overridden.of(rule(input))]);
            Outcome { notice: Some(notice), ..outcome }
        }
        Some(reason) => Outcome::allow(reason),
        None => by_verdict(input, facts),
    };
    let scheduled = input.state.with_scheduled(&stop.session_crons);
    let memory = scheduled.map_or(Memory::Keep, Memory::Note);
    let notice = facts.notice.clone().or(outcome.notice);
    Outcome { notice, memory, ..outcome }
}

/// The reason to allow this stop without a model; `None`: a model judges it. `observe` asks first, with what is known so far.
pub(crate) fn why_not(
    gate: &stop_gate::StopFacts<'_>,
    settings: &Settings,
    state: &State,
    now: Timestamp,
) -> Option<&'static str> {
    if let Some(reason) = never_blocked(gate) {
        return Some(reason);
    }
    // Without a typed prompt in this session the hook cannot know that the user is away.
    let away = Duration::from_secs(settings.away_secs.get().into());
    let is_away = state.typed_at.is_some_and(|typed_at| now.since(typed_at) >= away);
    match settings.mode {
        Mode::Off => return Some("the mode is off"),
        Mode::Auto if !is_away => return Some("the user is not away"),
        Mode::Auto | Mode::On => {}
    }
    if gate.blocks.own >= settings.max_blocks.get() {
        return Some(BLOCKED_ENOUGH);
    }
    let message = gate.stop.last_assistant_message.as_deref().unwrap_or_default();
    is_of_the_client(message).then_some("the last message is an error of the client")
}

/// A longer message is the model's own, whatever it begins with, in bytes.
const MAX_ERROR_BYTES: usize = 600;

fn is_of_the_client(message: &str) -> bool {
    let message = message.trim().replace('’', "'");
    message.len() <= MAX_ERROR_BYTES && ERROR_MESSAGES.iter().any(|beginning| message.starts_with(beginning))
}

fn by_verdict(input: &Input<'_, TempoStop>, facts: &StopFacts) -> Outcome<State, Turn> {
    match &facts.judged {
        Ok(Judged::Blocked(feedback)) => Outcome {
            verdict: Verdict::Block {
                reason: question::blocked(&facts.text, feedback),
                rule: rule(input).into(),
            },
            audit: Audit::to(feedback.as_str()),
            ..Outcome::pass()
        },
        Ok(Judged::Approved) => {
            let followed = (input.blocks.own > 0).then(|| ReactionKind::Followed.of(rule(input)));
            Outcome::allow("the model finds it done").with_reactions(followed)
        }
        Err(reason) => Outcome::allow(reason),
    }
}

/// The setting that blocks a stop.
fn rule(input: &Input<'_, TempoStop>) -> &'static str {
    match input.settings.mode {
        Mode::Auto => "mode",
        Mode::On | Mode::Off => "enabled",
    }
}

#[cfg(test)]
mod tests;
