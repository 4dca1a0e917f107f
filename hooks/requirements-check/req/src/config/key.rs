//! A key and a value as they are typed, and the file they are for.

use serde_json::Value;
use shared::config::{Entry, LayerKind, describe, dotted, fits, read_value, schema_at, section_by_schema};
use shared::host::Places;

use super::outlook::Outlook;
use crate::reply;
use shared::text::cut;

pub(super) fn path_of(typed: &str) -> Result<Vec<String>, String> {
    let parts: Vec<String> = typed.split('.').map(ToOwned::to_owned).collect();
    if parts.iter().any(String::is_empty) {
        let typed = cut(typed, 60);
        return Err(format!("req: {typed} is no key; keys have dots between them: stop-momentum.enabled"));
    }
    Ok(parts)
}

/// The value that was typed: YAML, or the text as it stands where the key takes one, because `#`, `!` and `&` mean something
/// in a file and not here.
pub(super) fn value_of(path: &[String], typed: &str) -> Result<Value, String> {
    let takes = |value: &Value| schema_at(path).is_some_and(|schema| fits(schema, value));
    let (read, text) = (read_value(typed), Value::from(typed));
    match read {
        Ok(value) if !value.is_string() && takes(&value) => Ok(value),
        _ if takes(&text) && !typed.starts_with(['"', '\'']) => Ok(text),
        read => read.map_err(|why| format!("req: the value for {} is {why}", dotted(path))),
    }
}

/// A key that is not there, with the one that was probably meant. A key that could be there is taken for another's name
/// misspelt if that has the same end.
pub(super) fn unknown(path: &[String], outlook: &Outlook) -> String {
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
    let Some((section, rest)) = path.split_first() else { return false };
    let keys = section_by_schema(section).map(|(spec, _)| spec.global_only).unwrap_or_default();
    let own = rest.join(".");
    let is_below = |key: &str| own.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
    // The empty key is the whole section.
    keys.iter().any(|key| key.is_empty() || own == *key || is_below(key))
}

/// The folder is a repository, or holds a configuration of its own.
fn is_project(places: &Places) -> bool {
    let has_git = places.root.as_ref().is_some_and(|root| root.join(".git").exists());
    places.project_claude_dir.as_ref().is_some_and(|claude| has_git || claude.is_dir())
}
