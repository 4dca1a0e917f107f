//! What a change of one key would come to: checked against the schema, then against everything that would be in force. What
//! would be wrong or without effect is refused, and nothing is changed.

use serde_json::Value;
use shared::config::{
    Fault, LayerKind, Problem, Refused, describe_in_full, dotted, fits, read_value, schema_at,
    section_by_schema, spelled,
};
use shared::host::display_path;

use super::file::FileChange;
use super::key::{flag, named, only_in, path_of, shown, typed_flag, unknown, usual};
use super::outlook::{Outlook, sources, with_text};
use super::told::{Done, told};
use crate::change::Change;
use crate::command::Reply;
use crate::command::arguments::Level;
use crate::machine::Machine;
use crate::view::quoted;

/// Why an agent does not change what is configured.
const OPERATORS: &str = "what is configured is the user's to change";

pub(super) fn set(key: &str, typed: &str, level: Level, machine: &Machine<'_>) -> Result<Reply, String> {
    let line = format!("req config set {} {}{}", quoted(key), quoted(typed), typed_flag(level));
    if !machine.standpoint.is_operator() {
        return Err(machine.standpoint.refusal(&line, OPERATORS));
    }
    let before = Outlook::of(machine, &sources(machine));
    let path = path_of(key, &before.entries)?;
    let value = value_of(&path, typed, &before)?;
    Planned { path, value: Some(value), level }.carry(&before, machine)
}

pub(super) fn unset(key: &str, level: Level, machine: &Machine<'_>) -> Result<Reply, String> {
    let line = format!("req config unset {}{}", quoted(key), typed_flag(level));
    if !machine.standpoint.is_operator() {
        return Err(machine.standpoint.refusal(&line, OPERATORS));
    }
    let before = Outlook::of(machine, &sources(machine));
    let path = path_of(key, &before.entries)?;
    Planned { path, value: None, level }.carry(&before, machine)
}

/// What the typed text means for this key: the YAML it is, or, where that is no value of the key and a text is, that text.
fn value_of(path: &[String], typed: &str, outlook: &Outlook) -> Result<Value, String> {
    let schema = schema_at(path).map_err(|_| unknown(path, outlook))?;
    let text = Value::from(typed);
    let read = read_value(typed);
    match &read {
        Ok(value) if fits(schema, value) => Ok(value.clone()),
        _ if fits(schema, &text) => Ok(text),
        Ok(value) => Err(misfit(schema, value, path, outlook)),
        Err(why) => Err(format!(
            "req: the value for {} is {why}; expected {}",
            dotted(path),
            describe_in_full(schema)
        )),
    }
}

/// The deepest key whose value is wrong, and what it should be.
fn misfit(schema: &Value, value: &Value, path: &[String], outlook: &Outlook) -> String {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let below = [path, std::slice::from_ref(key)].concat();
        match schema_at(&below) {
            Err(_) => return unknown(&below, outlook),
            Ok(schema) if !fits(schema, inner) => return misfit(schema, inner, &below, outlook),
            Ok(_) => {}
        }
    }
    format!("req: {}: expected {}; nothing was changed", dotted(path), describe_in_full(schema))
}

/// A change that was asked for.
pub(super) struct Planned {
    pub(super) path: Vec<String>,
    /// None: the key goes.
    pub(super) value: Option<Value>,
    pub(super) level: Level,
}

impl Planned {
    /// The change, if nothing speaks against it, and what it comes to.
    pub(super) fn carry(self, before: &Outlook, machine: &Machine<'_>) -> Result<Reply, String> {
        let level = self.level(machine)?;
        let sources = sources(machine);
        let file = sources
            .file(level)
            .map(|file| shown(&display_path(file, machine.host.environment.home.as_deref()), machine));
        let file = file.ok_or_else(|| no_such_file(level))?;
        let text = match sources.text(level) {
            Ok(text) => Some(text),
            Err(Refused::NotThere) => None,
            Err(Refused::Because(why)) => return Err(format!("req: {file}: {why}; nothing was changed")),
        };
        let change = FileChange { level, path: self.path.clone(), value: self.value.as_ref().map(spelled) };
        let edited = change
            .apply(text.as_deref(), machine.places)
            .map_err(|refused| format!("req: {file}, {refused}; nothing was changed"))?;
        if self.value.is_none() && edited == text {
            return Err(self.not_set(before, level, &file));
        }
        let after = Outlook::of(machine, &with_text(&sources, level, edited.as_deref().unwrap_or_default()));
        self.check(&after, before, level, machine)?;
        let is_new = text.is_none();
        let changes = if edited == text { Vec::new() } else { vec![Change::Configure(Box::new(change))] };
        let done = Done { planned: &self, level, file: &file, is_new, is_changed: !changes.is_empty() };
        Ok(Reply { changes, ..Reply::yes(told(&done, &after, machine)) })
    }

    fn level(&self, machine: &Machine<'_>) -> Result<LayerKind, String> {
        let usual = usual(&self.path, self.is_global_only(), machine.places);
        let level = named(self.level).unwrap_or(usual);
        if let Some(only) = only_in(&self.path)
            && level != only
            && self.value.is_some()
        {
            let key = dotted(&self.path);
            return Err(format!("req: {key} counts only in the {} file; use{}", only.word(), flag(only)));
        }
        if level == LayerKind::Global || !self.is_global_only() || self.value.is_none() {
            return Ok(level);
        }
        Err(format!(
            "req: {} counts only in your global file, so that no project can set it; type: {}",
            dotted(&self.path),
            self.line(LayerKind::Global)
        ))
    }

    fn is_global_only(&self) -> bool {
        let Some((section, rest)) = self.path.split_first() else { return false };
        let keys = section_by_schema(section).map(|(spec, _)| spec.global_only).unwrap_or_default();
        let own = rest.join(".");
        keys.iter().any(|key| own == *key || own.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
    }

    /// The change as it is typed.
    pub(super) fn line(&self, level: LayerKind) -> String {
        let key = quoted(&dotted(&self.path));
        match &self.value {
            Some(value) => format!("req config set {key} {}{}", quoted(&spelled(value)), flag(level)),
            None => format!("req config unset {key}{}", flag(level)),
        }
    }

    fn not_set(&self, before: &Outlook, level: LayerKind, file: &str) -> String {
        let key = dotted(&self.path);
        let elsewhere = before
            .below(&self.path)
            .map(|entry| entry.origin.layer)
            .find(|layer| *layer != level && !matches!(layer, LayerKind::Defaults | LayerKind::Switch));
        match elsewhere {
            Some(other) => {
                format!("req: {key} is not set in {file}; to take it out where it is: {}", self.line(other))
            }
            None if before.below(&self.path).next().is_none() => unknown(&self.path, before),
            None => format!("req: {key} is not set in {file}"),
        }
    }

    /// Nothing that was right may be wrong afterwards, and nothing may be written that has no effect.
    fn check(
        &self,
        after: &Outlook,
        before: &Outlook,
        level: LayerKind,
        machine: &Machine<'_>,
    ) -> Result<(), String> {
        let new = after.new_problems(before);
        let own = || after.problems.iter().filter(|problem| self.is_about(problem, level, machine));
        let found: Vec<&Problem> = if self.value.is_some() { own().chain(new).collect() } else { new };
        let Some(first) = found.first() else { return Ok(()) };
        let key = dotted(&self.path);
        Err(match &first.fault {
            Fault::Locked => format!(
                "req: {key} is locked by your global file, so it would count for nothing here; to change it for every \
                 project: {}",
                self.line(LayerKind::Global)
            ),
            Fault::GlobalOnly => {
                format!("req: {key} counts only in your global file; type: {}", self.line(LayerKind::Global))
            }
            _ => format!(
                "req: nothing was changed, because this would be wrong then:\n{}",
                shown(&first.to_string(), machine)
            ),
        })
    }

    /// The problem is one of this key in the file that would be changed.
    fn is_about(&self, problem: &Problem, level: LayerKind, machine: &Machine<'_>) -> bool {
        let key = self.path.join(".");
        let is_below =
            problem.key.strip_prefix(&key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let home = machine.host.environment.home.as_deref();
        let file = sources(machine).file(level).map(|file| display_path(file, home));
        is_below && file.as_ref() == Some(&problem.file)
    }
}

fn no_such_file(level: LayerKind) -> String {
    match level {
        LayerKind::Global => {
            "req: HOME is not set, so there is no folder for a file of yours; set HOME".to_owned()
        }
        _ => {
            "req: there is no project here: this folder holds your own configuration; use --global".to_owned()
        }
    }
}
