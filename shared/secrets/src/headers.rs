//! HTTP headers whose value is not one word: credentials behind the name of their scheme, and cookies.

use std::ops::Range;

use super::bytes::{end_of, from, has_hump, is_blank, is_quote, is_space, is_word, skip_blanks};
use super::value::{Start, Style, inside, is_placeholder, read};

/// More of a value is not looked at to tell what it is.
const MAX_LOOK: usize = 64;

/// Credentials of `Basic` that stand alone are not shorter, in bytes.
const MIN_BASIC: usize = 12;

/// What `Authorization` may begin with.
const SCHEMES: [&str; 12] = [
    "basic",
    "bearer",
    "digest",
    "token",
    "apikey",
    "api-key",
    "negotiate",
    "hawk",
    "oauth",
    "ntlm",
    "splunk",
    "aws4-hmac-sha256",
];

/// The credentials of `Authorization: Scheme credentials`, or the one word that stands there instead.
pub(super) fn authorization(text: &[u8], name: &Range<usize>, start: Start) -> Option<Range<usize>> {
    let at = inside(text, start.at);
    let first = word_at(text, at);
    if SCHEMES.iter().any(|scheme| first.eq_ignore_ascii_case(scheme.as_bytes())) {
        let rest = skip_blanks(text, at + first.len());
        return is_credential(word_at(text, rest)).then(|| rest..end_of_header(text, name, start));
    }
    (start.style != Style::Bare && is_credential(first)).then(|| read(text, start).place)
}

/// The credentials behind a scheme's name, wherever it stands.
pub(super) fn credentials(text: &[u8], scheme: &Range<usize>, start: Start) -> Option<Range<usize>> {
    if start.style != Style::Bare {
        return None;
    }
    let place = read(text, start).place;
    let credential = &text[place.clone()];
    let is_basic = text[scheme.clone()].ends_with(b"c") || text[scheme.clone()].ends_with(b"C");
    let is_base64 = || credential.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte));
    (is_credential(credential) && (!is_basic || credential.len() >= MIN_BASIC && is_base64()))
        .then_some(place)
}

/// All of a cookie line, if it is one: `name=value` at least.
pub(super) fn cookie(text: &[u8], name: &Range<usize>, start: Start) -> Option<Range<usize>> {
    let at = inside(text, start.at);
    let rest = from(text, at);
    let key = end_of(&rest[..rest.len().min(MAX_LOOK)], 0, |byte| is_word(byte) || byte == b'.');
    let has_value = rest.get(key + 1).is_some_and(|byte| !is_space(*byte) && *byte != b'=');
    let is_cookie = key > 0 && rest.get(key) == Some(&b'=') && has_value;
    let is_named = start.style != Style::Bare || text[..name.start].ends_with(b"--");
    (is_cookie && is_named).then(|| at..end_of_header(text, name, start))
}

/// A header goes on to the end of its line, or of the quotation it stands in.
fn end_of_header(text: &[u8], name: &Range<usize>, start: Start) -> usize {
    let value = read(text, start);
    if value.is_quoted {
        return value.place.end;
    }
    let opening = name.start.checked_sub(1).map(|before| text[before]).filter(|before| is_quote(*before));
    let mut at = start.at;
    while let Some(byte) = text.get(at) {
        let is_escaped = *byte == b'\\' && matches!(text.get(at + 1), Some(b'n' | b'r' | b'"'));
        if matches!(byte, b'\n' | b'\r') || is_escaped || Some(*byte) == opening {
            break;
        }
        at += 1;
    }
    let blanks = text[start.at..at].iter().rev().take_while(|byte| is_blank(**byte)).count();
    at - blanks
}

/// The word that begins here, as far as it matters.
fn word_at(text: &[u8], at: usize) -> &[u8] {
    let rest = from(text, at);
    let rest = &rest[..rest.len().min(MAX_LOOK)];
    &rest[..end_of(rest, 0, |byte| !is_space(byte) && !is_quote(byte))]
}

/// No word of a sentence: it has a digit, a sign that words have not, or capitals inside.
fn is_credential(word: &[u8]) -> bool {
    let has_sign = word.iter().any(|byte| byte.is_ascii_digit() || matches!(byte, b'=' | b'+' | b'/' | b'_'));
    word.len() >= 6 && !is_placeholder(word) && (has_sign || has_hump(word) || word.len() >= 24)
}
