//! Private keys between `BEGIN` and `END`, whole, cut off, or written into one line with `\n`.

use memchr::memchr2;
use memchr::memmem::find;

use super::Found;
use super::bytes::{end_of, from, is_space};

pub(super) const KIND: &str = "private key";

const DASHES: &[u8] = b"-----";
const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// A key that has its end is not longer, in bytes.
const MAX_KEY: usize = 32 * 1024;

/// A name between the dashes is not longer.
const MAX_LABEL: usize = 64;

/// Nor is a line of a key that is cut off.
const MAX_LINE: usize = 1024;

/// A shorter line is of a key only behind a longer one.
const MIN_LINE: usize = 16;

/// Where the next signs stand, so that each is looked for once.
#[derive(Debug, Default)]
pub(super) struct Keys {
    begin: usize,
    end: usize,
}

impl Keys {
    /// The private key that begins here.
    pub(super) fn find(&mut self, text: &[u8], at: usize) -> Option<Found> {
        let label = from(text, at).strip_prefix(BEGIN)?;
        let length = find(&label[..label.len().min(MAX_LABEL)], DASHES)?;
        find(&label[..length], b"PRIVATE KEY")?;
        let body = at + BEGIN.len() + length + DASHES.len();
        let end = self.end(text, body).unwrap_or_else(|| end_of_lines(text, body));
        Some(Found { place: at..end, kind: KIND })
    }

    /// Behind the sign that ends the key whose body begins here; `None` if the next sign is another key's or far away.
    fn end(&mut self, text: &[u8], body: usize) -> Option<usize> {
        let next = |known: usize, sign| if known >= body { known } else { position(text, body, sign) };
        self.begin = next(self.begin, BEGIN);
        self.end = next(self.end, END);
        let is_own = self.end < self.begin && self.end < text.len() && self.end - body <= MAX_KEY;
        is_own.then(|| {
            let label = self.end + END.len();
            let label = end_of(text, label, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
            end_of(text, label, |byte| byte == b'-')
        })
    }
}

/// Where the sign stands; the text's end if it stands nowhere.
fn position(text: &[u8], start: usize, sign: &[u8]) -> usize {
    find(from(text, start), sign).map_or(text.len(), |at| start + at)
}

/// Where the lines end that can be of a key.
fn end_of_lines(text: &[u8], body: usize) -> usize {
    let (mut end, mut at, mut is_inside) = (body, body, true);
    while at < text.len() && is_inside {
        let (line_end, next) = line(text, at);
        let longest = text[at..line_end].split(|byte| is_space(*byte)).map(<[u8]>::len).max().unwrap_or(0);
        is_inside = is_of_key(&text[at..line_end], longest, end > body);
        if is_inside && longest > 0 {
            end = line_end;
        }
        at = next;
    }
    end
}

/// Where the line that begins here ends, and where the next one begins.
fn line(text: &[u8], at: usize) -> (usize, usize) {
    let rest = from(text, at);
    let rest = &rest[..rest.len().min(MAX_LINE)];
    match memchr2(b'\n', b'\\', rest) {
        Some(end) if rest[end] == b'\n' => (at + end, at + end + 1),
        Some(end) => (at + end, (at + end + 2).min(text.len())),
        None => (at + rest.len(), at + rest.len()),
    }
}

/// Nothing, base64, or a header such as `Proc-Type: 4,ENCRYPTED`.
fn is_of_key(line: &[u8], longest: usize, is_inside: bool) -> bool {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let is_margin =
        |byte: &u8| is_space(*byte) || matches!(byte, b'"' | b'\'' | b',' | b'|' | b'>' | b'-' | b'+');
    let is_body = line.iter().all(|byte| is_base64(byte) || is_margin(byte));
    let is_header = || {
        find(line, b": ")
            .is_some_and(|colon| line[..colon].iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-'))
    };
    longest == 0 || is_body && (longest >= MIN_LINE || is_inside) || !is_inside && is_header()
}
