//! A parsed settings text. Plain JSON only: Claude Code and we could read a comment, a trailing comma or a repeated key differently,
//! so an edit refuses such a text and names the place.

use std::collections::BTreeSet;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::Refused;

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
            Refused { line: error.line(), column, why: format!("not plain JSON ({reason})") }
        })?;
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        let Some(Value::Object(root)) = parsed.ok().and_then(|parsed| parsed.value) else {
            return Err(refused(text, 0, "the settings must be an object, `{ ... }`"));
        };
        Ok(Self { text, root })
    }

    pub(super) fn value(&self, node: &Value<'a>) -> serde_json::Value {
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
        let Value::Object(events) = &hooks.value else {
            return Err(self.refused(hooks.value.start(), "`hooks` must be an object, `{ ... }`"));
        };
        self.check_unique(events, None)?;
        // Claude Code takes null for nothing.
        for event in events.properties.iter().filter(|event| event.value.as_null_keyword().is_none()) {
            let Value::Array(groups) = &event.value else {
                let why = format!("`hooks.{}` must be a list, `[ ... ]`", event.name.as_str().escape_debug());
                return Err(self.refused(event.value.start(), &why));
            };
            for group in groups.elements.iter().filter_map(Value::as_object) {
                self.check_unique(group, None)?;
                let mut entries = elements(group.get("hooks")).iter().filter_map(Value::as_object);
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

pub(super) fn text(value: &Value<'_>) -> Option<String> {
    value.as_string_lit().map(|text| text.value.clone().into_owned())
}

pub(super) fn elements<'o, 'a>(property: Option<&'o ObjectProp<'a>>) -> &'o [Value<'a>] {
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
