//! A key and a value as they are typed, the file they are for, and every key as it is in force.

use anyhow::{Error, anyhow, bail};
use requirements_check::RequirementsCheck;
use serde_json::Value;
use shared::config::{
    Entry, LayerKind, Problem, Section, Sources, describe, dotted, fits, load_by_schema, read_value,
    schema_at, section_by_schema, sort, sort_problems, top_entries,
};
use shared::hook::Hook;
use shared::host::Places;
use shared::own_commands::section_names;
use shared::run::configure;
use shared::switches::Switches;
use shared::text::cut;

use crate::location::Location;
use crate::reply;

/// Every key of every section and of the top of the files, and what is wrong in the files. The section of this hook is read by
/// its types, those of the others by the schema that is generated from theirs.
pub(super) struct Outlook {
    /// In the order of config/defaults.yaml.
    pub(super) entries: Vec<Entry>,
    pub(super) problems: Vec<Problem>,
}

impl Outlook {
    pub(super) fn of(location: &Location, sources: &Sources) -> Self {
        let switches = location.store.as_ref().map(Switches::read).unwrap_or_default();
        let mut outlook = Self { entries: top_entries(sources), problems: Vec::new() };
        for name in section_names() {
            let switch = switches.of(name, location.session());
            if name == RequirementsCheck::NAME {
                outlook.add(configure::<RequirementsCheck>(sources, switch));
            } else if let Some((spec, schema)) = section_by_schema(name) {
                outlook.add(load_by_schema(spec, schema, sources, switch));
            }
        }
        sort(&mut outlook.entries);
        sort_problems(&mut outlook.problems);
        outlook
    }

    /// A fault that several sections find alike is one problem, and a key that several own is one entry.
    fn add<S>(&mut self, section: Option<Section<S>>) {
        let Some(section) = section else { return };
        for entry in section.entries() {
            if self.at(&entry.path).is_none() {
                self.entries.push(entry);
            }
        }
        for problem in section.problems {
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    /// The key, or the keys of the map that stands there.
    pub(super) fn below(&self, path: &[String]) -> impl Iterator<Item = &Entry> + Clone {
        self.entries.iter().filter(move |entry| entry.path.starts_with(path))
    }

    pub(super) fn at(&self, path: &[String]) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path == path)
    }
}

pub(super) fn path_of(typed: &str) -> anyhow::Result<Vec<String>> {
    let parts: Vec<String> = typed.split('.').map(ToOwned::to_owned).collect();
    if parts.iter().any(String::is_empty) {
        bail!("{} is no key; keys have dots between them: stop-momentum.enabled", cut(typed, 60));
    }
    Ok(parts)
}

/// The value that was typed: YAML, or the text as it stands where the key takes one, because `#`, `!` and `&` mean something
/// in a file and not here.
pub(super) fn value_of(path: &[String], typed: &str) -> anyhow::Result<Value> {
    let takes = |value: &Value| schema_at(path).is_some_and(|schema| fits(schema, value));
    let (read, text) = (read_value(typed), Value::from(typed));
    match read {
        Ok(value) if !value.is_string() && takes(&value) => Ok(value),
        _ if takes(&text) && !typed.starts_with(['"', '\'']) => Ok(text),
        read => read.map_err(|why| anyhow!("the value for {} is {why}", dotted(path))),
    }
}

/// A key that is not there, with the one that was probably meant. A key that could be there is taken for another's name
/// misspelt if that has the same end.
pub(super) fn unknown(path: &[String], outlook: &Outlook) -> Error {
    let (shown, schema) = (cut(&dotted(path), 120), schema_at(path));
    let may_be_meant = |entry: &&Entry| schema.is_none() || entry.path.last() == path.last();
    let keys = outlook.entries.iter().filter(may_be_meant).map(|entry| dotted(&entry.path));
    let keys: Vec<String> = keys.collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let otherwise = schema.map_or_else(
        || "; req config lists them".to_owned(),
        |schema| format!(" in any file; it would be {}", describe(schema)),
    );
    reply::unknown("key", &shown, &keys, &otherwise)
}

/// The file of a key for which no level was typed: the only one in which it counts, else the local one, outside of a project
/// the global one.
pub(super) fn usual_level(path: &[String], places: &Places) -> LayerKind {
    match only_in(path) {
        Some(only) => only,
        None if is_global_only(path) || !is_project(places) => LayerKind::Global,
        None => LayerKind::Local,
    }
}

/// The one file in which a key above all sections counts.
pub(super) fn only_in(path: &[String]) -> Option<LayerKind> {
    match path.first().map(String::as_str) {
        Some("locked") => Some(LayerKind::Global),
        Some("inherit" | "requires") => Some(LayerKind::Project),
        _ => None,
    }
}

/// The key counts in the user's own file only, so that no project can set it.
pub(super) fn is_global_only(path: &[String]) -> bool {
    let section = path.split_first().and_then(|(section, rest)| Some((section_by_schema(section)?.0, rest)));
    section.is_some_and(|(spec, rest)| spec.is_global_only(rest))
}

/// The folder is a repository, or holds a configuration of its own.
fn is_project(places: &Places) -> bool {
    let has_git = places.root.as_ref().is_some_and(|root| root.join(".git").exists());
    places.project_claude_dir.as_ref().is_some_and(|claude| has_git || claude.is_dir())
}
