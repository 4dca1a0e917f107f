//! What is said of a change: what is in force now and where, and what decides otherwise if it is not what was asked for.

use serde_json::Value;
use shared::config::{Entry, LayerKind, dotted, spelled};

use super::key::flag;
use super::outlook::Outlook;
use super::plan::Planned;
use super::show::file_and_line;
use crate::machine::Machine;
use crate::view::quoted;

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

/// What is said of it; `after` is what is in force then.
pub(super) fn told(done: &Done<'_>, after: &Outlook, machine: &Machine<'_>) -> String {
    let path = &done.planned.path;
    let mut lines = Vec::new();
    if !done.is_changed {
        lines.push(format!("{} says so already; nothing was changed", done.file));
    } else if done.is_new {
        lines.push(format!("{} is new", done.file));
    }
    for entry in after.below(path) {
        lines.push(format!(
            "{}: {}  ({})",
            dotted(&entry.path),
            spelled(&entry.value),
            file_and_line(&entry.origin, machine)
        ));
    }
    if after.below(path).next().is_none() {
        lines.push(format!("{} is not set any more", dotted(path)));
    }
    lines.extend(otherwise(done, after, machine));
    lines.join("\n")
}

/// Why what was asked for is not what is in force, if it is not.
fn otherwise(done: &Done<'_>, after: &Outlook, machine: &Machine<'_>) -> Option<String> {
    let decides = |entry: &&Entry| {
        done.wanted(entry).is_some_and(|value| entry.origin.layer != done.level || *value != entry.value)
    };
    let entry = after.below(&done.planned.path).find(decides)?;
    let key = dotted(&entry.path);
    let place = file_and_line(&entry.origin, machine);
    Some(match entry.origin.layer {
        LayerKind::Switch => {
            let hook = entry.path.first().map_or("", String::as_str);
            format!("its switch decides, whatever the files say; to let them decide: {hook} auto")
        }
        _ if is_of_a_hook(&entry.path) && after.is(&["enabled"], false) => {
            format!("every hook is switched off by `enabled: false` ({place})")
        }
        layer if layer > done.level => format!(
            "{} has it now, but {key} counts as it is set in the {} file; to take it out there: req config unset {}{}",
            done.file,
            layer.word(),
            quoted(&key),
            flag(layer)
        ),
        _ => format!(
            "{} has it now, but this project starts from the defaults (inherit: false), so that it does not count here",
            done.file
        ),
    })
}

/// `HOOK.enabled`, which the key above all sections can overrule.
fn is_of_a_hook(path: &[String]) -> bool {
    matches!(path, [section, key] if section != "requirements" && key == "enabled")
}

impl Done<'_> {
    /// What the change says of this key; the map it is in may hold others.
    fn wanted(&self, entry: &Entry) -> Option<&Value> {
        let rest = entry.path.strip_prefix(self.planned.path.as_slice())?;
        rest.iter().try_fold(self.planned.value.as_ref()?, |value, key| value.get(key))
    }
}
