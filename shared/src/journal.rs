//! What each hook did and why: JSON lines in `<state>/journal.jsonl`, the record behind `req log` and `req why`.
//!
//! Our own words only: never a tool's input or output, a setting's value, or anything from the environment.
//! One write of a whole line to an appending file; 8 MiB, then the old one is kept once as `journal.1.jsonl`.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::host::Timestamp;
use crate::state::{Store, private_file, with_lock};

/// The journal is rotated at this size, in bytes.
pub const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// A longer text is cut, in bytes.
const MAX_TEXT_BYTES: usize = 1000;

/// One line.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Entry<'a> {
    /// Which hook.
    pub hook: &'a str,
    /// On which event.
    pub event: &'a str,
    /// In which session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<&'a str>,
    /// In which turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<&'a str>,
    /// In which subagent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<&'a str>,
    /// On which tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<&'a str>,
    /// `block`, `deny`, `ask`, `advise`, `let-go`, `problem`, `error`, `switch`.
    pub what: &'a str,
    /// The setting behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'a str>,
    /// Why, or what was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
}

#[derive(Serialize)]
struct Dated<'a> {
    at: String,
    #[serde(flatten)]
    entry: &'a Entry<'a>,
}

/// Appends `entry`. A journal that cannot be written is no reason for anything.
pub fn write(store: &Store, now: Timestamp, entry: &Entry<'_>) {
    let file = store.dir().join("journal.jsonl");
    rotate(&file);
    let entry = &Entry { text: entry.text.map(shortened), ..entry.clone() };
    let Ok(mut line) = serde_json::to_vec(&Dated { at: now.rfc3339(), entry }) else { return };
    line.push(b'\n');
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    private_file(&mut options);
    if let Ok(mut file) = options.open(&file) {
        let _ = file.write_all(&line);
    }
}

/// What was said may be a project's own long text; the journal keeps how it began.
fn shortened(text: &str) -> &str {
    let end = (0..=MAX_TEXT_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

fn rotate(file: &PathBuf) {
    let is_full = || fs::metadata(file).is_ok_and(|metadata| metadata.len() >= MAX_BYTES);
    if is_full() {
        let _ = with_lock(file, Duration::ZERO, || {
            if is_full() {
                let _ = fs::rename(file, file.with_file_name("journal.1.jsonl"));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Entry, MAX_BYTES, write};
    use crate::host::Timestamp;
    use crate::state::Store;

    const ENTRY: Entry<'_> = Entry {
        hook: "a-hook",
        event: "Stop",
        session: Some("s"),
        prompt: None,
        agent: None,
        call: None,
        what: "block",
        rule: None,
        text: Some("line\nbreak"),
    };

    #[test]
    fn an_entry_is_one_line_with_a_date() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        write(&store, Timestamp::from_micros(1_795_300_000_123_456), &ENTRY);
        assert_eq!(
            fs::read_to_string(scratch.path().join("journal.jsonl")).unwrap(),
            "{\"at\":\"2026-11-21T22:26:40.123Z\",\"hook\":\"a-hook\",\"event\":\"Stop\",\"session\":\"s\",\
             \"what\":\"block\",\"text\":\"line\\nbreak\"}\n"
        );
    }

    #[test]
    fn a_full_journal_is_kept_once() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        let file = scratch.path().join("journal.jsonl");
        fs::write(&file, vec![b'\n'; usize::try_from(MAX_BYTES).unwrap()]).unwrap();
        write(&store, Timestamp::from_secs(1), &ENTRY);
        write(&store, Timestamp::from_secs(2), &ENTRY);
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
        assert_eq!(fs::metadata(scratch.path().join("journal.1.jsonl")).unwrap().len(), MAX_BYTES);
    }

    #[test]
    fn parallel_writers_leave_whole_lines() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope
                    .spawn(|| (0..50).for_each(|number| write(&store, Timestamp::from_secs(number), &ENTRY)));
            }
        });
        let text = fs::read_to_string(scratch.path().join("journal.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 400);
        assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    }
}
