//! The change itself, by the library; `None` where the library cannot do it. What it makes is not trusted yet.

use std::str::FromStr as _;

use yaml_edit::{AsYaml, Document, Mapping, YamlFile};

/// The text with the key set, and with the maps on the way.
pub(crate) fn set(text: &str, path: &[String], value: &str) -> Option<String> {
    let value = Document::from_str(value).ok()?;
    let file = YamlFile::from_str(text).ok()?;
    let map = top(&file)?;
    if let Some(value) = value.as_mapping() {
        put(&map, path, value)?;
    } else if let Some(value) = value.as_sequence() {
        put(&map, path, value)?;
    } else {
        put(&map, path, value.as_scalar()?)?;
    }
    Some(file.to_string())
}

/// The map at the top; a text without one gets it.
fn top(file: &YamlFile) -> Option<Mapping> {
    let document = file.ensure_document();
    document.as_mapping()
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
pub(crate) fn unset(text: &str, path: &[String]) -> Option<String> {
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
pub(crate) fn are_comments_kept(before: &str, after: &str) -> bool {
    let comments = |text: &str| {
        let file = YamlFile::from_str(text).ok()?;
        Some(file.comments().map(|comment| comment.text().to_owned()).collect::<Vec<_>>())
    };
    let (Some(before), Some(mut kept)) = (comments(before), comments(after)) else { return false };
    before.iter().all(|comment| {
        let place = kept.iter().position(|kept| kept == comment);
        place.map(|place| kept.swap_remove(place)).is_some()
    })
}
