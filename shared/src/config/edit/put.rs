//! A key gets a value: where it stands already, in place of its value, else beside its neighbours in their style.

use super::nodes::{Entry, Map, Name, Node, Root, read};
use super::{Refused, at, in_lines, in_one_line, splice};
use crate::config::spelling::dotted;

/// The text with the key set; not yet read again.
pub(super) fn put(text: &str, path: &[String], value: &str) -> Result<String, Refused> {
    let Some(Root { map, document_end }) = read(text)? else {
        return Ok(append(text, text.len(), 0, path, value));
    };
    let Some((entry, rest)) = deepest(&map, path) else {
        return Ok(if map.is_flow {
            into_flow(text, &map, &in_one_line(path, value))
        } else {
            append(text, document_end, map.column(), path, value)
        });
    };
    if rest.is_empty() { replace(text, entry, value) } else { below(text, &map, entry, rest, path, value) }
}

/// The deepest entry on the way, and the keys that are not there.
fn deepest<'m, 'p>(map: &'m Map, path: &'p [String]) -> Option<(&'m Entry, &'p [String])> {
    let (first, rest) = path.split_first()?;
    let entry = map.get(first)?;
    let deeper = match &entry.value {
        Node::Map(map) => deepest(map, rest),
        _ => None,
    };
    Some(deeper.unwrap_or((entry, rest)))
}

fn replace(text: &str, entry: &Entry, value: &str) -> Result<String, Refused> {
    let Entry { name, value: old } = entry;
    match old {
        Node::Empty { end } => Ok(splice(text, *end, *end, &format!(" {value}"))),
        Node::Block { start, end } => {
            let header = text[*start..*end].lines().next().unwrap_or_default();
            no_comments(name, header)?;
            Ok(splice(text, *start, *end, &format!(" {value}")))
        }
        Node::Scalar { start, end } => Ok(splice(text, *start, *end, value)),
        collection if collection.is_block() => {
            let line_end = end_of_line(text, collection.end());
            let colon = text[name.end..].find(':').map_or(name.end, |colon| name.end + colon + 1);
            let key_line = end_of_line(text, colon);
            if collection.start() < key_line {
                return Err(by_hand(name, value));
            }
            no_comments(name, &text[key_line..line_end])?;
            let without = splice(text, key_line, line_end, "");
            Ok(splice(&without, colon, colon, &format!(" {value}")))
        }
        collection => {
            let (start, end) = (collection.start(), collection.end());
            no_comments(name, &text[start..end])?;
            Ok(splice(text, start, end, value))
        }
    }
}

/// Whoever wrote reasons beside the entries of a list shall not lose them.
fn no_comments(name: &Name, part: &str) -> Result<(), Refused> {
    if part.contains('#') {
        let why = format!("`{}` has comments inside; change it by hand, so that they stay right", name.text);
        return Err(at(name.line, name.column + 1, &why));
    }
    Ok(())
}

/// New keys in the map that stands at an entry.
fn below(
    text: &str,
    root: &Map,
    entry: &Entry,
    rest: &[String],
    path: &[String],
    value: &str,
) -> Result<String, Refused> {
    let Entry { name, value: old } = entry;
    match old {
        Node::Map(map) if map.is_flow => Ok(into_flow(text, map, &in_one_line(rest, value))),
        Node::Map(map) => {
            // Directly below its name: before and behind other keys may stand comments that belong to them.
            let line = end_of_line(text, name.end);
            if map.start < line {
                return Err(by_hand(name, value));
            }
            Ok(new_lines(text, line, map.column(), rest, value))
        }
        Node::Empty { .. } if !is_in_flow(root, path) => {
            Ok(new_lines(text, end_of_line(text, name.end), name.column + 2, rest, value))
        }
        Node::Empty { end } => Ok(splice(text, *end, *end, &format!(" {{ {} }}", in_one_line(rest, value)))),
        _ => {
            let depth = path.len() - rest.len();
            let why = format!("`{}` must be a map of settings", dotted(&path[..depth]));
            Err(at(name.line, name.column + 1, &why))
        }
    }
}

/// Somewhere on the way a map is written with brackets.
fn is_in_flow(map: &Map, path: &[String]) -> bool {
    let next = path.split_first().and_then(|(first, rest)| Some((map.get(first)?, rest)));
    map.is_flow
        || next.is_some_and(|(entry, rest)| matches!(&entry.value, Node::Map(map) if is_in_flow(map, rest)))
}

fn new_lines(text: &str, line: usize, column: usize, path: &[String], value: &str) -> String {
    let line_end = line_end(text, line);
    splice(text, line, line, &format!("{line_end}{}", in_lines(path, value, column, line_end)))
}

/// New lines at the end of the text, or before the line that ends the document.
fn append(text: &str, end: usize, column: usize, path: &[String], value: &str) -> String {
    let line_end = line_end(text, end);
    let starts_line = text[..end].is_empty() || text[..end].ends_with('\n');
    let joint = if starts_line { "" } else { line_end };
    splice(text, end, end, &format!("{joint}{}{line_end}", in_lines(path, value, column, line_end)))
}

fn into_flow(text: &str, map: &Map, item: &str) -> String {
    let inside = text[map.start..].find('{').map_or(map.start, |bracket| map.start + bracket + 1);
    if map.entries.is_empty() {
        return splice(text, inside, map.end - 1, &format!(" {item} "));
    }
    let spaced = text[inside..].starts_with([' ', '\t', '\r', '\n']);
    splice(text, inside, inside, &if spaced { format!(" {item},") } else { format!("{item}, ") })
}

fn by_hand(name: &Name, value: &str) -> Refused {
    let why = format!("`{}: {value}` cannot be set here by a program; add it by hand", name.text);
    at(name.line, name.column + 1, &why)
}

/// Before the line's end, which may be two characters.
fn end_of_line(text: &str, from: usize) -> usize {
    let line = from + text[from..].find('\n').unwrap_or(text.len() - from);
    line - usize::from(text[from..line].ends_with('\r'))
}

/// The end that the line at `at` has, or the one before it where nothing ends it: a file may have both kinds.
fn line_end(text: &str, at: usize) -> &'static str {
    let (before, behind) = text.split_at(at);
    let above = || before.rfind('\n').is_some_and(|line| before[..line].ends_with('\r'));
    let is_crlf = behind.starts_with("\r\n") || !behind.starts_with('\n') && above();
    if is_crlf { "\r\n" } else { "\n" }
}
