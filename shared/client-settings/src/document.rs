//! A parsed settings text, and one value of it set or removed by its path, in the style of the file: its indentation and line ends,
//! on lines of their own or in one line. Removing what was set gives the same bytes back.
//!
//! Plain JSON only: Claude Code and we could read a comment, a trailing comma or a repeated key differently, so an edit refuses such
//! a text and names the place.

use std::collections::BTreeSet;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value as Node};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::{Owner, Refused, read, without_mark};

pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    pub(super) root: Object<'a>,
}

impl<'a> Document<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, Refused> {
        // The parser below is made for JSON with comments and lets more through. The column of this error counts bytes.
        serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| {
            let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
            let column = line.char_indices().take_while(|(at, _)| *at < error.column()).count();
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default();
            Refused { line: error.line(), column, why: format!("not plain JSON without comments ({reason})") }
        })?;
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        let Some(Node::Object(root)) = parsed.ok().and_then(|parsed| parsed.value) else {
            return Err(refused(text, 0, "the settings must be an object, `{ ... }`"));
        };
        Ok(Self { text, root })
    }

    pub(super) fn value(&self, node: &Node<'a>) -> Value {
        serde_json::from_str(self.raw(node.range())).unwrap_or_default()
    }

    pub(super) fn raw(&self, range: Range) -> &'a str {
        &self.text[range.start..range.end]
    }

    pub(super) fn refused(&self, at: usize, why: &str) -> Refused {
        refused(self.text, at, why)
    }

    /// The line of this place, counted from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        line_of(self.text, at)
    }

    /// Refuses a text whose hooks an edit could misread: each key must stand once, `hooks` be an object, each event a list.
    pub(super) fn check_hooks(&self) -> Result<(), Refused> {
        self.check_unique(&self.root, Some("hooks"))?;
        let Some(hooks) = self.root.get("hooks") else { return Ok(()) };
        let Node::Object(events) = &hooks.value else {
            return Err(self.refused(hooks.value.start(), "`hooks` must be an object, `{ ... }`"));
        };
        self.check_unique(events, None)?;
        // Claude Code takes null for nothing.
        for event in events.properties.iter().filter(|event| event.value.as_null_keyword().is_none()) {
            let Node::Array(groups) = &event.value else {
                let why = format!("`hooks.{}` must be a list, `[ ... ]`", event.name.as_str().escape_debug());
                return Err(self.refused(event.value.start(), &why));
            };
            for group in groups.elements.iter().filter_map(Node::as_object) {
                self.check_unique(group, None)?;
                let mut entries = elements(group.get("hooks")).iter().filter_map(Node::as_object);
                entries.try_for_each(|entry| self.check_unique(entry, None))?;
            }
        }
        Ok(())
    }

    /// Refuses a key that stands twice; with `only`, only that key matters.
    pub(super) fn check_unique(&self, object: &Object<'a>, only: Option<&str>) -> Result<(), Refused> {
        let mut seen = BTreeSet::new();
        let mut keys =
            object.properties.iter().filter(|one| only.is_none_or(|only| one.name.as_str() == only));
        let Some(twice) = keys.find(|one| !seen.insert(one.name.as_str())) else { return Ok(()) };
        let name = twice.name.as_str().escape_debug();
        Err(self.refused(twice.range.start, &format!("the key `{name}` stands here a second time")))
    }
}

/// The property as Claude Code reads it: the last one of that name.
pub(super) fn last<'o, 'a>(object: &'o Object<'a>, key: &str) -> Option<&'o ObjectProp<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == key)
}

pub(super) fn text_of(object: &Object<'_>, key: &str) -> Option<String> {
    last(object, key).and_then(|property| text(&property.value))
}

pub(super) fn text(value: &Node<'_>) -> Option<String> {
    value.as_string_lit().map(|text| text.value.clone().into_owned())
}

pub(super) fn elements<'o, 'a>(property: Option<&'o ObjectProp<'a>>) -> &'o [Node<'a>] {
    property.and_then(|property| property.value.as_array()).map(|list| &*list.elements).unwrap_or_default()
}

fn refused(text: &str, at: usize, why: &str) -> Refused {
    let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let column = text[line_start..at].chars().count() + 1;
    Refused { line: line_of(text, at), column, why: why.to_owned() }
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'p> {
    Key(&'p str),
    /// An element, or a new one at the end.
    Item(usize),
}

pub(super) const END: Step<'_> = Step::Item(usize::MAX);

/// The newest earlier text without anything of ours: it tells an empty list that we filled from one that we made.
#[derive(Debug, Clone, Copy)]
pub(super) struct BeforeUs<'a>(pub(super) &'a str);

impl<'a> BeforeUs<'a> {
    pub(super) fn find(earlier: &'a [Option<String>], owner: &Owner) -> Option<Self> {
        let mut texts = earlier.iter().map(|text| text.as_deref().unwrap_or_default());
        texts.find(|text| read(text, owner).is_ok_and(|there| there.as_wanted(owner).is_nothing())).map(Self)
    }

    /// The container at this path, once it is empty again: as written, if it was empty then, too. `None`: it did not exist.
    fn container(self, path: &[Step<'_>]) -> Option<String> {
        if path.iter().any(|step| matches!(step, Step::Item(_))) {
            return None;
        }
        let document = Document::parse(without_mark(self.0)).ok()?;
        let place =
            path.iter().try_fold(Place::Object(&document.root), |place, step| Some(place.child(*step)?.1))?;
        let empty = match place {
            Place::Object(_) => "{}",
            Place::List(_) => "[]",
            // Claude Code takes null for nothing, and our entry took its place.
            Place::Leaf(Node::NullKeyword(_)) => "null",
            Place::Leaf(_) => return None,
        };
        let is_empty = place.items().is_empty();
        Some(if is_empty { document.raw(place.range()) } else { empty }.to_owned())
            .filter(|_| is_empty || !path.is_empty())
    }
}

#[derive(Clone, Copy)]
enum Place<'d, 'a> {
    Object(&'d Object<'a>),
    List(&'d Array<'a>),
    Leaf(&'d Node<'a>),
}

impl<'d, 'a> Place<'d, 'a> {
    fn of(node: &'d Node<'a>) -> Self {
        match node {
            Node::Object(object) => Self::Object(object),
            Node::Array(list) => Self::List(list),
            leaf => Self::Leaf(leaf),
        }
    }

    fn range(self) -> Range {
        match self {
            Self::Object(object) => object.range,
            Self::List(list) => list.range,
            Self::Leaf(leaf) => leaf.range(),
        }
    }

    fn items(self) -> Vec<Range> {
        match self {
            Self::Object(object) => object.properties.iter().map(Ranged::range).collect(),
            Self::List(list) => list.elements.iter().map(Ranged::range).collect(),
            Self::Leaf(_) => Vec::new(),
        }
    }

    /// The value that the step leads to, with its position.
    fn child(self, step: Step<'_>) -> Option<(usize, Self)> {
        match (self, step) {
            (Self::Object(object), Step::Key(key)) => {
                let index = object.properties.iter().position(|property| property.name.as_str() == key)?;
                Some((index, Self::of(&object.properties[index].value)))
            }
            (Self::List(list), Step::Item(index)) => Some((index, Self::of(list.elements.get(index)?))),
            _ => None,
        }
    }
}

impl Document<'_> {
    /// The text with `value` at the path, and with the containers that are missing on the way.
    pub(super) fn set(&self, path: &[Step<'_>], value: &Value) -> Result<String, Refused> {
        let mut place = Place::Object(&self.root);
        for (depth, step) in path.iter().enumerate() {
            if let Some((_, child)) = place.child(*step) {
                place = child;
                continue;
            }
            let new = wrapped(&path[depth + 1..], value);
            let must_be = |kind: &str| {
                let why = format!("`{}` must be {kind}", dotted(&path[..depth]));
                Err(self.refused(place.range().start, &why))
            };
            return match (place, step) {
                (Place::Object(_), Step::Key(key)) => Ok(self.insert(place, Some(key), &new)),
                (Place::List(_), Step::Item(_)) => Ok(self.insert(place, None, &new)),
                (Place::Leaf(Node::NullKeyword(_)), Step::Item(_)) => {
                    Ok(self.replace(place.range(), &wrapped(&path[depth..], value)))
                }
                (_, Step::Key(_)) => must_be("an object, `{ ... }`"),
                (_, Step::Item(_)) => must_be("a list, `[ ... ]`"),
            };
        }
        Ok(self.replace(place.range(), value))
    }

    /// The text without the value at the path and the containers that this leaves empty, but for those that were there before us.
    pub(super) fn remove(&self, path: &[Step<'_>], before_us: Option<BeforeUs<'_>>) -> String {
        let mut on_the_way = Vec::new();
        let mut place = Place::Object(&self.root);
        for (depth, step) in path.iter().enumerate() {
            let Some((index, child)) = place.child(*step) else { return self.text.to_owned() };
            on_the_way.push((depth, place, index));
            place = child;
        }
        for (depth, container, index) in on_the_way.iter().rev() {
            // With its only entry goes a group as a whole.
            if *depth + 1 < path.len() && *depth > 0 && matches!(path[depth - 1], Step::Item(_)) {
                continue;
            }
            if container.items().len() == 1 {
                if let Some(as_it_was) = before_us.and_then(|before| before.container(&path[..*depth])) {
                    return self.splice(container.range(), &as_it_was);
                }
                if *depth > 0 {
                    continue;
                }
            }
            return self.without(*container, *index);
        }
        self.text.to_owned()
    }

    pub(super) fn splice(&self, range: Range, new: &str) -> String {
        format!("{}{new}{}", &self.text[..range.start], &self.text[range.end..])
    }

    fn replace(&self, old: Range, new: &Value) -> String {
        let is_line = self.text[..old.start].contains('\n');
        let indent = line_indent(self.text, old.start);
        self.splice(old, &Style::of(self).render(new, is_line.then_some(&indent)))
    }

    /// The only item leaves nothing between the brackets.
    fn without(&self, container: Place<'_, '_>, index: usize) -> String {
        let (items, whole) = (container.items(), container.range());
        let (start, end) = match (index.checked_sub(1), items.get(index + 1)) {
            (Some(before), _) => (items[before].end, items[index].end),
            (None, Some(after)) => (items[index].start, after.start),
            (None, None) => (whole.start + 1, whole.end - 1),
        };
        self.splice(Range { start, end }, "")
    }

    /// A new item goes behind the last one.
    fn insert(&self, container: Place<'_, '_>, key: Option<&str>, value: &Value) -> String {
        let style = Style::of(self);
        let Style { line_end, unit, spaced } = &style;
        let colon = if *spaced { ": " } else { ":" };
        let key = key.map(|key| format!("{}{colon}", Value::from(key))).unwrap_or_default();
        let item = |indent: Option<&str>| format!("{key}{}", style.render(value, indent));
        let (whole, items) = (container.range(), container.items());
        let at = |place: usize| Range { start: place, end: place };
        if let ([first, ..], [.., last]) = (&*items, &*items) {
            if self.text[whole.start..first.start].contains('\n') {
                let indent = line_indent(self.text, last.start);
                return self.splice(at(last.end), &format!(",{line_end}{indent}{}", item(Some(&indent))));
            }
            let comma = if *spaced { ", " } else { "," };
            return self.splice(at(last.end), &format!("{comma}{}", item(None)));
        }
        let inside = Range { start: whole.start + 1, end: whole.end - 1 };
        if !self.root.properties.is_empty() && !self.raw(self.root.range).contains('\n') {
            return self.splice(inside, &item(None));
        }
        let outer = line_indent(self.text, whole.start);
        let inner = format!("{outer}{unit}");
        self.splice(inside, &format!("{line_end}{inner}{}{line_end}{outer}", item(Some(&inner))))
    }
}

/// The value inside the containers that these steps lead through.
fn wrapped(path: &[Step<'_>], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |value, step| match step {
        Step::Key(key) => Value::Object([((*key).to_owned(), value)].into_iter().collect()),
        Step::Item(_) => Value::Array(vec![value]),
    })
}

fn dotted(path: &[Step<'_>]) -> String {
    let key = |step: &Step<'_>| match step {
        Step::Key(key) => Some(key.escape_debug().to_string()),
        Step::Item(_) => None,
    };
    path.iter().filter_map(key).collect::<Vec<_>>().join(".")
}

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

/// One line with a blank behind each colon and comma. The pretty form has line ends of its own alone, because strings escape theirs.
fn spaced(value: &Value) -> String {
    pretty(value, "").replace(",\n", ", ").replace('\n', "")
}

/// The white space with which the line of `at` begins.
fn line_indent(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..at].chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect()
}
