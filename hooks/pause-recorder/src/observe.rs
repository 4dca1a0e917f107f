//! Gathers the facts, cheapest first: the record, and how full the context is.

use shared::cli;
use shared::hook::Context;
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::command::Reply;
use crate::earlier;
use crate::occupancy::{Reading, reading};
use crate::record::{Record, Sessions};
use crate::settings::Settings;

/// The facts of one event.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) sessions: Sessions,
    /// The session's record, if it is being recorded.
    pub(crate) record: Option<Record>,
    /// How full the context is; none where that is unknown or does not matter.
    pub(crate) reading: Option<Reading>,
    /// The answer to a typed command.
    pub(crate) answered: Option<Reply>,
    /// At a session's start: messages about what earlier sessions have left.
    pub(crate) notices: Vec<String>,
    /// At a session's start: the id and the brief of a snapshot for this session.
    pub(crate) unread: Option<(String, String)>,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    let call = &context.request.call;
    let session = call.session_id.as_deref()?;
    let event = &context.request.event;
    match event {
        Event::PreToolUse(_) | Event::Other(_) => return None,
        // A compaction inside a subagent is the subagent's.
        Event::PreCompact { .. } if call.agent_id.is_some() => return None,
        Event::UserPromptSubmit { prompt, source } => {
            let answered = cli::prompted::<PauseRecorder>(context, prompt, source.as_deref());
            if answered.is_some() {
                return Some(Facts { answered, ..Facts::default() });
            }
        }
        _ => {}
    }
    // Without a store each call would report the same level.
    let sessions = Sessions::of(context.places).filter(|_| context.store.is_some())?;
    let record = sessions.active(session);
    let reading = reading(context, &context.peek(), record.is_some());
    let (notices, unread) = match event {
        Event::SessionStart { source, .. } => earlier::left(context, session, source, &sessions),
        _ => Default::default(),
    };
    Some(Facts { sessions, record, reading, answered: None, notices, unread })
}

#[cfg(test)]
mod tests;
