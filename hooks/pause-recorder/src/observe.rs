//! Gathers the facts, cheapest first: the record, how full the context is, and, where a record ends, the material of its
//! snapshot.

mod reading;
pub(crate) mod start;

use std::time::Duration;

use shared::cli;
use shared::hook::{Context, Hook};
use shared::protocol::{Event, Request};

use crate::PauseRecorder;
use crate::command::Reply;
use crate::levels::Thresholds;
use crate::material::{self, Material};
use crate::occupancy::Reading;
use crate::record::{Record, Sessions};
use crate::settings::Settings;
use crate::state::{Learnt, State};

pub(crate) use start::{Left, Orphan};

/// At a session's end Claude Code waits for little more than a second, for all hooks together.
const PATIENCE_AT_END: Duration = Duration::from_millis(400);

/// A longer record is left for the next session's start, because finalizing reads it several times.
const MAX_BYTES_AT_END: u64 = 2 * 1024 * 1024;

/// Elsewhere only the user waits, once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// The facts of one event.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The session's folder; none where nothing can be recorded.
    pub sessions: Option<Sessions>,
    /// The session's record, if it is being recorded.
    pub record: Option<Active>,
    /// How full the context is; none where that is unknown or does not matter.
    pub reading: Option<Reading>,
    /// Window and compaction of the model.
    pub learnt: Option<Learnt>,
    pub thresholds: Thresholds,
    /// Material of the snapshot, if one is due and the repository answered.
    pub material: Option<Box<Material>>,
    /// The answer to a typed command.
    pub answered: Option<Reply>,
    /// At a session's start: what earlier sessions have left.
    pub left: Left,
}

/// The session's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    pub record: Record,
    /// It has reached its largest size.
    pub is_full: bool,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    let session = context.request.call.session_id.as_deref()?;
    if is_irrelevant(context.request) {
        return None;
    }
    let sessions = Sessions::of(context.places);
    let state: State = context.peek();
    let record = sessions.as_ref().and_then(|sessions| sessions.active(session));
    let max_bytes = u64::from(context.settings.max_record_mib.get()) * 1024 * 1024;
    let record = record.map(|record| Active { is_full: record.bytes >= max_bytes, record });
    let mut facts = Facts {
        sessions,
        record,
        reading: None,
        learnt: None,
        thresholds: Thresholds::new(context.settings, None),
        material: None,
        answered: None,
        left: Left::default(),
    };
    if let Event::UserPromptSubmit { prompt, source } = &context.request.event
        && PauseRecorder::is_command(prompt)
    {
        facts.answered = cli::prompted::<PauseRecorder>(context, prompt, source.as_deref());
        return Some(facts);
    }
    // Without a store each call would report the same level.
    if context.store.is_some() {
        facts.reading = reading::of(context, &state, facts.record.is_some());
    }
    facts.learnt = reading::learnt(context, &state, facts.reading.as_ref());
    facts.thresholds = reading::thresholds(context.settings, facts.reading.as_ref(), facts.learnt.as_ref());
    match &context.request.event {
        Event::PreCompact { trigger } if facts.record.is_some() || trigger == "auto" => {
            facts.material = gathered(context, PATIENCE);
        }
        Event::SessionEnd { .. } => {
            let is_small = |active: &Active| active.record.bytes <= MAX_BYTES_AT_END;
            if facts.record.as_ref().is_some_and(is_small) {
                facts.material = gathered(context, PATIENCE_AT_END);
            }
        }
        Event::SessionStart { source, .. } => {
            facts.left = start::left(context, session, source, facts.sessions.as_ref());
        }
        _ => {}
    }
    Some(facts)
}

/// A compaction inside a subagent is the subagent's.
fn is_irrelevant(request: &Request) -> bool {
    match &request.event {
        Event::PreToolUse(_) | Event::Other(_) => true,
        Event::PreCompact { .. } => request.call.agent_id.is_some(),
        _ => false,
    }
}

impl Facts {
    /// The context is full enough for a record.
    #[must_use]
    pub(crate) fn is_high(&self) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.percent() >= self.thresholds.auto_pause)
    }
}

/// How full the context of the asking session is; `None` where that is unknown.
pub(crate) fn standing(context: &Context<'_, Settings>) -> Option<Reading> {
    reading::of(context, &context.peek(), true)
}

fn gathered(context: &Context<'_, Settings>, patience: Duration) -> Option<Box<Material>> {
    let root = context.places.root.as_deref()?;
    let transcript = context.request.call.transcript_path.as_deref();
    material::gather(context.host, root, transcript, patience).map(Box::new)
}

#[cfg(test)]
mod tests;
