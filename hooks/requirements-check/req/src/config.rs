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
use crate::reply::{Answer, Reply};
use crate::verb::{Config, ConfigChange};
pub(crate) use change::turn;
use key::{Outlook, path_of, unknown};

/// A key.
#[derive(Serialize)]
struct Setting {
    key: String,
    #[serde(flatten)]
    said: Said,
    locked: bool,
    global_only: bool,
    overridden: Vec<Said>,
}

/// What one layer says.
#[derive(Serialize)]
struct Said {
    value: Value,
    layer: &'static str,
    file: Option<String>,
    line: Option<usize>,
}

impl Said {
    fn new(value: &Value, origin: &Origin) -> Self {
        let is_file = !matches!(origin.layer, LayerKind::Defaults | LayerKind::Switch);
        Self {
            value: value.clone(),
            layer: if origin.layer == LayerKind::Defaults { "defaults" } else { origin.layer.word() },
            file: is_file.then(|| origin.file.clone()),
            line: origin.line,
        }
    }

    /// `local, .claude/requirements.local.yaml:4`
    fn place(&self) -> String {
        let file = self.file.as_ref().map(|file| format!(", {file}")).unwrap_or_default();
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{file}{line}", self.layer)
    }
}

impl Setting {
    fn new(entry: &Entry) -> Self {
        Self {
            key: dotted(&entry.path),
            said: Said::new(&entry.value, &entry.origin),
            locked: entry.locked,
            global_only: entry.global_only,
            overridden: entry.overridden.iter().map(|(value, origin)| Said::new(value, origin)).collect(),
        }
    }

    /// `key: value`, and with its sources where it is set, and a line for each layer it overrides.
    fn lines(&self, with_sources: bool) -> Vec<String> {
        let line = format!("{}: {}", self.key, spelled(&self.said.value));
        if !with_sources {
            return vec![line];
        }
        let locked = if self.locked { ", locked" } else { "" };
        let over = |said: &Said| format!("  # over {}  ({})", spelled(&said.value), said.place());
        let first = format!("{line}  # {}{locked}", self.said.place());
        std::iter::once(first).chain(self.overridden.iter().map(over)).collect()
    }
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
    let entries: Vec<Setting> = outlook.below(&path).map(Setting::new).collect();
    let problems: Vec<String> = outlook.problems.iter().map(ToString::to_string).collect();
    if entries.is_empty() {
        return Err(unknown(&path, &outlook));
    }
    if wanted.output.json {
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
    let lines = entries.iter().flat_map(|setting| setting.lines(wanted.sources));
    let mut notes: Vec<String> = location.pause_note().into_iter().chain(problems).collect();
    if !notes.is_empty() {
        notes.insert(0, String::new());
    }
    Ok(Reply::lines(lines.chain(notes)))
}
