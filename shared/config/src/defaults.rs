//! The lowest layer: config/defaults.yaml, compiled in as JSON, section by section, because no hook shall parse YAML for it.

mod generated;

use figment::value::Dict;

use generated::SECTIONS;

/// The whole file, comments and all, for people.
pub const ALL_DEFAULTS: &str = include_str!("../../../config/defaults.yaml");

/// The key at the top of the file with its value, as a JSON object; empty if there is none.
pub fn section_defaults(key: &str) -> &'static str {
    SECTIONS.iter().find(|(name, _)| *name == key).map_or("", |(_, json)| json)
}

/// The keys at the top of the file, in its order.
pub(crate) fn top_keys() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().map(|(name, _)| *name)
}

/// These keys at the top of the file; `None` if they could not be read, which a test rules out.
pub(crate) fn defaults_of<'n>(keys: impl IntoIterator<Item = &'n str>) -> Option<Dict> {
    let mut values = Dict::new();
    for json in keys.into_iter().map(section_defaults).filter(|json| !json.is_empty()) {
        values.extend(serde_json::from_str::<Dict>(json).ok()?);
    }
    Some(values)
}
