//! Old archives and removed snapshots. Only regular files with the id of a record are touched.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;
use shared::host::Timestamp;
use shared::state::{SharedMode, read_regular, write_durable};

use super::file::{failed, locked, remove};
use super::folder::{ARCHIVE, ENDS, JSON, Sessions};

/// The archives that one call compresses, because somebody waits for it.
const MAX_IN_ONE_GO: usize = 5;

/// The bytes of the longest archive that is compressed.
const MAX_ARCHIVE_BYTES: u64 = 32 * 1024 * 1024;

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
        let compressed = |archive: PathBuf| match compress(&archive) {
            // Another session was faster.
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(&archive, "compressed", &error)),
            _ => Ok(()),
        };
        let mut old = ours.map(|id| self.file(&id, ARCHIVE)).filter(is_old).take(MAX_IN_ONE_GO);
        old.try_for_each(|archive| locked(&archive.clone(), || compressed(archive)))
    }

    /// Removes all files of a snapshot. `LATEST-SESSION.txt` names the newest of the others afterwards.
    pub(crate) fn remove_snapshot(&self, id: &str) -> Result<(), String> {
        ENDS.iter().try_for_each(|end| remove(&self.file(id, end)))?;
        match self.ids(&[JSON]).first() {
            Some(newest) => self.point_to(newest),
            None => remove(&self.latest()),
        }
    }

    /// Makes `LATEST-SESSION.txt` name this snapshot. The first line is for programs.
    pub(crate) fn point_to(&self, id: &str) -> Result<(), String> {
        let (latest, json) = (self.latest(), self.told_of(&self.file(id, JSON)));
        let text = format!("{id}\n\n{json}, and the same as .yaml and .md beside it.\n");
        let written = || write_durable(&latest, text.as_bytes(), SharedMode::Private);
        self.locked(|| written().map_err(|error| failed(&latest, "written", &error)))
    }
}

/// Compresses one archive. After a kill the archive is still there, and the next call compresses it again.
fn compress(archive: &Path) -> io::Result<()> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&read_regular(archive, MAX_ARCHIVE_BYTES)?)?;
    let compressed = PathBuf::from(format!("{}.gz", archive.display()));
    write_durable(&compressed, &encoder.finish()?, SharedMode::Private)?;
    fs::remove_file(archive)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
