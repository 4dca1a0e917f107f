//! A change of one key. It is made on a copy of the files first, and refused where the copy has a problem that the files have
//! not: a wrong key or value, a lock, a key that counts in another file only.

use anyhow::{bail, ensure};
use installer::catalog::Catalog;
use installer::prove::faults;
use serde_json::Value;
use shared::cli::unregistered;
use shared::config::{Entry, Fault, LayerKind, Problem, dotted, schema_at, spelled};
use shared::journal::Record;

use super::file::OurFile;
use super::key::{Outlook, is_global_only, only_in, path_of, usual_level, value_of};
use crate::journal::known_hook;
use crate::location::Location;
use crate::reply::{self, Answer, Reply};
use crate::verb::{Level, Turn};
use shared::text::quoted;

/// `req config set`, and without a value `req config unset`.
pub(super) fn set(key: &str, typed: Option<&String>, level: Level, location: &Location) -> Answer {
    if !location.caller.is_operator() {
        return Err(location.refusal("what is configured is the user's to change"));
    }
    let path = path_of(key)?;
    let is_requirement = location.section.settings.requirements.contains_key(&path[0]);
    ensure!(
        !is_requirement || schema_at(&path).is_some(),
        "there is no key {key}; did you mean requirements.{key}?"
    );
    let value = typed.map(|typed| value_of(&path, typed)).transpose()?;
    Planned::new(path, value, level.named(), location).carry_out(location)
}

/// `req enable`, `req disable`: one requirement, or a whole hook.
pub(crate) fn turn(wanted: &Turn, on: bool, location: &Location) -> Answer {
    let catalog = Catalog::built_in()?;
    let is_paid = |hook: &String| on && catalog.hook(hook).is_some_and(|hook| hook.costs_money);
    let is_paid = wanted.hook.as_ref().is_some_and(is_paid);
    if !location.caller.is_operator() && (!on || is_paid) {
        let why = if on {
            "this hook asks a model, which costs money"
        } else {
            "switching something off is the user's to do"
        };
        return Err(location.refusal(why));
    }
    let mut path = match (&wanted.hook, &wanted.name) {
        (Some(hook), _) => vec![known_hook(hook)?],
        (None, name) => described(name.as_deref().unwrap_or_default(), on, catalog, location)?,
    };
    path.push("enabled".to_owned());
    // Only the user's own file switches on a hook that costs money.
    let level = wanted.level.named().or(is_paid.then_some(LayerKind::Global));
    let reply = Planned::new(path, Some(on.into()), level, location).carry_out(location)?;
    let hook = wanted.hook.as_ref().filter(|_| on);
    let next = hook.and_then(|hook| unregistered(&location.places, hook));
    Ok(Reply::lines(std::iter::once(reply.text).chain(next)))
}

/// The path of a requirement that some file describes: switched on without that, it would be one that nobody meant.
fn described(name: &str, on: bool, catalog: &Catalog, location: &Location) -> anyhow::Result<Vec<String>> {
    let known: Vec<&str> = location.section.settings.requirements.keys().map(String::as_str).collect();
    if known.contains(&name) {
        return Ok(["requirements", name].map(ToOwned::to_owned).to_vec());
    }
    if catalog.hook(name).is_some() {
        let verb = if on { "enable" } else { "disable" };
        bail!("{name} is a hook, not a requirement; type: req {verb} --hook {name}");
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
    fn new(path: Vec<String>, value: Option<Value>, level: Option<LayerKind>, location: &Location) -> Self {
        let level = level.unwrap_or_else(|| usual_level(&path, &location.places));
        Self { path, value, level }
    }

    fn carry_out(&self, location: &Location) -> Answer {
        if let Some(only) = only_in(&self.path).filter(|only| self.level != *only) {
            bail!("{} counts only in the {} file", dotted(&self.path), only.word());
        }
        let file = OurFile::of(self.level, location)?;
        let shown = file.shown(&file.path);
        let value = self.value.as_ref().map(spelled);
        let before = Outlook::of(location, &location.sources());
        let mut after = None;
        file.change(&self.path, value.as_deref(), |text| {
            let outlook = Outlook::of(location, &file.sources_with(text));
            self.check(&outlook, &before)?;
            self.ask_hook(text)?;
            after = Some(outlook);
            Ok(())
        })?;
        if let Some(after) = after {
            let verb = if value.is_some() { "set" } else { "unset" };
            // Never the value.
            let text = format!("{verb} {} in the {} file", dotted(&self.path), self.level.word());
            location.audit(self.level != LayerKind::Global, Record::of("config", text));
            return Ok(self.reply(&after, &format!("written to {shown}")));
        }
        let (key, done) = (dotted(&self.path), format!("{shown} says so already"));
        ensure!(value.is_some(), "{key} is not set in {shown}; req config {key} --sources says where");
        let is_overruled = self.overruling(&before).next().is_some();
        let reply = || Reply::yes(format!("{done}; nothing was changed"));
        Ok(if is_overruled { self.reply(&before, &done) } else { reply() })
    }

    /// Nothing of this file that was right may be wrong afterwards, and nothing may be written that has no effect. A deeper file
    /// that says otherwise than a new lock is no fault of this one.
    fn check(&self, after: &Outlook, before: &Outlook) -> anyhow::Result<()> {
        let was_there = |problem: &Problem| {
            before.problems.iter().any(|old| old.key == problem.key && old.fault == problem.fault)
        };
        let is_about = |problem: &Problem| {
            let rest = problem.key.strip_prefix(&self.path.join("."));
            self.value.is_some() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let mut own = after.problems.iter().filter(|problem| problem.at.layer == self.level);
        let Some(problem) = own.find(|problem| is_about(problem) || !was_there(problem)) else {
            return Ok(());
        };
        match &problem.fault {
            Fault::Locked | Fault::GlobalOnly => {
                let (key, value) = (quoted(&dotted(&self.path)), self.value.as_ref().map(spelled));
                let value = quoted(&value.unwrap_or_default());
                bail!("{problem}; nothing was changed. Type: req config set {key} {value} --global")
            }
            _ => bail!("nothing was changed, because this would be wrong then:\n{problem}"),
        }
    }

    /// The hook that the value is for reads it, too.
    fn ask_hook(&self, text: &str) -> anyhow::Result<()> {
        let key = format!(": {}: ", dotted(&self.path));
        let faults = if self.value.is_some() { faults(&self.path[0], text) } else { Vec::new() };
        let why = faults.iter().find_map(|fault| fault.split_once(&key));
        let why = why.map(|(_, why)| why.trim_end_matches("; the level below counts"));
        why.map_or(Ok(()), |why| bail!("nothing was changed: {}: {why}", dotted(&self.path)))
    }

    fn overruling<'a>(&'a self, outlook: &'a Outlook) -> impl Iterator<Item = &'a Entry> {
        outlook.below(&self.path).filter(|entry| entry.origin.layer > self.level)
    }

    /// The key as it is in force then; where a higher level decides, with the lines that take that back.
    fn reply(&self, after: &Outlook, done: &str) -> Reply {
        let (is_set, mut lines) = (self.value.is_some(), Vec::new());
        let mut overruling = self.overruling(after).filter(|_| is_set).peekable();
        if overruling.peek().is_some() {
            lines.push(format!("{done}, but a higher level decides:"));
        }
        lines.extend(
            after.below(&self.path).map(|entry| {
                format!("{}: {}  ({})", dotted(&entry.path), spelled(&entry.value), entry.origin)
            }),
        );
        lines.extend(lines.is_empty().then(|| format!("{} is not set any more", dotted(&self.path))));
        lines.extend(after.below(&self.path).filter(|_| is_set).filter_map(meaning));
        lines.extend(overruling.filter_map(undo).map(|line| format!("To take that back, type: {line}")));
        Reply::lines(lines)
    }
}

/// The line that takes back what the highest level says.
fn undo(entry: &Entry) -> Option<String> {
    match (entry.origin.layer, entry.path.as_slice()) {
        (LayerKind::Switch, [hook, key]) => (key == "enabled").then(|| format!("{hook} auto")),
        (LayerKind::Switch, _) => None,
        (level, path) => Some(format!("req config unset {} --{}", quoted(&dotted(path)), level.word())),
    }
}

/// The description of a key that only the user's own file may set: the user should know what they give away.
fn meaning(entry: &Entry) -> Option<String> {
    let description = schema_at(&entry.path)?.get("description")?.as_str()?;
    is_global_only(&entry.path).then(|| format!("{}: {description}", dotted(&entry.path)))
}
