//! The committed JSON Schema of requirements.yaml, compiled in: what the sections of hooks hold whose types are in other
//! binaries. For command lines only; a hook reads its own section by its types.

use std::sync::LazyLock;

use serde_json::Value;

use super::check::{at, known_keys};
use super::section::SectionSpec;

/// The name of the copy that lies beside a file, for editors.
pub const SCHEMA_FILE: &str = "requirements.schema.json";

/// The schema's title. A file with another one is somebody else's.
pub const SCHEMA_TITLE: &str = "Barbless: requirements.yaml";

/// The whole file, as `cargo xtask schema` generates it.
pub const SCHEMA_TEXT: &str = include_str!("../../../config/requirements.schema.json");

static WHOLE: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA_TEXT).unwrap_or_default());

/// Section and dotted key of everything that only the global file may set.
static GLOBAL_ONLY: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let sections = WHOLE.get("properties").and_then(Value::as_object);
    let mut found = Vec::new();
    for (section, schema) in sections.into_iter().flatten() {
        note_global_only(section, "", schema, &mut found);
    }
    found
});

/// What is read of each section.
static SPECS: LazyLock<Vec<Spec>> = LazyLock::new(|| {
    let sections = known_keys(&WHOLE).into_iter();
    let spec = |section| {
        let root_keys = root_keys_of(section);
        let own = GLOBAL_ONLY.iter().filter(|(of, _)| of == section).map(|(_, key)| key.as_str());
        let at_the_top = root_keys.iter().filter(|key| GLOBAL_ONLY.iter().any(|(of, _)| of == **key));
        Spec {
            section,
            global_only: own.chain(at_the_top.copied()).collect(),
            other_names: noted_other_names(section),
            with_root_keys: with_root_keys(section, &root_keys),
            root_keys,
        }
    };
    sections.map(spec).collect()
});

struct Spec {
    section: &'static str,
    global_only: Vec<&'static str>,
    other_names: Vec<(&'static str, &'static str)>,
    /// Its keys that stand at the top of the file.
    root_keys: Vec<&'static str>,
    /// The section's schema with those in it, where there are any.
    with_root_keys: Option<Value>,
}

/// The keys at the top of the file that hold settings of this section.
fn root_keys_of(section: &str) -> Vec<&'static str> {
    let keys = WHOLE.get("properties").and_then(Value::as_object).into_iter().flatten();
    let is_owned = |schema: &Value| {
        let owners = schema.get("x-owners").and_then(Value::as_array).into_iter().flatten();
        owners.into_iter().any(|owner| owner == section)
    };
    keys.filter(|(_, schema)| is_owned(schema)).map(|(key, _)| key.as_str()).collect()
}

fn with_root_keys(section: &str, keys: &[&str]) -> Option<Value> {
    let sections = WHOLE.get("properties")?;
    let mut schema = sections.get(section).filter(|_| !keys.is_empty())?.clone();
    let properties = schema.get_mut("properties")?.as_object_mut()?;
    properties.extend(keys.iter().filter_map(|key| Some(((*key).to_owned(), sections.get(key)?.clone()))));
    Some(schema)
}

/// The keys of a section that stand for another one.
fn noted_other_names(section: &str) -> Vec<(&'static str, &'static str)> {
    let schema = WHOLE.get("properties").and_then(|sections| sections.get(section));
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    let noted = properties.into_iter().flatten();
    noted
        .filter_map(|(key, property)| Some((key.as_str(), property.get("x-stands-for")?.as_str()?)))
        .collect()
}

/// A key path that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranger {
    /// Which key of the path is not known, counted from 0.
    pub at: usize,
    /// The keys that may stand there.
    pub known: Vec<&'static str>,
}

/// The schema of what stands at this path of a file.
///
/// # Errors
/// If nothing of ours stands there.
pub fn schema_at(path: &[String]) -> Result<&'static Value, Stranger> {
    at(&WHOLE, path).map_err(|map| {
        let is_known = |depth: &usize| at(&WHOLE, &path[..*depth]).is_ok();
        let depth = (0..path.len()).take_while(is_known).last().unwrap_or_default();
        Stranger { at: depth, known: known_keys(map) }
    })
}

/// The schema of a hook's section with its keys at the top of the file, and how it is read; `None` for a name no section has.
#[must_use]
pub fn section_by_schema(name: &str) -> Option<(SectionSpec, &'static Value)> {
    let Spec { section: name, global_only, other_names, root_keys, with_root_keys } =
        SPECS.iter().find(|spec| spec.section == name)?;
    let schema = with_root_keys.as_ref().or_else(|| WHOLE.get("properties")?.get(name))?;
    let costs_money = schema.get("x-costs-money").is_some();
    let spec =
        SectionSpec { name, root_keys, global_only, other_names, costs_money, ..SectionSpec::default() };
    Some((spec, schema))
}

/// The empty key is the whole section.
fn note_global_only(section: &str, above: &str, schema: &Value, found: &mut Vec<(String, String)>) {
    if above.is_empty() && is_global_only(schema) {
        found.push((section.to_owned(), String::new()));
        return;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (key, property) in properties.into_iter().flatten() {
        let path = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        if is_global_only(property) {
            found.push((section.to_owned(), path));
        } else {
            note_global_only(section, &path, property, found);
        }
    }
}

fn is_global_only(schema: &Value) -> bool {
    schema.get("x-global-only").is_some_and(|mark| *mark == true)
}

#[cfg(test)]
mod tests {
    use super::{WHOLE, schema_at, section_by_schema};
    use crate::catalog;

    fn path(dotted: &str) -> Vec<String> {
        dotted.split('.').map(ToOwned::to_owned).collect()
    }

    #[test]
    fn every_hook_of_the_catalog_has_its_section() {
        assert!(WHOLE.is_object());
        for name in catalog::section_names() {
            assert_eq!(section_by_schema(name).unwrap().0.name, name);
        }
        assert!(section_by_schema("no-such-hook").is_none());
    }

    #[test]
    fn keys_of_the_global_file_alone_are_known_by_their_mark() {
        let (spec, _) = section_by_schema("stop-momentum").unwrap();
        assert_eq!(spec.global_only, ["message_file"]);
        assert_eq!(section_by_schema("judge").unwrap().0.global_only, [""], "the whole of it");
    }

    #[test]
    fn a_key_at_the_top_of_the_file_is_read_with_each_hook_that_owns_it() {
        for hook in ["intent-validator", "tempo-stop"] {
            let (spec, schema) = section_by_schema(hook).unwrap();
            assert_eq!(spec.root_keys, ["judge"]);
            assert!(spec.global_only.contains(&"judge") && spec.costs_money, "{hook}");
            assert_eq!(schema["properties"]["judge"]["type"], "object");
        }
        assert_eq!(section_by_schema("requirements-check").unwrap().0.root_keys, ["requirements", "hooks"]);
        assert_eq!(section_by_schema("stop-momentum").unwrap().0.root_keys, [""; 0]);
    }

    #[test]
    fn a_path_that_leads_nowhere_is_told_with_what_may_stand_there() {
        assert_eq!(schema_at(&path("stop-momentum.enabled")).unwrap()["type"], "boolean");
        assert_eq!(schema_at(&path("requirements.any_name.enabled")).unwrap()["type"], "boolean");
        let stranger = schema_at(&path("stop-momentum.enabledd.x")).unwrap_err();
        assert_eq!(stranger.at, 1);
        assert!(stranger.known.contains(&"enabled") && !stranger.known.contains(&"stop-momentum"));
        assert_eq!(schema_at(&path("stop.enabled")).unwrap_err().at, 0);
        assert_eq!(schema_at(&path("enabled.x")).unwrap_err().at, 1);
    }
}
