//! The lines of a file from the last to the first, read in growing pieces from its end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The first piece: the newest results of a working turn are in it, and reading more costs page faults.
const FIRST_PIECE: u64 = 16 * 1024;

/// Maximum distance from the end; lines further back are unknown.
pub const MAX_TAIL_BYTES: u64 = 4 * 1024 * 1024;

/// The end of a file, growing towards its beginning as long as somebody asks for more lines.
pub(super) struct Tail {
    file: File,
    /// Position of `buffer` in the file.
    start: u64,
    buffer: Vec<u8>,
    /// The end of the lines not given out yet, within `buffer`.
    rest: usize,
    limit: u64,
}

impl Tail {
    /// Opens a regular file at its end; nothing further from it than `most` bytes is read.
    pub(super) fn open(path: &Path, most: u64) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        let file = File::open(path)?;
        let end = file.metadata()?.len();
        Ok(Self { file, start: end, buffer: Vec::new(), rest: 0, limit: end.saturating_sub(most) })
    }

    /// The line before the last one given out, without its end; `None` at the limit or the beginning of the file.
    pub(super) fn previous_line(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(Some(&self.buffer[line]));
            }
            if !self.grow()? {
                return Ok(None);
            }
        }
    }

    /// The beginning of the file has been reached: there are no more lines, known or unknown.
    pub(super) fn is_at_beginning(&self) -> bool {
        self.start == 0
    }

    fn take_line(&mut self) -> Option<std::ops::Range<usize>> {
        let text = &self.buffer[..self.rest];
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let begin = match memchr::memrchr(b'\n', text) {
            Some(newline) => newline + 1,
            None if self.start == 0 && !text.is_empty() => 0,
            None => return None,
        };
        let line = begin..text.len();
        self.rest = begin;
        Some(line)
    }

    fn grow(&mut self) -> io::Result<bool> {
        if self.start <= self.limit {
            return Ok(false);
        }
        let wanted = FIRST_PIECE.max(self.buffer.len() as u64);
        let start = self.start.saturating_sub(wanted).max(self.limit);
        let length = self.start - start;
        let mut piece = Vec::with_capacity(usize::try_from(length).unwrap_or_default() + self.rest);
        self.file.seek(SeekFrom::Start(start))?;
        (&self.file).take(length).read_to_end(&mut piece)?;
        piece.extend_from_slice(&self.buffer[..self.rest]);
        self.rest = piece.len();
        self.buffer = piece;
        self.start = start;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{FIRST_PIECE, MAX_TAIL_BYTES, Tail};

    fn lines_of(text: &str) -> Vec<String> {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("t.jsonl");
        fs::write(&path, text).unwrap();
        let mut tail = Tail::open(&path, MAX_TAIL_BYTES).unwrap();
        let mut lines = Vec::new();
        while let Some(line) = tail.previous_line().unwrap() {
            lines.push(String::from_utf8(line.to_vec()).unwrap());
        }
        lines
    }

    #[test]
    fn gives_lines_from_the_last_to_the_first() {
        assert_eq!(lines_of("a\nb\nc\n"), ["c", "b", "a"]);
        assert_eq!(lines_of("a\nb\ntorn"), ["torn", "b", "a"]);
        assert_eq!(lines_of("a"), ["a"]);
        assert_eq!(lines_of(""), Vec::<String>::new());
        assert_eq!(lines_of("a\n\nb\n"), ["b", "", "a"]);
    }

    #[test]
    fn lines_longer_than_a_piece_come_whole() {
        let long = "x".repeat(usize::try_from(FIRST_PIECE).unwrap() * 3 + 17);
        assert_eq!(lines_of(&format!("first\n{long}\nlast\n")), ["last", &long, "first"]);
    }

    #[test]
    fn stops_at_the_limit_and_says_that_more_is_unknown() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("t.jsonl");
        let line = format!("{}\n", "y".repeat(999));
        fs::write(&path, line.repeat(usize::try_from(MAX_TAIL_BYTES).unwrap() / 1000 + 100)).unwrap();
        let mut tail = Tail::open(&path, MAX_TAIL_BYTES).unwrap();
        let mut count = 0;
        while tail.previous_line().unwrap().is_some() {
            count += 1;
        }
        assert!(!tail.is_at_beginning());
        assert_eq!(count, MAX_TAIL_BYTES / 1000);
    }
}
