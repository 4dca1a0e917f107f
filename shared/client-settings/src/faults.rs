//! Entries for which the client drops every hook that the file registers on the same event, in silence. Each kind was tried
//! with the real client (tests/client-facts.md, 14); an unknown event or an unknown key is no fault to it.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use super::document::{Document, Masked, last};
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
    /// The fault.
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
    let kind = last(object, "type").and_then(|kind| kind.value.as_string_lit());
    let Some(kind) = kind else { return Some((entry.start(), "an entry needs a `type`")) };
    let kind = &*kind.value;
    if !TYPES.contains(&kind) {
        return Some((entry.start(), "its `type` is unknown"));
    }
    let is_its = |types: &&[&str]| types.contains(&kind);
    let missing = NEEDED
        .iter()
        .filter(|(types, ..)| is_its(types))
        .find(|(_, key, is_right, _)| last(object, key).is_none_or(|found| !is_right(&found.value)));
    if let Some((.., what)) = missing {
        return Some((entry.start(), what));
    }
    let wrong = |(_, key, is_right, what): &Rule| {
        let found = last(object, key).filter(|found| !is_right(&found.value))?;
        Some((found.range.start, *what))
    };
    ALLOWED.iter().filter(|(types, ..)| is_its(types)).find_map(wrong)
}

/// Required kind of a key for entries of these types, and the message.
type Rule = (&'static [&'static str], &'static str, Kind, &'static str);

const COMMAND: &[&str] = &["command"];

/// Keys without which an entry is none.
const NEEDED: [Rule; 6] = [
    (COMMAND, "command", is_text, "an entry of type command needs a `command`"),
    (&["prompt"], "prompt", is_text, "an entry of type prompt needs a `prompt`"),
    (&["agent"], "prompt", is_text, "an entry of type agent needs a `prompt`"),
    (&["http"], "url", is_address, "an entry of type http needs a `url`, the whole address"),
    (&["mcp_tool"], "server", is_text, "an entry of type mcp_tool needs a `server`"),
    (&["mcp_tool"], "tool", is_text, "an entry of type mcp_tool needs a `tool`"),
];

/// Keys that must be right where they are there.
const ALLOWED: [Rule; 16] = [
    (&TYPES, "timeout", is_duration, "`timeout` must be a number of seconds, more than 0"),
    (COMMAND, "args", is_texts, "`args` must be a list of texts"),
    (&TYPES, "if", is_text, "`if` must be text"),
    (&TYPES, "statusMessage", is_text, "`statusMessage` must be text"),
    (&TYPES, "once", is_switch, "`once` must be true or false"),
    (COMMAND, "async", is_switch, "`async` must be true or false"),
    (COMMAND, "asyncRewake", is_switch, "`asyncRewake` must be true or false"),
    (COMMAND, "holdsTools", is_switch, "`holdsTools` must be true or false"),
    (COMMAND, "rewakeMessage", is_words, "`rewakeMessage` must be text"),
    (COMMAND, "rewakeSummary", is_words, "`rewakeSummary` must be text"),
    (COMMAND, "shell", is_shell, "`shell` must be \"bash\" or \"powershell\""),
    (&["command", "http"], "onFailure", is_reaction, "`onFailure` must be \"continue\" or \"block\""),
    (&["prompt", "agent"], "model", is_text, "`model` must be text"),
    (&["http"], "headers", is_object, "`headers` must be an object, `{ ... }`"),
    (&["http"], "allowedEnvVars", is_texts, "`allowedEnvVars` must be a list of texts"),
    (&["mcp_tool"], "input", is_object, "`input` must be an object, `{ ... }`"),
];

/// Whether a value is of some kind.
pub(super) type Kind = fn(&Value<'_>) -> bool;

pub(super) fn is_text(value: &Value<'_>) -> bool {
    value.as_string_lit().is_some()
}

pub(super) fn is_switch(value: &Value<'_>) -> bool {
    value.as_boolean_lit().is_some()
}

pub(super) fn is_object(value: &Value<'_>) -> bool {
    value.as_object().is_some()
}

pub(super) fn is_list(value: &Value<'_>) -> bool {
    value.as_array().is_some()
}

pub(super) fn is_texts(value: &Value<'_>) -> bool {
    value.as_array().is_some_and(|list| list.elements.iter().all(is_text))
}

pub(super) fn is_duration(value: &Value<'_>) -> bool {
    let number = value.as_number_lit().and_then(|number| number.value.parse::<f64>().ok());
    number.is_some_and(|number| number > 0.0)
}

fn is_words(value: &Value<'_>) -> bool {
    value.as_string_lit().is_some_and(|text| !text.value.is_empty())
}

fn is_shell(value: &Value<'_>) -> bool {
    value.as_string_lit().is_some_and(|text| ["bash", "powershell"].contains(&&*text.value))
}

fn is_reaction(value: &Value<'_>) -> bool {
    value.as_string_lit().is_some_and(|text| ["continue", "block"].contains(&&*text.value))
}

fn is_address(value: &Value<'_>) -> bool {
    let scheme = value.as_string_lit().and_then(|text| text.value.split_once(':'));
    scheme.is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty())
}
