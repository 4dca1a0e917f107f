//! What each hook did and why: JSON lines in `<state>/journal.jsonl`, the record behind `req log` and `req why`.
//!
//! Our own words only: never a tool's input or output, a setting's value, or anything from the environment. What was said
//! may quote a project's own words, or the name of a tool or skill; so it is masked (see [`crate::secrets`]) before it is
//! cut. Ids are the client's: they are kept, up to a length.
//! One write of a whole line to an appending file; 8 MiB, then the old one is kept once as `journal.1.jsonl`.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::host::Timestamp;
use crate::secrets::masked;
use crate::state::{Store, private_file, with_lock};

/// The journal is rotated at this size, in bytes.
pub const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// A longer text is cut, in bytes.
const MAX_TEXT_BYTES: usize = 1000;

/// A longer id is cut, in bytes. The client's have 36 at most; whoever writes a longer one does not fill our disk.
const MAX_ID_BYTES: usize = 200;

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
    let (text, rule) = (entry.text.map(masked), entry.rule.map(masked));
    let entry = &Entry {
        event: id(entry.event),
        session: entry.session.map(id),
        prompt: entry.prompt.map(id),
        agent: entry.agent.map(id),
        call: entry.call.map(id),
        // What was said may be a project's own long text; the journal keeps how it began.
        text: text.as_deref().map(|text| start(text, MAX_TEXT_BYTES)),
        rule: rule.as_deref().map(id),
        ..*entry
    };
    let Ok(mut line) = serde_json::to_vec(&Dated { at: now.rfc3339(), entry }) else { return };
    line.push(b'\n');
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    private_file(&mut options);
    if let Ok(mut file) = options.open(&file) {
        let _ = file.write_all(&line);
    }
}

fn id(id: &str) -> &str {
    start(id, MAX_ID_BYTES)
}

/// The first so many bytes, whole characters only.
fn start(text: &str, max_bytes: usize) -> &str {
    let end = (0..=max_bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
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

    use serde_json::Value;

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

    fn written(entry: &Entry<'_>) -> Value {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        write(&store, Timestamp::from_secs(1), entry);
        serde_json::from_slice(&fs::read(scratch.path().join("journal.jsonl")).unwrap()).unwrap()
    }

    #[test]
    fn a_secret_is_masked_in_text_and_rule_also_where_the_text_is_cut() {
        let secret = "a1B2".repeat(6);
        let said = |before: usize| format!("{} password={secret} {}", "x".repeat(before), "y".repeat(2000));
        for before in [0, 970, 980, 990, 1000] {
            let text =
                written(&Entry { text: Some(&said(before)), ..ENTRY })["text"].as_str().unwrap().to_owned();
            assert!(!text.contains("a1B2") && text.len() == 1000, "{text}");
            assert!(before > 970 || text.contains(" password=[masked] y"), "{text}");
        }
        let rule = format!("per_skill.token={secret}");
        assert_eq!(written(&Entry { rule: Some(&rule), ..ENTRY })["rule"], "per_skill.token=[masked]");
    }

    #[test]
    fn an_id_is_kept_as_it_is_up_to_a_length() {
        let uuid = "bf41c52e-72c4-4f61-aed6-2ac9c7e341c4";
        let (fits, too_long) = ("é".repeat(100), "é".repeat(200));
        for (id, kept) in [(uuid, uuid), (&fits, &fits), (&too_long, &fits)] {
            let some = Some(id);
            let entry = Entry {
                event: id,
                session: some,
                prompt: some,
                agent: some,
                call: some,
                rule: some,
                ..ENTRY
            };
            let line = written(&entry);
            for field in ["event", "session", "prompt", "agent", "call", "rule"] {
                assert_eq!(line[field], kept, "{field}");
            }
        }
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
