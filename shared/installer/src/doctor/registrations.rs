//! The entries of each settings file: ours compared with the catalog, hooks that are registered twice, values that make Claude Code
//! ignore hooks, and programs of others that do not exist. Doctor never runs an entry of others.

use std::path::{Path, PathBuf};

use crate::catalog::{EventEntry, HookEntry};
use client_settings::{Entry, Fault, Program, first_word};
use shared::host::display_path;

use super::report::{Finding, Severity};
use super::world::{Level, World};
use crate::places::Scope;
use crate::registration::{is_same_program, program};
use crate::say::list;

/// A hook with a shorter timeout may be ended before it has answered, in seconds.
const TOO_SHORT: f64 = 1.0;

pub(super) fn all(world: &World<'_>) -> Vec<Finding> {
    let hooks = &world.catalog.hooks;
    let project = world.nearest().project.as_deref();
    let mut found = Vec::new();
    for level in &world.levels {
        let there = hooks.iter().filter(|hook| level.registers(&hook.name));
        let names: Vec<&str> = there.map(|hook| hook.name.as_str()).collect();
        if !names.is_empty() {
            found.push(Finding::ok(format!("registers {}", names.join(", "))).at(&level.shown, None));
        }
        found.extend(level.unreadable.clone());
        found.extend(level.contents.faults.iter().map(|fault| misshapen(level, fault)));
        found.extend(hooks.iter().flat_map(|hook| of_hook(level, hook)));
        found.extend(gone(level, hooks));
        found.extend(of_others(level, &world.user().home, project));
    }
    found.extend(hooks.iter().filter_map(|hook| twice(&hook.name, &world.levels, world.plugin())));
    if world.registered().is_empty() && !world.manifest.files.is_empty() {
        found.push(Finding::warning("no hook is registered").next(world.user().line("install")));
    }
    found
}

/// A value that makes Claude Code ignore hooks. It is broken where it takes an entry of ours along.
fn misshapen(level: &Level, Fault { event, what, line, .. }: &Fault) -> Finding {
    let is_whole_file = event.is_empty();
    let takes_ours = level.contents.refused.is_some()
        || level.contents.ours().any(|entry| is_whole_file || entry.event == *event);
    let severity = if takes_ours { Severity::Broken } else { Severity::Warning };
    let (effect, key) = if is_whole_file {
        ("no hook of this file runs", "hooks".to_owned())
    } else {
        ("no hook of this event runs", format!("hooks.{event}"))
    };
    Finding::new(severity, format!("{what}; {effect} until it is corrected"))
        .at(&level.shown, Some(*line))
        .key(key)
}

/// The entries of one hook in one file, compared with those that this version writes.
fn of_hook(level: &Level, hook: &HookEntry) -> Vec<Finding> {
    let entries: Vec<&Entry> =
        level.contents.ours().filter(|entry| entry.name.as_ref() == Some(&hook.name)).collect();
    let Some(place) = level.place.as_ref().filter(|_| !entries.is_empty()) else { return Vec::new() };
    let program = program(place, &hook.name).ok();
    let on = |wanted: &EventEntry| {
        let (severity, what, entry) = difference(&entries, wanted, program.as_ref())?;
        let name = &hook.name;
        // Another version of ours may have written the team's file.
        let is_teams = place.scope == Scope::Project;
        let severity = if is_teams { Severity::Warning } else { severity };
        let found = Finding::new(severity, format!("{name}: {what}"))
            .at(&level.shown, entry.map(|entry| entry.line))
            .next(place.line(format_args!("enable {name}")));
        Some(if is_teams { found } else { found.repair(place.scope) })
    };
    hook.events.iter().filter_map(on).collect()
}

/// The difference between the entry that serves this event and the one wanted; `None`: there is none that matters.
fn difference<'e>(
    entries: &[&'e Entry],
    wanted: &EventEntry,
    program: Option<&Program>,
) -> Option<(Severity, String, Option<&'e Entry>)> {
    let event = &wanted.event;
    let serves = |entry: &&&Entry| entry.covers(event, wanted.matcher.as_deref());
    let Some(entry) = entries.iter().find(serves).copied() else {
        let other = entries.iter().find(|entry| entry.event == *event).copied();
        return Some((Severity::Broken, format!("is not registered on {event} as it should be"), other));
    };
    let is_program =
        entry.program().zip(program).is_some_and(|(there, wanted)| is_same_program(&there, wanted));
    let timeout = entry.timeout_secs.as_ref().and_then(serde_json::Number::as_f64);
    let shorter = timeout.filter(|timeout| *timeout < f64::from(wanted.timeout_secs));
    let has_args = entry.args.as_ref().is_some_and(|args| !args.is_empty());
    // Without a message a delay looks like a hang.
    let lacks_message = wanted.status_message.is_some() && entry.status_message != wanted.status_message;
    let differing = [
        (!is_program, "command", Severity::Broken),
        (has_args, "args", Severity::Broken),
        (shorter.is_some_and(|timeout| timeout < TOO_SHORT), "timeout", Severity::Broken),
        (shorter.is_some_and(|timeout| timeout >= TOO_SHORT), "timeout", Severity::Warning),
        (lacks_message, "statusMessage", Severity::Warning),
    ];
    let differing = differing.into_iter().filter(|(differs, ..)| *differs);
    let differing = differing.map(|(_, key, severity)| (format!("`{key}`"), severity));
    let harmful =
        entry.harmful_keys.iter().map(|key| (format!("`{}`", key.escape_debug()), Severity::Broken));
    let (keys, severities): (Vec<String>, Vec<Severity>) = harmful.chain(differing).unzip();
    let what = format!("on {event} its entry differs from the one it should have in {}", list(&keys));
    Some((severities.into_iter().max()?, what, Some(entry)))
}

/// Entries of hooks that this version does not have. In a project's file they may be a teammate's newer ones.
fn gone(level: &Level, hooks: &[HookEntry]) -> Vec<Finding> {
    let Some(place) = level.place.as_ref().filter(|place| place.scope != Scope::Project) else {
        return Vec::new();
    };
    let of_entry = |entry: &Entry| {
        let name = entry.name.as_ref().filter(|name| hooks.iter().all(|hook| hook.name != **name))?;
        let what = format!("{name}: this version has no such hook, and its entry is still there");
        Some(Finding::warning(what).at(&level.shown, Some(entry.line)).next(place.voice.prune()))
    };
    let mut found: Vec<Finding> = level.contents.ours().filter_map(of_entry).collect();
    found.dedup_by(|one, other| one.what == other.what);
    found
}

/// A hook that runs twice, because Claude Code adds up all files and the plugin that the file `plugin` enables.
///
/// A project's entry steps back for the user's own, and a plugin's copy for the user's settings.
fn twice(hook: &str, levels: &[Level], plugin: Option<&str>) -> Option<Finding> {
    let there = levels.iter().filter(|level| level.registers(hook));
    let (scopes, files): (Vec<Option<Scope>>, Vec<&str>) =
        there.map(|level| (level.scope(), level.shown.as_str())).unzip();
    if let Some(plugin) = plugin.filter(|_| !files.is_empty() && !scopes.contains(&Some(Scope::User))) {
        let what = format!(
            "{hook} is registered in {} and by the plugin that {plugin} enables, so it runs twice and counts twice",
            list(&files)
        );
        let next = "keep one: req hooks uninstall, or disable the plugin with /plugin";
        return Some(Finding::broken(what).next(next));
    }
    let is_own = |scope: &Option<Scope>| matches!(scope, Some(Scope::User | Scope::Local));
    let own = scopes.iter().zip(&files).filter(|(scope, _)| is_own(scope));
    let own: Vec<&str> = own.map(|(_, file)| *file).collect();
    let last = own.last().filter(|_| own.len() > 1)?;
    let what = format!("{hook} is registered in {}; where the two differ it runs twice", list(&own));
    Some(Finding::warning(what).next(format!("one is enough: remove its entries from {last}")))
}

fn of_others(level: &Level, home: &Path, project: Option<&Path>) -> Vec<Finding> {
    let is_foreign = |entry: &&Entry| entry.is_command && entry.command.is_some() && entry.name.is_none();
    let missing = |entry: &Entry| {
        let program = program_of(entry, home, project).filter(|program| !program.exists())?;
        let shown = display_path(&program, Some(home));
        let found = Finding::warning(format!("{shown} does not exist, so this entry does nothing"));
        let found = found.next("put the program back, or remove the entry from the file");
        Some(found.at(&level.shown, Some(entry.line)).key(format!("hooks.{}", entry.event)))
    };
    let foreign = level.contents.entries.iter().filter(is_foreign);
    let mut found: Vec<Finding> = foreign.filter_map(missing).collect();
    found.dedup_by(|one, other| one.what == other.what);
    found
}

/// The absolute path that an entry starts with. An entry that needs a shell to be understood has none.
fn program_of(entry: &Entry, home: &Path, project: Option<&Path>) -> Option<PathBuf> {
    let command = entry.command.as_deref()?;
    let first = if entry.args.is_some() { command.to_owned() } else { first_word(command) };
    let project = project.unwrap_or(Path::new("$"));
    let path = [("~/", home), ("$HOME/", home), ("$CLAUDE_PROJECT_DIR/", project)]
        .into_iter()
        .find_map(|(start, root)| Some(root.join(first.strip_prefix(start)?)))
        .unwrap_or_else(|| PathBuf::from(&first));
    let is_plain =
        !path.to_string_lossy().contains(['$', '`', '*', '?', '(', '{', '\\', ';', '|', '&', '>', '<']);
    (path.is_absolute() && is_plain).then_some(path)
}

#[cfg(test)]
mod tests;
