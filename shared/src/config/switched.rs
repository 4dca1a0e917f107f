//! Switches of keys within a section: a layer above the files that sets `KEY.enabled`, as far as the global file does not
//! lock it.

use std::collections::BTreeMap;

use figment::value::{Dict, Tag, Value};

use super::held::{is_any_of, is_locked, up_to_global};
use super::layer::{Layer, LayerKind};
use super::section::{Cleaned, SectionSpec};
use super::top_level::Locks;
use super::tree::{get, leaves, put};
use super::yaml::Parsed;

/// What the layer is called where files are named.
pub(super) const FILE: &str = "its switch";

/// Lays the switches of keys upon the layers. A key that cannot be switched is passed over: another version's, or one that
/// only the global file may set. The answer: the keys whose switch counts for nothing because of a lock.
pub(super) fn lay(
    spec: SectionSpec,
    locks: &Locks,
    keys: &BTreeMap<String, bool>,
    layers: &mut Vec<Cleaned>,
) -> Vec<String> {
    if keys.is_empty() {
        return Vec::new();
    }
    let standing = up_to_global(layers);
    let mut section = Dict::new();
    let mut overruled = Vec::new();
    for (key, on) in keys {
        let path: Vec<String> = key.split('.').chain(["enabled"]).map(ToOwned::to_owned).collect();
        let can_be_switched = layers.first().and_then(|defaults| get(&defaults.section, &path)?.to_bool());
        if can_be_switched.is_none() || is_any_of(spec.global_only, &path) {
            continue;
        }
        let value = Value::Bool(Tag::Default, *on);
        if is_locked(locks, &path, Some(&value), get(&standing, &path)) {
            overruled.push(key.clone());
        } else {
            put(&mut section, &path, value);
        }
    }
    let parsed = Parsed { values: Dict::new(), repeated: Vec::new() };
    let layer = Layer::new(LayerKind::Switch, FILE.to_owned(), "", parsed);
    layers.push(Cleaned { layer, section });
    overruled
}

/// The keys that the layer switches.
pub(super) fn keys(section: &Dict) -> Vec<(String, bool)> {
    let switched = |path: Vec<String>| {
        let on = get(section, &path)?.to_bool()?;
        let (_, key) = path.split_last()?;
        Some((key.join("."), on))
    };
    leaves(section).into_iter().filter_map(switched).collect()
}
