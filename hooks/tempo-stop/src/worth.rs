//! Whether a stop is worth a question to a model, which costs money. Pure. `observe` asks first, with what is known so far, and
//! `decide` again under the lock.

use std::time::Duration;

use shared::blocks::{StopFacts, never_blocked};
use shared::claude_code::ERROR_MESSAGES;
use shared::host::Timestamp;

use crate::settings::{Mode, Settings};
use crate::state::State;

pub(crate) const BLOCKED_ENOUGH: &str = "blocked often enough for this prompt";

/// The reason to allow this stop without a model; `None`: a model judges it.
pub(crate) fn why_not(
    gate: &StopFacts<'_>,
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
