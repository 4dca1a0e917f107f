//! The facts of a stop: the turn, the guidance, and a fresh token.

use std::path::Path;

use secrets::masked;
use shared::blocks::never_blocked_by_input;
use shared::config::read_text;
use shared::hook::Context;
use shared::messages::own_message;
use shared::protocol::{Event, Stop};
use transcript::{Patience, RECENT_BYTES, TurnWork, last_lines, turn_work};

use crate::settings::{OnlyWhen, Settings};
use crate::state::Token;
use crate::unfinished::{self, Sign};

const GUIDANCE: &str = include_str!("../../../config/messages/stop-momentum.md");

/// A project's guide, from the project's root.
const GUIDE: &str = "momentum-guide.md";

/// The longest guide that is read, in bytes.
const MAX_GUIDE_BYTES: u64 = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Facts {
    Stop(StopFacts),
    SessionEnd,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopFacts {
    pub work: TurnWork,
    /// Looked for only where they matter.
    pub signs: Vec<Sign>,
    pub guidance: String,
    /// The user's own text, where it cannot be read.
    pub unreadable_message: Option<String>,
    /// A fresh token; none where no block is possible.
    pub token: Option<Token>,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    match &context.request.event {
        Event::Stop(stop) => Some(Facts::Stop(at_stop(context, stop))),
        Event::SessionEnd { .. } => Some(Facts::SessionEnd),
        _ => None,
    }
}

/// Only a block needs signs, guidance and a token.
fn at_stop(context: &Context<'_, Settings>, stop: &Stop) -> StopFacts {
    let call = &context.request.call;
    if never_blocked_by_input(call, stop).is_some() {
        return StopFacts::default();
    }
    let path = call.transcript_path.as_deref();
    let prompt_id = call.prompt_id.as_deref();
    let work = path.map_or(TurnWork::Unknown, |path| turn_work(path, prompt_id, Patience::FLUSH));
    if work == TurnWork::NoToolCall {
        return StopFacts { work, ..StopFacts::default() };
    }
    let last_message = stop.last_assistant_message.as_deref().unwrap_or_default();
    let signs = match context.settings.only_when {
        OnlyWhen::Always => Vec::new(),
        OnlyWhen::Unfinished => signs(path, last_message),
    };
    let (guidance, unreadable_message) = guidance(context);
    StopFacts { work, signs, guidance, unreadable_message, token: Some(Token::fresh()) }
}

fn signs(path: Option<&Path>, last_message: &str) -> Vec<Sign> {
    let lines = path.map(|path| last_lines(path, RECENT_BYTES)).unwrap_or_default();
    unfinished::signs(&lines, last_message)
}

/// The project's guide, else the user's own text, else the built-in one; and the user's own if it cannot be read.
fn guidance(context: &Context<'_, Settings>) -> (String, Option<String>) {
    let Context { settings, places, host, .. } = context;
    let guide = places.project_claude_dir.as_ref().map(|dir| dir.join(GUIDE));
    // A link may lead to what nobody means to show: `.env`, `.git/config`.
    let guide = guide.filter(|guide| guide.symlink_metadata().is_ok_and(|there| there.is_file()));
    let project = guide.and_then(|guide| read_text(&guide, places.root.as_deref(), MAX_GUIDE_BYTES).ok());
    if let Some(text) = project.filter(|text| !text.trim().is_empty()) {
        return (masked(text.trim()).into_owned(), None);
    }
    match settings.message_file.as_deref().map(|file| own_message(file, host, places)) {
        Some(Ok(text)) => (text.trim().to_owned(), None),
        Some(Err(file)) => (GUIDANCE.trim().to_owned(), Some(file)),
        None => (GUIDANCE.trim().to_owned(), None),
    }
}
