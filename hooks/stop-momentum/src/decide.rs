//! The rules, in this order: never-block cases, the token, a token shown before, enough blocks, nothing unfinished, block. Pure.

use std::borrow::Cow;

use shared::hook::{Given, Heeded, Memory, Outcome, Trail, Verdict};
use shared::protocol::{Event, Stop};
use shared::stop_gate::{self, never_blocked};

use crate::observe::{Facts, StopFacts};
use crate::settings::{OnlyWhen, Settings};
use crate::state::{State, Token};
use crate::{StopMomentum, unfinished::Sign};

/// The line after every guidance; `{token}` is the fresh token.
const TOKEN_LINE: &str = include_str!("../../../config/messages/stop-momentum-token.md");

/// All of the text where the token was missing.
const AGAIN: &str = include_str!("../../../config/messages/stop-momentum-again.md");

pub(crate) fn decide(given: &Given<'_, StopMomentum>) -> Outcome<State> {
    match (&given.input.event, given.facts) {
        (Event::Stop(stop), Facts::Stop(facts)) => at_stop(given, stop, facts),
        (Event::SessionEnd { .. }, _) => Outcome::pass().remembering(Memory::Drop),
        _ => Outcome::pass(),
    }
}

fn at_stop(given: &Given<'_, StopMomentum>, stop: &Stop, facts: &StopFacts) -> Outcome<State> {
    let gate = stop_gate::StopFacts {
        call: &given.input.call,
        stop,
        work: facts.work,
        blocks: given.blocks,
        started: given.started,
    };
    if let Some(reason) = never_blocked(&gate) {
        return Outcome::let_go(reason);
    }
    let message = stop.last_assistant_message.as_deref().unwrap_or_default();
    if given.state.token.as_ref().is_some_and(|token| token.is_in(message)) {
        let heed = Heeded::Followed.of(last_rule(given));
        return Outcome::let_go("acknowledged").remembering(Memory::Drop).heeding([heed]);
    }
    if given.blocks.is_followed {
        return Outcome::let_go("acknowledged before in this prompt");
    }
    if given.blocks.own >= given.settings.blocks_per_prompt() {
        let heed = Heeded::Overridden.of(last_rule(given));
        return Outcome::let_go("let go without acknowledgement").remembering(Memory::Drop).heeding([heed]);
    }
    if given.settings.only_when == OnlyWhen::Unfinished && facts.signs.is_empty() {
        return Outcome::let_go("nothing looks unfinished");
    }
    match &facts.token {
        Some(token) => block(given, facts, token),
        None => Outcome::let_go("no token to show"),
    }
}

fn block(given: &Given<'_, StopMomentum>, facts: &StopFacts, token: &Token) -> Outcome<State> {
    let rule = Cow::Borrowed(rule(given.settings, given.blocks.own));
    Outcome {
        verdict: Verdict::Block { reason: reason(facts, token, given.blocks.own), rule },
        notice: facts.unreadable_message.as_ref().map(|file| {
            format!("stop-momentum: message_file {file} cannot be read; the built-in text was used")
        }),
        memory: Memory::Save(State { token: Some(token.clone()) }),
        trail: Trail::to(with(TOKEN_LINE, token)),
        ..Outcome::pass()
    }
}

/// The setting that holds a stop which was held so often before.
fn rule(settings: &Settings, blocks: u32) -> &'static str {
    match (settings.only_when, blocks) {
        (OnlyWhen::Unfinished, 0) => "only_when",
        (OnlyWhen::Always, 0) => "enabled",
        _ if settings.max_blocks.is_some() => "max_blocks",
        _ => "enforce_ack",
    }
}

/// The setting that held it the last time.
fn last_rule(given: &Given<'_, StopMomentum>) -> &'static str {
    rule(given.settings, given.blocks.own.saturating_sub(1))
}

fn with(text: &str, token: &Token) -> String {
    text.trim().replace("{token}", token.as_str())
}

fn reason(facts: &StopFacts, token: &Token, blocks: u32) -> String {
    if blocks > 0 {
        return with(AGAIN, token);
    }
    let token_line = with(TOKEN_LINE, token);
    let signs: Vec<String> = facts.signs.iter().map(Sign::to_string).collect();
    let signs = if signs.is_empty() {
        String::new()
    } else {
        format!("\n\nWhat looks unfinished: {}.", signs.join("; "))
    };
    format!("{}{signs}\n\n{token_line}", facts.guidance)
}

#[cfg(test)]
mod tests;
