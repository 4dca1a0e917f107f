//! The record of a session: a file in the project's folder of sessions, a line for each action. Each change is one write to a file
//! opened for appending, under the record's lock, after a torn last line is ended. The file may hold anything: readers skip and count
//! the lines that they cannot read. `folder` is the folder and the names in it.

mod folder;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use shared::host::{Timestamp, rfc3339};
use shared::state::{LOCK_DEADLINE, open_regular, read_regular, remove_durable, with_lock};

pub(crate) use folder::{ACTIVE_PREFIX, ARCHIVE, ENDS, JSON, MARKDOWN, Sessions, YAML, id_at, is_record_id};

/// The key of the number of actions that a full record has left out before this one.
pub(crate) const NOT_RECORDED: &str = "not_recorded";

/// The six kinds of actions.
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

/// An active record's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) modified: Timestamp,
}

impl Record {
    /// The regular file at this path.
    fn at(path: PathBuf) -> Option<Self> {
        let there = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
        let modified = there.modified().map(Timestamp::from).unwrap_or_default();
        Some(Self { path, bytes: there.len(), modified })
    }
}

/// The record begins with these actions.
pub(crate) fn begins(actions: &[Action]) -> bool {
    actions.first().is_some_and(|first| first.kind == Kind::PauseStarted)
}

/// Appends actions to the record of a session as whole lines in one write, and returns the record's id. Where the first one is
/// `PauseStarted`, the record begins, or goes on without that action. `None`: the record was finalized or discarded meanwhile.
pub(crate) fn append(
    sessions: &Sessions,
    session: &str,
    actions: Vec<Action>,
) -> Result<Option<String>, String> {
    let path = sessions.active_path(session);
    if begins(&actions) {
        sessions.open()?;
    } else if !path.exists() {
        return Ok(None);
    }
    locked(&path, || write(sessions, &path, actions))
}

/// The same for a record whose lock the caller holds.
pub(crate) fn write(
    sessions: &Sessions,
    path: &Path,
    mut actions: Vec<Action>,
) -> Result<Option<String>, String> {
    let is_start = begins(&actions);
    let unwritten = |error| failed(path, "written", &error);
    let mut file = match open_regular(path, OpenOptions::new().read(true).append(true).create(is_start)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(unwritten)?.0,
    };
    if let Some(id) = id(&file).map_err(unwritten)? {
        actions.retain(|action| action.kind != Kind::PauseStarted);
        append_lines(&mut file, &id, actions).map_err(unwritten)?;
        return Ok(Some(id));
    }
    let at = actions.first().map(|first| first.at).unwrap_or_default();
    // Under the folder's lock, so that no other record takes the same id.
    sessions.locked(|| {
        let id = sessions.free_id(at);
        let written = append_lines(&mut file, &id, actions);
        if file.metadata().is_ok_and(|there| there.len() == 0) {
            let _ = fs::remove_file(path);
        }
        written.map(|()| Some(id)).map_err(unwritten)
    })
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
    for line in BufReader::new(file.take(HEAD_BYTES)).split(b'\n') {
        if let Some(action) = action(&line?) {
            return Ok(Some(action.session_id));
        }
    }
    Ok(None)
}

fn action(line: &[u8]) -> Option<Action> {
    serde_json::from_slice(line).ok().filter(|action: &Action| is_record_id(&action.session_id))
}

/// Runs `work` while no other process changes this record.
pub(crate) fn locked<T>(path: &Path, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    with_lock(path, LOCK_DEADLINE, work).map_err(|error| format!("pause-recorder: {error}: try again"))?
}

/// Moves the record to its archive. The caller holds the record's lock.
pub(crate) fn archive(path: &Path, to: &Path) -> Result<(), String> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.and_then(|()| fs::rename(path, to)).map_err(|error| failed(to, "written", &error))
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
