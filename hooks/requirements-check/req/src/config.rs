//! `req config`, `req enable`, `req disable`: what is in force and where it is set, and changing one key of a file.

mod change;
pub(crate) mod file;
mod key;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::{Value, json};
use shared::config::{Entry, LayerKind, Origin, dotted, spelled};

use crate::location::Location;
use crate::pause;
use crate::reply::{Answer, Reply};
use crate::verb::{Config, ConfigChange};
pub(crate) use change::turn;
use key::{Outlook, path_of, unknown};

#[derive(Serialize)]
struct Setting<'e> {
    key: String,
    #[serde(flatten)]
    said: Said<'e>,
    locked: bool,
    global_only: bool,
    overridden: Vec<Said<'e>>,
}

#[derive(Serialize)]
struct Said<'e> {
    value: &'e Value,
    layer: &'static str,
    file: Option<&'e str>,
    line: Option<usize>,
}

impl<'e> Setting<'e> {
    fn new(entry: &'e Entry) -> Self {
        let said = |value: &'e Value, origin: &'e Origin| Said {
            value,
            layer: layer(origin),
            file: is_file(origin).then_some(&origin.file),
            line: origin.line,
        };
        Self {
            key: dotted(&entry.path),
            said: said(&entry.value, &entry.origin),
            locked: entry.locked,
            global_only: entry.global_only,
            overridden: entry.overridden.iter().map(|(value, origin)| said(value, origin)).collect(),
        }
    }
}

fn is_file(origin: &Origin) -> bool {
    !matches!(origin.layer, LayerKind::Defaults | LayerKind::Switch)
}

fn layer(origin: &Origin) -> &'static str {
    if origin.layer == LayerKind::Defaults { "defaults" } else { origin.layer.word() }
}

/// `local, .claude/requirements.local.yaml:4`
fn place(origin: &Origin) -> String {
    if is_file(origin) { format!("{}, {origin}", layer(origin)) } else { layer(origin).to_owned() }
}

/// `key: value`, and with its sources where it is set, and a line for each layer it overrides.
fn lines(entry: &Entry, with_sources: bool) -> String {
    let line = format!("{}: {}", dotted(&entry.path), spelled(&entry.value));
    if !with_sources {
        return line;
    }
    let locked = if entry.locked { ", locked" } else { "" };
    let over = entry.overridden.iter();
    let over = over.map(|(value, origin)| format!("\n  # over {}  ({})", spelled(value), place(origin)));
    format!("{line}  # {}{locked}{}", place(&entry.origin), over.collect::<String>())
}

pub(crate) fn config(wanted: &Config, location: &Location) -> Answer {
    match &wanted.change {
        None => show(wanted, location),
        Some(ConfigChange::Set { key, value, level }) => change::set(key, Some(value), *level, location),
        Some(ConfigChange::Unset { key, level }) => change::set(key, None, *level, location),
    }
}

fn show(wanted: &Config, location: &Location) -> Answer {
    let outlook = Outlook::of(location, &location.sources());
    let path = wanted.key.as_deref().map_or(Ok(Vec::new()), path_of)?;
    let problems: Vec<String> = outlook.problems.iter().map(ToString::to_string).collect();
    if outlook.below(&path).next().is_none() {
        return Err(unknown(&path, &outlook));
    }
    if wanted.output.json {
        let entries: Vec<Setting<'_>> = outlook.below(&path).map(Setting::new).collect();
        return Ok(Reply::json(&json!({ "entries": entries, "problems": problems })));
    }
    if let Some(only) = outlook.at(&path).filter(|_| !wanted.sources) {
        // For scripts: the value and nothing else.
        return Ok(Reply::yes(match &only.value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => spelled(other),
        }));
    }
    let lines = outlook.below(&path).map(|entry| lines(entry, wanted.sources));
    let mut notes: Vec<String> = pause::note(location).into_iter().chain(problems).collect();
    if !notes.is_empty() {
        notes.insert(0, String::new());
    }
    Ok(Reply::lines(lines.chain(notes)))
}
