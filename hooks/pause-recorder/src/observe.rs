//! What is looked at, in the order of its price: whether there is a record, how full the context is; and where a record ends,
//! what its snapshot is made from.

mod reading;
pub(crate) mod start;

use std::time::Duration;

use shared::cli;
use shared::hook::{Context, Hook};
use shared::host::Timestamp;
use shared::protocol::{Event, Request};

use crate::PauseRecorder;
use crate::command::Reply;
use crate::decide::{is_automatic, wanted};
use crate::levels::Thresholds;
use crate::material::{self, Material};
use crate::occupancy::Reading;
use crate::prepare;
use crate::record::{Record, Sessions};
use crate::settings::Settings;
use crate::shelf::{self, Fate};
use crate::snapshot::Snapshot;
use crate::state::{Learnt, State};

/// At a session's end the client waits for little more than a second, for all hooks together.
const PATIENCE_AT_END: Duration = Duration::from_millis(400);

/// A longer record is left for the next session's start: it is read several times where it is finalized.
const MAX_BYTES_AT_END: u64 = 2 * 1024 * 1024;

/// Elsewhere nobody waits for it but the user, once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The session's folder; none where nothing can be recorded.
    pub sessions: Option<Sessions>,
    /// The session's record, if it is being recorded.
    pub record: Option<Active>,
    /// How full the context is; none where it is not known or no matter.
    pub reading: Option<Reading>,
    /// What was learnt of the model in it.
    pub learnt: Option<Learnt>,
    /// Where the levels are.
    pub thresholds: Thresholds,
    /// What has become of the record that the session has begun; only where it is not there and ought to be.
    pub fate: Option<Fate>,
    /// Why no record can begin, where one is to.
    pub hindrance: Option<String>,
    /// What the record's snapshot is made from, where it is time for one and it could be found in time.
    pub material: Option<Box<Material>>,
    /// The answer to a typed command.
    pub answered: Option<Reply>,
    /// At a session's start: what others have left.
    pub left: Left,
}

/// The session's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    /// The file.
    pub record: Record,
    /// It has reached its largest size.
    pub is_full: bool,
    /// When it began, as the shelf has it; only where the session does not remember.
    pub began: Option<Timestamp>,
}

/// What earlier sessions of the project have left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Left {
    /// Why records of sessions that are over could not be finalized.
    pub faults: Vec<String>,
    /// Records of sessions that were silent for a while, and may be over.
    pub orphans: Vec<Orphan>,
    /// The snapshot to be told of.
    pub tell: Option<ToTell>,
    /// There are archives to compress.
    pub compress: bool,
}

/// A snapshot that a new session is to be told of.
#[derive(Debug, Clone, PartialEq)]
pub struct ToTell {
    /// Its id.
    pub id: String,
    /// The text, with places for what is told.
    pub text: String,
    /// It.
    pub snapshot: Snapshot,
    /// Its JSON, as it is told.
    pub path: String,
}

/// A record whose session may be over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    /// Its id.
    pub id: String,
    /// When it was last written to.
    pub silent_since: Timestamp,
    /// Lines in it that could be read.
    pub actions: usize,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    let session = context.request.call.session_id.as_deref()?;
    let is_command = matches!(&context.request.event, Event::UserPromptSubmit { prompt, .. } if PauseRecorder::is_command(prompt));
    if is_none_of_ours(context.request) {
        return None;
    }
    let sessions = Sessions::of(context.places);
    let state: State = context.peek();
    let record = sessions.as_ref().and_then(|sessions| active(context, session, &state, sessions));
    // Where nothing can be remembered, each call would tell the same.
    let is_asked = !is_command && context.store.is_some();
    let reading = is_asked.then(|| reading::of(context, &state, record.is_some())).flatten();
    let learnt = reading::learnt(context, &state, reading.as_ref());
    let thresholds = reading::thresholds(context.settings, reading.as_ref(), learnt.as_ref());
    let mut facts = Facts {
        sessions,
        record,
        reading,
        learnt,
        thresholds,
        fate: None,
        hindrance: None,
        material: None,
        answered: None,
        left: Left::default(),
    };
    facts.fate = fate(context, session, &state, &facts);
    facts.hindrance = hindrance(context, &state, &facts);
    match &context.request.event {
        Event::UserPromptSubmit { prompt, source } if is_command => {
            facts.answered = cli::prompted::<PauseRecorder>(context, prompt, source.as_deref());
        }
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

/// The session's record.
fn active(
    context: &Context<'_, Settings>,
    session: &str,
    state: &State,
    sessions: &Sessions,
) -> Option<Active> {
    let record = sessions.active(session)?;
    let is_full = record.bytes >= u64::from(context.settings.max_record_mib.get()) * 1024 * 1024;
    let look = || {
        let own = context.store.and_then(shelf::own_store)?;
        shelf::read(&own).begun_at(&sessions.root, session)
    };
    let began = if state.begun.is_none() { look() } else { None };
    Some(Active { record, is_full, began })
}

/// A compaction inside a subagent is the subagent's.
fn is_none_of_ours(request: &Request) -> bool {
    match &request.event {
        Event::PreToolUse(_) | Event::Other(_) => true,
        Event::PreCompact { .. } => request.call.agent_id.is_some(),
        _ => false,
    }
}

fn fate(context: &Context<'_, Settings>, session: &str, state: &State, facts: &Facts) -> Option<Fate> {
    let begun = state.begun.filter(|_| facts.record.is_none() && !state.dropped)?;
    if !facts.is_high() && !is_automatic(&context.request.event) {
        return None;
    }
    let own = context.store.and_then(shelf::own_store)?;
    Some(shelf::read(&own).fate(&facts.sessions.as_ref()?.root, session, begun))
}

/// What a record needs is tried before it is said that one begins.
fn hindrance(context: &Context<'_, Settings>, state: &State, facts: &Facts) -> Option<String> {
    wanted(facts, state, &context.request.event)?;
    prepare::room(facts.sessions.as_ref()?)
}

impl Facts {
    /// The context is as full as a record's beginning asks.
    #[must_use]
    pub(crate) fn is_high(&self) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.percent() >= self.thresholds.auto_pause)
    }
}

/// How full the context of the session that asks is; `None` where nobody knows.
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
