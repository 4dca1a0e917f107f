//! Entries for which the client drops every hook that the file registers on the same event, in silence. Each kind was tried
//! with the real client (tests/client-facts.md, 14); an unknown event or an unknown key is no fault to it.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::document::{Document, Masked};
use super::without_mark;

const TYPES: [&str; 5] = ["command", "prompt", "agent", "http", "mcp_tool"];

/// One such entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, hooks.{event}: {what}")]
pub struct Fault {
    /// Counted from 1.
    pub line: usize,
    /// The event whose hooks are dropped.
    pub event: String,
    /// What is wrong with it.
    pub what: String,
}

/// All of them, in the order of the text. Empty for a text that cannot be read at all: editing refuses that.
#[must_use]
pub fn faults(text: &str) -> Vec<Fault> {
    let masked = Masked::new(without_mark(text));
    let Ok(document) = Document::parse(&masked) else { return Vec::new() };
    let Some(hooks) = document.hooks() else { return Vec::new() };
    let mut faults = Vec::new();
    for event in &hooks.properties {
        let groups = event.value.as_array().map(|groups| groups.elements.as_slice()).unwrap_or_default();
        for group in groups {
            faults.extend(of_group(group).into_iter().map(|(at, what)| Fault {
                line: document.refused(at, "").line,
                event: event.name.as_str().escape_debug().to_string(),
                what: what.to_owned(),
            }));
        }
    }
    faults
}

pub(super) type Found = (usize, &'static str);

pub(super) fn of_group(group: &Value<'_>) -> Vec<Found> {
    let Some(object) = group.as_object() else { return vec![(group.start(), "a group must be an object")] };
    let matcher = object.get("matcher").filter(|matcher| matcher.value.as_string_lit().is_none());
    let mut found: Vec<Found> =
        matcher.map(|matcher| (matcher.range.start, "`matcher` must be text")).into_iter().collect();
    match object.get_array("hooks") {
        Some(entries) => found.extend(entries.elements.iter().filter_map(of_entry)),
        None => found.push((group.start(), "a group needs a list `hooks`")),
    }
    found
}

fn of_entry(entry: &Value<'_>) -> Option<Found> {
    let Some(object) = entry.as_object() else {
        return Some((entry.start(), "an entry must be an object"));
    };
    let kind = object.get_string("type").map(|kind| kind.value.to_string());
    match kind.as_deref() {
        None => return Some((entry.start(), "an entry needs a `type`")),
        Some(kind) if !TYPES.contains(&kind) => return Some((entry.start(), "its `type` is unknown")),
        Some("command") if object.get_string("command").is_none() => {
            return Some((entry.start(), "an entry of type command needs a `command`"));
        }
        Some(_) => {}
    }
    wrong_value(object)
}

fn wrong_value(object: &Object<'_>) -> Option<Found> {
    let wrong = |key: &str, is_right: fn(&Value<'_>) -> bool, what: &'static str| {
        object.get(key).filter(|found| !is_right(&found.value)).map(|found| (found.range.start, what))
    };
    wrong("timeout", |value| value.as_number_lit().is_some(), "`timeout` must be a number of seconds")
        .or_else(|| wrong("args", |value| value.as_array().is_some(), "`args` must be a list of texts"))
}
