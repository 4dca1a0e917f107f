//! Paths in nested maps: the entries of a section, one by one.

use figment::value::{Dict, Map, Tag, Value};

/// The paths of all entries: everything that is no map, and maps without entries.
pub(super) fn leaves(dict: &Dict) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (key, value) in dict {
        match value {
            Value::Dict(_, inner) if !inner.is_empty() => {
                paths.extend(leaves(inner).into_iter().map(|path| [vec![key.clone()], path].concat()));
            }
            _ => paths.push(vec![key.clone()]),
        }
    }
    paths
}

/// The value at `path`.
pub(super) fn get<'a, K: AsRef<str>>(dict: &'a Dict, path: &[K]) -> Option<&'a Value> {
    let (key, rest) = path.split_first()?;
    let value = dict.get(key.as_ref())?;
    if rest.is_empty() { Some(value) } else { get(value.as_dict()?, rest) }
}

/// Puts `value` at `path`, with the maps on the way.
pub(super) fn put(dict: &mut Dict, path: &[String], value: Value) {
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

/// Takes the value at `path` away, and the maps that are empty then.
pub(super) fn remove(dict: &mut Dict, path: &[String]) {
    let Some((key, rest)) = path.split_first() else { return };
    if let (Some(Value::Dict(_, inner)), false) = (dict.get_mut(key), rest.is_empty()) {
        remove(inner, rest);
        if !inner.is_empty() {
            return;
        }
    }
    dict.remove(key);
}

/// Only the entries that `wanted` wants.
pub(super) fn keep(dict: &Dict, wanted: &impl Fn(&[String]) -> bool) -> Dict {
    let mut kept = Dict::new();
    for path in leaves(dict).into_iter().filter(|path| wanted(path)) {
        if let Some(value) = get(dict, &path) {
            put(&mut kept, &path, value.clone());
        }
    }
    kept
}

/// `above` laid over `below`: maps entry by entry, everything else replaced.
pub(super) fn merge(mut below: Dict, above: Dict) -> Dict {
    for (key, value) in above {
        let merged = match (below.remove(&key), value) {
            (Some(Value::Dict(tag, below)), Value::Dict(_, above)) => Value::Dict(tag, merge(below, above)),
            (_, value) => value,
        };
        below.insert(key, merged);
    }
    below
}
