//! The folder of a project's records and snapshots: `<root>/.claude/sessions`, with a `.gitignore` of `*`. Where `<root>/.claude`
//! is the user's own configuration folder, it is `<state>/pause-recorder/sessions`. Only regular files with the id of a record are
//! compressed or removed.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use shared::digest;
use shared::host::{Places, Timestamp};
use shared::state::{SharedMode, ensure_folder, open_regular, read_regular, write_durable};

use super::{Record, failed, locked, read, remove};

/// The archives that one call compresses, because somebody waits for it.
const MAX_IN_ONE_GO: usize = 5;

/// The bytes of the longest archive that is compressed.
const MAX_ARCHIVE_BYTES: u64 = 32 * 1024 * 1024;

pub(crate) const ACTIVE_PREFIX: &str = "ACTIVE-PAUSE-";

/// The ends of a snapshot's file names, behind its id.
pub(crate) const JSON: &str = ".json";
pub(crate) const YAML: &str = ".yaml";
pub(crate) const MARKDOWN: &str = ".md";
pub(crate) const ARCHIVE: &str = "-incremental.jsonl";
const COMPRESSED: &str = "-incremental.jsonl.gz";
pub(crate) const ENDS: [&str; 5] = [JSON, YAML, MARKDOWN, ARCHIVE, COMPRESSED];

/// The folder, whether it exists or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sessions {
    pub(crate) dir: PathBuf,
    /// The project.
    pub(crate) root: PathBuf,
}

impl Sessions {
    /// The folder of this project; `None` where there is no project and no state folder.
    pub(crate) fn of(places: &Places) -> Option<Self> {
        let root = places.root.clone()?;
        let dir = match &places.project_claude_dir {
            Some(claude) => claude.join("sessions"),
            None => places.state_dir.as_ref()?.join("pause-recorder/sessions"),
        };
        Some(Self { dir, root })
    }

    /// Creates the folder with its `.gitignore` where they are missing. An existing `.gitignore` stays as it is.
    pub(crate) fn open(&self) -> Result<(), String> {
        let rule = "it must be a folder in the project, no link";
        let dir = self.dir.display();
        self.create().map_err(|why| format!("pause-recorder: {dir} cannot be used ({why}); {rule}"))
    }

    fn create(&self) -> io::Result<()> {
        let parent = self.dir.parent().unwrap_or(&self.dir);
        if self.is_in_project() {
            // Claude Code's own folder gets the rights that the user gives new folders.
            let _ = fs::create_dir(parent);
        }
        if !self.is_fine(parent) {
            return Err(io::Error::other("the folder above is none, or a link out of the project"));
        }
        ensure_folder(&self.dir, SharedMode::Private)?;
        let ignored =
            open_regular(&self.dir.join(".gitignore"), OpenOptions::new().append(true).create_new(true));
        match ignored.and_then(|(mut file, _)| file.write_all(b"*\n")) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            written => written,
        }
    }

    /// The folder exists, is no link, and lies inside the project.
    pub(crate) fn is_usable(&self) -> bool {
        self.dir.symlink_metadata().is_ok_and(|there| there.is_dir()) && self.is_fine(&self.dir)
    }

    fn is_in_project(&self) -> bool {
        self.dir == self.root.join(".claude/sessions")
    }

    /// The folder is in the project, through links as well; a folder in the state folder need not be.
    fn is_fine(&self, folder: &Path) -> bool {
        let (real, root) = (folder.canonicalize(), self.root.canonicalize());
        let is_inside = real.is_ok_and(|folder| root.is_ok_and(|root| folder.starts_with(root)));
        folder.is_dir() && (is_inside || !self.is_in_project())
    }

    /// The record's file of a session, whether it exists or not. Nobody can guess the name, because session ids are random.
    pub(crate) fn active_path(&self, session: &str) -> PathBuf {
        self.dir.join(format!("{ACTIVE_PREFIX}{}.jsonl", digest::hex(session, 4)))
    }

    pub(crate) fn active(&self, session: &str) -> Option<Record> {
        Record::at(self.active_path(session)).filter(|_| self.is_usable())
    }

    /// All active records by name, including those of strangers.
    pub(crate) fn actives(&self) -> Vec<Record> {
        let is_active =
            |name: &&String| name.starts_with(ACTIVE_PREFIX) && name.strip_suffix(".jsonl").is_some();
        self.names().iter().filter(is_active).filter_map(|name| Record::at(self.dir.join(name))).collect()
    }

    /// The ids of records that have a file with one of these ends, newest first.
    pub(crate) fn ids(&self, ends: &[&str]) -> Vec<String> {
        let id_of = |name: &String| ends.iter().find_map(|end| name.strip_suffix(end).map(str::to_owned));
        let mut ids: Vec<String> =
            self.names().iter().filter_map(id_of).filter(|id| is_record_id(id)).collect();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        ids
    }

    /// The names of regular files.
    fn names(&self) -> Vec<String> {
        if !self.is_usable() {
            return Vec::new();
        }
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let regular = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        regular.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// The file of this record or snapshot with this end.
    pub(crate) fn file(&self, id: &str, end: &str) -> PathBuf {
        self.dir.join(format!("{id}{end}"))
    }

    /// The pointer to the latest snapshot.
    pub(crate) fn latest(&self) -> PathBuf {
        self.dir.join("LATEST-SESSION.txt")
    }

    /// The folder as messages name it.
    pub(crate) fn told(&self) -> String {
        self.told_of(&self.dir)
    }

    /// A file as messages name it: relative to the project where it lies in it.
    pub(crate) fn told_of(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// Runs `work` while no other process begins a record or changes `LATEST-SESSION.txt`.
    pub(crate) fn locked<T>(&self, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        locked(&self.dir.join("ACTIVE-PAUSE"), work)
    }

    /// An unused id for a record that begins now. The caller holds the folder's lock.
    pub(super) fn free_id(&self, at: Timestamp) -> String {
        let mut used = self.ids(&ENDS);
        used.extend(self.actives().iter().filter_map(|record| Some(read(&record.path).ok()?.id)));
        let first = id_at(at);
        let mut numbered = (2..).map(|number| format!("{first}-{number}"));
        if used.contains(&first) { numbered.find(|id| !used.contains(id)).unwrap_or(first) } else { first }
    }

    /// Compresses archives of this machine that were last written before this time to `<id>-incremental.jsonl.gz`, a few in one go.
    pub(crate) fn compress_archives(
        &self,
        before: Timestamp,
        is_ours: impl Fn(&str) -> bool,
    ) -> Result<(), String> {
        let ours = self.ids(&[ARCHIVE]).into_iter().filter(|id| is_ours(id));
        let archives = ours.filter_map(|id| Record::at(self.file(&id, ARCHIVE)));
        let is_old = |archive: &Record| archive.modified < before && archive.bytes <= MAX_ARCHIVE_BYTES;
        archives.filter(is_old).take(MAX_IN_ONE_GO).try_for_each(|archive| compress(&archive.path))
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
fn compress(archive: &Path) -> Result<(), String> {
    let compressed = || {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&read_regular(archive, MAX_ARCHIVE_BYTES)?)?;
        let compressed = PathBuf::from(format!("{}.gz", archive.display()));
        write_durable(&compressed, &encoder.finish()?, SharedMode::Private)?;
        fs::remove_file(archive)
    };
    locked(archive, || match compressed() {
        // Another session was faster.
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(archive, "compressed", &error)),
        _ => Ok(()),
    })
}

/// The id of a record that begins at this time.
pub(crate) fn id_at(at: Timestamp) -> String {
    let digits: String = at.rfc3339().chars().filter(char::is_ascii_digit).take(14).collect();
    format!("session-{}-{}", &digits[..8], &digits[8..])
}

/// The text is `session-YYYYMMDD-HHMMSS`, with a number behind it where two records began in one second.
pub(crate) fn is_record_id(id: &str) -> bool {
    let lengths: Vec<usize> = id.split('-').map(str::len).collect();
    let digits = id.strip_prefix("session-").unwrap_or_default();
    digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        && matches!(lengths[..], [7, 8, 6] | [7, 8, 6, 1..=9])
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
