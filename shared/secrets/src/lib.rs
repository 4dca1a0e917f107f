//! Replaces secrets before a text is kept or given to somebody else.
//!
//! A text is read once, byte by byte, in time proportional to its length; no pattern engine, nothing to set up. It goes by
//! form alone: a known beginning, an address, a telling name. A random text without any of these is kept, and so is the password
//! on a command line that only its program knows. Where the two errors cannot both be avoided the text loses: a journal with a
//! hole is still a journal.
//!
//! - `scan`: one pass over a text, and `user:password@` in addresses
//! - `tokens`: keys and tokens known by how they begin
//! - `named`: what stands behind a telling name
//! - `pem`: private keys

use std::borrow::Cow;
use std::ops::Range;

mod named;
mod pem;
mod scan;
mod tokens;

/// Replacement of a secret.
const MASK: &str = "[masked]";

/// A text that still changes in this pass is given up: nothing of it is kept.
const MAX_PASSES: usize = 4;

/// The text with `[masked]`, or `[masked: kind]`, in the place of what looks like a secret; the text itself where nothing
/// does. What was masked once stays as it is: masking it again changes nothing.
///
/// Mask first and cut afterwards: of a secret that was cut in half the rest may look like nothing.
///
/// Commit ids, checksums and UUIDs are kept, although a key can be written in hexadecimal digits too: they are in every
/// other line of what is worth keeping. Behind a telling name (`secret=`) they are masked.
pub fn masked(text: &str) -> Cow<'_, str> {
    let Some(mut clean) = scan::pass(text) else { return Cow::Borrowed(text) };
    // A mask ends words that went on before; a second look at what is left makes sure that nothing new has come of it.
    for _ in 1..MAX_PASSES {
        match scan::pass(&clean) {
            None => return Cow::Owned(clean),
            Some(cleaner) => clean = cleaner,
        }
    }
    Cow::Borrowed(MASK)
}

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    /// Range in bytes.
    place: Range<usize>,
    /// Kind in a word or two for people; empty if unknown.
    kind: &'static str,
}

/// The length of the mask that `text` begins with.
fn mask_len(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"[masked")?;
    if rest.first() == Some(&b']') {
        return Some(MASK.len());
    }
    let rest = rest.strip_prefix(b": ")?;
    let is_here = |kind: &&str| rest.strip_prefix(kind.as_bytes()).is_some_and(|rest| rest.starts_with(b"]"));
    let kind = tokens::kinds().chain([pem::KIND]).find(is_here)?;
    Some(MASK.len() + 2 + kind.len())
}

/// Part of a name or a token: letters, digits, `_` and `-`. Only ASCII ends anything here, so no place is ever inside a
/// character.
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
