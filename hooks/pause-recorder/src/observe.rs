//! What is looked at, in the order of its price: whether there is a record, how full the context is; and where a record ends,
//! what its snapshot is made from.

mod reading;
pub(crate) mod start;

use std::time::Duration;

use shared::hook::{Hook, Seen};
use shared::protocol::Event;

use crate::PauseRecorder;
use crate::command;
use crate::levels::Thresholds;
use crate::material::{self, Material};
use crate::occupancy::Reading;
use crate::record::{Record, Sessions};
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use crate::state::State;

/// At a session's end the client waits for little more than a second, for all hooks together.
const PATIENCE_AT_END: Duration = Duration::from_millis(300);

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
    /// Where the levels are.
    pub thresholds: Thresholds,
    /// What the record's snapshot is made from, where it is time for one and it could be found in time.
    pub material: Option<Box<Material>>,
    /// The answer to a typed command.
    pub answered: Option<command::Reply>,
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
    /// Its id; only where it ends.
    pub id: String,
}

/// What earlier sessions of the project have left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Left {
    /// Records of sessions that are over: to be finalized now.
    pub due: Vec<Due>,
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
    /// The text, with places for what is told.
    pub text: String,
    /// It.
    pub snapshot: Snapshot,
    /// Its JSON, as it is told.
    pub path: String,
}

/// A record that is to be finalized.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    /// Its id.
    pub id: String,
    /// The record.
    pub record: Record,
    /// What its snapshot is made from beside it.
    pub material: Material,
    /// When it ended.
    pub at: shared::host::Timestamp,
    /// Actions that were only counted.
    pub left_out: u64,
}

/// A record whose session may be over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    /// Its id.
    pub id: String,
    /// When it was last written to.
    pub silent_since: shared::host::Timestamp,
    /// Lines in it that could be read.
    pub actions: usize,
}

pub(crate) fn observe(seen: &Seen<'_, Settings>) -> Option<Facts> {
    let session = seen.input.call.session_id.as_deref()?;
    let is_command = matches!(&seen.input.event, Event::UserPromptSubmit { prompt, .. } if PauseRecorder::is_command(prompt));
    if matches!(seen.input.event, Event::PreToolUse(_) | Event::Other(_)) {
        return None;
    }
    let sessions = Sessions::of(seen.places);
    let record = sessions.as_ref().and_then(|sessions| sessions.active(session)).map(|record| Active {
        is_full: record.bytes >= u64::from(seen.settings.max_record_mib.get()) * 1024 * 1024,
        record,
        id: String::new(),
    });
    let state: State = seen.peek();
    let reading = if is_command { None } else { reading::of(seen, &state, record.is_some()) };
    let thresholds = reading::thresholds(seen, reading.as_ref());
    let mut facts = Facts {
        sessions,
        record,
        reading,
        thresholds,
        material: None,
        answered: None,
        left: Left::default(),
    };
    match &seen.input.event {
        Event::UserPromptSubmit { prompt, source } if is_command => {
            facts.answered = command::typed(seen, prompt, source.as_deref());
        }
        Event::PreCompact { trigger } if facts.record.is_some() || trigger == "auto" => {
            facts.material = gathered(seen, PATIENCE);
        }
        Event::SessionEnd { .. } if facts.record.is_some() => {
            facts.material = gathered(seen, PATIENCE_AT_END);
            if let Some(active) = &mut facts.record {
                active.id = active.record.read().map(|recorded| recorded.id).unwrap_or_default();
            }
        }
        Event::SessionStart { source, .. } => {
            facts.left = start::left(seen, session, source, facts.sessions.as_ref());
        }
        _ => {}
    }
    Some(facts)
}

/// How full the context of the session that asks is; `None` where nobody knows.
pub(crate) fn standing(seen: &Seen<'_, Settings>) -> Option<Reading> {
    reading::of(seen, &seen.peek(), true)
}

fn gathered(seen: &Seen<'_, Settings>, patience: Duration) -> Option<Box<Material>> {
    let root = seen.places.root.as_deref()?;
    let transcript = seen.input.call.transcript_path.as_deref();
    material::gather(seen.host, root, transcript, patience).map(Box::new)
}
