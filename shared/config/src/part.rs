//! The part of a file that concerns one hook: parsing is the dearest thing a hook does, and no hook pays for the others'
//! sections. Their lines become empty comments, so that the numbers of the lines stay.
//!
//! A file in plain style is cut: every line at column 0 is a plain key, an entry of its list, a comment or a `---`
//! before them, and no line leaves a quote or bracket open or holds an anchor, an alias, a tag or a tab. Any other file is parsed
//! whole.

use std::borrow::Cow;

/// The text without the top-level sections that are not `wanted`. A section's own hook reports its faults.
pub(crate) fn part_of(text: &str, wanted: impl Fn(&str) -> bool) -> Cow<'_, str> {
    cut(text, wanted).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn cut(text: &str, wanted: impl Fn(&str) -> bool) -> Option<String> {
    let mut part = String::with_capacity(text.len());
    let mut is_wanted = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n').trim_end_matches('\r');
        let indented = content.trim_start_matches(' ');
        let is_comment = indented.is_empty() || indented.starts_with('#');
        if !is_comment && !is_whole(content) {
            return None;
        }
        let is_below = indented.len() < content.len() || content == "-" || content.starts_with("- ");
        match top_key(content) {
            _ if is_comment || (is_wanted.is_none() && content == "---") => {}
            _ if is_below => drop(is_wanted?),
            key => is_wanted = Some(wanted(key?)),
        }
        // Comments, because an empty line would be one more of a text whose trailing empty lines count (`|+`).
        part.push_str(if is_wanted == Some(false) { "#\n" } else { line });
    }
    Some(part)
}

/// The plain key that begins the line.
fn top_key(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(':')?;
    let is_plain = key.starts_with(|first: char| first.is_ascii_alphanumeric())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    (is_plain && (value.is_empty() || value.starts_with(' '))).then_some(key)
}

/// The line opens nothing that it does not close, as far as counting shows, and no word of it is an anchor, an alias or a tag.
fn is_whole(line: &str) -> bool {
    let (mut brackets, mut braces, mut single, mut double) = (0, 0, 0, 0);
    let mut before = b' ';
    for byte in line.bytes() {
        let begins_a_word = matches!(before, b' ' | b'[' | b'{' | b',');
        match byte {
            b'[' => brackets += 1,
            b']' => brackets -= 1,
            b'{' => braces += 1,
            b'}' => braces -= 1,
            b'\'' => single += 1,
            b'"' if before == b'\\' => return false,
            b'"' => double += 1,
            b'&' | b'*' | b'!' if begins_a_word => return false,
            b'\t' | b'\r' => return false,
            _ => {}
        }
        before = byte;
    }
    (brackets, braces, single % 2, double % 2) == (0, 0, 0, 0)
}

#[cfg(test)]
mod tests;
