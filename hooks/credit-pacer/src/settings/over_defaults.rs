//! Settings without files: the built-in defaults with some entries over them.

use serde_json::{Map, Value};
use shared::config::{COMMON_KEYS, read_typed, section_defaults};
use shared::hook::Hook;

use super::Settings;
use crate::CreditPacer;

impl Settings {
    /// The built-in defaults with these entries over them, maps key by key. With `enabled: false` no window is paced by.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub(crate) fn over_defaults(entries: &Map<String, Value>) -> Result<Self, String> {
        let defaults = defaults()?;
        read(&defaults, entries).map_err(|why| {
            let alone = |key: &String, value: &Value| Map::from_iter([(key.clone(), value.clone())]);
            let wrong = entries.iter().find_map(|(key, value)| {
                let why = read(&defaults, &alone(key, value)).err()?;
                Some(format!("{key}: {why}"))
            });
            wrong.unwrap_or(why)
        })
    }
}

fn defaults() -> Result<Map<String, Value>, String> {
    let mut whole: Map<String, Value> = read_typed(section_defaults(CreditPacer::NAME))?;
    match whole.remove(CreditPacer::NAME) {
        Some(Value::Object(section)) => Ok(section),
        _ => Err("the built-in defaults cannot be read".to_owned()),
    }
}

fn read(defaults: &Map<String, Value>, entries: &Map<String, Value>) -> Result<Settings, String> {
    let mut merged = defaults.clone();
    merge(&mut merged, entries);
    let common = COMMON_KEYS.map(|(key, _)| (key, merged.remove(key)));
    if let Some((key, _)) = common.iter().find(|(_, value)| !matches!(value, None | Some(Value::Bool(_)))) {
        return Err(format!("{key} is true or false"));
    }
    if common.contains(&("enabled", Some(Value::Bool(false)))) {
        for key in ["five_hour_limit_enabled", "weekly_limit_enabled"] {
            merged.insert(key.to_owned(), Value::Bool(false));
        }
    }
    serde_json::from_value(Value::Object(merged)).map_err(|error| error.to_string())
}

fn merge(below: &mut Map<String, Value>, above: &Map<String, Value>) {
    for (key, value) in above {
        match (below.get_mut(key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            _ => {
                below.insert(key.clone(), value.clone());
            }
        }
    }
}
