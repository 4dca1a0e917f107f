//! Reading the journal back, for command lines. What is no line of ours (damaged, of somebody else, cut in half by a full disk)
//! is counted and stops nothing.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::MAX_BYTES;
use crate::digest;
use crate::host::Timestamp;
use crate::state::private_file;

/// So many characters of an id are shown: enough for people, who can give more where two begin alike.
pub const ID_SHOWN: usize = 8;

/// A longer line is none of ours, in bytes. A text has 4000 at most, and six of each if all of it has to be escaped.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// From a larger file the reader takes the newest bytes only.
const MAX_READ_BYTES: u64 = 2 * MAX_BYTES;

/// A line of the journal, as it is read and as `req log --json` prints it. What an older version did not write is null; what
/// a newer one writes is left aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// By which `req why` finds it; a beginning of it is enough.
    // A hash of the line, in hexadecimal digits.
    #[serde(skip_deserializing)]
    pub id: String,
    /// When, in UTC.
    #[serde(serialize_with = "utc", deserialize_with = "time")]
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// Which hook.
    pub hook: String,
    /// On which event; empty where there was none.
    #[serde(default)]
    pub event: String,
    /// In which project, by its root; null where it is about all of them, or an older version did not say.
    pub project: Option<String>,
    /// In which session.
    pub session: Option<String>,
    /// In which turn.
    pub prompt: Option<String>,
    /// In which subagent.
    pub agent: Option<String>,
    /// On which tool call.
    pub call: Option<String>,
    /// Of which tool.
    pub tool: Option<String>,
    /// `deny`, `ask`, `block`, `advise`, `tell`, `reply`, `let-go`, `followed`, `overridden`, `approve`, `waive`, `clear`, `pause`,
    /// `resume`, `config`, `sleep`, `judge`, `problem`, `error`; a newer version may write others.
    pub what: String,
    /// The setting behind it.
    pub rule: Option<String>,
    /// The settings behind it beside that.
    #[serde(default, deserialize_with = "lines")]
    pub also: Vec<String>,
    /// The layer that set it when it was written.
    pub layer: Option<String>,
    /// File and line where it was set then.
    pub r#where: Option<String>,
    /// Why, or what was said.
    pub text: Option<String>,
    /// What the text asks for.
    #[serde(default, deserialize_with = "lines")]
    pub next: Vec<String>,
    /// Which model was asked.
    pub model: Option<String>,
    /// A call was held up for so many milliseconds, on purpose.
    pub slept_ms: Option<u64>,
    /// A model took so many milliseconds to answer.
    pub took_ms: Option<u64>,
    /// Tokens it read.
    pub input_tokens: Option<u64>,
    /// Tokens it wrote.
    pub output_tokens: Option<u64>,
    /// What that cost, in millionths of a US dollar.
    pub cost_micro_usd: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out a reference")]
fn utc<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&at.rfc3339())
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    Timestamp::from_rfc3339(&text).ok_or_else(|| de::Error::custom("no time"))
}

fn lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
    Ok(text.lines().map(ToOwned::to_owned).collect())
}

/// The journal of a state folder. Two files of 16 MiB are its limit.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// The newest last.
    pub records: Vec<Record>,
    /// So many lines could not be read.
    pub damaged: usize,
}

impl Journal {
    /// Reads the journal of the state folder `dir`. What cannot be opened counts as empty.
    pub fn read(dir: &Path) -> Self {
        let mut journal = Self::default();
        for name in ["journal.1.jsonl", "journal.jsonl"] {
            let mut file = open(&dir.join(name));
            while let Some(line) = file.as_mut().and_then(next_line) {
                match parse(&line) {
                    _ if line.is_empty() => {}
                    Some(record) => journal.records.push(record),
                    None => journal.damaged += 1,
                }
            }
        }
        journal
    }
}

fn open(path: &Path) -> Option<BufReader<File>> {
    let mut options = OpenOptions::new();
    options.read(true);
    private_file(&mut options);
    let mut file = options.open(path).ok()?;
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let surplus = metadata.len().saturating_sub(MAX_READ_BYTES);
    file.seek(SeekFrom::Start(surplus)).ok()?;
    let mut lines = BufReader::new(file);
    if surplus > 0 {
        // The first line is most likely the rest of one.
        let _ = next_line(&mut lines);
    }
    Some(lines)
}

/// The next line without its end; of one that is too long as much as shows that it is. `None` at the end of the file.
fn next_line(lines: &mut BufReader<File>) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let read = lines.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut line).ok()?;
    if read == 0 {
        return None;
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else {
        skip_line(lines);
    }
    Some(line)
}

fn skip_line(lines: &mut BufReader<File>) {
    loop {
        let Ok(buffer) = lines.fill_buf() else { return };
        let end = memchr::memchr(b'\n', buffer).map(|end| end + 1);
        let (length, is_end) = (end.unwrap_or(buffer.len()), end.is_some() || buffer.is_empty());
        lines.consume(length);
        if is_end {
            return;
        }
    }
}

fn parse(line: &[u8]) -> Option<Record> {
    let record: Record = serde_json::from_slice(line).ok()?;
    Some(Record { id: digest::hex(line, 8), ..record })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Journal, MAX_LINE_BYTES, MAX_READ_BYTES, Record};
    use crate::host::Timestamp;
    use crate::journal::{Entry, Spent, write};
    use crate::state::Store;

    fn store() -> (tempfile::TempDir, Store) {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        (scratch, store)
    }

    /// The records, and how many lines were none.
    fn all(store: &Store) -> (Vec<Record>, usize) {
        let Journal { records, damaged } = Journal::read(store.dir());
        (records, damaged)
    }

    #[test]
    fn what_was_written_is_read() {
        let (_scratch, store) = store();
        let spent = Spent { took_ms: Some(2), input_tokens: Some(3), ..Spent::default() };
        let entry = Entry {
            hook: "a-hook",
            event: "PreToolUse",
            project: Some("/a/project"),
            session: Some("s"),
            prompt: Some("p"),
            agent: Some("a"),
            call: Some("c"),
            tool: Some("Edit"),
            what: "deny",
            rule: Some("requirements.plan"),
            also: Some("requirements.tests\nrequirements.size"),
            layer: Some("project"),
            place: Some("requirements.yaml:2"),
            text: Some("no\n\"yet\""),
            next: Some("req satisfy plan"),
            model: Some("m"),
            spent,
        };
        let now = Timestamp::from_micros(1_795_300_000_123_000);
        write(&store, now, &entry);
        let (records, damaged) = all(&store);
        let [record] = records.as_slice() else { panic!("{records:?}") };
        assert_eq!((record.at, record.id.len(), damaged), (now, 16, 0));
        assert!(record.id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{}", record.id);
        let of = |text: &Option<String>| text.clone().unwrap();
        assert_eq!(
            (record.hook.as_str(), record.event.as_str(), record.what.as_str()),
            ("a-hook", "PreToolUse", "deny")
        );
        let ids = [&record.session, &record.prompt, &record.agent, &record.call, &record.tool].map(of);
        assert_eq!(ids, ["s", "p", "a", "c", "Edit"]);
        assert_eq!(
            (&record.also[..], &record.next[..]),
            (
                &["requirements.tests", "requirements.size"].map(str::to_owned)[..],
                &["req satisfy plan".to_owned()][..]
            )
        );
        let said =
            [&record.project, &record.rule, &record.layer, &record.r#where, &record.text, &record.model]
                .map(of);
        assert_eq!(
            said,
            ["/a/project", "requirements.plan", "project", "requirements.yaml:2", "no\n\"yet\"", "m"]
        );
        assert_eq!((record.took_ms, record.input_tokens, record.slept_ms), (Some(2), Some(3), None));
    }

    #[test]
    fn an_id_is_the_same_each_time_and_another_for_another_line() {
        let (_scratch, store) = store();
        for secs in [1, 2] {
            write(
                &store,
                Timestamp::from_secs(secs),
                &Entry { hook: "a", what: "block", ..Entry::default() },
            );
        }
        let ids = || all(&store).0.into_iter().map(|record| record.id).collect::<Vec<_>>();
        assert_eq!(ids(), ids());
        assert_ne!(ids()[0], ids()[1]);
    }

    #[test]
    fn the_rotated_part_comes_first_and_what_is_no_line_of_ours_is_counted() {
        let (scratch, store) = store();
        let line = |second: u32, what: &str| {
            format!(r#"{{"at":"2026-11-21T07:46:{second:02}.681Z","hook":"h","what":"{what}","new":[1]}}"#)
        };
        let too_long = format!("{}\n", line(9, &"x".repeat(usize::try_from(MAX_LINE_BYTES).unwrap())));
        let old =
            format!("{}\n\nnot ours\n{{\"at\":\"today\",\"hook\":\"h\",\"what\":\"w\"}}\n", line(1, "first"));
        let new =
            format!("[1]\n{too_long}\u{0}\u{ff}\n{}\n{}", line(2, "second"), line(3, "third, without end"));
        fs::write(scratch.path().join("journal.1.jsonl"), old).unwrap();
        fs::write(scratch.path().join("journal.jsonl"), new).unwrap();
        let (records, damaged) = all(&store);
        let words: Vec<&str> = records.iter().map(|record| record.what.as_str()).collect();
        assert_eq!((words, damaged), (vec!["first", "second", "third, without end"], 5));
    }

    #[test]
    fn no_journal_a_folder_or_only_an_old_one_is_no_failure() {
        let (scratch, store) = store();
        assert_eq!(all(&store), (Vec::new(), 0));
        fs::create_dir(scratch.path().join("journal.jsonl")).unwrap();
        assert_eq!(all(&store), (Vec::new(), 0));
        fs::write(scratch.path().join("journal.1.jsonl"), "x\n").unwrap();
        assert_eq!(all(&store), (Vec::new(), 1));
    }

    #[test]
    fn of_a_file_that_has_grown_beyond_all_bounds_the_end_is_read() {
        let (scratch, store) = store();
        let file = scratch.path().join("journal.jsonl");
        fs::write(&file, vec![b'\n'; usize::try_from(MAX_READ_BYTES + 1000).unwrap()]).unwrap();
        let last = r#"{"at":"2026-11-21T07:46:38.681Z","hook":"h","what":"w"}"#;
        fs::write(&file, [fs::read(&file).unwrap(), format!("{last}\n").into_bytes()].concat()).unwrap();
        let (records, damaged) = all(&store);
        assert_eq!((records.len(), damaged), (1, 0));
    }
}
