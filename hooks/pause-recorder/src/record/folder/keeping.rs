//! What becomes of old snapshots and archives: compressed, removed. Nothing but regular files of records' ids is touched.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use shared::host::Timestamp;
use shared::state::{LockError, SharedMode, read_regular, with_lock, write_durable};

use super::super::lines;
use super::{Sessions, is_record_id, regular_files, sync_folder};

/// At most so many archives are compressed in one go: somebody waits for it.
const MAX_IN_ONE_GO: usize = 20;

/// None is begun in the same go after so many bytes, and none that is longer.
const MAX_BYTES_IN_ONE_GO: u64 = 32 * 1024 * 1024;

/// A pointer to the latest snapshot is a few lines, in bytes.
const MAX_POINTER: u64 = 64 * 1024;

const ARCHIVE: &str = "-incremental.jsonl";

/// How the names of what is kept end.
const ENDS: [&str; 5] = [".json", ".yaml", ".md", ARCHIVE, "-incremental.jsonl.gz"];

impl Sessions {
    /// Compresses archives last written before this time, to `<id>-incremental.jsonl.gz`, the oldest first; a few in one go.
    /// Only those `chosen` leaves of the files it is given: others' are theirs. It is asked once, and not where none is old.
    ///
    /// # Errors
    /// What could not be compressed; it stays as it was.
    pub fn compress_archives(
        &self,
        before: Timestamp,
        chosen: impl FnOnce(Vec<PathBuf>) -> Vec<PathBuf>,
    ) -> Result<(), String> {
        if !self.is_usable() {
            return Ok(());
        }
        let mut failed = Vec::new();
        let mut bytes = 0;
        let old = self.old_archives(before);
        let chosen = if old.is_empty() { old } else { chosen(old) };
        for archive in chosen.into_iter().take(MAX_IN_ONE_GO) {
            if bytes >= MAX_BYTES_IN_ONE_GO {
                break;
            }
            match with_lock(&archive, Duration::ZERO, || compress(&archive)) {
                Ok(Ok(length)) => bytes += length,
                Ok(Err(error)) => failed.push(format!("{}: {error}", archive.display())),
                // Another session does it just now.
                Err(LockError::Busy(_)) => {}
                Err(error) => failed.push(error.to_string()),
            }
        }
        all_done("archives that could not be compressed", &failed)
    }

    /// The archives that were last written before this time and are not too long, oldest first.
    fn old_archives(&self, before: Timestamp) -> Vec<PathBuf> {
        let old = |name: String| {
            name.strip_suffix(ARCHIVE).filter(|id| is_record_id(id))?;
            let archive = self.dir.join(&name);
            let there = archive.symlink_metadata().ok().filter(|there| there.len() <= MAX_BYTES_IN_ONE_GO)?;
            let modified = there.modified().ok().filter(|modified| *modified < SystemTime::from(before))?;
            Some((modified, archive))
        };
        let mut archives: Vec<_> = regular_files(&self.dir).into_iter().filter_map(old).collect();
        archives.sort();
        archives.into_iter().map(|(_, archive)| archive).collect()
    }

    /// The ids of everything that is kept here of records that are over: snapshots, and archives without one.
    #[must_use]
    pub fn kept_ids(&self) -> Vec<String> {
        if !self.is_usable() {
            return Vec::new();
        }
        let id_of = |name: String| {
            let id = ENDS.iter().find_map(|end| name.strip_suffix(end)).filter(|id| is_record_id(id))?;
            Some(id.to_owned())
        };
        regular_files(&self.dir).into_iter().filter_map(id_of).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Removes all files of a snapshot. `LATEST-SESSION.txt` names the newest of the others then, if it named this one.
    ///
    /// # Errors
    /// What could not be removed.
    pub fn remove_snapshot(&self, id: &str) -> Result<(), String> {
        if !is_record_id(id) {
            return Err("pause-recorder: there is no snapshot of such an id".to_owned());
        }
        if !self.is_usable() {
            return Ok(());
        }
        // What a killed process left beside them goes, too.
        let files = ENDS.iter().flat_map(|end| ["", ".tmp", ".lock"].map(|rest| format!("{id}{end}{rest}")));
        let removed = files.map(|name| remove_regular(&self.dir.join(name)));
        let mut failed: Vec<String> = removed.filter_map(Result::err).collect();
        sync_folder(&self.dir);
        let latest = self.files(id).latest;
        let repointed = self.locked(|| self.repoint(&latest, id).map_err(|error| error.to_string()));
        if let Err(error) = repointed.unwrap_or_else(|busy| Err(busy.to_string())) {
            failed.push(format!("{}: {error}", latest.display()));
        }
        all_done("what could not be removed", &failed)
    }

    fn repoint(&self, latest: &Path, gone: &str) -> io::Result<()> {
        let text = match read_regular(latest, MAX_POINTER) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if first.trim_ascii() != gone.as_bytes() {
            return Ok(());
        }
        match self.snapshot_ids().first() {
            Some(id) => write_durable(latest, format!("{id}\n").as_bytes(), SharedMode::Private),
            None => fs::remove_file(latest),
        }
    }
}

/// Compresses one archive. Killed at any point it leaves the archive, and perhaps the same beside it: then all of it is done
/// again. Returns how long the archive was, in bytes.
fn compress(archive: &Path) -> io::Result<u64> {
    let mut plain = match lines::open(archive) {
        Ok(plain) => plain,
        // Another session has just done it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let modified = plain.metadata()?.modified()?;
    let (compressed, beside) = (with_end(archive, ".gz"), with_end(archive, ".gz.tmp"));
    // What a killed process left; never written into, as it could be a link.
    let _ = fs::remove_file(&beside);
    let written = written(&mut plain, &beside, modified)
        .and_then(|length| fs::rename(&beside, &compressed).map(|()| length));
    let length = written.inspect_err(|_| drop(fs::remove_file(&beside)))?;
    if let Some(dir) = archive.parent() {
        // The archive goes when what replaces it is there for good.
        sync_folder(dir);
    }
    fs::remove_file(archive)?;
    Ok(length)
}

fn written(plain: &mut File, to: &Path, modified: SystemTime) -> io::Result<u64> {
    let mut encoder = GzEncoder::new(lines::create(to)?, Compression::default());
    let length = io::copy(&mut plain.take(MAX_BYTES_IN_ONE_GO + 1), &mut encoder)?;
    if length > MAX_BYTES_IN_ONE_GO {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let mut file = encoder.finish()?;
    file.flush()?;
    file.set_modified(modified)?;
    file.sync_all()?;
    Ok(length)
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Removes a file if it is there; what is no regular file stays.
fn remove_regular(path: &Path) -> Result<(), String> {
    match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(there) if !there.is_file() => Err(format!("{} is no regular file", path.display())),
        Ok(_) => fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display())),
    }
}

fn all_done(what: &str, failed: &[String]) -> Result<(), String> {
    if failed.is_empty() { Ok(()) } else { Err(format!("pause-recorder: {what}: {}", failed.join("; "))) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
