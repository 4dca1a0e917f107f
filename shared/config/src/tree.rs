//! Paths in nested maps, and maps on top of each other.

use figment::value::{Dict, Map, Tag, Value};
use figment::{Figment, Metadata, Profile, Provider};

/// The merged maps, a later one over an earlier one.
pub(crate) fn merged<'d>(maps: impl IntoIterator<Item = &'d Dict>) -> Dict {
    let maps = maps.into_iter().filter(|map| !map.is_empty());
    let figment = maps.fold(Figment::new(), |figment, map| figment.merge(Entries(map)));
    figment.data().ok().and_then(|mut profiles| profiles.remove(&Profile::Default)).unwrap_or_default()
}

struct Entries<'d>(&'d Dict);

impl Provider for Entries<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::named("a layer")
    }

    fn data(&self) -> figment::Result<Map<Profile, Dict>> {
        Ok(Profile::Default.collect(self.0.clone()))
    }
}

/// A map of one tree and a value of another kind stand at the same key. Merged with a third map, the value would vanish unseen,
/// and with it what the maps below it say.
pub(crate) fn clash(lower: &Dict, higher: &Dict) -> bool {
    higher.iter().any(|(key, higher)| match (lower.get(key), higher) {
        (Some(Value::Dict(_, lower)), Value::Dict(_, higher)) => clash(lower, higher),
        (Some(lower), higher) => lower.as_dict().is_some() != higher.as_dict().is_some(),
        (None, _) => false,
    })
}

pub(crate) fn json(value: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// The paths of all entries: everything that is no map, and maps without entries.
pub(crate) fn leaves(dict: &Dict) -> Vec<Vec<String>> {
    leaves_where(dict, &|_| true)
}

/// The paths of the entries that are `wanted`, as each map on the way is.
pub(crate) fn leaves_where(dict: &Dict, wanted: &dyn Fn(&[String]) -> bool) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    walk(dict, &mut Vec::new(), wanted, &mut found);
    found
}

fn walk(
    dict: &Dict,
    path: &mut Vec<String>,
    wanted: &dyn Fn(&[String]) -> bool,
    found: &mut Vec<Vec<String>>,
) {
    for (key, value) in dict {
        path.push(key.clone());
        match value {
            _ if !wanted(path) => {}
            Value::Dict(_, inner) if !inner.is_empty() => walk(inner, path, wanted, found),
            _ => found.push(path.clone()),
        }
        path.pop();
    }
}

pub(crate) fn get<'a, K: AsRef<str>>(dict: &'a Dict, path: &[K]) -> Option<&'a Value> {
    let (key, rest) = path.split_first()?;
    let value = dict.get(key.as_ref())?;
    if rest.is_empty() { Some(value) } else { get(value.as_dict()?, rest) }
}

pub(crate) fn flag<K: AsRef<str>>(dict: &Dict, path: &[K]) -> Option<bool> {
    get(dict, path)?.to_bool()
}

/// The keys on the way to what a dotted path names: a key may hold dots itself.
pub(crate) fn keys_on<'a>(dict: &'a Dict, dotted: &str) -> Option<Vec<&'a str>> {
    dict.iter().find_map(|(key, value)| match dotted.strip_prefix(key.as_str())? {
        "" => Some(vec![key.as_str()]),
        rest => {
            let below = keys_on(value.as_dict()?, rest.strip_prefix('.')?)?;
            Some([vec![key.as_str()], below].concat())
        }
    })
}

/// The dotted path `path` is `key`, or something in the map that stands there. The empty key is the whole.
pub(crate) fn is_at_or_below(path: &str, key: &str) -> bool {
    key.is_empty() || path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Puts `value` at `path`, with the maps on the way.
pub(crate) fn put(dict: &mut Dict, path: &[String], value: Value) {
    let Some((key, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        dict.insert(key.clone(), value);
        return;
    }
    let inner = dict.entry(key.clone()).or_insert_with(|| Value::Dict(Tag::Default, Map::new()));
    if let Value::Dict(_, inner) = inner {
        put(inner, rest, value);
    }
}

/// Removes the value at `path`, and the maps that are empty then.
pub(crate) fn remove(dict: &mut Dict, path: &[String]) {
    let Some((key, rest)) = path.split_first() else { return };
    if let (Some(Value::Dict(_, inner)), false) = (dict.get_mut(key), rest.is_empty()) {
        remove(inner, rest);
        if !inner.is_empty() {
            return;
        }
    }
    dict.remove(key);
}
