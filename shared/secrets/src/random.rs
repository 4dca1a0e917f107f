//! What looks as if nobody had thought of it: a long run in which capitals, small letters and digits change places too often
//! and rare letters are not rare. Paths, names and words do the opposite on both counts.

use std::ops::Range;

use super::Found;
use super::bytes::{end_of, from, is_base64};

/// A run that stands alone is not looked at below this, in bytes.
const MIN_ALONE: usize = 32;

/// Evidence that a run must have, in tenths of a bit.
const MIN_EVIDENCE: i64 = 100;

/// And in tenths of a bit per byte: a long path must not add up to a secret.
const MIN_EVIDENCE_PER_BYTE: i64 = 3;

/// A run with fewer different bytes is a pattern.
const MIN_DIFFERENT: u32 = 12;

/// Hexadecimal digits between separators from this length on are a hash or a part of one, and are evidence of nothing.
const MIN_HASH: usize = 4;

/// How much more often a letter stands in a random run than in a word, in tenths of a bit, from `a` to `z`.
const RARENESS: [i64; 26] =
    [-11, 14, 5, -2, -16, 7, 9, -6, -9, 53, 25, -1, 6, -9, -10, 11, 53, -6, -7, -12, 4, 18, 9, 43, 9, 58];

/// Of two neighbours one is a capital, a small letter or a digit and the other is not: every second time in a random run,
/// every seventh in a name.
const CHANGE: i64 = 17;

/// They are of one kind.
const NO_CHANGE: i64 = -8;

/// Ids that the client and its interface give to messages and calls, and other sides to theirs.
const IDS: [&[u8]; 7] = [b"toolu_", b"srvtoolu_", b"msg_", b"req_", b"call_", b"session_", b"chatcmpl-"];

/// A longer one is none.
const MAX_ID: usize = 48;

/// How far runs were looked at.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// With the slashes in them.
    whole: usize,
    /// From slash to slash.
    part: usize,
}

impl Runs {
    /// The run that begins with this word, if it looks random: with all its slashes, or up to the first.
    pub(super) fn find(&mut self, text: &[u8], word: &Range<usize>) -> Option<Found> {
        let goes_on = matches!(text.get(word.end), Some(b'+' | b'/'));
        if word.len() < MIN_ALONE && !goes_on || is_id(&text[word.clone()]) {
            return None;
        }
        let (mut whole, mut part) = (None, None);
        if word.start >= self.whole {
            self.whole = end_of(text, word.start, is_base64);
            whole = Some(word.start..self.whole);
        }
        if word.start >= self.part {
            self.part = end_of(text, word.start, |byte| is_base64(byte) && byte != b'/');
            part = Some(word.start..self.part);
        }
        let is_random = |run: &Range<usize>| run.len() >= MIN_ALONE && looks_random(&text[run.clone()]);
        let run = whole.filter(is_random).or_else(|| part.filter(is_random))?;
        Some(Found::at(run.start..run.end + padding(from(text, run.end))))
    }
}

fn is_id(word: &[u8]) -> bool {
    word.len() <= MAX_ID && IDS.iter().any(|id| word.starts_with(id))
}

/// The `=` or `==` at the end of base64.
fn padding(rest: &[u8]) -> usize {
    rest.iter().take(2).take_while(|byte| **byte == b'=').count()
}

/// The run looks random. Hexadecimal digits alone do not count: commits, checksums and UUIDs are written so.
pub(super) fn looks_random(run: &[u8]) -> bool {
    let separators = run.iter().filter(|byte| !byte.is_ascii_alphanumeric()).count();
    let has_digit = run.iter().any(u8::is_ascii_digit);
    if separators * 6 > run.len() || !has_digit || different(run) < MIN_DIFFERENT {
        return false;
    }
    let pieces = run.split(|byte| !byte.is_ascii_alphanumeric());
    let (mut evidence, mut bytes) = (0, 0_usize);
    for piece in pieces.filter(|piece| !is_hash(piece)) {
        evidence += evidence_of(piece);
        bytes += piece.len();
    }
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    evidence > MIN_EVIDENCE.max(bytes.saturating_mul(MIN_EVIDENCE_PER_BYTE))
}

fn different(run: &[u8]) -> u32 {
    run.iter().fold(0_u128, |seen, byte| seen | 1 << (byte & 0x7f)).count_ones()
}

/// Hexadecimal digits of one case, as `0x...` too; very short ones are ambiguous.
fn is_hash(piece: &[u8]) -> bool {
    let digits = piece.strip_prefix(b"0x").unwrap_or(piece);
    let is_hex = |is_letter: fn(&u8) -> bool| {
        digits.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_hexdigit() && is_letter(byte))
    };
    (piece.len() >= MIN_HASH || digits.len() < piece.len())
        && (is_hex(u8::is_ascii_lowercase) || is_hex(u8::is_ascii_uppercase))
}

fn evidence_of(piece: &[u8]) -> i64 {
    let letters = piece.iter().filter(|byte| byte.is_ascii_alphabetic());
    let rareness: i64 = letters.map(|letter| RARENESS[usize::from(letter.to_ascii_lowercase() - b'a')]).sum();
    let change = |pair: &[u8]| if kind(pair[0]) == kind(pair[1]) { NO_CHANGE } else { CHANGE };
    rareness + piece.windows(2).map(change).sum::<i64>()
}

const fn kind(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        _ => 2,
    }
}
