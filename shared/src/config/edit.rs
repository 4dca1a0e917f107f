//! Setting one key of a requirements.yaml for its owner: comments, order, style and line ends of the rest stay as they are.
//!
//! The text is cut at the places the parser names and never printed anew. Whatever comes out is read again and must be
//! the old content with exactly this key changed; else nothing is changed and the user is shown the place.

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_yaml::{Mapping, Value};

use crate::settings::Refused;

/// The text with `section.key` set to `value`, which is written as it stands (`true`, `5`).
///
/// # Errors
/// If the text is no YAML map, or is written in a way in which this key cannot be set for certain.
pub fn set(text: &str, section: &str, key: &str, value: &str) -> Result<String, Refused> {
    let before = content(text)?;
    let edited = match tree(text)? {
        None => append(text, text.len(), 0, [section, key, value]),
        Some(root) => in_root(text, &root, [section, key, value])?,
    };
    let wanted: Value = serde_yaml::from_str(value).unwrap_or_default();
    if content(&edited).ok() == Some(with(before, section, key, wanted)) {
        return Ok(edited);
    }
    Err(at(1, 1, &format!("`{section}.{key}: {value}` cannot be added here by a program; add it by hand")))
}

/// What `section.key` is set to in this text, as it stands there; `None` if it is not, or is no single value.
///
/// # Errors
/// If the text is no YAML map.
pub fn get(text: &str, section: &str, key: &str) -> Result<Option<String>, Refused> {
    let before = content(text)?;
    Ok(before.get(section).and_then(|section| section.get(key)).and_then(|value| match value {
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(value) => Some(value.to_string()),
        Value::String(value) => Some(value.clone()),
        _ => None,
    }))
}

fn in_root(text: &str, root: &Map, words: [&str; 3]) -> Result<String, Refused> {
    let [section, key, value] = words;
    match root.get(section) {
        None if root.flow => Ok(into_flow(text, root, &format!("{section}: {{ {key}: {value} }}"))),
        None => Ok(append(text, root.document_end, root.column, words)),
        Some((_, Node::Map(map))) => in_section(text, map, key, value),
        Some((name, Node::Empty)) if !root.flow => {
            let line = name.end + text[name.end..].find('\n').unwrap_or(text.len() - name.end);
            let line = line - usize::from(text[..line].ends_with('\r'));
            let indent = " ".repeat(root.column + 2);
            Ok(splice(text, line, line, &format!("{}{indent}{key}: {value}", line_end(text))))
        }
        Some((name, Node::Empty)) => Ok(after_colon(text, name.end, &format!("{{ {key}: {value} }}"))),
        Some((name, _)) => {
            Err(at(name.line, name.column + 1, &format!("`{section}` must be a map of settings")))
        }
    }
}

fn in_section(text: &str, map: &Map, key: &str, value: &str) -> Result<String, Refused> {
    match map.get(key) {
        Some((_, Node::Scalar { start, end })) => Ok(splice(text, *start, *end, value)),
        Some((name, Node::Empty)) => Ok(after_colon(text, name.end, value)),
        Some((name, _)) => Err(at(name.line, name.column + 1, &format!("`{key}` must be a single value"))),
        None if map.flow => Ok(into_flow(text, map, &format!("{key}: {value}"))),
        None => {
            // Before the first key: after the last one may stand comments that belong to what follows.
            let start = map.entries.first().map_or(map.start, |(name, _)| name.start);
            let indent = " ".repeat(map.column);
            Ok(splice(text, start, start, &format!("{key}: {value}{}{indent}", line_end(text))))
        }
    }
}

/// A new section at the end of the text, or before the line that ends the document.
fn append(text: &str, end: usize, column: usize, [section, key, value]: [&str; 3]) -> String {
    let (line_end, indent) = (line_end(text), " ".repeat(column));
    let starts_line = text[..end].is_empty() || text[..end].ends_with(['\n', '\u{feff}']);
    let joint = if starts_line { "" } else { line_end };
    let block = format!("{joint}{indent}{section}:{line_end}{indent}  {key}: {value}{line_end}");
    splice(text, end, end, &block)
}

fn into_flow(text: &str, map: &Map, item: &str) -> String {
    let inside = map.start + 1;
    if map.entries.is_empty() {
        return splice(text, inside, map.end, &format!(" {item} "));
    }
    let spaced = text[inside..].starts_with([' ', '\t', '\r', '\n']);
    splice(text, inside, inside, &if spaced { format!(" {item},") } else { format!("{item}, ") })
}

fn after_colon(text: &str, name_end: usize, item: &str) -> String {
    let colon = text[name_end..].find(':').map_or(name_end, |colon| name_end + colon + 1);
    splice(text, colon, colon, &format!(" {item}"))
}

fn splice(text: &str, start: usize, end: usize, new: &str) -> String {
    format!("{}{new}{}", &text[..start], &text[end..])
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn content(text: &str) -> Result<Mapping, Refused> {
    match serde_yaml::from_str(text) {
        Ok(Value::Mapping(map)) => Ok(map),
        Ok(Value::Null) => Ok(Mapping::new()),
        Ok(_) => Err(at(1, 1, "not a map of settings")),
        Err(error) => {
            let (line, column) = error.location().map_or((1, 1), |place| (place.line(), place.column()));
            Err(at(line, column, "not valid YAML"))
        }
    }
}

fn with(mut map: Mapping, section: &str, key: &str, value: Value) -> Mapping {
    let section = map.entry(section.into()).or_insert(Value::Null);
    if section.is_null() {
        *section = Value::Mapping(Mapping::new());
    }
    if let Value::Mapping(section) = section {
        section.insert(key.into(), value);
    }
    map
}

fn at(line: usize, column: usize, why: &str) -> Refused {
    Refused { line, column, why: why.to_owned() }
}

/// A map and where it stands, in bytes.
struct Map {
    start: usize,
    /// Of the closing bracket, where there is one.
    end: usize,
    /// Its keys' column, counted from 0.
    column: usize,
    /// Written with brackets.
    flow: bool,
    entries: Vec<(Name, Node)>,
    /// For the root: where the document ends.
    document_end: usize,
}

/// A key.
struct Name {
    text: String,
    start: usize,
    end: usize,
    line: usize,
    column: usize,
}

enum Node {
    Map(Map),
    Scalar {
        start: usize,
        end: usize,
    },
    /// Nothing stands after the colon.
    Empty,
    /// A list or an alias.
    Other,
}

impl Map {
    fn get(&self, key: &str) -> Option<&(Name, Node)> {
        self.entries.iter().find(|(name, _)| name.text == key)
    }
}

/// The root map of the first document; `None` if the text holds nothing.
fn tree(text: &str) -> Result<Option<Map>, Refused> {
    let mut events = Vec::new();
    for event in Parser::new_from_str(text) {
        let event =
            event.map_err(|error| at(error.marker().line(), error.marker().col() + 1, "not valid YAML"))?;
        events.push(event);
    }
    let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
    let mut reader = Reader { text, offsets, events: events.into_iter() };
    while let Some((event, span)) = reader.events.next() {
        match event {
            Event::StreamStart | Event::DocumentStart(_) => {}
            Event::MappingStart(..) => {
                let mut root = reader.map(span);
                root.document_end = reader.document_end();
                return Ok(Some(root));
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

struct Reader<'a> {
    text: &'a str,
    /// From characters, in which the parser counts, to bytes.
    offsets: Vec<usize>,
    events: std::vec::IntoIter<(Event<'a>, Span)>,
}

impl<'a> Reader<'a> {
    fn byte(&self, character: usize) -> usize {
        self.offsets.get(character).copied().unwrap_or(self.text.len())
    }

    fn map(&mut self, span: Span) -> Map {
        let start = self.byte(span.start.index());
        let flow = !span.is_empty() && self.text[start..].starts_with('{');
        let column = span.start.col();
        let mut map = Map { start, end: start, column, flow, entries: Vec::new(), document_end: 0 };
        while let Some((event, span)) = self.events.next() {
            if event == Event::MappingEnd {
                map.end = self.byte(span.start.index());
                break;
            }
            let name = self.name(&event, span);
            let Some((value, span)) = self.events.next() else { break };
            map.entries.push((name, self.node(&value, span)));
        }
        map
    }

    fn name(&mut self, event: &Event<'a>, span: Span) -> Name {
        let text = match event {
            Event::Scalar(text, ..) => text.clone().into_owned(),
            _ => String::new(),
        };
        let (start, end) = (self.byte(span.start.index()), self.byte(span.end.index()));
        self.node(event, span); // A key that is a list or a map is passed over.
        Name { text, start, end, line: span.start.line(), column: span.start.col() }
    }

    fn node(&mut self, event: &Event<'a>, span: Span) -> Node {
        match event {
            Event::MappingStart(..) => Node::Map(self.map(span)),
            Event::SequenceStart(..) => {
                while let Some((event, span)) = self.events.next() {
                    if event == Event::SequenceEnd {
                        break;
                    }
                    self.node(&event, span);
                }
                Node::Other
            }
            Event::Scalar(Cow::Borrowed("") | Cow::Owned(_), ScalarStyle::Plain, ..) if span.is_empty() => {
                Node::Empty
            }
            Event::Scalar(..) => {
                Node::Scalar { start: self.byte(span.start.index()), end: self.byte(span.end.index()) }
            }
            _ => Node::Other,
        }
    }

    /// Where `...` stands, else the end of the text.
    fn document_end(&mut self) -> usize {
        let end = self.events.next().filter(|(event, span)| *event == Event::DocumentEnd && !span.is_empty());
        end.map_or(self.text.len(), |(_, span)| self.byte(span.start.index()))
    }
}

#[cfg(test)]
mod tests;
