//! Switches of keys within a section: a layer above the files that sets `KEY.enabled`, as far as the global file does not lock
//! it.

use std::collections::BTreeMap;

use figment::value::{Dict, Tag, Value};

use crate::held::{is_any_of, is_locked, up_to_global};
use crate::layer::Layer;
use crate::origin::{LayerKind, Origin};
use crate::spec::SectionSpec;
use crate::switch::Position;
use crate::top_level::Locks;
use crate::tree::{get, leaves, put};

/// Name of the layer in texts that name files.
const FILE: &str = "its switch";

/// Provenance of a switch.
pub(crate) fn origin() -> Origin {
    Origin { layer: LayerKind::Switch, file: FILE.to_owned(), line: None }
}

/// Lays the switches of keys upon the layers. A key that cannot be switched is passed over: another version's, or one that
/// only the global file may set. The answer: the keys whose switch counts for nothing because of a lock.
pub(crate) fn lay(
    spec: SectionSpec,
    locks: &Locks,
    keys: &BTreeMap<String, Position>,
    layers: &mut Vec<Layer>,
) -> Vec<String> {
    if keys.is_empty() {
        return Vec::new();
    }
    let standing = up_to_global(layers);
    let mut section = Dict::new();
    let mut overruled = Vec::new();
    for (key, position) in keys {
        let set = layers.first().and_then(|defaults| set_by(key, *position, &defaults.section));
        let Some((path, value)) = set.filter(|(path, _)| !is_any_of(spec.global_only, path)) else {
            continue;
        };
        if is_locked(locks, &path, Some(&value), get(&standing, &path)) {
            overruled.push(key.clone());
        } else {
            put(&mut section, &path, value);
        }
    }
    let mut layer = Layer::of_values(LayerKind::Switch, FILE, Dict::new());
    layer.section = section;
    layers.push(layer);
    overruled
}

/// Path and value that the switch sets; `None` if the defaults hold no such key.
fn set_by(key: &str, position: Position, defaults: &Dict) -> Option<(Vec<String>, Value)> {
    let path: Vec<String> = key.split('.').chain(["enabled"]).map(ToOwned::to_owned).collect();
    get(defaults, &path)?.to_bool()?;
    let on = match position {
        Position::On => true,
        Position::Off => false,
        Position::Auto => return None,
    };
    Some((path, Value::Bool(Tag::Default, on)))
}

/// The keys that the layer switches.
pub(crate) fn keys(section: &Dict) -> Vec<(String, Position)> {
    let switched = |path: Vec<String>| {
        let position = if get(section, &path)?.to_bool()? { Position::On } else { Position::Off };
        let (_, key) = path.split_last()?;
        Some((key.join("."), position))
    };
    leaves(section).into_iter().filter_map(switched).collect()
}
