//! Old archives and removed snapshots. Only regular files with the id of a record are touched.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use shared::host::Timestamp;
use shared::state::{SharedMode, read_regular, with_lock, write_durable};

use super::file::{failed, remove};
use super::folder::{ARCHIVE, ENDS, Sessions};

/// The archives that one call compresses, because somebody waits for it.
const MAX_IN_ONE_GO: usize = 5;

/// The bytes of the longest archive that is compressed.
const MAX_ARCHIVE_BYTES: u64 = 32 * 1024 * 1024;

const MAX_POINTER_BYTES: u64 = 64 * 1024;

impl Sessions {
    /// Compresses archives that were last written before this time to `<id>-incremental.jsonl.gz`, a few in one go.
    pub(crate) fn compress_archives(
        &self,
        before: Timestamp,
        is_ours: impl Fn(&str) -> bool,
    ) -> Result<(), String> {
        let is_old = |archive: &PathBuf| {
            let there = archive.symlink_metadata().ok().filter(|there| there.len() <= MAX_ARCHIVE_BYTES);
            there.and_then(|there| there.modified().ok()).is_some_and(|at| at < SystemTime::from(before))
        };
        let ours = self.ids(&[ARCHIVE]).into_iter().filter(|id| is_ours(id));
        for archive in ours.map(|id| self.file(&id, ARCHIVE)).filter(is_old).take(MAX_IN_ONE_GO) {
            // If the lock is busy, another session compresses this archive.
            if let Ok(Err(error)) = with_lock(&archive, Duration::ZERO, || compress(&archive)) {
                return Err(failed(&archive, "compressed", &error));
            }
        }
        Ok(())
    }

    /// Removes all files of a snapshot. If `LATEST-SESSION.txt` names it, it names the newest of the others afterwards.
    pub(crate) fn remove_snapshot(&self, id: &str) -> Result<(), String> {
        ENDS.iter().try_for_each(|end| remove(&self.file(id, end)))?;
        let latest = self.latest();
        self.locked(|| {
            let text = read_regular(&latest, MAX_POINTER_BYTES).unwrap_or_default();
            if text.split(|byte| *byte == b'\n').next() != Some(id.as_bytes()) {
                return Ok(());
            }
            let Some(id) = self.snapshot_ids().into_iter().next() else { return remove(&latest) };
            let written = write_durable(&latest, format!("{id}\n").as_bytes(), SharedMode::Private);
            written.map_err(|error| failed(&latest, "written", &error))
        })
    }
}

/// Compresses one archive. After a kill the archive is still there, and the next call compresses it again.
fn compress(archive: &Path) -> io::Result<()> {
    let bytes = match read_regular(archive, MAX_ARCHIVE_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        read => read?,
    };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes)?;
    let compressed = PathBuf::from(format!("{}.gz", archive.display()));
    write_durable(&compressed, &encoder.finish()?, SharedMode::Private)?;
    File::options().append(true).open(&compressed)?.set_modified(archive.metadata()?.modified()?)?;
    fs::remove_file(archive)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
