//! What is written before anything is decided, because a decision may only tell of what is there: records of sessions that are
//! over are finalized, the snapshot that is to be told is taken, and the folder of a record that is to begin is tried. Nothing
//! else is written outside of `step`.

use std::path::Path;

use shared::hook::Effect;
use shared::host::{Places, Timestamp};
use shared::state::{SharedMode, Store, write_durable};

use crate::record::Sessions;
use crate::shelf::{self, Shelf};
use crate::step::{End, Step};

/// A record's first lines are shorter.
const PROBE_BYTES: usize = 8 * 1024;

/// Finalizes what is due, so that a session is only told of what was written; why some of it could not be.
pub(crate) fn finalized(places: &Places, due: Vec<End>, now: Timestamp) -> Vec<String> {
    let finish = |end| Step::Finish(Box::new(end)).carry_out(places, now);
    due.into_iter().filter_map(|end| finish(end).err()).collect()
}

/// From now on it is this session that tells of the snapshot `id`, so that only one does. False: another one that starts was
/// faster; `to_tell` says what the shelf has to be told.
pub(crate) fn is_taken(
    own: &Store,
    (project, id): (&Path, &str),
    now: Timestamp,
    to_tell: impl Fn(&Shelf) -> Option<String>,
) -> bool {
    let mut is_ours = false;
    let kept = shelf::change(own, |shelf| {
        is_ours = to_tell(shelf).is_some_and(|latest| latest == id);
        if is_ours {
            shelf.entry(project, id).claimed_at = Some(now);
        }
    });
    is_ours && kept.is_ok()
}

/// Makes the folder where it is missing and tries whether a record has room in it, before it is said that one begins; why
/// nothing can be written.
pub(crate) fn room(sessions: &Sessions) -> Option<String> {
    if let Err(error) = sessions.open() {
        return Some(error.to_string());
    }
    let probe = sessions.dir.join(format!(".room-{}", std::process::id()));
    let written = write_durable(&probe, &[b' '; PROBE_BYTES], SharedMode::Private);
    let _ = std::fs::remove_file(&probe);
    let why =
        |error| format!("pause-recorder: nothing can be written in {}: {error}", sessions.dir.display());
    written.err().map(why)
}
