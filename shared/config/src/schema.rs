//! The committed JSON Schema of requirements.yaml, compiled in: what the sections of hooks hold whose types are in other
//! binaries. For command lines only; a hook reads its own section by its types.

use std::sync::LazyLock;

use serde_json::Value;

use crate::check::{at, known_keys};
use crate::spec::SectionSpec;

/// The name of the copy that lies beside a file, for editors.
pub const SCHEMA_FILE: &str = "requirements.schema.json";

/// The schema's title. A file with another one is somebody else's.
pub const SCHEMA_TITLE: &str = "Barbless: requirements.yaml";

/// The whole file, as `cargo xtask schema` generates it.
pub const SCHEMA_TEXT: &str = include_str!("../../../config/requirements.schema.json");

static WHOLE: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA_TEXT).unwrap_or_default());

/// Specification and schema of each section. They live as long as the process, as the constants of a hook do.
static SECTIONS: LazyLock<Vec<(SectionSpec, Value)>> =
    LazyLock::new(|| known_keys(&WHOLE).into_iter().filter_map(section).collect());

/// The section `name`, with its keys at the top of the file.
fn section(name: &'static str) -> Option<(SectionSpec, Value)> {
    let sections = WHOLE.get("properties")?.as_object()?;
    let mut schema = sections.get(name)?.clone();
    let is_owned = |schema: &Value| {
        let owners = schema.get("x-owners").and_then(Value::as_array);
        owners.is_some_and(|owners| owners.iter().any(|owner| owner == name))
    };
    let owned: Vec<_> = sections.iter().filter(|(_, schema)| is_owned(schema)).collect();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.extend(owned.iter().map(|(key, schema)| ((*key).clone(), (*schema).clone())));
    }
    let renamed = sections[name].get("x-renamed").and_then(Value::as_object).into_iter().flatten();
    let spec = SectionSpec {
        name,
        root_keys: owned.into_iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().leak(),
        global_only: global_only("", &schema).leak(),
        renamed: renamed
            .filter_map(|(old, new)| Some((old.as_str(), new.as_str()?)))
            .collect::<Vec<_>>()
            .leak(),
        costs_money: schema.get("x-costs-money").is_some(),
    };
    Some((spec, schema))
}

/// The dotted keys that only the global file may set; the empty one is the whole section.
fn global_only(above: &str, schema: &Value) -> Vec<&'static str> {
    if schema.get("x-global-only") == Some(&Value::Bool(true)) {
        return vec![above.to_owned().leak()];
    }
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties
        .flat_map(|(key, property)| {
            let path = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
            global_only(&path, property)
        })
        .collect()
}

/// A key path that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranger {
    /// Position of the unknown key in the path, counted from 0.
    pub at: usize,
    /// The keys that may stand there.
    pub known: Vec<&'static str>,
}

/// The schema of what stands at this path of a file.
pub fn schema_at(path: &[String]) -> Result<&'static Value, Stranger> {
    at(&WHOLE, path).map_err(|(at, map)| Stranger { at, known: known_keys(map) })
}

/// Specification and schema of a hook's section; `None` for a name no section has.
pub fn section_by_schema(name: &str) -> Option<(SectionSpec, &'static Value)> {
    SECTIONS.iter().find(|(spec, _)| spec.name == name).map(|(spec, schema)| (*spec, schema))
}

#[cfg(test)]
mod tests {
    use super::section_by_schema;

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
}
