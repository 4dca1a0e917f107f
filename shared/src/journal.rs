//! The journal: actions of each hook with their reasons, JSON lines in `<state>/journal.jsonl`. `req log` and `req why` read it.
//!
//! Our own words only: never a tool's input or output, a setting's value, or anything from the environment. A text may quote
//! a project's own words, or the name of a tool or skill; so every text is masked (see [`secrets`]) before it is cut.
//! One write of a whole line to an appending file; 8 MiB, then the old one is kept once as `journal.1.jsonl`.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest;
use crate::host::{Places, Timestamp};
use crate::protocol::Call;
use crate::state::{Store, open_regular, read_regular, with_lock};
use secrets::masked;

/// The journal is rotated at this size, in bytes.
pub const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// So many characters of an id are shown: enough for people, who can give more where two begin alike.
pub const ID_SHOWN: usize = 8;

/// A longer text is cut, in bytes: a denial may list what twenty rules want, and whoever writes a longer one does not fill our disk.
const MAX_TEXT_BYTES: usize = 8000;

/// A line of the journal, as `req log --json` prints it. What is unknown is null, and left out in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// Id by which `req why` finds it; a beginning of it is enough.
    // A hash of the line, in hexadecimal digits.
    #[serde(skip_deserializing)]
    pub id: String,
    /// Time in UTC.
    #[serde(with = "crate::host::rfc3339")]
    pub at: Timestamp,
    /// Name of the hook.
    pub hook: String,
    /// Event; empty where there was none.
    pub event: String,
    /// Root of the project; null where it is about all of them.
    pub project: Option<String>,
    /// Id of the session.
    pub session: Option<String>,
    /// Id of the turn.
    pub prompt: Option<String>,
    /// Id of the subagent.
    pub agent: Option<String>,
    /// Id of the tool call.
    pub call: Option<String>,
    /// Name of the tool; nothing of its input.
    pub tool: Option<String>,
    /// `deny`, `ask`, `block`, `advise`, `reply`, `sleep`, `judge`; `tell`: what holds, at a session's start; `let-go`: a gate
    /// allowed it for the reason in `text`; `followed`, `overridden`: the reaction to an earlier block or advice of `rule`;
    /// `approve`, `waive`, `clear`, `pause`, `resume`, `switch`, `config`: an action of the user; `problem`, `error`. A newer version may
    /// write others.
    pub what: String,
    /// Key of the setting behind it, as it stands in a file.
    pub rule: Option<String>,
    /// Keys of the other settings behind it.
    pub also: Vec<String>,
    /// File, line and layer where each of them was set then.
    pub also_where: Vec<String>,
    /// Layer that set it when the line was written.
    pub layer: Option<String>,
    /// File and line where it was set then.
    pub r#where: Option<String>,
    /// Reason, or text of the verdict.
    pub text: Option<String>,
    /// Next steps in the text.
    pub next: Vec<String>,
    /// Model of a question.
    pub model: Option<String>,
    /// Deliberate delay of a call, in milliseconds.
    pub slept_ms: Option<u64>,
    /// Time of the model's answer, in milliseconds.
    pub took_ms: Option<u64>,
    /// Tokens that the model read.
    pub input_tokens: Option<u64>,
    /// Tokens that the model wrote.
    pub output_tokens: Option<u64>,
    /// Cost in millionths of a US dollar; 0 with a subscription.
    pub cost_micro_usd: Option<u64>,
}

impl Record {
    pub fn of(what: &str, text: impl Into<String>) -> Self {
        Self { what: what.to_owned(), text: Some(text.into()), ..Self::default() }
    }

    /// The same of this hook, event and call.
    #[must_use]
    pub fn about(self, hook: &str, event: &str, places: &Places, call: &Call) -> Self {
        Self {
            hook: hook.to_owned(),
            event: event.to_owned(),
            project: places.root.as_deref().map(project_name),
            session: call.session_id.clone(),
            prompt: call.prompt_id.clone(),
            agent: call.agent_id.clone(),
            ..self
        }
    }
}

/// A journal that cannot be written is no reason for anything.
pub fn write(store: &Store, now: Timestamp, record: Record) {
    let file = store.dir().join("journal.jsonl");
    rotate(&file);
    let Ok(Value::Object(mut line)) = serde_json::to_value(Record { at: now, ..record }) else { return };
    line.retain(|key, value| key != "id" && !value.is_null());
    line.values_mut().for_each(mask_and_cut);
    let line = format!("{}\n", Value::Object(line));
    if let Ok((mut file, _)) = open_regular(&file, OpenOptions::new().create(true).append(true)) {
        let _ = file.write_all(line.as_bytes());
    }
}

/// A project as lines name it: the real path of its root, which tells nothing of a tool's input.
pub fn project_name(root: &Path) -> String {
    let real = root.canonicalize();
    let path = real.as_deref().unwrap_or(root).to_string_lossy();
    kept(&path)
}

fn mask_and_cut(value: &mut Value) {
    match value {
        Value::String(text) => *text = kept(text),
        Value::Array(list) => list.iter_mut().for_each(mask_and_cut),
        _ => {}
    }
}

/// The text as it may lie on the disk: masked, then cut behind a whole character.
fn kept(text: &str) -> String {
    let text = masked(text);
    let end = (0..=MAX_TEXT_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or(0)].to_owned()
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

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// The newest last.
    pub records: Vec<Record>,
    /// So many lines are none of ours: damaged, of somebody else, cut in half by a full disk.
    pub damaged: usize,
}

impl Journal {
    /// Reads the journal of the state folder `dir`. What cannot be opened counts as empty.
    pub fn read(dir: &Path) -> Self {
        let mut journal = Self::default();
        for name in ["journal.1.jsonl", "journal.jsonl"] {
            // Many writers may find it not yet full.
            let text = read_regular(&dir.join(name), 2 * MAX_BYTES).unwrap_or_default();
            for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                match serde_json::from_slice::<Record>(line) {
                    Ok(record) if !record.what.is_empty() && record.at != Timestamp::default() => {
                        journal.records.push(Record { id: digest::hex(line, 8), ..record });
                    }
                    _ => journal.damaged += 1,
                }
            }
        }
        journal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::store;

    /// The record as it is read back.
    fn written(record: Record) -> Record {
        let (_scratch, store) = store();
        write(&store, Timestamp::from_secs(1), record);
        let Journal { records, damaged } = Journal::read(store.dir());
        assert_eq!((records.len(), damaged), (1, 0));
        records.into_iter().next().unwrap()
    }

    #[test]
    fn a_secret_is_masked_everywhere_also_where_a_text_is_cut() {
        let secret = format!("password={}", "a1B2".repeat(6));
        for left in [MAX_TEXT_BYTES, 30, 20, 10, 0] {
            let before = "x".repeat(MAX_TEXT_BYTES - left);
            let said = format!("{before} {secret} {}", "é".repeat(MAX_TEXT_BYTES));
            let text = written(Record::of("advise", said)).text.unwrap();
            assert!(!text.contains("a1B2") && text.len() + 1 >= MAX_TEXT_BYTES, "{text}");
            assert!(text.len() <= MAX_TEXT_BYTES, "{}", text.len());
        }
        let some = Some(secret.clone());
        let (rule, r#where, model, next) = (some.clone(), some.clone(), some.clone(), vec![secret]);
        let read = written(Record { rule, r#where, model, tool: some, next, ..Record::of("deny", "") });
        for field in [read.rule, read.r#where, read.model, read.tool, read.next.first().cloned()] {
            assert_eq!(field.as_deref(), Some("password=[masked]"));
        }
    }

    #[test]
    fn a_project_has_one_name_whichever_way_it_is_reached() {
        let scratch = tempfile::tempdir().unwrap();
        let real = scratch.path().canonicalize().unwrap().join("project");
        fs::create_dir(&real).unwrap();
        let around = scratch.path().join("project/../project");
        assert_eq!(project_name(&around), real.display().to_string());
        let gone = Path::new("/no/such/password=a1B2a1B2a1B2a1B2a1B2a1B2");
        assert_eq!(project_name(gone), "/no/such/password=[masked]");
    }

    #[test]
    fn a_full_journal_is_kept_once() {
        let (_scratch, store) = store();
        let file = store.dir().join("journal.jsonl");
        fs::write(&file, vec![b'\n'; usize::try_from(MAX_BYTES).unwrap()]).unwrap();
        write(&store, Timestamp::from_secs(1), Record::of("block", ""));
        write(&store, Timestamp::from_secs(2), Record::of("block", ""));
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
        assert_eq!(fs::metadata(store.dir().join("journal.1.jsonl")).unwrap().len(), MAX_BYTES);
    }

    #[test]
    fn the_rotated_part_comes_first_and_a_line_of_no_hook_is_counted() {
        let (_scratch, store) = store();
        let at = "2026-11-21T07:46:01.681Z";
        let line = |what: &str| format!(r#"{{"at":"{at}","hook":"h","what":"{what}","new":[1]}}"#);
        let old = [&line("first"), "", "not ours", r#"{"at":"today","hook":"h","what":"w"}"#, ""].join("\n");
        let new = format!("[1]\n\u{0}\u{ff}\n{{}}\n{}\n{}", line("second"), line("third, without end"));
        fs::write(store.dir().join("journal.1.jsonl"), old).unwrap();
        fs::write(store.dir().join("journal.jsonl"), new).unwrap();
        let Journal { records, damaged } = Journal::read(store.dir());
        let words: Vec<&str> = records.iter().map(|record| record.what.as_str()).collect();
        assert_eq!((words, damaged), (vec!["first", "second", "third, without end"], 5));
    }

    #[test]
    fn parallel_writers_leave_whole_lines() {
        let (_scratch, store) = store();
        let write = || write(&store, Timestamp::from_secs(1), Record::of("block", "x".repeat(500)));
        std::thread::scope(|scope| {
            (0..8).for_each(|_| drop(scope.spawn(|| (0..50).for_each(|_| write()))));
        });
        let Journal { records, damaged } = Journal::read(store.dir());
        assert_eq!((records.len(), damaged), (400, 0));
    }
}
