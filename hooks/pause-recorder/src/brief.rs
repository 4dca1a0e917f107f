//! What a new session is told of the last one's snapshot. Pure. A few lines with the path: whoever wants more reads the file.

use crate::snapshot::Snapshot;

/// At most so many characters.
pub const MAX_CHARS: usize = 2_000;

/// The brief. What comes from the session or the repository is marked as such, and takes no line of its own where it could
/// pass for ours.
#[must_use]
pub fn brief(snapshot: &Snapshot, path: &str) -> String {
    format!("pause-recorder: an earlier session of this project was paused at {}: {path}", snapshot.paused_at)
}
