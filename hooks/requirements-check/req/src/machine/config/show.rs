//! `req config [KEY]`: what is in force, and with `--sources` where it is set.

use serde_json::Value;
use shared::cli::Asker;
use shared::config::{Entry, LayerKind, Origin, dotted, spelled};

use super::key::{path_of, unknown};
use super::outlook::Outlook;
use super::report::ConfigReport;
use crate::command::Reply;
use crate::command::arguments::Config;
use crate::machine::pause;

pub(super) fn show(wanted: &Config, asker: &Asker<'_>) -> Result<Reply, String> {
    let outlook = Outlook::of(asker, &asker.sources());
    let path = wanted.key.as_deref().map_or(Ok(Vec::new()), |key| path_of(key, &outlook.entries))?;
    let entries = outlook.below(&path);
    if entries.clone().next().is_none() {
        return Err(unknown(&path, &outlook));
    }
    if wanted.json {
        let report = ConfigReport::new(entries, &outlook.problems);
        return Ok(Reply::yes(serde_json::to_string_pretty(&report).unwrap_or_default()));
    }
    if let Some(only) = outlook.at(&path).filter(|_| !wanted.sources) {
        // For scripts: the value and nothing else.
        return Ok(Reply::yes(bare(&only.value)));
    }
    let lines = entries.flat_map(|entry| lines_of(entry, wanted.sources));
    Ok(Reply::yes(with_problems(lines.collect(), &outlook, asker)))
}

/// A value as a script wants it: a text without quotes, nothing for nothing.
fn bare(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => spelled(other),
    }
}

/// `key: value`, and with its sources where it is set, and a line for each layer it overrides.
fn lines_of(entry: &Entry, with_sources: bool) -> Vec<String> {
    let line = format!("{}: {}", dotted(&entry.path), spelled(&entry.value));
    if !with_sources {
        return vec![line];
    }
    let locked = if entry.locked { ", locked" } else { "" };
    let first = format!("{line}  # {}{locked}", place(&entry.origin));
    let overridden = entry
        .overridden
        .iter()
        .map(|said| format!("  # over {}  ({})", spelled(&said.value), place(&said.origin)));
    std::iter::once(first).chain(overridden).collect()
}

/// `local, .claude/requirements.local.yaml:4`
fn place(origin: &Origin) -> String {
    let layer = match origin.layer {
        LayerKind::Defaults => return "defaults".to_owned(),
        LayerKind::Switch => return "switch".to_owned(),
        layer => layer.word(),
    };
    format!("{layer}, {origin}")
}

/// What is wrong is told wherever everything is.
fn with_problems(lines: Vec<String>, outlook: &Outlook, asker: &Asker<'_>) -> String {
    let problems = outlook.problems.iter().map(ToString::to_string);
    let notes: Vec<String> = pause::note(asker.host, asker.places).into_iter().chain(problems).collect();
    let notes = if notes.is_empty() { Vec::new() } else { [vec![String::new()], notes].concat() };
    [lines, notes].concat().join("\n")
}
