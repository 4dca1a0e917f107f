//! Finding the entries to leave out: each one alone on top of those that were right so far. Only when merging failed.

use figment::value::Dict;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::expected::{at, describe, known_keys, schema_of};
use super::layer::Layer;
use super::problem::{Fault, Problem, full_path, problem};
use super::section::{COMMON_KEYS, Cleaned, extract};
use super::tree::{get, leaves, put, remove};

/// Leaves out of the layers what cannot be read, and says what it was.
pub(super) fn leave_out<S>(name: &str, layers: &mut [Cleaned], problems: &mut Vec<Problem>)
where
    S: DeserializeOwned + JsonSchema,
{
    let schema = schema_of::<S>().to_value();
    for index in 1..layers.len() {
        for path in leaves(&layers[index].section) {
            let Some(value) = get(&layers[index].section, &path).cloned() else { continue };
            let mut alone = Dict::new();
            put(&mut alone, &path, value);
            let mut tried = layers[..index].to_vec();
            tried.push(Cleaned { section: alone, ..layers[index].clone() });
            if extract::<S>(&tried).is_none() {
                remove(&mut layers[index].section, &path);
                problems.push(wrong_entry(name, &layers[index].layer, &schema, &path));
            }
        }
    }
}

fn wrong_entry(name: &str, layer: &Layer, schema: &serde_json::Value, path: &[String]) -> Problem {
    let is_common = |key: &str| COMMON_KEYS.iter().any(|(common, _)| *common == key);
    let fault = match at(schema, path) {
        _ if path.len() == 1 && is_common(&path[0]) => Fault::Expected("true or false".to_owned()),
        Ok(schema) => Fault::Expected(describe(schema)),
        Err(map) => {
            let mut known = known_keys(map);
            if path.len() == 1 {
                known.extend(COMMON_KEYS.map(|(key, _)| key));
            }
            Fault::UnknownKey(path.last().and_then(|key| nearest(key, &known)))
        }
    };
    problem(layer, &full_path(name, path), fault)
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
