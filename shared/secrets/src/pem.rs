//! Private keys between `BEGIN` and `END`, whole, cut off, or written into one line with `\n`.

use memchr::memmem::find as position;

use super::{Found, end_of, is_space};

pub(super) const KIND: &str = "private key";

const DASHES: &[u8] = b"-----";
const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// A key that has its end is not longer, in bytes.
const MAX_KEY: usize = 32 * 1024;

/// A name between the dashes is not longer.
const MAX_LABEL: usize = 64;

/// The private key that begins here.
pub(super) fn find(text: &[u8], at: usize) -> Option<Found> {
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
    Some(Found { place: at..end, kind: KIND })
}

/// Base64, a header of a key, or what stands around its lines in code.
fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || is_space(byte) || b"+/=_.\\\"',:|>-#*".contains(&byte)
}
