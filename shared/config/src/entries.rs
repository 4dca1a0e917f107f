//! Settings in force, key by key, with provenance and overridden values. For command lines only.

use serde_json::Value;

use crate::check::{as_json, known_keys};
use crate::defaults::{section_defaults, top_keys};
use crate::held::is_any_of;
use crate::layer::{Layer, Sources};
use crate::merge::merged;
use crate::origin::{LayerKind, Origin};
use crate::schema::schema_at;
use crate::section::Section;
use crate::spec::TOP_KEYS;
use crate::top_level::{self, Locks};
use crate::tree::{get, leaves};

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

impl<S> Section<S> {
    /// Every entry of the section that is in force.
    pub fn entries(&self) -> Vec<Entry> {
        let locks = Locks::of(self.locked.clone());
        let mut entries: Vec<Entry> = leaves(&merged(self.layers()))
            .into_iter()
            .filter_map(|path| {
                let mut said = self.said(&path).into_iter();
                let Said { value, origin } = said.next()?;
                let (locked, global_only) =
                    (locks.holds(&path) || locks.need_on(&path), is_any_of(self.spec().global_only, &path));
                let path = self.spec().in_file(&path);
                Some(Entry { path, value, origin, overridden: said.collect(), locked, global_only })
            })
            .collect();
        self.decide_elsewhere(&mut entries);
        entries
    }

    /// Values of the layers for the key, the highest first.
    fn said(&self, path: &[String]) -> Vec<Said> {
        let of_layer = |layer: &Layer| {
            let value = as_json(get(&layer.section, path)?);
            Some(Said { value, origin: layer.origin(&self.spec().in_file(path)) })
        };
        self.layers().iter().rev().filter_map(of_layer).collect()
    }

    /// A switch, or the key above all sections, decides for the section's own `enabled`.
    fn decide_elsewhere(&self, entries: &mut [Entry]) {
        let enabled = self.spec().in_file(&["enabled"]);
        let entry = entries.iter_mut().find(|entry| entry.path == enabled);
        if let (Some(entry), Some(origin)) = (entry, self.decided_elsewhere()) {
            let said = Said { value: entry.value.clone(), origin: entry.origin.clone() };
            entry.overridden.insert(0, said);
            entry.origin = origin.clone();
            entry.value = self.enabled.into();
        }
    }
}

/// The keys above all sections.
pub fn top_entries(sources: &Sources) -> Vec<Entry> {
    let (files, _) = sources.read(&TOP_KEYS);
    let layers: Vec<Layer> = Layer::defaults(TOP_KEYS).into_iter().chain(files).collect();
    let is_locking = |layer: &&Layer| layer.kind == LayerKind::Global && layer.values.contains_key("locked");
    let locks_something = layers.iter().any(|layer| is_locking(&layer));
    let entry = |key: &str| {
        let path = [key.to_owned()];
        let mut said = layers.iter().rev().filter_map(|layer| {
            let value = top_level::counting(layer, key)?;
            Some(Said { value: as_json(value), origin: layer.origin(&path) })
        });
        let Said { value, origin } = said.next()?;
        let locked = key == "enabled" && locks_something;
        let global_only = key == "locked";
        Some(Entry { path: path.to_vec(), value, origin, overridden: said.collect(), locked, global_only })
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
