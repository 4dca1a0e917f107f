//! Replaces secrets before a text is kept or given to somebody else.
//!
//! A text is read once, byte by byte, in time proportional to its length; no pattern engine, nothing to set up. It goes by
//! form alone: a known beginning, an address, a telling name. A random text without any of these is kept, and so is the password
//! on a command line that only its program knows. Where the two errors cannot both be avoided the text loses: a journal with a
//! hole is still a journal.
//!
//! - `tokens`: keys and tokens known by how they begin
//! - `named`: what stands behind a telling name

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::find as position;

mod named;
mod tokens;

const MASK: &str = "[masked]";

/// A text that still changes in this pass is given up: nothing of it is kept.
const MAX_PASSES: usize = 4;

/// A user's name without a password is a token from this length on, if it has a digit.
const MIN_LOGIN_TOKEN: usize = 16;

/// The text with `[masked]`, or `[masked: kind]`, in the place of what looks like a secret; the text itself where nothing
/// does. What was masked once stays as it is: masking it again changes nothing.
///
/// Mask first and cut afterwards: of a secret that was cut in half the rest may look like nothing.
///
/// Commit ids, checksums and UUIDs are kept, although a key can be written in hexadecimal digits too: they are in every
/// other line of what is worth keeping. Behind a telling name (`secret=`) they are masked.
pub fn masked(text: &str) -> Cow<'_, str> {
    let Some(mut clean) = pass(text) else { return Cow::Borrowed(text) };
    // A mask ends words that went on before; a second look at what is left makes sure that nothing new has come of it.
    for _ in 1..MAX_PASSES {
        match pass(&clean) {
            None => return Cow::Owned(clean),
            Some(cleaner) => clean = cleaner,
        }
    }
    Cow::Borrowed(MASK)
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    place: Range<usize>,
    /// Kind in a word or two for people; empty if unknown.
    kind: &'static str,
}

/// One pass from left to right: the text without its secrets; `None`: it has none. Each look moves on by at least one byte.
fn pass(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let (mut at, mut copied, mut clean) = (0, 0, String::new());
    while at < bytes.len() {
        let (found, next) = look(bytes, at);
        at = next;
        if let Some(Found { place, kind }) = found {
            clean.push_str(text.get(copied..place.start).unwrap_or_default());
            let parts = if kind.is_empty() { [MASK, "", ""] } else { ["[masked: ", kind, "]"] };
            clean.push_str(&parts.concat());
            (at, copied) = (place.end, place.end);
        }
    }
    (copied > 0).then(|| clean + text.get(copied..).unwrap_or_default())
}

/// Finding at this place, and the place to go on where there is none.
fn look(text: &[u8], at: usize) -> (Option<Found>, usize) {
    match text[at] {
        b'-' => (private_key(text, at), at + 1),
        b':' => (login(text, at), at + 1),
        b'[' => (None, at + mask_len(&text[at..]).unwrap_or(1)),
        byte if is_word(byte) => {
            let word = at..end_of(text, at, is_word);
            (tokens::find(text, &word).or_else(|| named::find(text, &word)), word.end)
        }
        _ => (None, at + 1),
    }
}

/// `user:password@`, or a token and `@`, behind the `://` of an address. Host and path stay.
fn login(text: &[u8], colon: usize) -> Option<Found> {
    let rest = &text[colon..];
    let start = colon + [&b"://"[..], b":\\/\\/"].iter().find(|sign| rest.starts_with(sign))?.len();
    let is_host = |byte: u8| !is_space(byte) && !is_quote(byte) && !b"/?#\\<>".contains(&byte);
    let login = &text[start..end_of(text, start, is_host)];
    let login = &login[..login.iter().rposition(|byte| *byte == b'@')?];
    let is_secret = match login.iter().position(|byte| *byte == b':') {
        Some(colon) => !named::is_placeholder(&login[colon + 1..]) && mask_len(login).is_none(),
        None => login.len() >= MIN_LOGIN_TOKEN && login.iter().any(u8::is_ascii_digit),
    };
    is_secret.then(|| Found { place: start..start + login.len(), kind: "" })
}

const PRIVATE_KEY: &str = "private key";

const DASHES: &[u8] = b"-----";
const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// A key that has its end is not longer, in bytes.
const MAX_KEY: usize = 32 * 1024;

/// A name between the dashes is not longer.
const MAX_LABEL: usize = 64;

/// The private key between `BEGIN` and `END` that begins here: whole, cut off, or written into one line with `\n`.
fn private_key(text: &[u8], at: usize) -> Option<Found> {
    let label = text[at..].strip_prefix(BEGIN)?;
    let length = position(&label[..label.len().min(MAX_LABEL)], DASHES)?;
    position(&label[..length], b"PRIVATE KEY")?;
    let body = at + BEGIN.len() + length + DASHES.len();
    let near = &text[body..text.len().min(body + MAX_KEY)];
    let end = match position(near, END) {
        Some(end) => {
            let label_at = body + end + END.len();
            let has_label = text[label_at..].starts_with(&label[..length + DASHES.len()]);
            label_at + if has_label { length + DASHES.len() } else { 0 }
        }
        // A key that is cut off goes on as long as the text could be one.
        None => end_of(text, body, is_of_key),
    };
    Some(Found { place: at..end, kind: PRIVATE_KEY })
}

/// Base64, a header of a key, or what stands around its lines in code.
fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || is_space(byte) || b"+/=_.\\\"',:|>-#*".contains(&byte)
}

/// The length of the mask that `text` begins with.
fn mask_len(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"[masked")?;
    if rest.first() == Some(&b']') {
        return Some(MASK.len());
    }
    let rest = rest.strip_prefix(b": ")?;
    let is_here = |kind: &&str| rest.strip_prefix(kind.as_bytes()).is_some_and(|rest| rest.starts_with(b"]"));
    let kind = tokens::kinds().chain([PRIVATE_KEY]).find(is_here)?;
    Some(MASK.len() + 2 + kind.len())
}

/// Part of a name or token: ASCII letters, digits, `_` and `-`; so no place is ever inside a character.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// White space of any kind, or what nobody types.
const fn is_space(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// End of the characters that `belongs`, from `at` on.
fn end_of(text: &[u8], at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests;
