//! A change of one key. It is made on a copy of the files first, and refused where the copy has a problem that the files have
//! not: a wrong key or value, a lock, a key that counts in another file only.

use installer::catalog::Catalog;
use serde_json::Value;
use shared::cli::{Asker, unregistered};
use shared::config::{Entry, Fault, LayerKind, Problem, dotted, schema_at, spelled};
use shared::journal::Record;

use super::file::OurFile;
use super::key::{is_global_only, only_in, path_of, usual_level, value_of};
use super::outlook::Outlook;
use crate::audit::audit;
use crate::journal::known_hook;
use crate::reply::{self, Reply, refusal};
use crate::verb::{Level, Turn, flag};
use requirements_check::view::quoted;

/// `req config set`, and without a value `req config unset`.
pub(super) fn set(
    key: &str,
    typed: Option<&String>,
    level: Level,
    asker: &Asker<'_>,
    line: &str,
) -> Result<Reply, String> {
    if !asker.caller.is_operator() {
        return Err(refusal(asker.caller, line, "what is configured is the user's to change"));
    }
    let path = path_of(key)?;
    let value = typed.map(|typed| value_of(&path, typed)).transpose()?;
    Planned::new(path, value, level.named(), asker).carry_out(asker)
}

/// `req enable`, `req disable`: one requirement, or a whole hook.
pub(crate) fn turn(wanted: &Turn, on: bool, asker: &Asker<'_>, line: &str) -> Result<Reply, String> {
    let catalog = Catalog::built_in().map_err(|error| format!("req: {error}"))?;
    let is_paid = |hook: &String| on && catalog.hook(hook).is_some_and(|hook| hook.costs_money);
    let is_paid = wanted.hook.as_ref().is_some_and(is_paid);
    if !asker.caller.is_operator() && (!on || is_paid) {
        let why = if on {
            "this hook asks a model, which costs money"
        } else {
            "switching something off is the user's to do"
        };
        return Err(refusal(asker.caller, line, why));
    }
    let path = match (&wanted.hook, &wanted.name) {
        (Some(hook), _) => vec![known_hook(hook)?, "enabled".to_owned()],
        (None, name) => {
            let name = name.clone().unwrap_or_default();
            is_described(&name, catalog, asker)?;
            vec!["requirements".to_owned(), name, "enabled".to_owned()]
        }
    };
    // Only the user's own file switches on a hook that costs money.
    let level = wanted.level.named().or(is_paid.then_some(LayerKind::Global));
    let reply = Planned::new(path, Some(on.into()), level, asker).carry_out(asker)?;
    let next = wanted.hook.as_ref().filter(|_| on).and_then(|hook| unregistered(asker.places, hook));
    Ok(Reply { text: [reply.text].into_iter().chain(next).collect::<Vec<_>>().join("\n"), ..reply })
}

/// Some file describes the requirement: switched on without that, it would be one that nobody meant.
fn is_described(name: &str, catalog: &Catalog, asker: &Asker<'_>) -> Result<(), String> {
    let outlook = Outlook::of(asker, &asker.sources());
    let all = ["requirements".to_owned()];
    let known: Vec<&str> =
        outlook.below(&all).filter_map(|entry| entry.path.get(1).map(String::as_str)).collect();
    if known.contains(&name) {
        return Ok(());
    }
    if catalog.hook(name).is_some() {
        return Err(format!("req: {name} is a hook, not a requirement; type: req enable --hook {name}"));
    }
    let otherwise = " in any file; req init writes a file with some to choose from";
    Err(reply::unknown("requirement", name, &known, otherwise))
}

/// A change that was asked for; without a value the key goes.
struct Planned {
    path: Vec<String>,
    value: Option<Value>,
    level: LayerKind,
}

impl Planned {
    fn new(path: Vec<String>, value: Option<Value>, level: Option<LayerKind>, asker: &Asker<'_>) -> Self {
        let level = level.unwrap_or_else(|| usual_level(&path, asker.places));
        Self { path, value, level }
    }

    fn carry_out(&self, asker: &Asker<'_>) -> Result<Reply, String> {
        if let Some(only) = only_in(&self.path).filter(|only| self.level != *only) {
            return Err(format!("req: {} counts only in the {} file", dotted(&self.path), only.word()));
        }
        let file = OurFile::of(self.level, asker)?;
        let (shown, text) = (file.shown(&file.path), file.text()?);
        let value = self.value.as_ref().map(spelled);
        let edited = file
            .edited(text.as_deref(), &self.path, value.as_deref())
            .map_err(|refused| format!("req: {shown}, {refused}; nothing was changed"))?;
        let before = Outlook::of(asker, &asker.sources());
        if edited == text {
            let key = dotted(&self.path);
            return match self.value {
                Some(_) if self.overruling(&before).next().is_some() => {
                    Ok(self.reply(&before, &format!("{shown} says so already")))
                }
                Some(_) => Ok(Reply::yes(format!("{shown} says so already; nothing was changed"))),
                None => {
                    Err(format!("req: {key} is not set in {shown}; req config {key} --sources says where"))
                }
            };
        }
        let after = Outlook::of(asker, &file.sources_with(&edited.unwrap_or_default()));
        self.check(&after, &before)?;
        file.write(&self.path, value.as_deref()).map_err(|why| format!("{why}\nNothing was changed."))?;
        self.record(asker);
        Ok(self.reply(&after, &format!("written to {shown}")))
    }

    /// For the journal: never the value.
    fn record(&self, asker: &Asker<'_>) {
        let verb = if self.value.is_some() { "set" } else { "unset" };
        let text = format!("{verb} {} in the {} file", dotted(&self.path), self.level.word());
        let is_here = self.level != LayerKind::Global;
        audit(asker.places, asker.host.now(), is_here, Record::of("config", text));
    }

    /// The change of the global file, as it is typed.
    fn line(&self) -> String {
        let (key, value) =
            (quoted(&dotted(&self.path)), self.value.as_ref().map(spelled).unwrap_or_default());
        format!("req config set {key} {} --global", quoted(&value))
    }

    /// Nothing of this file that was right may be wrong afterwards, and nothing may be written that has no effect. A deeper file
    /// that says otherwise than a new lock is no fault of this one.
    fn check(&self, after: &Outlook, before: &Outlook) -> Result<(), String> {
        let was_there = |problem: &Problem| {
            before.problems.iter().any(|old| old.key == problem.key && old.fault == problem.fault)
        };
        let mut own = after.problems.iter().filter(|problem| problem.at.layer == self.level);
        let Some(problem) = own.find(|problem| self.is_about(problem) || !was_there(problem)) else {
            return Ok(());
        };
        Err(match &problem.fault {
            Fault::Locked | Fault::GlobalOnly => {
                format!("req: {problem}; nothing was changed. Type: {}", self.line())
            }
            _ => format!("req: nothing was changed, because this would be wrong then:\n{problem}"),
        })
    }

    fn is_about(&self, problem: &Problem) -> bool {
        let rest = problem.key.strip_prefix(&self.path.join("."));
        self.value.is_some() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// The keys that a higher level sets.
    fn overruling<'a>(&'a self, outlook: &'a Outlook) -> impl Iterator<Item = &'a Entry> {
        outlook.below(&self.path).filter(|entry| entry.origin.layer > self.level)
    }

    /// The key as it is in force then; where a higher level decides, with the lines that take that back.
    fn reply(&self, after: &Outlook, done: &str) -> Reply {
        let entries: Vec<&Entry> = after.below(&self.path).collect();
        let mut lines = Vec::new();
        if entries.is_empty() {
            lines.push(format!("{} is not set any more", dotted(&self.path)));
        } else if self.value.is_some() && self.overruling(after).next().is_some() {
            lines.push(format!("{done}, but a higher level decides:"));
        }
        let in_force = |entry: &&Entry| {
            format!("{}: {}  ({})", dotted(&entry.path), spelled(&entry.value), entry.origin)
        };
        lines.extend(entries.iter().map(in_force));
        lines.extend(entries.iter().filter(|_| self.value.is_some()).filter_map(|entry| meaning(entry)));
        let overruling = self.overruling(after).filter(|_| self.value.is_some());
        lines.extend(overruling.filter_map(undo).map(|line| format!("To take that back, type: {line}")));
        Reply::yes(lines.join("\n"))
    }
}

/// The line that takes back what the highest level says.
fn undo(entry: &Entry) -> Option<String> {
    match (entry.origin.layer, entry.path.as_slice()) {
        (LayerKind::Switch, [hook, key]) => (key == "enabled").then(|| format!("{hook} auto")),
        (LayerKind::Switch, _) => None,
        (level, path) => Some(format!("req config unset {}{}", quoted(&dotted(path)), flag(level))),
    }
}

/// The description of a key that only the user's own file may set: the user should know what they give away.
fn meaning(entry: &Entry) -> Option<String> {
    let description = schema_at(&entry.path)?.get("description")?.as_str()?;
    is_global_only(&entry.path).then(|| format!("{}: {description}", dotted(&entry.path)))
}
