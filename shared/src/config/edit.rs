//! Setting and taking out keys of a requirements.yaml for its owner: comments, order, style and line ends of the rest stay as
//! they are.
//!
//! The text is cut at the places the parser names and never printed anew. Whatever comes out is read again and must be
//! the old content with exactly this key changed; else nothing is changed and the user is shown the place.
//!
//! - `nodes`: what stands where in a text
//! - `put`: a key gets a value; `take`: a key goes

mod nodes;
mod put;
mod take;

use serde_yaml::{Mapping, Value};

use super::spelling::dotted;
use super::yaml::{line_of, opens_too_many_brackets};

/// Why a text is not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {why}")]
pub struct Refused {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub why: String,
}

/// The text with the key at `path` set to `value`, which is YAML on one line and is written as it stands. A text that says so
/// already stays as it is.
///
/// # Errors
/// If the text is no YAML map, or is written in a way in which this key cannot be set for certain.
pub fn set_at(text: &str, path: &[String], value: &str) -> Result<String, Refused> {
    behind_mark(text, |text| set_in(text, path, value))
}

fn set_in(text: &str, path: &[String], value: &str) -> Result<String, Refused> {
    let before = content(text)?;
    let wanted: Value = serde_yaml::from_str(value).unwrap_or_default();
    if value_at(&before, path) == Some(&wanted) {
        return Ok(text.to_owned());
    }
    let edited = put::put(text, path, value)?;
    let mut expected = before;
    insert(&mut expected, path, wanted);
    if content(&edited).ok().as_ref() == Some(&expected) {
        return Ok(edited);
    }
    Err(by_hand(
        text,
        path,
        &format!("`{}: {value}` cannot be set here by a program; add it by hand", dotted(path)),
    ))
}

/// The text without the key at `path`, and without the maps that held nothing else. Its own comment goes with it, all others
/// stay. A text without it stays as it is.
///
/// # Errors
/// If the text is no YAML map, or is written in a way in which this key cannot be taken out for certain.
pub fn unset_at(text: &str, path: &[String]) -> Result<String, Refused> {
    behind_mark(text, |text| unset_in(text, path))
}

fn unset_in(text: &str, path: &[String]) -> Result<String, Refused> {
    let before = content(text)?;
    if value_at(&before, path).is_none() {
        return Ok(text.to_owned());
    }
    let edited = take::take(text, path)?;
    let mut expected = before;
    remove(&mut expected, path);
    if content(&edited).ok().as_ref() == Some(&expected) {
        return Ok(edited);
    }
    Err(by_hand(
        text,
        path,
        &format!("`{}` cannot be taken out here by a program; do it by hand", dotted(path)),
    ))
}

/// Whether the key at `path` stands in this text, whatever its value.
///
/// # Errors
/// If the text is no YAML map.
pub fn is_set(text: &str, path: &[String]) -> Result<bool, Refused> {
    Ok(value_at(&content(text)?, path).is_some())
}

/// The text with `section.key` set to `value`, which is written as it stands (`true`, `5`).
///
/// # Errors
/// As of [`set_at`].
pub fn set(text: &str, section: &str, key: &str, value: &str) -> Result<String, Refused> {
    set_at(text, &[section.to_owned(), key.to_owned()], value)
}

/// What `section.key` is set to in this text, as it stands there; `None` if it is not, or is no single value.
///
/// # Errors
/// If the text is no YAML map.
pub fn get(text: &str, section: &str, key: &str) -> Result<Option<String>, Refused> {
    get_at(text, &[section.to_owned(), key.to_owned()])
}

/// What the key at `path` is set to in this text, as [`get`].
///
/// # Errors
/// If the text is no YAML map.
pub fn get_at(text: &str, path: &[String]) -> Result<Option<String>, Refused> {
    let before = content(text)?;
    Ok(value_at(&before, path).and_then(|value| match value {
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(value) => Some(value.to_string()),
        Value::String(value) => Some(value.clone()),
        _ => None,
    }))
}

/// Edits what stands behind a byte order mark: the YAML reader takes it for a part of the first key.
fn behind_mark(text: &str, edit: impl FnOnce(&str) -> Result<String, Refused>) -> Result<String, Refused> {
    let bare = without_mark(text);
    let edited = edit(bare)?;
    Ok(if bare.len() < text.len() { format!("{MARK}{edited}") } else { edited })
}

const MARK: char = '\u{feff}';

fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

fn splice(text: &str, start: usize, end: usize, new: &str) -> String {
    format!("{}{new}{}", &text[..start], &text[end..])
}

fn content(text: &str) -> Result<Mapping, Refused> {
    let text = without_mark(text);
    if opens_too_many_brackets(text) {
        return Err(at(1, 1, "nested too deeply"));
    }
    match serde_yaml::from_str(text) {
        Ok(Value::Mapping(map)) => Ok(map),
        Ok(Value::Null) => Ok(Mapping::new()),
        Ok(_) => Err(at(1, 1, "not a map of settings")),
        Err(_) if is_empty(text) => Ok(Mapping::new()),
        Err(error) => {
            let (line, column) = error.location().map_or((1, 1), |place| (place.line(), place.column()));
            let told = error.to_string();
            Err(if told.contains("duplicate entry") {
                at(line, column, "a key stands twice in this map; take one of them out first")
            } else if told.contains("more than one document") {
                at(line, column, "the file holds more than one YAML document")
            } else {
                at(line, column, "not valid YAML")
            })
        }
    }
}

/// Nothing but comments: the parser finds no document in it.
fn is_empty(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with('#') || line == "---" || line == "...")
}

fn value_at<'m>(map: &'m Mapping, path: &[String]) -> Option<&'m Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(map.get(first.as_str())?, |value, key| value.as_mapping()?.get(key.as_str()))
}

/// Puts the value there, with the maps on the way; an empty value on the way counts as an empty map.
fn insert(map: &mut Mapping, path: &[String], value: Value) {
    let Some((key, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        map.insert(key.as_str().into(), value);
        return;
    }
    let inner = map.entry(key.as_str().into()).or_insert(Value::Null);
    if inner.is_null() {
        *inner = Value::Mapping(Mapping::new());
    }
    if let Value::Mapping(inner) = inner {
        insert(inner, rest, value);
    }
}

/// Takes the value there away, and the maps that are empty then.
fn remove(map: &mut Mapping, path: &[String]) {
    let Some((key, rest)) = path.split_first() else { return };
    if let (Some(Value::Mapping(inner)), false) = (map.get_mut(key.as_str()), rest.is_empty()) {
        remove(inner, rest);
        if !inner.is_empty() {
            return;
        }
    }
    map.shift_remove(key.as_str());
}

fn by_hand(text: &str, path: &[String], why: &str) -> Refused {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    at(line_of(text, &keys).unwrap_or(1), 1, why)
}

fn at(line: usize, column: usize, why: &str) -> Refused {
    Refused { line, column, why: why.to_owned() }
}

fn spelled_key(key: &str) -> String {
    super::spelling::spelled_text(key)
}

/// As keys that are maps in one line: `a: { b: 1 }`.
fn in_one_line(path: &[String], value: &str) -> String {
    match path {
        [] => value.to_owned(),
        [key] => format!("{}: {value}", spelled_key(key)),
        [key, rest @ ..] => format!("{}: {{ {} }}", spelled_key(key), in_one_line(rest, value)),
    }
}

/// As keys in lines of their own, each two columns deeper than the one above; without the last line's end.
fn in_lines(path: &[String], value: &str, column: usize, line_end: &str) -> String {
    let line = |(depth, key): (usize, &String)| {
        let indent = " ".repeat(column + 2 * depth);
        let value = if depth + 1 == path.len() { format!(" {value}") } else { String::new() };
        format!("{indent}{}:{value}", spelled_key(key))
    };
    path.iter().enumerate().map(line).collect::<Vec<_>>().join(line_end)
}

#[cfg(test)]
mod tests;
