//! The answer to a change: the value in force now, and what decides otherwise if it is not the one that was set.

use serde_json::Value;
use shared::config::{Entry, LayerKind, dotted, schema_at, spelled};

use super::key::is_global_only;
use super::outlook::Outlook;
use super::plan::Planned;

/// A change that can be made.
pub(super) struct Done<'a> {
    pub(super) planned: &'a Planned,
    pub(super) level: LayerKind,
    /// The file, as a person reads it.
    pub(super) file: &'a str,
    /// There was no such file.
    pub(super) is_new: bool,
    /// The file said something else before.
    pub(super) is_changed: bool,
}

/// The answer; `after` is what is in force then.
pub(super) fn told(done: &Done<'_>, after: &Outlook) -> String {
    let path = &done.planned.path;
    let mut lines = Vec::new();
    if !done.is_changed {
        lines.push(format!("{} says so already; nothing was changed", done.file));
    } else if done.is_new {
        lines.push(format!("{} is new", done.file));
    }
    if let Some(other) = after.below(path).find(|entry| decides_otherwise(done, entry)) {
        lines.push(format!("written to {}, but {} decides:", done.file, decider(other.origin.layer)));
    }
    let in_force =
        |entry: &Entry| format!("{}: {}  ({})", dotted(&entry.path), spelled(&entry.value), entry.origin);
    lines.extend(after.below(path).map(in_force));
    if after.below(path).next().is_none() {
        lines.push(format!("{} is not set any more", dotted(path)));
    }
    if let Some(value) = done.planned.value.as_ref().filter(|_| done.is_changed) {
        lines.extend(meaning(path, value));
    }
    lines.join("\n")
}

fn decides_otherwise(done: &Done<'_>, entry: &Entry) -> bool {
    let said = done.planned.says(entry);
    said.is_some_and(|value| entry.origin.layer != done.level || *value != entry.value)
}

fn decider(layer: LayerKind) -> String {
    match layer {
        LayerKind::Switch => "the hook's switch".to_owned(),
        LayerKind::Defaults => "a project that starts from the defaults (inherit: false)".to_owned(),
        layer => format!("the {} file", layer.word()),
    }
}

/// The descriptions of the keys that only the user's own file may set: the user should know what they give away.
fn meaning(path: &[String], value: &Value) -> Vec<String> {
    if let Some(map) = value.as_object().filter(|map| !map.is_empty()) {
        let below = |(key, value)| meaning(&[path, std::slice::from_ref(key)].concat(), value);
        return map.iter().flat_map(below).collect();
    }
    let description = schema_at(path).ok().and_then(|schema| schema.get("description")?.as_str());
    let said = description.filter(|_| is_global_only(path));
    said.map(|said| format!("{}: {said}", dotted(path))).into_iter().collect()
}
