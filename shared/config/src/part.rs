//! The part of a file that concerns one hook: parsing is the dearest thing a hook does, and nobody shall pay for the
//! others' sections. Their lines become empty comments, so that the numbers of the lines stay.
//!
//! Only where the cut is certainly right: every line at column 0 is a plain key, an entry of its list, a comment or the
//! first line's `---`, and no quote or bracket stays open at the end of any line, because a quoted text or a list in
//! brackets may go on at column 0. Anchors, tags and tabs are not looked into. Anything else is parsed whole.

use std::borrow::Cow;

/// The text without the top-level sections that are not `wanted`; the whole text where it is not certain what belongs to
/// them. A fault in a section that is left out takes nothing from this hook, which is wanted: its own hook tells of it.
pub(crate) fn part_of(text: &str, wanted: impl Fn(&str) -> bool) -> Cow<'_, str> {
    cut(text, wanted).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn cut(text: &str, wanted: impl Fn(&str) -> bool) -> Option<String> {
    // More line ends of YAML, where we would see none.
    if !text.is_ascii() && text.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
        return None;
    }
    let mut part = String::with_capacity(text.len());
    let mut section = None;
    let mut has_begun = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        let content = content.strip_suffix('\r').unwrap_or(content);
        if !closes(content.as_bytes()) {
            return None;
        }
        match top_of(content)? {
            Top::Key(key) => section = Some(wanted(key)),
            Top::Below if section.is_none() => return None,
            Top::Begin if has_begun || section.is_some() => return None,
            Top::Begin => has_begun = true,
            Top::Below | Top::Nothing => {}
        }
        // Comments, because an empty line would be one more of a text whose trailing empty lines count (`|+`).
        part.push_str(if section == Some(false) { "#\n" } else { line });
    }
    Some(part)
}

/// What a line is to the top level.
enum Top<'t> {
    /// A key and perhaps its value.
    Key(&'t str),
    /// Something of the last key's value.
    Below,
    Begin,
    /// A comment or nothing.
    Nothing,
}

/// `None`: none of the forms that can be told for certain.
fn top_of(line: &str) -> Option<Top<'_>> {
    let text = line.trim_start_matches(' ');
    if text.is_empty() || text.starts_with('#') {
        return Some(Top::Nothing);
    }
    if text.len() < line.len() || line == "-" || line.starts_with("- ") {
        return Some(Top::Below);
    }
    if line == "---" {
        return Some(Top::Begin);
    }
    let (key, value) = line.split_once(':')?;
    let is_plain = key.starts_with(|first: char| first.is_ascii_alphanumeric())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    (is_plain && (value.is_empty() || value.starts_with(' '))).then_some(Top::Key(key))
}

/// Where in a line we are, outside of quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Where a value may begin.
    Start,
    /// In a text without quotes.
    Plain,
    /// Behind a quoted text or a closed bracket.
    End,
}

/// No quote and no bracket is open at the line's end, if none was at its beginning: whether the line is structure, in which
/// case they are followed here, or goes on with a text, in which they mean nothing. False where that is not certain.
fn closes(line: &[u8]) -> bool {
    if !line
        .iter()
        .any(|byte| matches!(byte, b'"' | b'\'' | b'[' | b'{' | b'&' | b'*' | b'!' | b'\t' | b'\r'))
    {
        return true;
    }
    let (mut at, mut depth, mut next) = (At::Start, 0_usize, 0);
    while let Some(&byte) = line.get(next) {
        let is_last = line.get(next + 1).is_none_or(|byte| *byte == b' ');
        let is_first = next == 0 || line[next - 1] == b' ';
        next += 1;
        match byte {
            b'\t' | b'\r' => return false,
            b' ' => {}
            b'#' if is_first => break,
            b'[' | b'{' if at == At::Start => depth += 1,
            b'"' | b'\'' if at == At::Start => {
                let Some(end) = behind_quote(line, next, byte) else { return false };
                (next, at) = (end, At::End);
            }
            b']' | b'}' if depth > 0 => (depth, at) = (depth - 1, At::End),
            b',' if depth > 0 => at = At::Start,
            b':' if is_last => at = At::Start,
            b'[' | b'{' | b':' | b'?' if depth > 0 => return false,
            b'-' | b'?' if at == At::Start && is_last => {}
            b'|' | b'>' if at == At::Start && depth == 0 => return true,
            b'&' | b'*' | b'!' | b'#' if at == At::Start => return false,
            _ if at == At::End => return false,
            _ => at = At::Plain,
        }
    }
    depth == 0
}

/// The place behind the quoted text that begins at `start`; `None` if it does not end in this line.
fn behind_quote(line: &[u8], start: usize, quote: u8) -> Option<usize> {
    let mut next = start;
    loop {
        let byte = *line.get(next)?;
        match byte {
            b'\t' | b'\r' => return None,
            b'\\' if quote == b'"' => next += 1,
            b'\'' if quote == byte && line.get(next + 1) == Some(&b'\'') => next += 1,
            _ if byte == quote => return Some(next + 1),
            _ => {}
        }
        next += 1;
    }
}

#[cfg(test)]
mod tests;
