//! The rules, in this order: never-block cases, the token, a token shown before, enough blocks, nothing unfinished, block. Pure.

use std::borrow::Cow;

use shared::blocks::{self, never_blocked};
use shared::hook::{Audit, Input, Memory, Outcome, ReactionKind, Verdict};
use shared::protocol::{Event, Stop};

use crate::observe::{Facts, StopFacts};
use crate::settings::{OnlyWhen, Settings};
use crate::state::{State, Token};
use crate::{StopMomentum, unfinished::Sign};

const TOKEN_LINE: &str = include_str!("../../../config/messages/stop-momentum-token.md");

/// The whole text of a block after the first.
const AGAIN: &str = include_str!("../../../config/messages/stop-momentum-again.md");

pub(crate) fn decide(input: &Input<'_, StopMomentum>) -> Outcome<State> {
    match (&input.request.event, input.facts) {
        (Event::Stop(stop), Facts::Stop(facts)) => at_stop(input, stop, facts),
        (Event::SessionEnd { .. }, _) => Outcome::pass().remembering(Memory::Drop),
        _ => Outcome::pass(),
    }
}

fn at_stop(input: &Input<'_, StopMomentum>, stop: &Stop, facts: &StopFacts) -> Outcome<State> {
    let gate = blocks::StopFacts {
        call: &input.request.call,
        stop,
        work: facts.work,
        blocks: input.blocks,
        started: input.started,
    };
    if let Some(reason) = never_blocked(&gate) {
        return Outcome::allow(reason);
    }
    let message = stop.last_assistant_message.as_deref().unwrap_or_default();
    if input.state.token.as_ref().is_some_and(|token| token.is_in(message)) {
        let reaction = ReactionKind::Followed.of(last_rule(input));
        return Outcome::allow("acknowledged").remembering(Memory::Drop).with_reactions([reaction]);
    }
    if input.blocks.is_followed {
        return Outcome::allow("acknowledged before in this prompt");
    }
    if input.blocks.own >= input.settings.blocks_per_prompt() {
        let reaction = ReactionKind::Overridden.of(last_rule(input));
        return Outcome::allow("allowed without acknowledgement")
            .remembering(Memory::Drop)
            .with_reactions([reaction]);
    }
    if input.settings.only_when == OnlyWhen::Unfinished && facts.signs.is_empty() {
        return Outcome::allow("nothing looks unfinished");
    }
    // A shown token holds until Claude uses it or the hook allows the stop.
    match input.state.token.as_ref().or(facts.token.as_ref()) {
        Some(token) => block(input, facts, token),
        None => Outcome::allow("no token to show"),
    }
}

fn block(input: &Input<'_, StopMomentum>, facts: &StopFacts, token: &Token) -> Outcome<State> {
    let rule = Cow::Borrowed(rule(input.settings, input.blocks.own));
    Outcome {
        verdict: Verdict::Block { reason: reason(facts, token, input.blocks.own), rule },
        notice: facts.unreadable_message.as_ref().map(|file| {
            format!("stop-momentum: message_file {file} cannot be read; the built-in text was used")
        }),
        memory: Memory::Save(State { token: Some(token.clone()) }),
        audit: Audit::to(with(TOKEN_LINE, token)),
        ..Outcome::pass()
    }
}

/// The setting behind a block after so many blocks.
fn rule(settings: &Settings, blocks: u32) -> &'static str {
    match (settings.only_when, blocks) {
        (OnlyWhen::Unfinished, 0) => "only_when",
        (OnlyWhen::Always, 0) => "enabled",
        _ if settings.max_blocks.is_some() => "max_blocks",
        _ => "enforce_ack",
    }
}

/// The setting behind the last block.
fn last_rule(input: &Input<'_, StopMomentum>) -> &'static str {
    rule(input.settings, input.blocks.own.saturating_sub(1))
}

fn with(text: &str, token: &Token) -> String {
    text.trim().replace("{token}", token.as_str())
}

fn reason(facts: &StopFacts, token: &Token, blocks: u32) -> String {
    if blocks > 0 {
        return with(AGAIN, token);
    }
    let signs = facts.signs.iter().map(Sign::to_string).collect::<Vec<_>>().join("; ");
    let signs = if signs.is_empty() { signs } else { format!("\n\nWhat looks unfinished: {signs}.") };
    format!("{}{signs}\n\n{}", facts.guidance, with(TOKEN_LINE, token))
}

#[cfg(test)]
mod tests;
