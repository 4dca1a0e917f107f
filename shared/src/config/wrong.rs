//! Finding the entries to leave out: each one alone on top of those that were right so far. Only when merging failed.

use figment::value::Dict;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::expected::{at, describe, known_keys, schema_of};
use super::problem::{Fault, Problems, full_path};
use super::section::{COMMON_KEYS, Cleaned, extract};
use super::tree::{get, leaves, put};

/// Leaves out of the layers what cannot be read, and says what it was. Where a file has more wrong entries than are told,
/// the rest of its section is left out unread.
pub(super) fn leave_out<S>(name: &str, layers: &mut [Cleaned], problems: &mut Problems)
where
    S: DeserializeOwned + JsonSchema,
{
    let schema = schema_of::<S>().to_value();
    for index in 1..layers.len() {
        let (below, rest) = layers.split_at_mut(index);
        let below: Vec<&Dict> = below.iter().map(|cleaned| &cleaned.section).collect();
        let Cleaned { layer, section } = &mut rest[0];
        let mut right = Dict::new();
        for path in leaves(section) {
            let Some(value) = get(section, &path) else { continue };
            let mut alone = Dict::new();
            put(&mut alone, &path, value.clone());
            if extract::<S>(below.iter().copied().chain([&alone])).is_some() {
                put(&mut right, &path, value.clone());
            } else if !problems.note(layer, &full_path(name, &path), fault_of(&schema, &path)) {
                break;
            }
        }
        *section = right;
    }
}

fn fault_of(schema: &serde_json::Value, path: &[String]) -> Fault {
    let is_common = |key: &str| COMMON_KEYS.iter().any(|(common, _)| *common == key);
    match at(schema, path) {
        _ if path.len() == 1 && is_common(&path[0]) => Fault::Expected("true or false".to_owned()),
        Ok(schema) => Fault::Expected(describe(schema)),
        Err(map) => {
            let mut known = known_keys(map);
            if path.len() == 1 {
                known.extend(COMMON_KEYS.map(|(key, _)| key));
            }
            Fault::UnknownKey(path.last().and_then(|key| nearest(key, &known)))
        }
    }
}

/// The known word that was probably meant.
#[must_use]
pub fn nearest(word: &str, known: &[&str]) -> Option<String> {
    let close = known.iter().map(|known| (strsim::jaro_winkler(word, known), *known));
    let best = close.filter(|(score, _)| *score > 0.75).max_by(|left, right| left.0.total_cmp(&right.0));
    best.map(|(_, known)| known.to_owned())
}

/// The known key path of the section that was probably meant by `path`.
pub(super) fn nearest_path(section: &str, path: &[String], known: &Dict) -> Option<String> {
    let known: Vec<String> = leaves(known).iter().map(|path| path.join(".")).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    nearest(&path.join("."), &known).map(|near| format!("{section}.{near}"))
}
