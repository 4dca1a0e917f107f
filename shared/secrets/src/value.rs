//! What is assigned to a name: how it is written, how far it goes, and whether it is a secret rather than a word, a type, a
//! variable or a call.

use std::ops::Range;

use super::bytes::{end_of, from, is_blank, is_quote, is_space, is_word, skip_blanks};
use super::mask_len;

/// What these names are given is no secret: types, states, and the words a sentence goes on with.
const WORDS: &str = "a an and any are as auto basic bearer bool boolean bytes char default disabled empty enabled expired \
    false field file flag for from has if in include int integer invalid is it missing must nil no none \
    not null number object of omit on option optional or prompt required rotate same-origin self so \
    stdin str string text that the this to true undefined varchar was yes";

/// More of a value is not looked at to tell what it is; a longer one is no word.
const MAX_WORD: usize = 64;

/// How a value stands behind its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `name=value`, as in a shell, an address or a file of settings.
    Tight,
    /// `name: value`, `name = value`.
    Loose,
    /// `name == value`, `"name", "value"`: only what is quoted is the value itself.
    Quoted,
    /// `name value`.
    Bare,
    /// `<name>value</name>`.
    Element,
}

/// Where a value stands, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) style: Style,
    /// It begins here, with its quotation mark if it has one.
    pub(super) at: usize,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) style: Style,
    /// Without its quotation marks.
    pub(super) place: Range<usize>,
    pub(super) is_quoted: bool,
}

/// Where a value stands behind this name, if one does.
pub(super) fn behind(text: &[u8], name: &Range<usize>) -> Option<Start> {
    let name_end = after_closing(text, name.end);
    let sign = skip_blanks(text, name_end);
    let (style, length) = sign_of(text, name, name_end, sign)?;
    let at = skip_blanks(text, sign + length);
    let is_loose = style == Style::Tight && at > name_end + length;
    Some(Start { style: if is_loose { Style::Loose } else { style }, at })
}

/// The value that begins here.
pub(super) fn read(text: &[u8], start: Start) -> Value {
    let Start { style, at } = start;
    if let Some((inner, end)) = quoted(text, at) {
        return Value { style, place: inner..end, is_quoted: true };
    }
    let end = match style {
        Style::Element => element_end(text, at),
        Style::Quoted => at,
        Style::Tight | Style::Loose | Style::Bare => unquoted_end(text, at),
    };
    Value { style, place: at..end, is_quoted: false }
}

/// Up to the tag that closes the element; nothing where none does.
fn element_end(text: &[u8], at: usize) -> usize {
    let end = end_of(text, at, |byte| byte != b'<' && byte != b'\n');
    if from(text, end).starts_with(b"</") { end } else { at }
}

/// The value is quoted: where its content begins.
pub(super) fn inside(text: &[u8], at: usize) -> usize {
    quoted_start(text, at).map_or(at, |(start, _, _)| start)
}

/// Behind the name's own quotation mark, as in `"name": ...` and `map['name'] = ...`.
fn after_closing(text: &[u8], at: usize) -> usize {
    let mark = end_of(text, at, |byte| byte == b'\\');
    let at = if text.get(mark).copied().is_some_and(is_quote) { mark + 1 } else { at };
    at + usize::from(text.get(at) == Some(&b']'))
}

/// How the value is joined to its name, and how long the sign is.
fn sign_of(text: &[u8], name: &Range<usize>, name_end: usize, sign: usize) -> Option<(Style, usize)> {
    let is_quoted = name_end > name.end;
    let is_element = || name.start > 0 && matches!(text[name.start - 1], b'<' | b':');
    match from(text, sign) {
        [b':', b':', ..] => None,
        [b':' | b'+', b'=', ..] | [b'=', b'>', ..] => Some((Style::Loose, 2)),
        [b'=' | b'!', b'=', b'=', ..] => Some((Style::Quoted, 3)),
        [b'=' | b'!', b'=', ..] => Some((Style::Quoted, 2)),
        [b'=', ..] => Some((Style::Tight, 1)),
        [b'%', b'3', b'D' | b'd', ..] => Some((Style::Tight, 3)),
        [b':', ..] => Some((Style::Loose, 1)),
        [b',', ..] if is_quoted => Some((Style::Quoted, 1)),
        [b'>', ..] if is_element() => Some((Style::Element, 1)),
        _ if sign > name_end && !is_quoted => Some((Style::Bare, 0)),
        _ => None,
    }
}

/// What stands in quotation marks here, without them.
fn quoted(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let (start, mark, is_escaped) = quoted_start(text, at)?;
    Some((start, closing(text, start, mark, is_escaped)))
}

/// Where what is quoted here begins, in which marks, and whether they are escaped: plain ones, escaped ones, three at once,
/// with a letter before them.
fn quoted_start(text: &[u8], at: usize) -> Option<(usize, u8, bool)> {
    let has_letter =
        matches!(from(text, at), [b'b' | b'f' | b'r' | b'u' | b'$' | b'@', mark, ..] if is_quote(*mark));
    let slashes = at + usize::from(has_letter);
    let mark_at = end_of(text, slashes, |byte| byte == b'\\');
    let mark = *text.get(mark_at).filter(|byte| is_quote(**byte))?;
    let is_triple = from(text, mark_at).starts_with(&[mark; 3]);
    Some((mark_at + if is_triple { 3 } else { 1 }, mark, mark_at > slashes))
}

/// Where the quotation ends; at the end of the line where nobody ends it.
fn closing(text: &[u8], start: usize, mark: u8, is_escaped: bool) -> usize {
    let mut at = start;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' if is_escaped && text.get(at + 1) == Some(&mark) => return at,
            b'\\' => at += 1,
            byte if *byte == mark => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// A value without quotation marks goes on to the next blank, quote or escaped line break, or to the sign that separates
/// it from the next of its kind.
fn unquoted_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    while let Some(&byte) = text.get(end) {
        let ends = match byte {
            byte if is_space(byte) || is_quote(byte) => true,
            b'\\' => matches!(text.get(end + 1), Some(b'n' | b'r' | b't' | b'"')),
            b'&' | b';' | b',' => separates(text, end),
            _ => false,
        };
        if ends {
            break;
        }
        end += 1;
    }
    let closers = text[start..end].iter().rev().take_while(|byte| b")]},;.".contains(byte));
    let without = end - closers.count();
    // A mask ends in a bracket of its own.
    if without > start || end == start { closed(text, start, without, end) } else { end }
}

fn closed(text: &[u8], start: usize, without: usize, end: usize) -> usize {
    let opens = text[start..without].iter().filter(|byte| matches!(byte, b'(' | b'[' | b'{')).count();
    (without + opens).min(end)
}

/// The sign at `at` stands between two assignments or commands, not inside a value.
fn separates(text: &[u8], at: usize) -> bool {
    let next = end_of(text, at + 1, |byte| byte == b'&');
    match text.get(next) {
        None => true,
        Some(byte) if is_space(*byte) || is_quote(*byte) => true,
        Some(_) => {
            let name = end_of(text, next, |byte| is_word(byte) || byte == b'.');
            name > next && matches!(text.get(name), Some(b'=' | b':'))
        }
    }
}

/// Nothing that is kept secret: a word from the list, a variable, a template, a mask.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    value.len() <= MAX_WORD && (is_reference(value) || mask_len(value).is_some() || is_listed(value))
}

fn is_reference(value: &[u8]) -> bool {
    match value {
        [b'$', name @ ..] | [b'%', name @ .., b'%'] | [b'{', name @ .., b'}'] if is_variable(name) => true,
        [b'<', .., b'>'] | [] | [b'$', b'{' | b'(', ..] | [b'{', b'{', ..] | [b'%', b'(', ..] => true,
        [first, rest @ ..] => !first.is_ascii_digit() && rest.iter().all(|byte| byte == first),
    }
}

/// Small letters and digits together are rather a password that begins with a `$`.
fn is_variable(name: &[u8]) -> bool {
    let has = |is_one: fn(&u8) -> bool| name.iter().any(is_one);
    name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && has(u8::is_ascii_alphabetic)
        && !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit))
}

fn is_listed(value: &[u8]) -> bool {
    let value = value.strip_suffix(b".").unwrap_or(value);
    WORDS.split(' ').any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// It has letters only, as a word has, or a name of several words.
pub(super) fn is_wordlike(value: &[u8]) -> bool {
    value.len() < MAX_WORD
        && value.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.'))
}

/// It has digits only.
pub(super) fn is_number(value: &[u8]) -> bool {
    value.iter().all(u8::is_ascii_digit)
}

/// A call or an index, whose result is not known here.
pub(super) fn is_call(value: &[u8]) -> bool {
    let is_path = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'!' | b'?');
    let name = end_of(value, 0, is_path);
    let opened = match from(value, name) {
        [b'(' | b'[', ..] if value[..name].ends_with(b"!") => true,
        [b'[', .., b']'] => true,
        [b'(', rest @ ..] => rest.is_empty() || rest.contains(&b')') || value[..name].contains(&b'.'),
        _ => false,
    };
    value.len() <= MAX_WORD && name > 0 && opened
}

/// A type, a reference, a list: what begins or is built as only code is.
pub(super) fn is_code(value: &[u8]) -> bool {
    let is_generic = || value[0].is_ascii_uppercase() && value.contains(&b'<');
    let is_path = || value.windows(2).any(|pair| pair == b"::");
    let is_number_type =
        matches!(value, [b'u' | b'i' | b'f', size @ ..] if size.len() < 4 && is_number(size));
    let is_sigil = matches!(value, [b'&' | b'*' | b'[' | b'{' | b'(' | b'|' | b'!' | b'<', ..]);
    value.len() <= MAX_WORD && (is_sigil || is_number_type || is_generic() || is_path())
}

/// Nothing stands before the name on its line but what lists and settings begin a line with.
pub(super) fn begins_line(text: &[u8], name: usize) -> bool {
    let before = &text[name.saturating_sub(MAX_WORD)..name];
    let path = before.iter().rev().take_while(|byte| is_word(**byte) || **byte == b'.').count();
    let mut margin = before[..before.len() - path].iter().rev();
    let is_margin = |byte: &&u8| {
        is_blank(**byte) || is_quote(**byte) || matches!(**byte, b'{' | b'-' | b'+' | b'>' | b'|')
    };
    match margin.find(|byte| !is_margin(byte)) {
        None => before.len() == name,
        Some(byte) => *byte == b'\n',
    }
}

/// Nothing but closing brackets, a separator or a comment stands behind it on its line.
pub(super) fn ends_line(text: &[u8], end: usize) -> bool {
    let closers =
        end_of(text, end, |byte| matches!(byte, b',' | b';' | b')' | b']' | b'}') || is_quote(byte));
    let rest = from(text, end_of(text, closers, |byte| is_blank(byte) || byte == b'\r'));
    matches!(rest, [] | [b'\n' | b'#' | b'}' | b']', ..] | [b'/', b'/', ..] | [b'\\', b'n' | b'r', ..])
}
