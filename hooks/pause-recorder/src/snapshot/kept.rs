//! A snapshot as it lies in the folder: whether it is the one this machine has written.

use shared::state::read_regular;

use super::{Snapshot, digest};
use crate::record::{Sessions, is_record_id};

/// A snapshot is a few thousand bytes; whatever is longer is none.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The bytes of its JSON; none where they cannot be read.
#[must_use]
pub(crate) fn json_of(sessions: &Sessions, id: &str) -> Option<Vec<u8>> {
    let is_id = is_record_id(id);
    is_id.then(|| read_regular(&sessions.files(id).json, MAX_BYTES).ok()).flatten()
}

/// These bytes are the JSON that was written with this digest. An empty one is that of none.
#[must_use]
pub(crate) fn is_as_written(json: &[u8], written: &str) -> bool {
    !written.is_empty() && digest(json) == written
}

/// The snapshot of this id, if it is the one that was written with this digest, to the byte.
#[must_use]
pub(crate) fn as_written(sessions: &Sessions, id: &str, written: &str) -> Option<Snapshot> {
    let json = json_of(sessions, id).filter(|json| is_as_written(json, written))?;
    serde_json::from_slice(&json).ok()
}

#[cfg(test)]
mod tests {
    use super::super::world::full;
    use super::{MAX_BYTES, as_written, json_of};
    use crate::record::Sessions;
    use crate::snapshot::digest;

    #[test]
    fn only_what_was_written_is_one_and_only_where_it_lies() {
        let scratch = tempfile::tempdir().unwrap();
        let sessions = Sessions { dir: scratch.path().into(), root: scratch.path().into() };
        let json = serde_json::to_vec(&full()).unwrap();
        let (id, written) = (full().session_id, digest(&json));
        let write = |bytes: &[u8]| std::fs::write(sessions.files(&id).json, bytes).unwrap();
        write(&json);
        assert_eq!(as_written(&sessions, &id, &written), Some(full()));
        for (id, written) in [(&*id, ""), ("../x", &*written), ("session-20000101-000000", &written)] {
            assert_eq!(as_written(&sessions, id, written), None, "{id} {written}");
        }
        write(&[&json[..], b" "].concat());
        assert_eq!(as_written(&sessions, &id, &written), None);
        write(&vec![b' '; usize::try_from(MAX_BYTES).unwrap() + 1]);
        assert_eq!(json_of(&sessions, &id), None);
    }
}
