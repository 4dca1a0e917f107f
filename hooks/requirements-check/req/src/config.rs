//! `req config`, `req enable`, `req disable`: what is in force and where it is set, and changing one key of a file.
//!
//! - `outlook`: every key of every section, out of the files as they are, or as they would be
//! - `key`: a key as it is typed; `value`: the value
//! - `change`: a change of one key, and why it is refused
//! - `file`, `schema_file`, `ignore`: what belongs to a file of ours, for `req init` too

mod change;
pub(crate) mod file;
pub(crate) mod ignore;
mod key;
mod outlook;
pub(crate) mod schema_file;
#[cfg(test)]
mod tests;
mod value;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use shared::cli::Asker;
use shared::config::{self, Entry, LayerKind, Origin, dotted, spelled};

use crate::pause;
use crate::reply::{Reply, json};
use crate::verb::{Config, ConfigChange};
pub(crate) use change::turn;
use key::{path_of, unknown};
use outlook::Outlook;

/// What is in force, key by key, and what is wrong in the files.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConfigReport {
    /// The form of this object: 1.
    version: u32,
    /// The keys asked for.
    entries: Vec<Setting>,
    /// What is wrong in the files; nothing of it is in force.
    problems: Vec<Mistake>,
}

/// A key.
#[derive(Debug, Serialize, JsonSchema)]
struct Setting {
    /// Its path, with dots; a part that holds dots itself is in quotes.
    key: String,
    #[serde(flatten)]
    said: Said,
    /// The global file locks it.
    locked: bool,
    /// Only the global file may set it.
    global_only: bool,
    /// What lower layers say, the highest first.
    overridden: Vec<Said>,
}

/// What one layer says.
#[derive(Debug, Serialize, JsonSchema)]
struct Said {
    /// What it is set to there.
    value: Value,
    /// `defaults`, `global`, `project`, `local` or `switch`.
    layer: &'static str,
    /// The file; null of the defaults and of a switch.
    file: Option<String>,
    /// The line, counted from 1, where it is known.
    line: Option<usize>,
}

/// Something wrong in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct Mistake {
    /// The file.
    file: String,
    /// The line, counted from 1, where it is known.
    line: Option<usize>,
    /// The key; empty for the whole file.
    key: String,
    /// All of it in a sentence.
    text: String,
}

pub(crate) fn config(wanted: &Config, asker: &Asker<'_>) -> Result<Reply, String> {
    match &wanted.change {
        None => show(wanted, asker),
        Some(ConfigChange::Set { key, value, level }) => change::set(key, Some(value), *level, asker),
        Some(ConfigChange::Unset { key, level }) => change::set(key, None, *level, asker),
    }
}

fn show(wanted: &Config, asker: &Asker<'_>) -> Result<Reply, String> {
    let outlook = Outlook::of(asker, &asker.sources());
    let path = wanted.key.as_deref().map_or(Ok(Vec::new()), path_of)?;
    let entries: Vec<&Entry> = outlook.below(&path).collect();
    if entries.is_empty() {
        return Err(unknown(&path, &outlook));
    }
    if wanted.json {
        return Ok(Reply::yes(json(&report(&entries, &outlook))));
    }
    if let Some(only) = outlook.at(&path).filter(|_| !wanted.sources) {
        // For scripts: the value and nothing else.
        return Ok(Reply::yes(match &only.value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => spelled(other),
        }));
    }
    let mut lines: Vec<String> =
        entries.into_iter().flat_map(|entry| lines_of(entry, wanted.sources)).collect();
    let problems = outlook.problems.iter().map(ToString::to_string);
    let notes: Vec<String> = pause::note(asker).into_iter().chain(problems).collect();
    lines.extend((!notes.is_empty()).then(String::new));
    lines.extend(notes);
    Ok(Reply::yes(lines.join("\n")))
}

/// `key: value`, and with its sources where it is set, and a line for each layer it overrides.
fn lines_of(entry: &Entry, with_sources: bool) -> Vec<String> {
    let line = format!("{}: {}", dotted(&entry.path), spelled(&entry.value));
    if !with_sources {
        return vec![line];
    }
    let locked = if entry.locked { ", locked" } else { "" };
    let over = |said: &config::Said| format!("  # over {}  ({})", spelled(&said.value), place(&said.origin));
    let first = format!("{line}  # {}{locked}", place(&entry.origin));
    std::iter::once(first).chain(entry.overridden.iter().map(over)).collect()
}

/// `local, .claude/requirements.local.yaml:4`
fn place(origin: &Origin) -> String {
    let layer = layer(origin);
    if is_file(origin) { format!("{layer}, {origin}") } else { layer.to_owned() }
}

fn is_file(origin: &Origin) -> bool {
    !matches!(origin.layer, LayerKind::Defaults | LayerKind::Switch)
}

fn layer(origin: &Origin) -> &'static str {
    if origin.layer == LayerKind::Defaults { "defaults" } else { origin.layer.word() }
}

fn report(entries: &[&Entry], outlook: &Outlook) -> ConfigReport {
    let said = |value: &Value, origin: &Origin| Said {
        value: value.clone(),
        layer: layer(origin),
        file: is_file(origin).then(|| origin.file.clone()),
        line: origin.line,
    };
    let setting = |entry: &&Entry| Setting {
        key: dotted(&entry.path),
        said: said(&entry.value, &entry.origin),
        locked: entry.locked,
        global_only: entry.global_only,
        overridden: entry.overridden.iter().map(|below| said(&below.value, &below.origin)).collect(),
    };
    let problems = outlook.problems.iter().map(|problem| Mistake {
        file: problem.file.clone(),
        line: problem.line,
        key: problem.key.clone(),
        text: problem.to_string(),
    });
    ConfigReport { version: 1, entries: entries.iter().map(setting).collect(), problems: problems.collect() }
}
