//! Adding one item to an object or a list and removing one, in the style of the file: its indentation and line ends, on lines of
//! their own or in one line. Removing an added item gives the same bytes back.

use jsonc_parser::ast::{Array, Object};
use jsonc_parser::common::{Range, Ranged};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::before::BeforeUs;
use super::document::Document;

/// One item of an object or a list.
pub(super) struct Level {
    container: Range,
    siblings: Vec<Range>,
    index: usize,
    /// The keys that lead to the container; `None` below a list.
    path: Option<Vec<String>>,
}

impl Level {
    pub(super) fn of_element(list: &Array<'_>, index: usize, path: Option<&[&str]>) -> Self {
        Self::new(list.range, &list.elements, index, path)
    }

    pub(super) fn of_property(object: &Object<'_>, key: &str, path: &[&str]) -> Self {
        let index = object.properties.iter().position(|property| property.name.as_str() == key);
        Self::new(object.range, &object.properties, index.unwrap_or_default(), Some(path))
    }

    fn new<T: Ranged>(container: Range, items: &[T], index: usize, path: Option<&[&str]>) -> Self {
        let path = path.map(|path| path.iter().map(|key| (*key).to_owned()).collect());
        Self { container, siblings: ranges(items), index, path }
    }
}

/// The text with a property after the last one of `object`.
pub(super) fn insert_property(
    document: &Document<'_>,
    object: &Object<'_>,
    key: &str,
    value: &Value,
) -> String {
    let style = Style::of(document);
    let colon = if style.spaced { ": " } else { ":" };
    let item = |indent: Option<&str>| format!("{}{colon}{}", Value::from(key), style.render(value, indent));
    insert(document, &style, object.range, &ranges(&object.properties), item)
}

/// The text with an element after the last one of `list`.
pub(super) fn insert_element(document: &Document<'_>, list: &Array<'_>, value: &Value) -> String {
    let style = Style::of(document);
    insert(document, &style, list.range, &ranges(&list.elements), |indent| style.render(value, indent))
}

/// The text without the innermost item, and without the containers that this leaves empty. A container that was there before us
/// stays, empty as it was.
pub(super) fn remove(document: &Document<'_>, levels: &[Level], before_us: Option<&BeforeUs<'_>>) -> String {
    for level in levels {
        if level.siblings.len() > 1 {
            return remove_item(document, level);
        }
        let before = before_us.zip(level.path.as_ref());
        if let Some(as_it_was) = before.and_then(|(before, path)| before.container(path)) {
            return document.splice(level.container.start, level.container.end, &as_it_was);
        }
    }
    levels.last().map_or_else(|| document.text.to_owned(), |level| remove_item(document, level))
}

/// The text with a value replaced, in the style of the file.
pub(super) fn replaced(document: &Document<'_>, old: &impl Ranged, new: &Value) -> String {
    let style = Style::of(document);
    let is_line = document.text[..old.start()].contains('\n');
    let indent = line_indent(document.text, old.start());
    document.splice(old.start(), old.end(), &style.render(new, is_line.then_some(&indent)))
}

/// The text without the item. The only item leaves nothing between the brackets.
pub(super) fn remove_item(document: &Document<'_>, level: &Level) -> String {
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
    style: &Style,
    container: Range,
    siblings: &[Range],
    item: impl Fn(Option<&str>) -> String,
) -> String {
    let text = document.text;
    let Style { line_end, unit, spaced } = style;
    if let [first, .., last] | [first @ last] = siblings {
        if text[container.start..first.start].contains('\n') {
            let indent = line_indent(text, last.start);
            let new = format!(",{line_end}{indent}{}", item(Some(&indent)));
            return document.splice(last.end, last.end, &new);
        }
        let comma = if *spaced { ", " } else { "," };
        return document.splice(last.end, last.end, &format!("{comma}{}", item(None)));
    }
    let (start, end) = (container.start + 1, container.end - 1);
    let root = &document.root;
    if !root.properties.is_empty() && !document.original(root.range).contains('\n') {
        return document.splice(start, end, &item(None));
    }
    let outer = line_indent(text, container.start);
    let inner = format!("{outer}{unit}");
    document.splice(start, end, &format!("{line_end}{inner}{}{line_end}{outer}", item(Some(&inner))))
}

fn ranges<T: Ranged>(items: &[T]) -> Vec<Range> {
    items.iter().map(Ranged::range).collect()
}

/// How a file is written.
struct Style {
    line_end: &'static str,
    /// The indentation of the first key.
    unit: String,
    /// A blank follows the colon of the first key.
    spaced: bool,
}

impl Style {
    fn of(document: &Document<'_>) -> Self {
        let text = document.text;
        let first = document.root.properties.first();
        let unit = first.map(|first| line_indent(text, first.range.start)).unwrap_or_default();
        let colon = first.map(|first| &text[first.name.end()..first.value.start()]);
        Self {
            line_end: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit: if unit.is_empty() { "  ".to_owned() } else { unit },
            spaced: colon.is_none_or(|colon| colon.ends_with(' ')),
        }
    }

    /// The value on lines with this indentation, or in one line.
    fn render(&self, value: &Value, indent: Option<&str>) -> String {
        match indent {
            Some(indent) => pretty(value, &self.unit).replace('\n', &format!("{}{indent}", self.line_end)),
            None if self.spaced => spaced(value),
            None => value.to_string(),
        }
    }
}

fn pretty(value: &Value, unit: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit.as_bytes());
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    let text = written.ok().and_then(|()| String::from_utf8(bytes).ok());
    text.unwrap_or_else(|| value.to_string())
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

/// The white space with which the line of `at` begins.
fn line_indent(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..at].chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect()
}
