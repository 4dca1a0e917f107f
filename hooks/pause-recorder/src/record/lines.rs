//! The lines of a record, as bytes: whatever else stands in the file, each line of ours in it is read. Links are not followed,
//! pipes not waited for, and nothing is taken into memory that is longer than what is written here.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use shared::host::Timestamp;

use super::action::{Action, Kind};
use super::file::Recorded;
use super::folder::is_record_id;

/// A longer line is none of ours, in bytes.
const MAX_LINE_BYTES: u64 = 1024 * 1024;

/// What is behind these bytes counts as one line that cannot be read: the largest record that can be set, and some slack.
const MAX_RECORD_BYTES: u64 = (1024 + 64) * 1024 * 1024;

/// Whose record it is, is looked for in so many bytes: what is in the folder may be anybody's, and of any length.
const HEAD_BYTES: u64 = 64 * 1024;

/// The last action is looked for in so many bytes.
const TAIL_BYTES: u64 = 64 * 1024;

/// Opens a record for reading.
pub(super) fn open(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().read(true))
}

/// Opens a record that is there: what is written goes to its end.
pub(super) fn open_to_append(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().read(true).append(true))
}

/// Makes a file that was not there, for its user alone.
pub(super) fn create(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().append(true).create_new(true))
}

fn regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    unlinked(options);
    let is_link = || path.symlink_metadata().is_ok_and(|there| there.is_symlink());
    let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
    let file = match options.open(path) {
        // What the system calls it differs.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists && is_link() => return Err(no_file()),
        opened => opened?,
    };
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
}

/// The two files hold the same. They are read side by side, in pieces.
pub(super) fn are_same(one: &File, other: &File) -> io::Result<bool> {
    let (length, others) = (one.metadata()?.len(), other.metadata()?.len());
    if length != others {
        return Ok(false);
    }
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (here, there) = (one.fill_buf()?, other.fill_buf()?);
        let most = here.len().min(there.len());
        if most == 0 {
            return Ok(here.is_empty() && there.is_empty());
        }
        if here[..most] != there[..most] {
            return Ok(false);
        }
        one.consume(most);
        other.consume(most);
    }
}

#[cfg(unix)]
fn unlinked(options: &mut OpenOptions) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    options.mode(0o600).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
}

/// Links need rights of their own here.
#[cfg(not(unix))]
fn unlinked(_options: &mut OpenOptions) {}

/// Everything that can be read.
pub(super) fn read(file: &File) -> io::Result<Recorded> {
    let mut recorded = Recorded::default();
    let mut lines = Lines::of(file, MAX_RECORD_BYTES);
    while let Some(line) = lines.next()? {
        match action(line) {
            Some(action) if recorded.id.is_empty() || recorded.id == action.session_id => {
                recorded.id.clone_from(&action.session_id);
                if recorded.session.is_empty() {
                    session_of(&action).unwrap_or_default().clone_into(&mut recorded.session);
                }
                recorded.actions.push(action);
            }
            _ => recorded.skipped_lines += 1,
        }
    }
    if file.metadata()?.len() > MAX_RECORD_BYTES {
        recorded.skipped_lines += 1;
    }
    Ok(recorded)
}

/// The id of the record: that of the first line that can be read near its beginning, or else of the last one near its end.
pub(super) fn id(mut file: &File) -> io::Result<Option<String>> {
    file.seek(SeekFrom::Start(0))?;
    let mut lines = Lines::of(file, HEAD_BYTES);
    while let Some(line) = lines.next()? {
        if let Some(action) = action(line) {
            return Ok(Some(action.session_id));
        }
    }
    Ok(last(file)?.map(|action| action.session_id))
}

/// The client's session, as the first line names it.
pub(super) fn session(file: &File) -> Option<String> {
    let mut lines = Lines::of(file, HEAD_BYTES);
    let first = action(lines.next().ok()??)?;
    session_of(&first).map(str::to_owned)
}

/// The last action that can be read, if it is near the end.
pub(super) fn last(mut file: &File) -> io::Result<Option<Action>> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut tail = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut tail)?;
    Ok(tail.split(|byte| *byte == b'\n').rev().find_map(action))
}

/// The last line was not written to its end.
pub(super) fn is_torn(mut file: &File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

fn action(line: &[u8]) -> Option<Action> {
    let line = line.trim_ascii_start();
    if line.first() != Some(&b'{') {
        return None;
    }
    let action: Action = serde_json::from_slice(line).ok()?;
    let is_ours = is_record_id(&action.session_id) && Timestamp::from_rfc3339(&action.timestamp).is_some();
    is_ours.then_some(action)
}

fn session_of(action: &Action) -> Option<&str> {
    if action.kind != Kind::PauseStarted {
        return None;
    }
    action.data.get("initial_state")?.get("claude_session_id")?.as_str()
}

/// One line after the other, without those that are empty.
struct Lines<'a> {
    reader: BufReader<io::Take<&'a File>>,
    line: Vec<u8>,
}

impl<'a> Lines<'a> {
    /// Those in the next so many bytes.
    fn of(file: &'a File, most: u64) -> Self {
        Self { reader: BufReader::new(file.take(most)), line: Vec::new() }
    }

    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            self.line.clear();
            if (&mut self.reader).take(MAX_LINE_BYTES).read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            if self.line.len() as u64 == MAX_LINE_BYTES && !self.line.ends_with(b"\n") {
                self.reader.skip_until(b'\n')?;
                // Its beginning alone could look like a line of ours.
                self.line.truncate(1);
                return Ok(Some(&self.line));
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some(&self.line));
            }
        }
    }
}
