//! The records and snapshots of a project: `<root>/.claude/sessions`, with a `.gitignore` of `*`. Where `<root>/.claude` is the user's own
//! configuration folder, it is `<state>/pause-recorder/sessions`.
//!
//! A record is a file with a line for each action. Each change is one write to a file opened for appending, under the record's
//! lock, after a torn last line is ended. The file may hold anything: readers skip and count the lines that they cannot read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use shared::digest;
use shared::host::{Places, Timestamp, rfc3339};
use shared::state::{
    LOCK_DEADLINE, ensure_folder, open_regular, read_regular, remove_durable, with_lock, write_durable,
};

/// The key of the number of actions that a full record has left out before this one.
pub(crate) const NOT_RECORDED: &str = "not_recorded";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    PauseStarted,
    ToolCall,
    /// The model's last words of a turn.
    AssistantResponse,
    UserMessage,
    /// A level, a compaction, an error, a failed tool, a subagent, or the session's end.
    SystemEvent,
    PauseFinalized,
}

/// One line of a record, its keys in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Action {
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    #[serde(rename = "timestamp", with = "rfc3339")]
    pub(crate) at: Timestamp,
    /// The record's id, which the file fills in.
    pub(crate) session_id: String,
    /// Texts in it are masked and cut.
    pub(crate) data: Map<String, Value>,
    /// The share of the context window in use, 0 to 1.
    #[serde(rename = "context_percentage")]
    pub(crate) share: f64,
}

impl Action {
    /// An action with this data, an object, without its empty entries.
    pub(crate) fn new(kind: Kind, at: Timestamp, data: Value, share: f64) -> Self {
        let Value::Object(mut data) = data else { return Self::new(kind, at, json!({}), share) };
        data.retain(|_, value| !value.is_null());
        Self { kind, at, session_id: String::new(), data, share }
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.data.get(key)?.as_str()
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Recorded {
    /// The id of the first readable line; empty where there is none.
    pub(crate) id: String,
    pub(crate) actions: Vec<Action>,
    /// The lines that cannot be read; empty lines do not count.
    pub(crate) skipped_lines: u64,
}

/// The bytes of the largest record that can be set, with some slack.
const MAX_RECORD_BYTES: u64 = (1024 + 64) * 1024 * 1024;

/// The bytes at the beginning in which the id is searched.
const HEAD_BYTES: u64 = 64 * 1024;

/// The archives that one call compresses, because somebody waits for it.
const MAX_COMPRESSED: usize = 5;

/// The `.gitignore` of a folder that is ours alone.
const IGNORE_ALL: &[u8] = b"*\n";

/// The last lines of a `.gitignore` in a folder that others use, too.
const IGNORE_OURS: &[u8] = b"/.gitignore*\n/ACTIVE-PAUSE-*\n/LATEST-SESSION.txt*\n/session-*\n";

pub(crate) const ACTIVE_PREFIX: &str = "ACTIVE-PAUSE-";

/// The ends of a snapshot's file names, behind its id.
pub(crate) const JSON: &str = ".json";
pub(crate) const YAML: &str = ".yaml";
pub(crate) const MARKDOWN: &str = ".md";
pub(crate) const ARCHIVE: &str = "-incremental.jsonl";
pub(crate) const ENDS: [&str; 5] = [JSON, YAML, MARKDOWN, ARCHIVE, "-incremental.jsonl.gz"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) modified: Timestamp,
}

impl Record {
    fn at(path: PathBuf) -> Option<Self> {
        let there = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
        let modified = there.modified().map(Timestamp::from).unwrap_or_default();
        Some(Self { path, bytes: there.len(), modified })
    }
}

/// The folder, whether it exists or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sessions {
    pub(crate) dir: PathBuf,
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

    /// Creates the folder where it is missing, and makes git ignore our files in it.
    pub(crate) fn open(&self) -> Result<(), String> {
        let above = self.dir.parent().unwrap_or(&self.dir);
        // Claude Code's own folder gets the rights that the user gives new folders.
        let _ = fs::create_dir(above);
        let is_fine = is_folder(above).then_some(()).ok_or(ErrorKind::NotADirectory.into());
        let is_new = self.dir.symlink_metadata().is_err();
        let ignored = is_fine.and_then(|()| ensure_folder(&self.dir)).and_then(|()| self.ignore(is_new));
        ignored.map_err(|why| format!("{}; it must be a folder, no link", failed(&self.dir, "used", &why)))
    }

    /// A record holds prompts, so a repository's own `.gitignore` must not decide that it is committed: the last lines count. The
    /// files of others stay visible to git.
    fn ignore(&self, is_new: bool) -> io::Result<()> {
        let file = self.dir.join(".gitignore");
        // Git reads no link here, and neither do we: ours takes its place.
        let is_none = file.symlink_metadata().map_or(true, |there| there.is_symlink());
        let there = if is_none { Vec::new() } else { read_regular(&file, HEAD_BYTES)? };
        if there == IGNORE_ALL || there.ends_with(IGNORE_OURS) {
            return Ok(());
        }
        let end: &[u8] = if there.is_empty() || there.ends_with(b"\n") { b"" } else { b"\n" };
        let text = if is_new { IGNORE_ALL.to_vec() } else { [&there, end, IGNORE_OURS].concat() };
        write_durable(&file, &text)
    }

    /// The folder exists. A link, which a repository may hold, is none.
    pub(crate) fn is_usable(&self) -> bool {
        is_folder(&self.dir) && self.dir.parent().is_some_and(is_folder)
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
        let names = self.names().into_iter().filter(|name| name.starts_with(ACTIVE_PREFIX));
        let records = names.filter(|name| name.strip_suffix(".jsonl").is_some());
        records.filter_map(|name| Record::at(self.dir.join(name))).collect()
    }

    /// The ids of records that have a file with one of these ends, newest first.
    pub(crate) fn ids(&self, ends: &[&str]) -> Vec<String> {
        let id_of = |name: &String| ends.iter().find_map(|end| name.strip_suffix(end).map(str::to_owned));
        let names = self.names();
        let mut ids: Vec<String> = names.iter().filter_map(id_of).filter(|id| is_record_id(id)).collect();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        ids
    }

    fn names(&self) -> Vec<String> {
        if !self.is_usable() {
            return Vec::new();
        }
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let regular = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        regular.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    pub(crate) fn file(&self, id: &str, end: &str) -> PathBuf {
        self.dir.join(format!("{id}{end}"))
    }

    pub(crate) fn latest(&self) -> PathBuf {
        self.dir.join("LATEST-SESSION.txt")
    }

    /// A file or the folder as messages name it: relative to the project where it lies in it.
    pub(crate) fn named(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// Compresses archives of this machine that were last written before this time to `<id>-incremental.jsonl.gz`, a few in one go.
    pub(crate) fn compress_archives(
        &self,
        before: Timestamp,
        is_ours: impl Fn(&str) -> bool,
    ) -> Result<(), String> {
        let ours = self.ids(&[ARCHIVE]).into_iter().filter(|id| is_ours(id));
        let archives = ours.filter_map(|id| Record::at(self.file(&id, ARCHIVE)));
        let mut old = archives.filter(|archive| archive.modified < before).take(MAX_COMPRESSED);
        old.try_for_each(|Record { path, .. }| {
            compress(&path).map_err(|error| failed(&path, "compressed", &error))
        })
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
        let (latest, json) = (self.latest(), self.named(&self.file(id, JSON)));
        let text = format!("{id}\n\n{json}, and the same as .yaml and .md beside it.\n");
        write(&latest, &text)
    }
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|there| there.is_dir())
}

/// After a kill the archive is still there, and the next call compresses it again.
fn compress(archive: &Path) -> io::Result<()> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&read_regular(archive, MAX_RECORD_BYTES)?)?;
    write_durable(&archive.with_extension("jsonl.gz"), &encoder.finish()?)?;
    remove_durable(archive)
}

/// The id of a record that begins at this time, without the number that another of the same second has.
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

/// The record begins with these actions.
pub(crate) fn begins(actions: &[Action]) -> bool {
    actions.first().is_some_and(|first| first.kind == Kind::PauseStarted)
}

/// Appends actions to a record as whole lines in one write. Where the first one is `PauseStarted`, the record begins with a new id, or goes
/// on without that action. Nothing happens if the record was finalized or discarded meanwhile. The caller holds the record's lock.
pub(crate) fn append(
    path: &Path,
    mut actions: Vec<Action>,
    new_id: impl FnOnce() -> Result<String, String>,
) -> Result<(), String> {
    let unwritten = |error| failed(path, "written", &error);
    let is_start = begins(&actions);
    let mut file = match open_regular(path, OpenOptions::new().read(true).append(true).create(is_start)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(unwritten)?.0,
    };
    let id = match id(&file).map_err(unwritten)? {
        Some(id) => {
            actions.retain(|action| action.kind != Kind::PauseStarted);
            id
        }
        None => new_id()?,
    };
    append_lines(&mut file, &id, actions).map_err(unwritten)
}

/// Takes back a line that could not be written whole. Where even that fails, the next call ends the line.
fn append_lines(file: &mut File, id: &str, actions: Vec<Action>) -> io::Result<()> {
    let length = file.metadata()?.len();
    let (mut bytes, mut last) = (Vec::new(), *b"\n");
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != *b"\n" {
        bytes.push(b'\n');
    }
    for action in actions {
        serde_json::to_writer(&mut bytes, &Action { session_id: id.to_owned(), ..action })?;
        bytes.push(b'\n');
    }
    file.write_all(&bytes).inspect_err(|_| drop(file.set_len(length)))?;
    if length == 0 { file.sync_all() } else { Ok(()) }
}

/// Reads a record; it is empty where the file is gone.
pub(crate) fn read(path: &Path) -> Result<Recorded, String> {
    let bytes = match read_regular(path, MAX_RECORD_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        read => read.map_err(|error| failed(path, "read", &error))?,
    };
    let mut recorded = Recorded::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        match action(line) {
            Some(action) if recorded.id.is_empty() || recorded.id == action.session_id => {
                recorded.id.clone_from(&action.session_id);
                recorded.actions.push(action);
            }
            _ => recorded.skipped_lines += 1,
        }
    }
    Ok(recorded)
}

/// The id of the first readable line near the beginning.
fn id(file: &File) -> io::Result<Option<String>> {
    let lines = BufReader::new(file.take(HEAD_BYTES)).split(b'\n').collect::<io::Result<Vec<_>>>()?;
    Ok(lines.iter().find_map(|line| action(line)).map(|action| action.session_id))
}

fn action(line: &[u8]) -> Option<Action> {
    serde_json::from_slice(line).ok().filter(|action: &Action| is_record_id(&action.session_id))
}

/// Runs `work` while no other process changes this record.
pub(crate) fn locked<T>(path: &Path, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    with_lock(path, LOCK_DEADLINE, work).map_err(|error| format!("pause-recorder: {error}: try again"))?
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let written = write_durable(path, text.as_bytes());
    written.map_err(|error| failed(path, "written", &error))
}

/// Removes a file that may be gone.
pub(crate) fn remove(path: &Path) -> Result<(), String> {
    remove_durable(path).map_err(|error| failed(path, "removed", &error))
}

pub(crate) fn failed(path: &Path, what: &str, error: &io::Error) -> String {
    format!("pause-recorder: {} cannot be {what}: {error}", path.display())
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
