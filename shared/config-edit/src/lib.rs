//! Setting and taking out keys of a requirements.yaml for its owner: comments, order, style and line ends of the rest stay.
//!
//! The library `yaml-edit` changes the text. The new text is read again by the reader of the hooks and must be the old content
//! with exactly this key changed, and a value that gives way to another loses no comment. Otherwise nothing is changed and the
//! user learns the place.

use std::str::FromStr as _;

use config::{dotted, line_of, read_map, read_value};
use serde_json::{Map, Value};
use yaml_edit::{AsYaml, Document, Mapping, YamlFile};

pub use config::Unread as Refused;

/// The text with the key at `path` set to `value`, which is YAML on one line. A text that says so already stays as it is.
pub fn set_at(text: &str, path: &[String], value: &str) -> Result<String, Refused> {
    let wanted = read_value(value).map_err(|why| at(text, path, why))?;
    let before = content(text)?;
    let is_no_map = |depth: &usize| {
        value_at(&before, &path[..*depth]).is_some_and(|there| !there.is_object() && !there.is_null())
    };
    if let Some(depth) = (1..path.len()).find(is_no_map) {
        return Err(at(text, path, format!("`{}` must be a map of settings", dotted(&path[..depth]))));
    }
    let mut after = before.clone();
    // An empty value on the way becomes a map.
    *path.iter().fold(&mut after, |value, key| &mut value[key]) = wanted;
    let refused = || format!("`{}: {value}` cannot be set here by a program; add it by hand", dotted(path));
    checked(text, path, &before, &after, |text| set(text, path, value), refused)
}

/// The text without the key at `path`, and without the maps that held nothing else. Only its own comment goes with it.
pub fn unset_at(text: &str, path: &[String]) -> Result<String, Refused> {
    let before = content(text)?;
    let mut after = before.clone();
    if let (Some(_), Value::Object(map)) = (value_at(&before, path), &mut after) {
        remove(map, path);
    }
    let refused = || format!("`{}` cannot be taken out here by a program; do it by hand", dotted(path));
    checked(text, path, &before, &after, |text| unset(text, path), refused)
}

fn content(text: &str) -> Result<Value, Refused> {
    read_map(text).map(Value::Object)
}

/// The changed text, if it says what it should and has lost nothing.
fn checked(
    text: &str,
    path: &[String],
    before: &Value,
    after: &Value,
    change: impl FnOnce(&str) -> Option<String>,
    refused: impl FnOnce() -> String,
) -> Result<String, Refused> {
    if before == after {
        return Ok(text.to_owned());
    }
    let (mark, bare) = text.split_at(text.len() - text.trim_start_matches('\u{feff}').len());
    let edited = change(bare).map(|edited| with_line_ends_of(bare, edited)).filter(|edited| {
        content(edited).is_ok_and(|content| content == *after)
            && (value_at(after, path).is_none() || are_comments_kept(bare, edited))
    });
    edited.map(|edited| format!("{mark}{edited}")).ok_or_else(|| at(text, path, refused()))
}

/// The library ends some new lines with `\n` in a text that does so nowhere.
fn with_line_ends_of(text: &str, edited: String) -> String {
    let is_windows = text.contains("\r\n") && text.matches('\n').count() == text.matches("\r\n").count();
    if is_windows { edited.replace("\r\n", "\n").replace('\n', "\r\n") } else { edited }
}

/// Value of the key at `path` in this text; `None` if there is none, or no single value.
pub fn get_at(text: &str, path: &[String]) -> Result<Option<String>, Refused> {
    Ok(match value_at(&content(text)?, path) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => Some(value.to_string()),
        _ => None,
    })
}

fn value_at<'v>(map: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(map, |value, key| value.get(key))
}

/// Removes the value that is there, and the maps that are empty then.
fn remove(map: &mut Map<String, Value>, path: &[String]) {
    let Some((key, rest)) = path.split_first() else { return };
    if let (Some(Value::Object(inner)), false) = (map.get_mut(key), rest.is_empty()) {
        remove(inner, rest);
        if !inner.is_empty() {
            return;
        }
    }
    map.shift_remove(key);
}

fn at(text: &str, path: &[String], why: String) -> Refused {
    Refused { line: line_of(text, path), why }
}

/// The text with the key set, and with the maps on the way; `None` where the library cannot do it. Nobody trusts the text yet.
fn set(text: &str, path: &[String], value: &str) -> Option<String> {
    let value = Document::from_str(value).ok()?;
    let file = YamlFile::from_str(text).ok()?;
    // A text without a map gets one.
    let map = file.ensure_document().as_mapping()?;
    if let Some(value) = value.as_mapping() {
        put(&map, path, value)?;
    } else if let Some(value) = value.as_sequence() {
        put(&map, path, value)?;
    } else {
        put(&map, path, value.as_scalar()?)?;
    }
    Some(file.to_string())
}

fn put(map: &Mapping, path: &[String], value: impl AsYaml) -> Option<()> {
    let (key, rest) = path.split_first()?;
    if rest.is_empty() {
        map.set(key, value);
        return Some(());
    }
    put(&map.entry(key.as_str()).or_insert_mapping(), rest, value)
}

/// The text without the key, and without the maps that held nothing else.
fn unset(text: &str, path: &[String]) -> Option<String> {
    let file = YamlFile::from_str(text).ok()?;
    let map = file.document()?.as_mapping()?;
    take(&map, path)?;
    let edited = file.to_string();
    let is_new_pair = map.is_empty() && !text.trim_start().starts_with('{');
    Some(if is_new_pair { without_pair(&edited) } else { edited })
}

/// Without the brackets that the library leaves in an emptied text, which says as little.
fn without_pair(text: &str) -> String {
    let Some((before, behind)) = text.split_once("{}") else { return text.to_owned() };
    let behind = behind.strip_prefix('\r').unwrap_or(behind);
    format!("{before}{}", behind.strip_prefix('\n').unwrap_or(behind))
}

fn take(map: &Mapping, path: &[String]) -> Option<()> {
    let (key, rest) = path.split_first()?;
    if let (Some(inner), false) = (map.get_mapping(key), rest.is_empty()) {
        take(&inner, rest)?;
        if !inner.is_empty() {
            return Some(());
        }
    }
    map.remove(key).map(drop)
}

/// Each comment of `before` is still in `after`: the library loses some inside a value of several lines.
fn are_comments_kept(before: &str, after: &str) -> bool {
    let comments = |text: &str| {
        let file = YamlFile::from_str(text).ok()?;
        Some(file.comments().map(|comment| comment.text().to_owned()).collect::<Vec<_>>())
    };
    let (Some(before), Some(mut kept)) = (comments(before), comments(after)) else { return false };
    let mut is_kept = |comment| Some(kept.swap_remove(kept.iter().position(|kept| kept == comment)?));
    before.iter().all(|comment| is_kept(comment).is_some())
}

#[cfg(test)]
mod tests;
