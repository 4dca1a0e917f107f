//! A change of one key: checked against the schema, then against everything that would be in force. What would be wrong or
//! without effect is refused, and nothing is changed.

use serde_json::Value;
use shared::catalog::Catalog;
use shared::cli::Asker;
use shared::config::{Entry, Fault, LayerKind, Problem, dotted, schema_at, spelled};

use super::file::OurFile;
use super::key::{is_global_only, only_in, path_of, unknown, usual_level};
use super::outlook::Outlook;
use super::value::value_of;
use crate::journal::known_hook;
use crate::reply::{self, Reply, refusal};
use crate::verb::{Level, Turn, flag};
use requirements_check::change::audit;
use requirements_check::view::quoted;

/// `req config set`, and without a value `req config unset`.
pub(super) fn set(
    key: &str,
    typed: Option<&String>,
    level: Level,
    asker: &Asker<'_>,
) -> Result<Reply, String> {
    if !asker.caller.is_operator() {
        let value = typed.map(|value| format!(" {}", quoted(value))).unwrap_or_default();
        let verb = if typed.is_some() { "set" } else { "unset" };
        let line = format!("req config {verb} {}{value}{}", quoted(key), level.named().map_or("", flag));
        return Err(refusal(asker.caller, &line, "what is configured is the user's to change"));
    }
    let before = Outlook::of(asker, &asker.sources());
    let path = path_of(key)?;
    let value = typed.map(|typed| value_of(&path, typed, &before)).transpose()?;
    Planned::of(path, value, level.named(), asker)?.carry_out(&before, asker)
}

/// `req enable`, `req disable`: one requirement, or a whole hook.
pub(crate) fn turn(wanted: &Turn, on: bool, asker: &Asker<'_>) -> Result<Reply, String> {
    let catalog = Catalog::built_in().map_err(|error| format!("req: {error}"))?;
    let is_paid = |hook: &&String| on && catalog.hook(hook).is_some_and(|hook| hook.costs_money);
    let paid = wanted.hook.as_ref().filter(is_paid);
    let mut level = wanted.level.named();
    if !asker.caller.is_operator() && (!on || paid.is_some()) {
        let why = if on {
            "this hook asks a model, which costs money"
        } else {
            "switching something off is the user's to do"
        };
        return Err(refusal(asker.caller, &as_typed(wanted, on), why));
    }
    let before = Outlook::of(asker, &asker.sources());
    let above = match (&wanted.hook, &wanted.name) {
        (Some(hook), _) => vec![known_hook(hook)?],
        (None, name) => {
            let name = name.clone().unwrap_or_default();
            is_described(&name, &before, &catalog)?;
            vec!["requirements".to_owned(), name]
        }
    };
    if let Some(hook) = paid {
        if !matches!(level, None | Some(LayerKind::Global)) {
            return Err(format!(
                "req: {hook} asks a model, which costs money, so only your global file can switch it on; type: req enable --hook {hook} --global"
            ));
        }
        level = Some(LayerKind::Global);
    }
    let path = [above, vec!["enabled".to_owned()]].concat();
    // It stands so already, and no file was named that should say so itself.
    let same = before.at(&path).filter(|entry| entry.value == on && entry.origin.layer != LayerKind::Switch);
    if let (Some(entry), None) = (same, level) {
        return Ok(Reply::yes(format!("{}; nothing was changed", in_force(entry))));
    }
    Planned::of(path, Some(on.into()), level, asker)?.carry_out(&before, asker)
}

fn as_typed(wanted: &Turn, on: bool) -> String {
    let verb = if on { "enable" } else { "disable" };
    let what = match (&wanted.hook, &wanted.name) {
        (Some(hook), _) => format!("--hook {}", quoted(hook)),
        (None, name) => quoted(name.as_deref().unwrap_or_default()),
    };
    format!("req {verb} {what}{}", wanted.level.named().map_or("", flag))
}

/// Some file describes the requirement: switched on without that, it would be one that nobody meant.
fn is_described(name: &str, before: &Outlook, catalog: &Catalog) -> Result<(), String> {
    let all = ["requirements".to_owned()];
    let known: Vec<&str> =
        before.below(&all).filter_map(|entry| entry.path.get(1).map(String::as_str)).collect();
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
    fn of(
        path: Vec<String>,
        value: Option<Value>,
        level: Option<LayerKind>,
        asker: &Asker<'_>,
    ) -> Result<Self, String> {
        let level = level.unwrap_or_else(|| usual_level(&path, asker.places));
        match only_in(&path).filter(|only| level != *only && value.is_some()) {
            Some(only) => {
                let key = dotted(&path);
                Err(format!("req: {key} counts only in the {} file; use{}", only.word(), flag(only)))
            }
            None => Ok(Self { path, value, level }),
        }
    }

    fn carry_out(&self, before: &Outlook, asker: &Asker<'_>) -> Result<Reply, String> {
        let file = OurFile::of(self.level, asker)?;
        let (shown, text) = (file.shown(&file.path), file.text()?);
        let value = self.value.as_ref().map(spelled);
        let edited = file
            .edited(text.as_deref(), &self.path, value.as_deref())
            .map_err(|refused| format!("req: {shown}, {refused}; nothing was changed"))?;
        if edited == text {
            if self.value.is_none() {
                return Err(self.not_set(before, &shown));
            }
            let first = format!("{shown} says so already; nothing was changed");
            return Ok(self.reply(Some(first), before, &shown));
        }
        let after = Outlook::of(asker, &file.sources_with(&edited.unwrap_or_default()));
        self.check(&after, before)?;
        file.write(&self.path, value.as_deref()).map_err(|why| format!("{why}\nNothing was changed."))?;
        self.record(asker);
        Ok(self.reply(text.is_none().then(|| format!("{shown} is new")), &after, &shown))
    }

    /// For the journal: never the value.
    fn record(&self, asker: &Asker<'_>) {
        let verb = if self.value.is_some() { "set" } else { "unset" };
        let text = format!("{verb} {} in the {} file", dotted(&self.path), self.level.word());
        audit(asker.places, asker.host.now(), "config", self.level != LayerKind::Global, &text);
    }

    /// The change as it is typed.
    fn line(&self, level: LayerKind) -> String {
        let key = quoted(&dotted(&self.path));
        match &self.value {
            Some(value) => format!("req config set {key} {}{}", quoted(&spelled(value)), flag(level)),
            None => format!("req config unset {key}{}", flag(level)),
        }
    }

    fn not_set(&self, before: &Outlook, file: &str) -> String {
        let key = dotted(&self.path);
        let mut layers = before.below(&self.path).map(|entry| entry.origin.layer).peekable();
        if layers.peek().is_none() {
            return unknown(&self.path, before);
        }
        let is_elsewhere = |layer: &LayerKind| {
            *layer != self.level && !matches!(layer, LayerKind::Defaults | LayerKind::Switch)
        };
        let line = layers.find(is_elsewhere).map(|layer| self.line(layer));
        let line = line.map(|line| format!("; to take it out where it is: {line}"));
        format!("req: {key} is not set in {file}{}", line.unwrap_or_default())
    }

    /// Nothing that was right may be wrong afterwards, and nothing may be written that has no effect.
    fn check(&self, after: &Outlook, before: &Outlook) -> Result<(), String> {
        let is_own = |problem: &&Problem| self.value.is_some() && self.is_about(problem);
        // A deeper file says otherwise than what the global one locks, which is the purpose of a lock.
        let is_overruled = |problem: &Problem| {
            self.level == LayerKind::Global && problem.level > self.level && problem.fault == Fault::Locked
        };
        let own = after.problems.iter().find(is_own);
        let found = own.or_else(|| after.new_problems(before).find(|problem| !is_overruled(problem)));
        let Some(problem) = found else { return Ok(()) };
        let (key, line) = (dotted(&self.path), self.line(LayerKind::Global));
        Err(match &problem.fault {
            Fault::Locked => format!(
                "req: {key} is locked by your global file, so it would count for nothing here; to change it for every \
                 project: {line}"
            ),
            Fault::GlobalOnly => format!(
                "req: {key} counts only in your global file, so that no project can set it; type: {line}"
            ),
            _ => format!("req: nothing was changed, because this would be wrong then:\n{problem}"),
        })
    }

    /// The problem is one of this key in the file that would be changed.
    fn is_about(&self, problem: &Problem) -> bool {
        let rest = problem.key.strip_prefix(&self.path.join("."));
        problem.level == self.level && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// What the change says of this key; the map it is in may hold others.
    fn says(&self, entry: &Entry) -> Option<&Value> {
        let rest = entry.path.strip_prefix(self.path.as_slice())?;
        rest.iter().try_fold(self.value.as_ref()?, |value, key| value.get(key))
    }

    /// What is in force then, and what decides otherwise if it is not what was set.
    fn reply(&self, first: Option<String>, after: &Outlook, file: &str) -> Reply {
        let entries: Vec<&Entry> = after.below(&self.path).collect();
        let mut lines: Vec<String> = first.into_iter().collect();
        if entries.is_empty() {
            lines.push(format!("{} is not set any more", dotted(&self.path)));
        }
        let is_other = |entry: &&&Entry| {
            self.says(entry).is_some_and(|value| entry.origin.layer != self.level || *value != entry.value)
        };
        lines.extend(
            entries
                .iter()
                .find(is_other)
                .map(|entry| format!("written to {file}, but {} decides:", decider(entry.origin.layer))),
        );
        lines.extend(entries.iter().map(|entry| in_force(entry)));
        let meant = entries.iter().filter(|entry| self.says(entry).is_some());
        lines.extend(meant.filter_map(|entry| meaning(entry)));
        Reply::yes(lines.join("\n"))
    }
}

fn in_force(entry: &Entry) -> String {
    format!("{}: {}  ({})", dotted(&entry.path), spelled(&entry.value), entry.origin)
}

fn decider(layer: LayerKind) -> String {
    match layer {
        LayerKind::Switch => "the hook's switch".to_owned(),
        LayerKind::Defaults => "a project that starts from the defaults (inherit: false)".to_owned(),
        layer => format!("the {} file", layer.word()),
    }
}

/// The description of a key that only the user's own file may set: the user should know what they give away.
fn meaning(entry: &Entry) -> Option<String> {
    let description = schema_at(&entry.path).ok()?.get("description")?.as_str()?;
    is_global_only(&entry.path).then(|| format!("{}: {description}", dotted(&entry.path)))
}
