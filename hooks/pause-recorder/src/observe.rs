//! Gathers the facts, cheapest first: the record, how full the context is, and, where a record ends, the material of its
//! snapshot.

use std::time::Duration;

use shared::cli;
use shared::hook::{Context, Hook};
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::command::Reply;
use crate::earlier::{self, Left};
use crate::git;
use crate::levels::Thresholds;
use crate::material;
use crate::occupancy::Reading;
use crate::reading::{is_automatic_compaction, learnt, reading};
use crate::record::{Record, Sessions};
use crate::settings::Settings;
use crate::state::{Compaction, State};
use crate::step::{End, Ending};

/// At a session's end Claude Code waits for little more than a second, for all hooks together.
const PATIENCE_AT_END: Duration = Duration::from_millis(400);

/// Elsewhere only the user waits, once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

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
    /// At a session's start: what earlier sessions have left.
    pub left: Left,
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
    let sessions = Sessions::of(context.places);
    let mut facts = Facts {
        record: sessions.as_ref().and_then(|sessions| sessions.active(session)),
        sessions,
        reading: None,
        learnt: None,
        thresholds: Thresholds::new(context.settings, None),
        end: None,
        answered: None,
        left: Left::default(),
    };
    if let Event::UserPromptSubmit { prompt, source } = event
        && PauseRecorder::is_command(prompt)
    {
        facts.answered = cli::prompted::<PauseRecorder>(context, prompt, source.as_deref());
        return Some(facts);
    }
    let is_recorded = facts.record.is_some();
    // Without a store each call would report the same level.
    if context.store.is_some() {
        let state: State = context.peek();
        if let Some(reading) = reading(context, &state, is_recorded) {
            facts.learnt = learnt(context, &state, &reading);
            let point = facts.learnt.as_ref().and_then(|learnt| learnt.percent(reading.window));
            facts.thresholds = Thresholds::new(context.settings, point);
            facts.reading = Some(reading);
        }
    }
    let due = match event {
        Event::PreCompact { .. } if is_recorded || is_automatic_compaction(event) => {
            Some((Ending::GoesOn, PATIENCE))
        }
        Event::SessionEnd { .. } if is_recorded => Some((Ending::Full, PATIENCE_AT_END)),
        _ => None,
    };
    if let (Some((ending, patience)), Some(sessions)) = (due, &facts.sessions) {
        let material = git::look(context.host, &sessions.root, patience).map(|git| {
            material::gather(&sessions.root, git, context.request.call.transcript_path.as_deref())
        });
        facts.end = material.map(|material| {
            let (path, at) = (sessions.active_path(session), context.host.now());
            Box::new(End { path, ending, material, at, commit: context.settings.git_commit })
        });
    }
    if let Event::SessionStart { source, .. } = event {
        facts.left = earlier::left(context, session, source, facts.sessions.as_ref());
    }
    Some(facts)
}

#[cfg(test)]
mod tests;
