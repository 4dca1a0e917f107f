//! Values that make Claude Code ignore hooks without a word: a misshapen entry takes all hooks of its event in the file along, a
//! setting of the wrong kind all hooks of the file. Each kind in shapes.json was tried with the real client (tests/client-facts.md,
//! 14). An unknown event or key does no harm.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use serde_json::Value as Json;
use shared::config::{describe, fits};

use super::document::{Document, last, text_of};

const SHAPES: &str = include_str!("shapes.json");

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub line: usize,
    /// The event whose hooks are ignored; empty: all of the file are.
    pub event: String,
    pub what: String,
}

/// Every fault: those of settings, then those of entries in the order of the text.
pub(super) fn find(document: &Document<'_>) -> Vec<Fault> {
    let shapes = serde_json::from_str(SHAPES).unwrap_or_default();
    let mut check = Check { document, shapes: &shapes, event: String::new(), faults: Vec::new() };
    check.object(&document.root, &shapes["settings"], "");
    let events = last(&document.root, "hooks").and_then(|hooks| hooks.value.as_object());
    for event in events.into_iter().flat_map(|events| &events.properties) {
        check.event = event.name.as_str().escape_debug().to_string();
        match &event.value {
            Value::Array(groups) => groups.elements.iter().for_each(|group| check.group(group)),
            // Claude Code takes null for nothing.
            Value::NullKeyword(_) => {}
            other => check.add(other.start(), "an event must be a list of groups".to_owned()),
        }
    }
    check.faults
}

struct Check<'d, 'a> {
    document: &'d Document<'a>,
    shapes: &'d Json,
    event: String,
    faults: Vec<Fault>,
}

impl<'a> Check<'_, 'a> {
    fn add(&mut self, at: usize, what: String) {
        self.faults.push(Fault { line: self.document.line(at), event: self.event.clone(), what });
    }

    fn group(&mut self, group: &Value<'a>) {
        let Some(object) = group.as_object() else {
            return self.add(group.start(), "a group must be a map of settings".to_owned());
        };
        self.object(object, &self.shapes["group"], "");
        let entries = last(object, "hooks").and_then(|entries| entries.value.as_array());
        for entry in entries.into_iter().flat_map(|entries| &entries.elements) {
            let Some(entry) = entry.as_object() else {
                self.add(entry.start(), "an entry must be a map of settings".to_owned());
                continue;
            };
            self.object(entry, &self.shapes["entry"], "");
            if let Some(shape) = text_of(entry, "type").and_then(|kind| self.shapes["types"].get(kind)) {
                self.object(entry, shape, "");
            }
        }
    }

    /// The keys of an object whose value is missing or of another kind. `above` is the path of the object.
    fn object(&mut self, object: &Object<'a>, shape: &Json, above: &str) {
        let is_needed =
            |key: &str| shape["required"].as_array().is_some_and(|keys| keys.iter().any(|one| one == key));
        for (key, shape) in shape["properties"].as_object().into_iter().flatten() {
            let property = last(object, key);
            let value = property.map(|property| &property.value);
            if let (Some(Value::Object(inner)), true) = (value, shape.get("properties").is_some()) {
                self.object(inner, shape, &format!("{above}{key}."));
                continue;
            }
            let data = value.map_or(Json::Null, |value| self.document.value(value));
            if (value.is_some() || is_needed(key)) && !fits(shape, &data) {
                let at = property.map_or(object.range.start, |property| property.range.start);
                self.add(at, format!("`{above}{key}` must be {}", describe(shape)));
            }
        }
    }
}
