//! What belongs to a word, in bytes. Only ASCII ends anything here, so no place is ever inside a character.

/// Part of a name or a token: letters, digits, `_` and `-`.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Part of a word, or a dot.
pub(super) const fn is_dotted(byte: u8) -> bool {
    is_word(byte) || byte == b'.'
}

/// A blank on a line.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// White space of any kind, or what nobody types.
pub(super) const fn is_space(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

/// A quotation mark.
pub(super) const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Of base64, in either alphabet, without padding.
pub(super) const fn is_base64(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'+' | b'/')
}

/// It has a capital behind a small letter, as `camelCase` has.
pub(super) fn has_hump(word: &[u8]) -> bool {
    word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Where what `belongs` ends, from `at` on.
pub(super) fn end_of(text: &[u8], at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len())
}

/// Where the first byte that is no blank stands, from `at` on.
pub(super) fn skip_blanks(text: &[u8], at: usize) -> usize {
    end_of(text, at, is_blank)
}

/// The text from `at` on; empty beyond its end.
pub(super) fn from(text: &[u8], at: usize) -> &[u8] {
    text.get(at..).unwrap_or_default()
}

/// How long the escape sequence is that `text` begins with, or 1 where it begins with none: what stands behind `\n`, `%3D`
/// or the colour of a terminal begins a word of its own.
pub(super) fn escape_len(text: &[u8]) -> usize {
    let are_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match text {
        [b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'"' | b'\'' | b'\\' | b'/', ..] => 2,
        [b'\\', b'u', digits @ ..] if digits.len() >= 4 && are_hex(&digits[..4]) => 6,
        [b'%', high, low, ..] if are_hex(&[*high, *low]) => 3,
        [0x1b, b'[', rest @ ..] => {
            let parameters = end_of(rest, 0, |byte| byte.is_ascii_digit() || byte == b';');
            2 + parameters + usize::from(rest.get(parameters).is_some_and(u8::is_ascii_alphabetic))
        }
        _ => 1,
    }
}
