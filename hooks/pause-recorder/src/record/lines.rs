//! The lines of a record as bytes. The file may hold anything: links are not followed, pipes do not block, and a long line does
//! not fill the memory.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use shared::host::Timestamp;

use super::file::Recorded;
use super::folder::is_record_id;
use super::line::Action;

/// The bytes of the longest line.
const MAX_LINE_BYTES: u64 = 1024 * 1024;

/// The bytes of the largest record that can be set, with some slack. The rest counts as one unreadable line.
const MAX_RECORD_BYTES: u64 = (1024 + 64) * 1024 * 1024;

/// The bytes in which the id is searched.
const HEAD_BYTES: u64 = 64 * 1024;

/// The bytes in which the last action is searched.
const TAIL_BYTES: u64 = 64 * 1024;

/// Opens a record for reading.
pub(super) fn open(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().read(true))
}

/// Opens an existing record for appending.
pub(super) fn open_to_append(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().read(true).append(true))
}

/// Creates a new file that only its user may read.
pub(super) fn create(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().append(true).create_new(true))
}

fn regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    unlinked(options);
    let is_link = || path.symlink_metadata().is_ok_and(|there| there.is_symlink());
    let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
    let file = match options.open(path) {
        // The error differs between systems.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists && is_link() => return Err(no_file()),
        opened => opened?,
    };
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
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

pub(super) fn read(file: &File) -> io::Result<Recorded> {
    let mut recorded = Recorded::default();
    let mut lines = Lines::of(file, MAX_RECORD_BYTES);
    while let Some(line) = lines.next()? {
        match action(line) {
            Some(action) if recorded.id.is_empty() || recorded.id == action.session_id => {
                recorded.id.clone_from(&action.session_id);
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

/// The id of the first readable line near the beginning, or else of the last one near the end.
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

/// The last readable action near the end.
pub(super) fn last(mut file: &File) -> io::Result<Option<Action>> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut tail = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut tail)?;
    Ok(tail.split(|byte| *byte == b'\n').rev().find_map(action))
}

/// The last line lacks its newline.
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

/// Iterates over the lines that are not empty.
struct Lines<'a> {
    reader: BufReader<io::Take<&'a File>>,
    line: Vec<u8>,
}

impl<'a> Lines<'a> {
    /// The lines in the next `most` bytes.
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
                // The beginning alone could parse as a line.
                self.line.truncate(1);
                return Ok(Some(&self.line));
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some(&self.line));
            }
        }
    }
}
