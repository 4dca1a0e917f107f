//! Whether a stop is worth a question to a model, which costs money. Pure: asked before it, with what is known so far, and
//! again under the lock.

use std::time::Duration;

use shared::host::Timestamp;
use shared::stop_gate::{self, never_blocked};

use crate::settings::{Mode, Settings};

/// This prompt's stop was held as often as the settings want.
pub(crate) const HELD_OFTEN_ENOUGH: &str = "held often enough for this prompt";

/// What is known of a stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    /// What every stop gate looks at.
    pub(crate) gate: stop_gate::StopFacts<'a>,
    /// The settings.
    pub(crate) settings: &'a Settings,
    /// When the user last typed something.
    pub(crate) typed_at: Option<Timestamp>,
    /// Now.
    pub(crate) now: Timestamp,
}

/// Why this stop is let go unasked; `None` if a model is to look.
pub(crate) fn why_not(scene: &Scene<'_>) -> Option<&'static str> {
    if let Some(reason) = never_blocked(&scene.gate) {
        return Some(reason);
    }
    let settings = scene.settings;
    match settings.mode {
        Mode::Off => return Some("the mode is off"),
        Mode::Auto if !is_away(scene) => return Some("the user is not away"),
        Mode::Auto | Mode::On => {}
    }
    if scene.gate.blocks.own >= settings.max_blocks.get() {
        return Some(HELD_OFTEN_ENOUGH);
    }
    let message = scene.gate.stop.last_assistant_message.as_deref().unwrap_or_default();
    is_of_the_client(message).then_some("the last message is an error of the client")
}

/// Where nobody has typed anything since we look, nobody can be told to be away.
fn is_away(scene: &Scene<'_>) -> bool {
    let away = Duration::from_secs(scene.settings.away_secs.get().into());
    scene.typed_at.is_some_and(|typed_at| scene.now.since(typed_at) >= away)
}

/// A longer message is the model's own, whatever it begins with, in bytes.
const MAX_ERROR_BYTES: usize = 600;

/// How the client begins what it says in place of the model: no credit, no login, no room left, an interrupt.
const ERRORS: [&str; 21] = [
    "API Error:",
    "API Error (",
    "Failed to authenticate",
    "Prompt is too long",
    "Conversation too long",
    "Context limit reached",
    "Request timed out",
    "Credit balance is too low",
    "Invalid API key",
    "Not logged in",
    "Please run /login",
    "OAuth token",
    "Claude usage limit reached",
    "Claude AI usage limit reached",
    "Usage limit reached",
    "5-hour limit reached",
    "Session limit reached",
    "Weekly limit reached",
    "You've hit your",
    "You've reached your",
    "[Request interrupted by user",
];

fn is_of_the_client(message: &str) -> bool {
    let message = message.trim().replace('’', "'");
    message.len() <= MAX_ERROR_BYTES && ERRORS.iter().any(|beginning| message.starts_with(beginning))
}
