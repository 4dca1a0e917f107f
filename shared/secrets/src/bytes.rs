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

/// An escape sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Escape {
    /// How long it is, or 1 where there is none: what stands behind it begins a word of its own.
    pub(super) length: usize,
    /// So many backslashes it begins with. They may also stand for backslashes alone, and what follows them for itself.
    pub(super) slashes: usize,
    /// It ends a line.
    pub(super) is_break: bool,
}

/// The escape sequence that `text` begins with: `\n`, `%3D`, the colour of a terminal. A text that was quoted several times
/// has several backslashes before one letter.
pub(super) fn escape(text: &[u8]) -> Escape {
    let slashes = end_of(text, 0, |byte| byte == b'\\');
    let rest = from(text, slashes);
    let length = if slashes > 0 { slashes + escaped_len(rest, slashes % 2 == 1) } else { other_len(text) };
    Escape { length, slashes, is_break: slashes > 0 && rest.first() == Some(&b'n') }
}

/// How the byte that begins a terminal's colour is written behind a backslash.
const COLOURS: [&[u8]; 6] = [b"u001b[", b"u001B[", b"x1b[", b"x1B[", b"033[", b"e["];

/// How much of `rest` belongs to the backslashes before it.
fn escaped_len(rest: &[u8], is_odd: bool) -> usize {
    if let Some(start) = COLOURS.iter().find(|start| rest.starts_with(start)) {
        return start.len() + colour_len(from(rest, start.len()));
    }
    match rest {
        [b'n' | b'r' | b't', ..] => 1,
        [b'b' | b'f' | b'"' | b'\'' | b'/', ..] if is_odd => 1,
        [b'u', digits @ ..] if digits.len() >= 4 && are_hex(&digits[..4]) => 5,
        _ => 0,
    }
}

fn other_len(text: &[u8]) -> usize {
    match text {
        [b'%', high, low, ..] if are_hex(&[*high, *low]) => 3,
        [0x1b, b'[', rest @ ..] => 2 + colour_len(rest),
        _ => 1,
    }
}

/// How much of `rest` belongs to the colour that has begun.
fn colour_len(rest: &[u8]) -> usize {
    let parameters = end_of(rest, 0, |byte| byte.is_ascii_digit() || byte == b';');
    parameters + usize::from(rest.get(parameters).is_some_and(u8::is_ascii_alphabetic))
}

fn are_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}
