//! Putting one item into an object or a list and taking one out again, in the style the file has: its indentation, its
//! line ends, on lines of their own or in one line. Taking out what was put in gives the same bytes back.

use jsonc_parser::ast::{Array, Object, Value as JsonValue};
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

/// The text with the value of a property replaced, in the style of its place.
pub(super) fn replaced(document: &Document<'_>, old: &impl Ranged, new: &Value) -> String {
    let place = Place::of(document, old.start());
    let style = if place.is_one_line { one_line(document) } else { lines(document, place.indent) };
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
    match siblings {
        [first, .., last] | [first @ last] if text[container.start..first.start].contains('\n') => {
            let indent = Place::of(document, last.start).indent;
            let item = item(&lines(document, indent.clone()));
            document.splice(last.end, last.end, &format!(",{line_end}{indent}{item}"))
        }
        [.., last] => {
            let style = one_line(document);
            let comma = if style.is_spaced() { ", " } else { "," };
            document.splice(last.end, last.end, &format!("{comma}{}", item(&style)))
        }
        [] => fill(document, container, item),
    }
}

/// The text with one item between brackets that hold nothing.
fn fill(document: &Document<'_>, container: Range, item: impl Fn(&Style) -> String) -> String {
    let (start, end) = (container.start + 1, container.end - 1);
    let place = Place::of(document, container.start);
    if place.is_one_line {
        let item = item(&one_line(document));
        let hollow = &document.text[start..end];
        let before = if hollow.contains('\n') { "" } else { hollow };
        return document.splice(start, end, &format!("{before}{item}{hollow}"));
    }
    let (outer, line_end) = (place.indent, line_end(document.text));
    let inner = format!("{outer}{}", unit(document));
    let item = item(&lines(document, inner.clone()));
    document.splice(start, end, &format!("{line_end}{inner}{item}{line_end}{outer}"))
}

/// Place of a value. The white space before items tells it, because no edit of ours changes that. Lines change with their
/// content, and then a file would depend on the order of our edits.
struct Place {
    /// Indentation of the item.
    indent: String,
    /// The items around it are in one line.
    is_one_line: bool,
}

impl Place {
    /// The place of what begins at `at`.
    fn of(document: &Document<'_>, at: usize) -> Self {
        let (text, root) = (document.text, &document.root);
        let mut place = Self { indent: line_indent(text, root.range.start), is_one_line: false };
        let (mut start, mut items) = (root.range.start, properties(root));
        loop {
            let before: Vec<_> = items.into_iter().take_while(|(item, _)| item.start <= at).collect();
            let leads =
                std::iter::once(start + 1).chain(before.iter().map(|(item, _)| item.end)).zip(&before);
            let leads = leads.map(|(end, (item, _))| &text[end..item.start]);
            if let Some((_, indent)) = leads.clone().filter_map(|lead| lead.rsplit_once('\n')).last() {
                place.indent = line_indent(indent, 0);
            }
            let Some((_, value)) = before.last().filter(|(item, _)| at < item.end) else { return place };
            place.is_one_line = !leads.clone().next().is_some_and(|lead| lead.contains('\n'));
            (start, items) = match value {
                JsonValue::Object(object) if object.range.start <= at => {
                    (object.range.start, properties(object))
                }
                JsonValue::Array(list) if list.range.start <= at => (list.range.start, elements(list)),
                _ => return place,
            };
        }
    }
}

fn properties<'b, 'a>(object: &'b Object<'a>) -> Vec<(Range, &'b JsonValue<'a>)> {
    object.properties.iter().map(|property| (property.range, &property.value)).collect()
}

fn elements<'b, 'a>(list: &'b Array<'a>) -> Vec<(Range, &'b JsonValue<'a>)> {
    list.elements.iter().map(|value| (value.range(), value)).collect()
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

fn lines(document: &Document<'_>, indent: String) -> Style {
    Style::Lines { unit: unit(document), indent, line_end: line_end(document.text) }
}

/// Indentation unit of the file: that of its first key, else two spaces.
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
