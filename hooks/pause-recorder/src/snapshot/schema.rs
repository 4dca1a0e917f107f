//! The JSON Schema of a snapshot, from its type; committed as config/pause-recorder/snapshot.schema.json.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::Snapshot;

/// What a program may rely on.
const STABILITY: &str =
    "Keys are added within a schema_version; one that changes its meaning or goes raises it.";

/// The schema, as JSON text.
#[must_use]
pub(crate) fn snapshot_schema() -> String {
    // In one piece: whoever reads it should not have to follow references.
    let settings =
        SchemaSettings::draft2020_12().for_serialize().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Snapshot>().to_value();
    tidy(&mut schema);
    let rest = schema.as_object_mut().map(std::mem::take).unwrap_or_default();
    let mut document = Map::new();
    document.extend(rest.get("$schema").map(|draft| ("$schema".to_owned(), draft.clone())));
    document.insert("title".to_owned(), "Barbless: a pause snapshot, session-*.json".into());
    document.insert("$comment".to_owned(), STABILITY.into());
    document.extend(rest.into_iter().filter(|(key, _)| !matches!(key.as_str(), "$schema" | "title")));
    serde_json::to_string_pretty(&Value::Object(document)).unwrap_or_default()
}

/// No key but those described, descriptions on one line each, and no formats that only Rust knows.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(tidy);
            map.retain(|key, value| key != "format" || !value.is_string());
            if let Some(Value::String(description)) = map.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            if map.get("properties").is_some_and(Value::is_object) {
                map.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(tidy),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::world::{full, least};
    use super::snapshot_schema;

    #[test]
    fn a_snapshot_is_what_its_schema_describes() {
        let schema: Value = serde_json::from_str(&snapshot_schema()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for snapshot in [full(), least()] {
            let mut value = serde_json::to_value(snapshot).unwrap();
            assert!(validator.is_valid(&value), "{value}");
            value["more"] = 1.into();
            assert!(!validator.is_valid(&value));
        }
    }

    #[test]
    fn the_committed_schema_is_that_of_the_type() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/pause-recorder/snapshot.schema.json");
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(committed, snapshot_schema() + "\n", "run `cargo xtask schema`");
    }
}
