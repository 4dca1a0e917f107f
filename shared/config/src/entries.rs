//! Settings in force, key by key, with provenance and overridden values. For command lines only.

use serde_json::Value;

use crate::check::known_keys;
use crate::defaults::{section_defaults, top_keys};
use crate::layer::{Layer, Sources};
use crate::problem::{LayerKind, Origin};
use crate::schema::schema_at;
use crate::section::Section;
use crate::spec::TOP_KEYS;
use crate::top;
use crate::tree::{get, json, leaves, merged};

/// One key and what it is set to.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Path as in a file.
    pub path: Vec<String>,
    /// Value in force.
    pub value: Value,
    /// Provenance.
    pub origin: Origin,
    /// Values of lower layers, the highest first.
    pub overridden: Vec<Said>,
    /// The global file locks it.
    pub locked: bool,
    /// Only the global file may set it.
    pub global_only: bool,
}

/// Value of one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub value: Value,
    /// Provenance.
    pub origin: Origin,
}

impl Entry {
    /// The entry at `path` of a file, with its values in the layers, the highest first.
    fn new(path: Vec<String>, said: impl IntoIterator<Item = Said>) -> Option<Self> {
        let mut said = said.into_iter();
        let Said { value, origin } = said.next()?;
        Some(Self { path, value, origin, overridden: said.collect(), locked: false, global_only: false })
    }
}

impl<S> Section<S> {
    /// Every entry of the section that is in force.
    pub fn entries(&self) -> Vec<Entry> {
        let paths = leaves(&merged(self.layers.iter().map(|layer| &layer.section)));
        paths.iter().filter_map(|path| self.entry(path)).collect()
    }

    fn entry(&self, path: &[String]) -> Option<Entry> {
        let in_file = self.spec.in_file(path);
        let of_layer = |layer: &Layer| {
            Some(Said { value: json(get(&layer.section, path)?), origin: layer.origin(&in_file) })
        };
        let every_hook_is_off = self.off_at.clone().filter(|_| path == ["enabled"]);
        let said = every_hook_is_off.map(|origin| Said { value: false.into(), origin });
        let said = said.into_iter().chain(self.layers.iter().rev().filter_map(of_layer));
        let rights = self.rights();
        let (locked, global_only) = (rights.is_locked(path), rights.is_global_only(path));
        Some(Entry { locked, global_only, ..Entry::new(in_file.clone(), said)? })
    }
}

/// The keys above all sections.
pub fn top_entries(sources: &Sources) -> Vec<Entry> {
    let (files, _) = sources.read(&TOP_KEYS);
    let layers: Vec<Layer> = Layer::defaults(TOP_KEYS).into_iter().chain(files).collect();
    let is_locking = |layer: &Layer| layer.kind == LayerKind::Global && layer.values.contains_key("locked");
    let locks_something = layers.iter().any(is_locking);
    let entry = |key: &str| {
        let path = [key.to_owned()];
        let of_layer = |layer: &Layer| {
            Some(Said { value: json(top::counting(layer, key)?), origin: layer.origin(&path) })
        };
        let (locked, global_only) = (key == "enabled" && locks_something, key == "locked");
        Some(Entry {
            locked,
            global_only,
            ..Entry::new(path.to_vec(), layers.iter().rev().filter_map(of_layer))?
        })
    };
    TOP_KEYS.iter().filter_map(|key| entry(key)).collect()
}

/// Puts entries into the order of config/defaults.yaml; keys that have no default follow in the order of the schema, names of
/// the user's own by the alphabet.
pub fn sort(entries: &mut [Entry]) {
    let sections = top_keys().filter_map(|key| serde_json::from_str(section_defaults(key)).ok());
    let defaults: serde_json::Map<String, Value> =
        sections.flat_map(|section: serde_json::Map<String, Value>| section).collect();
    let defaults = Value::Object(defaults);
    entries.sort_by_cached_key(|entry| rank(&entry.path, &defaults));
}

fn rank(path: &[String], defaults: &Value) -> Vec<(usize, String)> {
    let mut standing = Some(defaults);
    // The keys above all sections come first, with a default or not.
    let above = path.first().and_then(|first| TOP_KEYS.iter().position(|key| key == first));
    let mut ranks = vec![(above.unwrap_or(usize::MAX), String::new())];
    for (depth, key) in path.iter().enumerate() {
        let map = standing.and_then(Value::as_object);
        let place = map.and_then(|map| map.keys().position(|known| known == key));
        let by_schema = || {
            let above = schema_at(&path[..depth]).ok()?;
            known_keys(above).iter().position(|known| known == key)
        };
        // Behind whatever has a default.
        let after = map.map_or(0, serde_json::Map::len);
        let rank = place.or_else(|| by_schema().map(|place| after + place));
        ranks.push((rank.unwrap_or(usize::MAX), key.clone()));
        standing = standing.and_then(|value| value.get(key));
    }
    ranks
}
