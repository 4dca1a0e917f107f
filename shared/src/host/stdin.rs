//! Reading the hook's input: the first complete JSON value, under a deadline and a size limit.
//!
//! Some clients never close a hook's stdin, so waiting for its end would hang the session;
//! the value itself says where it ends.

use std::time::{Duration, Instant};

/// More input than this is refused: no tool call is that large, and a hook must not be made to swap.
pub const MAX_INPUT_BYTES: usize = 16 * 1024 * 1024;

/// How long a started but unfinished value may take.
pub const READ_DEADLINE: Duration = Duration::from_secs(2);

/// stdin ended, or stayed silent until the deadline, before a value was complete.
const INCOMPLETE: &str = "stdin held no complete JSON value";

const UNREADABLE: &str = "stdin cannot be read";

/// Reads from stdin until the first complete JSON value, its end, or the deadline. After an error the hook passes.
pub fn read_first_value() -> Result<Vec<u8>, &'static str> {
    let deadline = Instant::now() + READ_DEADLINE;
    let mut bytes = Vec::with_capacity(8 * 1024);
    let mut scanner = Scanner::default();
    loop {
        let seen = bytes.len();
        if !source::read_more(&mut bytes, deadline.saturating_duration_since(Instant::now()))? {
            return if bytes.is_empty() { Err(INCOMPLETE) } else { Ok(bytes) };
        }
        match scanner.advance(&bytes, seen) {
            Some(end) if end <= MAX_INPUT_BYTES => {
                bytes.truncate(end);
                return Ok(bytes);
            }
            None if bytes.len() <= MAX_INPUT_BYTES => {}
            _ => return Err("stdin held more than 16 MiB"),
        }
    }
}

/// Follows brackets and strings from byte to byte, so that each byte is looked at once however slowly it arrives.
#[derive(Default)]
struct Scanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Scanner {
    fn advance(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        for (offset, &byte) in bytes.iter().enumerate().skip(from) {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth <= 1 => return Some(offset + 1),
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
        }
        None
    }
}

#[cfg(unix)]
mod source {
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::{Errno, read};
    use rustix::stdio::stdin;

    use super::{INCOMPLETE, UNREADABLE};

    /// Waits for stdin to become readable, at most `patience`, and appends what is there. False: it has ended.
    pub(super) fn read_more(bytes: &mut Vec<u8>, patience: Duration) -> Result<bool, &'static str> {
        let stdin = stdin();
        let timeout = Timespec::try_from(patience).map_err(|_| INCOMPLETE)?;
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Err(INCOMPLETE),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return Err(UNREADABLE),
        }
        bytes.reserve(64 * 1024);
        match read(stdin, rustix::buffer::spare_capacity(bytes)) {
            Ok(0) => Ok(false),
            Ok(_) | Err(Errno::INTR | Errno::AGAIN) => Ok(true),
            Err(_) => Err(UNREADABLE),
        }
    }
}

#[cfg(not(unix))]
mod source {
    use std::io::Read;
    use std::time::Duration;

    use super::UNREADABLE;

    /// Appends the next block of stdin. A pipe cannot be polled here: a value that never ends waits for Claude Code's own timeout.
    pub(super) fn read_more(bytes: &mut Vec<u8>, _patience: Duration) -> Result<bool, &'static str> {
        let mut block = vec![0; 64 * 1024];
        let count = std::io::stdin().lock().read(&mut block).map_err(|_| UNREADABLE)?;
        bytes.extend_from_slice(&block[..count]);
        Ok(count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Scanner;

    #[track_caller]
    fn check(text: &str, end: Option<usize>) {
        assert_eq!(Scanner::default().advance(text.as_bytes(), 0), end, "{text}");
    }

    #[test]
    fn finds_the_end_of_the_first_value_and_ignores_what_follows() {
        check("{}", Some(2));
        check(" {\"a\": [1, {}]} trailing {", Some(15));
        check("{\"a\": \"}\"}", Some(10));
        check(r#"{"a": "\"}"}"#, Some(12));
        check(r#"{"a": "\\"}"#, Some(11));
        check("[{}]{", Some(4));
    }

    #[test]
    fn an_unfinished_value_has_no_end() {
        check("", None);
        check("{\"a\": 1", None);
        check("{\"a\": \"}", None);
        check("text only", None);
    }
}
