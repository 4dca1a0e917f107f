//! Settings in force, key by key, with provenance and overridden values. For command lines only.

use serde_json::Value;

use crate::layer::{Layer, Sources, TOP_KEYS, parse, top_keys};
use crate::locks::counting;
use crate::problem::{LayerKind, Origin};
use crate::section::Section;
use crate::tree::{get, json, leaves, merged};

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Path as in a file.
    pub path: Vec<String>,
    pub value: Value,
    pub origin: Origin,
    /// Values of lower layers, the highest first.
    pub overridden: Vec<Said>,
    pub locked: bool,
    pub global_only: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub value: Value,
    pub origin: Origin,
}

impl Entry {
    /// The entry at `path` of a file, with its values in the layers, the highest first.
    fn new(
        path: Vec<String>,
        said: impl IntoIterator<Item = Said>,
        locked: bool,
        global_only: bool,
    ) -> Option<Self> {
        let mut said = said.into_iter();
        let Said { value, origin } = said.next()?;
        Some(Self { path, value, origin, overridden: said.collect(), locked, global_only })
    }
}

impl<S> Section<S> {
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
        Entry::new(in_file.clone(), said, rights.is_locked(path), rights.is_global_only(path))
    }
}

pub fn top_entries(sources: &Sources) -> Vec<Entry> {
    let (files, _) = parse(&sources.texts(), &TOP_KEYS);
    let layers: Vec<Layer> = Layer::defaults(TOP_KEYS).into_iter().chain(files).collect();
    let is_locking = |layer: &Layer| layer.kind == LayerKind::Global && layer.values.contains_key("locked");
    let locks_something = layers.iter().any(is_locking);
    let entry = |key: &str| {
        let path = [key.to_owned()];
        let of_layer =
            |layer: &Layer| Some(Said { value: json(counting(layer, key)?), origin: layer.origin(&path) });
        let said = layers.iter().rev().filter_map(of_layer);
        Entry::new(path.to_vec(), said, key == "enabled" && locks_something, key == "locked")
    };
    TOP_KEYS.iter().filter_map(|key| entry(key)).collect()
}

/// Puts the keys above all sections first, then the sections in the order of config/defaults.yaml, the keys of each by the alphabet.
pub fn sort(entries: &mut [Entry]) {
    entries.sort_by_cached_key(|entry| {
        let place = |known: Option<usize>| known.unwrap_or(usize::MAX);
        let is_first = |key: &str| entry.path.first().is_some_and(|first| first == key);
        let above = TOP_KEYS.iter().position(|key| is_first(key));
        (place(above), place(top_keys().position(is_first)), entry.path.clone())
    });
}

#[cfg(test)]
mod tests {
    use super::{Entry, Sources, top_entries};
    use crate::{Position, load_by_schema, section_by_schema};

    /// The key, whether it is locked, and whether only the global file may set it.
    fn rights(entries: Vec<Entry>) -> Vec<(String, bool, bool)> {
        entries.into_iter().map(|entry| (entry.path.join("."), entry.locked, entry.global_only)).collect()
    }

    #[test]
    fn entries_say_who_may_set_them_and_that_every_hook_is_off() {
        let scratch = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            std::fs::write(scratch.path().join(name), text).unwrap();
            Some(scratch.path().join(name))
        };
        let mut sources = Sources { root: Some(scratch.path().to_path_buf()), ..Sources::default() };
        sources.project = file("project", "enabled: true\nlocked: [stop-momentum]\n");
        assert!(rights(top_entries(&sources)).contains(&("enabled".to_owned(), false, false)));
        sources.global = file("global", "enabled: true\nlocked: [stop-momentum.max_blocks]\n");
        let top = rights(top_entries(&sources));
        assert!(top.contains(&("enabled".to_owned(), true, false)), "{top:?}");
        assert!(top.contains(&("locked".to_owned(), false, true)), "{top:?}");

        let (spec, schema) = section_by_schema("stop-momentum").unwrap();
        let entries = || load_by_schema(spec, schema, &sources, Position::Auto).unwrap().entries();
        let own = rights(entries());
        assert!(own.contains(&("stop-momentum.max_blocks".to_owned(), true, false)), "{own:?}");
        assert!(own.contains(&("stop-momentum.message_file".to_owned(), false, true)), "{own:?}");
        file("global", "enabled: false\nstop-momentum: {enabled: true}\n");
        file("project", "");
        let is_off = |entry: &Entry| entry.path.ends_with(&["enabled".to_owned()]) && entry.value == false;
        assert_eq!(entries().iter().filter(|entry| is_off(entry)).count(), 1);
    }
}
