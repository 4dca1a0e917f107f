//! Reading the journal back, for command lines: line by line, so that memory does not grow with it. What is no line of ours
//! (damaged, of somebody else, cut in half by a full disk) is reported as such and stops nothing.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{MAX_BYTES, Spent};
use crate::digest;
use crate::host::Timestamp;
use crate::state::private_file;

/// So many characters of an id are shown: enough for people, who can give more where two begin alike.
pub const ID_SHOWN: usize = 8;

/// A longer line is none of ours, in bytes. A text has 4000 at most, and six of each if all of it has to be escaped.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// From a larger file the reader takes the newest bytes only.
const MAX_READ_BYTES: u64 = 2 * MAX_BYTES;

/// One line that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// By which a person names it: a hash of the line, in hexadecimal digits. A beginning of it is enough.
    pub id: String,
    pub at: Timestamp,
    /// A line as it was written. See [`super::Entry`] for the meaning of its fields.
    pub entry: Written,
}

/// The fields of a line, see [`super::Entry`]. What an older version did not write is absent, what a newer one writes is left
/// aside; `event` is empty where there was none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Written {
    at: String,
    pub hook: String,
    #[serde(default)]
    pub event: String,
    pub project: Option<String>,
    pub session: Option<String>,
    pub prompt: Option<String>,
    pub agent: Option<String>,
    pub call: Option<String>,
    pub tool: Option<String>,
    pub what: String,
    pub rule: Option<String>,
    pub also: Option<String>,
    pub layer: Option<String>,
    #[serde(rename = "where")]
    pub place: Option<String>,
    pub text: Option<String>,
    pub next: Option<String>,
    pub model: Option<String>,
    #[serde(flatten)]
    pub spent: Spent,
}

impl std::ops::Deref for Record {
    type Target = Written;

    fn deref(&self) -> &Written {
        &self.entry
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Record(Box<Record>),
    /// Not readable as one.
    Damaged,
}

/// The lines of a journal, the newest last.
#[derive(Debug)]
pub struct Reading {
    files: std::vec::IntoIter<PathBuf>,
    current: Option<BufReader<File>>,
}

/// Reads the journal of the state folder `dir`, the older part first. What cannot be opened counts as empty.
pub fn read(dir: &Path) -> Reading {
    let files = ["journal.1.jsonl", "journal.jsonl"].map(|name| dir.join(name));
    Reading { files: Vec::from(files).into_iter(), current: None }
}

impl Iterator for Reading {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(file) = &mut self.current {
                match next_line(file) {
                    Some(line) if line.is_empty() => continue,
                    Some(line) => {
                        return Some(
                            parse(&line).map_or(Line::Damaged, |record| Line::Record(Box::new(record))),
                        );
                    }
                    None => self.current = None,
                }
            }
            self.current = open(&self.files.next()?);
            if self.current.is_none() && self.files.len() == 0 {
                return None;
            }
        }
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
    let entry: Written = serde_json::from_slice(line).ok()?;
    let at = Timestamp::from_rfc3339(&entry.at)?;
    Some(Record { id: digest::hex(line, 8), at, entry })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Line, MAX_LINE_BYTES, MAX_READ_BYTES, Record, read};
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
        let (mut records, mut damaged) = (Vec::new(), 0);
        for line in read(store.dir()) {
            match line {
                Line::Record(record) => records.push(*record),
                Line::Damaged => damaged += 1,
            }
        }
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
            also: Some("requirements.tests"),
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
        let rules = [&record.project, &record.rule, &record.also].map(of);
        assert_eq!(rules, ["/a/project", "requirements.plan", "requirements.tests"]);
        let said = [&record.layer, &record.place, &record.text, &record.next, &record.model].map(of);
        let expected = ["project", "requirements.yaml:2", "no\n\"yet\"", "req satisfy plan", "m"];
        assert_eq!((said, record.spent), (expected.map(str::to_owned), spent));
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
