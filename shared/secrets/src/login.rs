//! `user:password@` in an address. Host and path stay.

use super::Found;
use super::bytes::{end_of, from, is_quote, is_space};
use super::value::is_placeholder;

/// A user's name without a password is a token from this length on, if it has a digit.
const MIN_TOKEN: usize = 16;

/// What is known of the run of text that the last address stood in.
#[derive(Debug, Default)]
pub(super) struct Logins {
    /// It ends here.
    run_end: usize,
    /// Up to here there is no `@`.
    none_until: usize,
}

impl Logins {
    /// The login of the address whose `://` stands at `colon`.
    pub(super) fn find(&mut self, text: &[u8], colon: usize) -> Option<Found> {
        let rest = from(text, colon);
        let start = colon + [&b"://"[..], b":\\/\\/"].iter().find(|sign| rest.starts_with(sign))?.len();
        if start >= self.run_end {
            self.run_end = end_of(text, start, |byte| {
                !is_space(byte) && !is_quote(byte) && !matches!(byte, b'<' | b'>')
            });
        }
        let host_end = end_of(&text[..self.run_end.max(start)], start, |byte| {
            !matches!(byte, b'/' | b'?' | b'#' | b'\\')
        });
        let at = last_at(text, start, host_end).or_else(|| self.beyond(text, start, host_end))?;
        is_login(&text[start..at]).then(|| Found::at(start..at))
    }

    /// A password with a slash in it, which should have been written otherwise: what stands before the slash is no host and
    /// port.
    fn beyond(&mut self, text: &[u8], start: usize, host_end: usize) -> Option<usize> {
        let (_, port) = split_at_colon(&text[start..host_end])?;
        if port.iter().all(u8::is_ascii_digit) || text[start] == b'[' || start < self.none_until {
            return None;
        }
        let at = last_at(text, host_end, self.run_end);
        if at.is_none() {
            self.none_until = self.run_end;
        }
        at
    }
}

fn last_at(text: &[u8], start: usize, end: usize) -> Option<usize> {
    let run = text.get(start..end)?;
    run.iter().rposition(|byte| *byte == b'@').map(|at| start + at)
}

fn split_at_colon(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = text.iter().position(|byte| *byte == b':')?;
    Some((&text[..colon], &text[colon + 1..]))
}

fn is_login(login: &[u8]) -> bool {
    match split_at_colon(login) {
        Some((_, password)) => !is_placeholder(password) && !login.starts_with(b"[masked"),
        None => login.len() >= MIN_TOKEN && login.iter().any(u8::is_ascii_digit),
    }
}
