//! One pass over a text, from left to right. What is found is replaced and not looked at again; whatever is not found moves
//! the pass on by at least one byte.

use super::{Found, end_of, is_quote, is_space, is_word, mask_len, named, pem, tokens};

/// A user's name without a password is a token from this length on, if it has a digit.
const MIN_LOGIN_TOKEN: usize = 16;

/// The text without what was found; `None` where nothing was.
pub(super) fn pass(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let (mut at, mut copied, mut clean) = (0, 0, String::new());
    while at < bytes.len() {
        let (found, next) = look(bytes, at);
        let Some(Found { place, kind }) = found else {
            at = next;
            continue;
        };
        clean.push_str(text.get(copied..place.start).unwrap_or_default());
        clean.push_str("[masked");
        if !kind.is_empty() {
            clean.push_str(": ");
            clean.push_str(kind);
        }
        clean.push(']');
        (at, copied) = (place.end, place.end);
    }
    (copied > 0).then(|| clean + text.get(copied..).unwrap_or_default())
}

/// Finding at this place, or the place to go on.
fn look(text: &[u8], at: usize) -> (Option<Found>, usize) {
    match text[at] {
        b'-' => (pem::find(text, at), at + 1),
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
    let is_host = |byte: u8| {
        !is_space(byte) && !is_quote(byte) && !matches!(byte, b'/' | b'?' | b'#' | b'\\' | b'<' | b'>')
    };
    let host_end = end_of(text, start, is_host);
    let login = &text[start..host_end];
    let login = &login[..login.iter().rposition(|byte| *byte == b'@')?];
    let is_secret = match login.iter().position(|byte| *byte == b':') {
        Some(colon) => !named::is_placeholder(&login[colon + 1..]) && mask_len(login).is_none(),
        None => login.len() >= MIN_LOGIN_TOKEN && login.iter().any(u8::is_ascii_digit),
    };
    is_secret.then(|| Found { place: start..start + login.len(), kind: "" })
}
