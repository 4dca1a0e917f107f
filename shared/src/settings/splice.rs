//! Putting one item into an object or a list and taking one out again, in the style the file has: its indentation, its
//! line ends, on lines of their own or in one line. Taking out what was put in gives the same bytes back.

use jsonc_parser::ast::{Array, Object};
use jsonc_parser::common::{Range, Ranged};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::document::Document;
use super::earlier::BeforeUs;

/// The container of an item, what stands in it, and which one it is.
pub(super) struct Level {
    container: Range,
    siblings: Vec<Range>,
    index: usize,
    /// The keys that lead to the container; `None` where a list without keys lies in between.
    path: Option<Vec<String>>,
}

impl Level {
    pub(super) fn of_elements(list: &Array<'_>, index: usize, path: Option<&[&str]>) -> Self {
        Self::new(list.range, &list.elements, index, path)
    }

    pub(super) fn of_property(object: &Object<'_>, key: &str, path: &[&str]) -> Self {
        let index = object.properties.iter().position(|property| property.name.as_str() == key);
        Self::new(object.range, &object.properties, index.unwrap_or_default(), Some(path))
    }

    fn new<T: Ranged>(container: Range, items: &[T], index: usize, path: Option<&[&str]>) -> Self {
        let path = path.map(|path| path.iter().map(|key| (*key).to_owned()).collect());
        Self { container, siblings: items.iter().map(Ranged::range).collect(), index, path }
    }
}

/// The text with a property after the last one of `object`.
pub(super) fn insert_property(
    document: &Document<'_>,
    object: &Object<'_>,
    key: &str,
    value: &Value,
) -> String {
    let siblings: Vec<Range> = object.properties.iter().map(Ranged::range).collect();
    insert(document, object.range, &siblings, |style| {
        let colon = if style.is_spaced() { ": " } else { ":" };
        format!("{}{colon}{}", Value::from(key), style.render(value))
    })
}

/// The text with an element after the last one of `list`.
pub(super) fn insert_element(document: &Document<'_>, list: &Array<'_>, value: &Value) -> String {
    let siblings: Vec<Range> = list.elements.iter().map(Ranged::range).collect();
    insert(document, list.range, &siblings, |style| style.render(value))
}

/// The text without the item at the innermost of these levels, and without whatever is left empty by it, unless that was
/// there before us.
pub(super) fn remove(document: &Document<'_>, levels: &[Level], before_us: Option<&BeforeUs<'_>>) -> String {
    for level in levels {
        if level.siblings.len() > 1 {
            return remove_element(document, level);
        }
        let before = before_us.zip(level.path.as_ref());
        if let Some(as_it_was) = before.and_then(|(before, path)| before.container(path)) {
            return document.splice(level.container.start, level.container.end, &as_it_was);
        }
    }
    levels.last().map_or_else(|| document.text.to_owned(), |level| remove_element(document, level))
}

/// The text with the value of a property replaced, in the file's style.
pub(super) fn replaced(document: &Document<'_>, old: &impl Ranged, new: &Value) -> String {
    let style = if is_one_line(document) {
        one_line(document)
    } else {
        let indent = line_indent(document.text, old.start());
        Style::Lines { unit: unit(document), indent, line_end: line_end(document.text) }
    };
    document.splice(old.start(), old.end(), &style.render(new))
}

/// The text without the item. The last one leaves nothing between the brackets.
pub(super) fn remove_element(document: &Document<'_>, level: &Level) -> String {
    let Level { container, siblings, index, .. } = level;
    let item = siblings[*index];
    match (index.checked_sub(1).map(|before| siblings[before]), siblings.get(index + 1)) {
        (Some(before), _) => document.splice(before.end, item.end, ""),
        (None, Some(after)) => document.splice(item.start, after.start, ""),
        (None, None) => document.splice(container.start + 1, container.end - 1, ""),
    }
}

fn insert(
    document: &Document<'_>,
    container: Range,
    siblings: &[Range],
    item: impl Fn(&Style) -> String,
) -> String {
    let text = document.text;
    let line_end = line_end(text);
    let indent = |at| line_indent(text, at);
    match siblings {
        [first, .., last] | [first @ last] if text[container.start..first.start].contains('\n') => {
            let style = Style::Lines { unit: unit(document), indent: indent(last.start), line_end };
            let item = item(&style);
            document.splice(last.end, last.end, &format!(",{line_end}{}{item}", indent(last.start)))
        }
        [.., last] => {
            let style = one_line(document);
            let comma = if style.is_spaced() { ", " } else { "," };
            document.splice(last.end, last.end, &format!("{comma}{}", item(&style)))
        }
        [] if is_one_line(document) => {
            document.splice(container.start + 1, container.end - 1, &item(&one_line(document)))
        }
        [] => {
            let outer = indent(container.start);
            let inner = format!("{outer}{}", unit(document));
            let item = item(&Style::Lines { unit: unit(document), indent: inner.clone(), line_end });
            let block = format!("{line_end}{inner}{item}{line_end}{outer}");
            document.splice(container.start + 1, container.end - 1, &block)
        }
    }
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// How a value is written.
enum Style {
    /// Each item on a line of its own.
    Lines { unit: String, indent: String, line_end: &'static str },
    /// Everything in one line, with or without spaces.
    OneLine { spaced: bool },
}

impl Style {
    fn is_spaced(&self) -> bool {
        !matches!(self, Self::OneLine { spaced: false })
    }

    fn render(&self, value: &Value) -> String {
        match self {
            Self::OneLine { spaced: true } => spaced(value),
            Self::OneLine { spaced: false } => value.to_string(),
            Self::Lines { unit, indent, line_end } => {
                pretty(value, unit).replace('\n', &format!("{line_end}{indent}"))
            }
        }
    }
}

fn pretty(value: &Value, unit: &str) -> String {
    let mut bytes = Vec::new();
    let mut serializer =
        Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(unit.as_bytes()));
    match value.serialize(&mut serializer) {
        Ok(()) => String::from_utf8(bytes).unwrap_or_else(|_| value.to_string()),
        Err(_) => value.to_string(),
    }
}

fn spaced(value: &Value) -> String {
    let join = |items: Vec<String>| items.join(", ");
    match value {
        Value::Object(map) => {
            let item =
                |(key, value): (&String, &Value)| format!("{}: {}", Value::from(key.as_str()), spaced(value));
            format!("{{{}}}", join(map.iter().map(item).collect()))
        }
        Value::Array(list) => format!("[{}]", join(list.iter().map(spaced).collect())),
        other => other.to_string(),
    }
}

/// Spaced if the value of the first key of the file is; a text somewhere inside could begin with `: ` too.
fn one_line(document: &Document<'_>) -> Style {
    let first = document.root.properties.first();
    let colon = first.map(|first| &document.text[first.name.end()..first.value.start()]);
    Style::OneLine { spaced: colon.is_some_and(|colon| colon.ends_with(' ')) }
}

/// The file as a whole has its items in one line.
fn is_one_line(document: &Document<'_>) -> bool {
    let root = &document.root;
    root.properties
        .first()
        .is_some_and(|first| !document.text[root.range.start..first.range.start].contains('\n'))
}

/// What the file indents by: the indentation of its first key, else two spaces.
fn unit(document: &Document<'_>) -> String {
    let first = document.root.properties.first();
    let indent = first.map(|first| line_indent(document.text, first.range.start)).unwrap_or_default();
    if indent.is_empty() { "  ".to_owned() } else { indent }
}

/// The white space the line of `at` begins with.
fn line_indent(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let blank = |letter: &char| matches!(letter, ' ' | '\t');
    text[start..].chars().take_while(blank).collect()
}
