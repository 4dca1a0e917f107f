//! A key goes: its lines, or its place in brackets, with the comment on its last line and with the maps it was alone in.
//! Comments on lines of their own stay.

use std::ops::Range;

use super::nodes::{Entry, Map, Name, Node, read};
use super::{Refused, at};

/// The text without the key, which stands in it; not yet read again.
pub(super) fn take(text: &str, path: &[String]) -> Result<String, Refused> {
    let Some(root) = read(text)? else { return Ok(text.to_owned()) };
    let ranges = of_map(text, &root.map, path)?;
    let mut taken = text.to_owned();
    for range in ranges.into_iter().rev() {
        taken.replace_range(range, "");
    }
    Ok(taken)
}

/// What goes of a map, in the order of the text.
fn of_map(text: &str, map: &Map, path: &[String]) -> Result<Vec<Range<usize>>, Refused> {
    let Some((first, rest)) = path.split_first() else { return Ok(Vec::new()) };
    let Some(number) = map.entries.iter().position(|entry| entry.name.text == *first) else {
        return Ok(Vec::new());
    };
    let entry = &map.entries[number];
    match &entry.value {
        // Not alone: what is above it stays.
        Node::Map(inner) if !rest.is_empty() && !holds_only(inner, rest) => of_map(text, inner, rest),
        _ if map.is_flow => of_flow(text, map, number).map(|range| vec![range]),
        _ => of_lines(text, entry, rest),
    }
}

/// The maps on the way hold nothing but the key.
fn holds_only(map: &Map, path: &[String]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    let [only] = map.entries.as_slice() else { return false };
    only.name.text == *first
        && match &only.value {
            Node::Map(inner) => rest.is_empty() || holds_only(inner, rest),
            _ => true,
        }
}

/// The lines of an entry and, where it is taken for what is in it, those alone that hold the keys on the way.
fn of_lines(text: &str, entry: &Entry, rest: &[String]) -> Result<Vec<Range<usize>>, Refused> {
    let name = &entry.name;
    let start = text[..name.start].rfind('\n').map_or(0, |line| line + 1);
    let before = &text[start..name.start];
    let inner = match &entry.value {
        Node::Map(inner) if !rest.is_empty() && !inner.is_flow => inner.entries.first(),
        _ => None,
    };
    let end = match inner {
        Some(_) => text[name.end..].find(':').map_or(name.end, |colon| name.end + colon + 1),
        None => entry.value.end(),
    };
    let line_end = end + text[end..].find('\n').map_or(text.len() - end, |line| line + 1);
    let behind = text[end..line_end].trim();
    // Behind the key of a map may stand an anchor or a tag.
    let is_alone = behind.is_empty() || behind.starts_with('#') || inner.is_some();
    // Comments between brackets around the key are about more than the key.
    let has_comments = inner.is_none() && !rest.is_empty() && text[name.end..end].contains('#');
    if !before.trim().is_empty() || !is_alone || has_comments {
        return Err(by_hand(name));
    }
    let own = start..line_end;
    match inner {
        None => Ok(vec![own]),
        Some(inner) if inner.name.start < line_end => Err(by_hand(name)),
        Some(inner) => Ok([vec![own], of_lines(text, inner, &rest[1..])?].concat()),
    }
}

/// The place of an entry in brackets, with one of the commas beside it.
fn of_flow(text: &str, map: &Map, number: usize) -> Result<Range<usize>, Refused> {
    let Entry { name, value } = &map.entries[number];
    let next = map.entries.get(number + 1).map(|next| next.name.start);
    let previous = number.checked_sub(1).map(|previous| map.entries[previous].value.end());
    let (range, joint) = match (next, previous) {
        (Some(next), _) => (name.start..next, &text[value.end()..next]),
        (None, Some(previous)) => (previous..value.end(), &text[previous..name.start]),
        (None, None) => {
            let inside = text[map.start..].find('{').map_or(name.start, |bracket| map.start + bracket + 1);
            (inside..map.end - 1, &text[inside..name.start])
        }
    };
    if !joint.contains(['#', '\n']) {
        return Ok(range);
    }
    match own_line(text, name, value) {
        Some(line) if next.is_some() => Ok(line),
        _ if joint.contains('#') => Err(by_hand(name)),
        _ => Ok(range),
    }
}

/// The lines of an entry in brackets that shares them with nothing but its comma and its comment.
fn own_line(text: &str, name: &Name, value: &Node) -> Option<Range<usize>> {
    let start = text[..name.start].rfind('\n')? + 1;
    let line_end = value.end() + text[value.end()..].find('\n')? + 1;
    let behind = text[value.end()..line_end].trim_start().strip_prefix(',')?.trim();
    let is_alone =
        text[start..name.start].trim().is_empty() && (behind.is_empty() || behind.starts_with('#'));
    is_alone.then_some(start..line_end)
}

fn by_hand(name: &Name) -> Refused {
    let why = format!("`{}` cannot be taken out here by a program; do it by hand", name.text);
    at(name.line, name.column + 1, &why)
}
