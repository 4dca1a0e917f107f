//! Gathers the facts, cheapest first: the record, how full the context is, and, where a record ends, the material of its
//! snapshot.

use std::time::Duration;

use shared::cli;
use shared::hook::Context;
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::command::Reply;
use crate::earlier;
use crate::git;
use crate::levels::Thresholds;
use crate::material;
use crate::occupancy::{Reading, is_automatic_compaction, learnt, reading};
use crate::record::{Record, Sessions};
use crate::settings::Settings;
use crate::state::{Compaction, State};
use crate::step::{End, Ending};

/// At a session's end Claude Code waits for little more than a second, for all hooks together.
const PATIENCE_AT_END: Duration = Duration::from_millis(400);

/// The facts of one event.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The session's folder; none where nothing can be recorded.
    pub sessions: Option<Sessions>,
    /// The session's record, if it is being recorded.
    pub record: Option<Record>,
    /// How full the context is; none where that is unknown or does not matter.
    pub reading: Option<Reading>,
    /// The last compaction of the model.
    pub learnt: Option<Compaction>,
    pub thresholds: Thresholds,
    /// How the record ends, if a snapshot is due and the repository answered.
    pub end: Option<Box<End>>,
    /// The answer to a typed command.
    pub answered: Option<Reply>,
    /// At a session's start: messages about what earlier sessions have left.
    pub notices: Vec<String>,
    /// At a session's start: the id and the brief of a snapshot for this session.
    pub unread: Option<(String, String)>,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    let session = context.request.call.session_id.as_deref()?;
    let event = &context.request.event;
    match event {
        Event::PreToolUse(_) | Event::Other(_) => return None,
        // A compaction inside a subagent is the subagent's.
        Event::PreCompact { .. } if context.request.call.agent_id.is_some() => return None,
        _ => {}
    }
    let answered = match event {
        Event::UserPromptSubmit { prompt, source } => {
            cli::prompted::<PauseRecorder>(context, prompt, source.as_deref())
        }
        _ => None,
    };
    let sessions = Sessions::of(context.places);
    let record = sessions.as_ref().and_then(|sessions| sessions.active(session));
    let is_recorded = record.is_some();
    let state: State = context.peek();
    // Without a store each call would report the same level.
    let is_of_interest = answered.is_none() && context.store.is_some();
    let reading = is_of_interest.then(|| reading(context, &state, is_recorded)).flatten();
    let learnt = reading.as_ref().and_then(|reading| learnt(context, &state, reading));
    let point = reading.as_ref().and_then(|reading| learnt.as_ref()?.percent(reading.window));
    let due = match event {
        Event::PreCompact { .. } if is_recorded || is_automatic_compaction(event) => {
            Some((Ending::GoesOn, git::PATIENCE))
        }
        Event::SessionEnd { .. } if is_recorded => Some((Ending::Full, PATIENCE_AT_END)),
        _ => None,
    };
    let end = due.zip(sessions.as_ref()).and_then(|((ending, patience), sessions)| {
        let git = git::look(context.host, &sessions.root, patience)?;
        let transcript = context.request.call.transcript_path.as_deref();
        let material = material::gather(&sessions.root, git, transcript);
        let (path, at) = (sessions.active_path(session), context.host.now());
        Some(Box::new(End { path, ending, material, at, commit: context.settings.git_commit }))
    });
    let (notices, unread) = match (event, &sessions) {
        (Event::SessionStart { source, .. }, Some(sessions)) => {
            earlier::left(context, session, source, sessions)
        }
        _ => Default::default(),
    };
    let thresholds = Thresholds::new(context.settings, point);
    Some(Facts { sessions, record, reading, learnt, thresholds, end, answered, notices, unread })
}

#[cfg(test)]
mod tests;
