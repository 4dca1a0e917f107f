//! What a change of one key would come to: checked against the schema, then against everything that would be in force. What
//! would be wrong or without effect is refused, and nothing is changed.

use std::sync::Arc;

use serde_json::Value;
use shared::cli::Asker;
use shared::config::{Entry, Fault, LayerKind, Problem, Refused, Said, dotted, spelled};

use super::file::FileChange;
use super::key::{flag, is_global_only, named, only_in, path_of, typed_flag, unknown, usual};
use super::outlook::{Outlook, with_text};
use super::told::{Done, told};
use super::typed::value_of;
use crate::command::arguments::Level;
use crate::command::{Reply, refusal};
use requirements_check::change::Change;
use requirements_check::view::quoted;

/// Why an agent does not change what is configured.
const OPERATORS: &str = "what is configured is the user's to change";

pub(super) fn set(key: &str, typed: &str, level: Level, asker: &Asker<'_>) -> Result<Reply, String> {
    let line = format!("req config set {} {}{}", quoted(key), quoted(typed), typed_flag(level));
    if !asker.caller.is_operator() {
        return Err(refusal(asker.caller, &line, OPERATORS));
    }
    let before = Outlook::of(asker, &asker.sources());
    let path = path_of(key, &before.entries)?;
    let value = value_of(&path, typed, &before)?;
    Planned { path, value: Some(value), level }.carry(&before, asker)
}

pub(super) fn unset(key: &str, level: Level, asker: &Asker<'_>) -> Result<Reply, String> {
    let line = format!("req config unset {}{}", quoted(key), typed_flag(level));
    if !asker.caller.is_operator() {
        return Err(refusal(asker.caller, &line, OPERATORS));
    }
    let before = Outlook::of(asker, &asker.sources());
    let path = path_of(key, &before.entries)?;
    Planned { path, value: None, level }.carry(&before, asker)
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
    pub(super) fn carry(self, before: &Outlook, asker: &Asker<'_>) -> Result<Reply, String> {
        let level = self.level(asker)?;
        let sources = asker.sources();
        let file = sources.file(level).map(|file| sources.shown(level, file));
        let file = file.ok_or_else(|| no_such_file(level))?;
        let text = match sources.text(level) {
            Ok(text) => Some(text),
            Err(Refused::NotThere) => None,
            Err(Refused::Because(why)) => return Err(format!("req: {file}: {why}; nothing was changed")),
        };
        let change = FileChange { level, path: self.path.clone(), value: self.value.as_ref().map(spelled) };
        let edited = change
            .apply(text.as_deref(), asker.places)
            .map_err(|refused| format!("req: {file}, {refused}; nothing was changed"))?;
        if self.value.is_none() && edited == text {
            return Err(self.not_set(before, level, &file));
        }
        let after = Outlook::of(asker, &with_text(&sources, level, edited.as_deref().unwrap_or_default()));
        self.check(&after, before, level)?;
        let changes = if edited == text { Vec::new() } else { vec![Change::Do(Arc::new(change))] };
        let done = Done {
            planned: &self,
            level,
            file: &file,
            is_new: text.is_none(),
            is_changed: !changes.is_empty(),
        };
        Ok(Reply { changes, ..Reply::yes(told(&done, &after)) })
    }

    fn level(&self, asker: &Asker<'_>) -> Result<LayerKind, String> {
        let usual = usual(&self.path, is_global_only(&self.path), asker.places);
        let level = named(self.level).unwrap_or(usual);
        if let Some(only) = only_in(&self.path)
            && level != only
            && self.value.is_some()
        {
            let key = dotted(&self.path);
            return Err(format!("req: {key} counts only in the {} file; use{}", only.word(), flag(only)));
        }
        if level == LayerKind::Global || !is_global_only(&self.path) || self.value.is_none() {
            return Ok(level);
        }
        Err(format!(
            "req: {} counts only in your global file, so that no project can set it; type: {}",
            dotted(&self.path),
            self.line(LayerKind::Global)
        ))
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
    fn check(&self, after: &Outlook, before: &Outlook, level: LayerKind) -> Result<(), String> {
        let new = after.new_problems(before).into_iter().filter(|problem| !is_overruled(problem, level));
        let own = || after.problems.iter().filter(|problem| self.is_about(problem, level));
        let found: Vec<&Problem> =
            if self.value.is_some() { own().chain(new).collect() } else { new.collect() };
        let Some(first) = found.first() else { return self.check_locks(after, level) };
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
            _ => format!("req: nothing was changed, because this would be wrong then:\n{first}"),
        })
    }

    /// What a locked key is set to elsewhere counts for nothing, even if it says the same: once the lock's owner changes
    /// their mind, it would be wrong.
    fn check_locks(&self, after: &Outlook, level: LayerKind) -> Result<(), String> {
        if level == LayerKind::Global || self.value.is_none() {
            return Ok(());
        }
        let is_said = |entry: &&Entry| after.locks(&entry.path) && self.says(entry).is_some();
        let Some(entry) = after.below(&self.path).find(is_said) else { return Ok(()) };
        let said = entry.overridden.first();
        let same = said.map(|Said { value, origin }| format!(", and {} already ({origin})", spelled(value)));
        Err(format!(
            "req: {} is locked by your global file{}; said here as well it would count for nothing; nothing was changed",
            dotted(&entry.path),
            same.unwrap_or_default()
        ))
    }

    /// What the change says of this key; the map it is in may hold others.
    pub(super) fn says(&self, entry: &Entry) -> Option<&Value> {
        let rest = entry.path.strip_prefix(self.path.as_slice())?;
        rest.iter().try_fold(self.value.as_ref()?, |value, key| value.get(key))
    }

    /// The problem is one of this key in the file that would be changed.
    fn is_about(&self, problem: &Problem, level: LayerKind) -> bool {
        let key = self.path.join(".");
        let rest = problem.key.strip_prefix(&key);
        problem.level == level && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// A deeper file says otherwise than what the global one locks, which is the purpose of a lock.
pub(super) fn is_overruled(problem: &Problem, level: LayerKind) -> bool {
    level == LayerKind::Global && problem.level > level && problem.fault == Fault::Locked
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
