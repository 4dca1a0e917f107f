//! Old archives and removed snapshots. Only regular files with the id of a record are touched.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use shared::host::Timestamp;
use shared::state::{SharedMode, read_regular, with_lock, write_durable};

use super::folder::{Sessions, is_record_id, sync_folder};
use super::lines;

/// The archives that one call compresses, because somebody waits for it.
const MAX_IN_ONE_GO: usize = 5;

/// The bytes of the longest archive that is compressed.
const MAX_ARCHIVE_BYTES: u64 = 32 * 1024 * 1024;

const MAX_POINTER_BYTES: u64 = 64 * 1024;

const ARCHIVE: &str = "-incremental.jsonl";

const ENDS: [&str; 5] = [".json", ".yaml", ".md", ARCHIVE, "-incremental.jsonl.gz"];

impl Sessions {
    /// The ids of all snapshots and archives, newest first.
    #[must_use]
    pub fn kept_ids(&self) -> Vec<String> {
        self.ids(&ENDS)
    }

    /// The ids of archives, compressed or not, that have no snapshot, newest first.
    #[must_use]
    pub fn records_only(&self) -> Vec<String> {
        let snapshots = self.snapshot_ids();
        self.ids(&ENDS[3..]).into_iter().filter(|id| !snapshots.contains(id)).collect()
    }

    /// Compresses archives that were last written before this time to `<id>-incremental.jsonl.gz`, a few in one go.
    ///
    /// # Errors
    /// If one cannot be compressed. It stays as it was.
    pub fn compress_archives(&self, before: Timestamp, is_ours: impl Fn(&str) -> bool) -> Result<(), String> {
        let old: Vec<PathBuf> =
            self.names().iter().filter_map(|name| self.old_archive(name, before, &is_ours)).collect();
        for archive in old.into_iter().take(MAX_IN_ONE_GO) {
            // If the lock is busy, another session compresses this archive.
            if let Ok(Err(error)) = with_lock(&archive, Duration::ZERO, || compress(&archive)) {
                return Err(format!("pause-recorder: {} cannot be compressed: {error}", archive.display()));
            }
        }
        Ok(())
    }

    fn old_archive(&self, name: &str, before: Timestamp, is_ours: impl Fn(&str) -> bool) -> Option<PathBuf> {
        name.strip_suffix(ARCHIVE).filter(|id| is_record_id(id) && is_ours(id))?;
        let archive = self.dir.join(name);
        let there = archive.symlink_metadata().ok().filter(|there| there.len() <= MAX_ARCHIVE_BYTES)?;
        (there.modified().ok()? < SystemTime::from(before)).then_some(archive)
    }

    /// Removes all files of a snapshot. If `LATEST-SESSION.txt` names it, it names the newest of the others afterwards.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn remove_snapshot(&self, id: &str) -> Result<(), String> {
        // A killed process may have left a `.tmp` beside a file.
        let files = ENDS.iter().flat_map(|end| ["", ".tmp", ".lock"].map(|rest| format!("{id}{end}{rest}")));
        let names = self.names();
        for name in files.filter(|name| names.contains(name)) {
            remove(&self.dir.join(name))?;
        }
        sync_folder(&self.dir);
        let latest = self.files(id).latest;
        self.locked(|| {
            let text = read_regular(&latest, MAX_POINTER_BYTES).unwrap_or_default();
            if text.split(|byte| *byte == b'\n').next() != Some(id.as_bytes()) {
                return Ok(());
            }
            match self.snapshot_ids().first() {
                Some(id) => write_durable(&latest, format!("{id}\n").as_bytes(), SharedMode::Private)
                    .map_err(|error| {
                        format!("pause-recorder: {} cannot be written: {error}", latest.display())
                    }),
                None => remove(&latest),
            }
        })
    }
}

fn remove(path: &Path) -> Result<(), String> {
    fs::remove_file(path)
        .map_err(|error| format!("pause-recorder: {} cannot be removed: {error}", path.display()))
}

/// Compresses one archive. After a kill the archive is still there, and the next call compresses it again.
fn compress(archive: &Path) -> io::Result<()> {
    let plain = match lines::open(archive) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let [compressed, beside] = [".gz", ".gz.tmp"].map(|end| {
        let mut name = archive.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    });
    let _ = fs::remove_file(&beside);
    write_compressed(&plain, &beside).and_then(|()| fs::rename(&beside, &compressed)).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })?;
    sync_folder(archive.parent().unwrap_or(Path::new("")));
    fs::remove_file(archive)
}

fn write_compressed(plain: &File, to: &Path) -> io::Result<()> {
    let mut encoder = GzEncoder::new(lines::create(to)?, Compression::default());
    io::copy(&mut plain.take(MAX_ARCHIVE_BYTES), &mut encoder)?;
    let mut file = encoder.finish()?;
    file.flush()?;
    file.set_modified(plain.metadata()?.modified()?)?;
    file.sync_all()
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
