//! `req schema`: what the reading commands print with `--json`, as JSON Schema from the types they print.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::check::CheckReport;
use crate::ci::CiReport;
use crate::config::ConfigReport;
use crate::docs::DocsReport;
use crate::journal::{CostReport, LogReport, StatsReport, WhyReport};
use crate::listing::{ListReport, SessionsReport};
use crate::reply::{Reply, json, unknown};
use crate::status::StatusReport;

/// What a program may rely on.
const STABILITY: &str = "Keys are added, never renamed or removed.";

/// A name, the command's words after `req`, and the schema of the type it prints.
type Described = (&'static str, &'static str, fn() -> Schema);

const ALL: [Described; 13] = [
    ("status", "status", schema_of::<StatusReport>),
    ("check", "check", schema_of::<CheckReport>),
    ("why", "why", schema_of::<WhyReport<'static>>),
    ("log", "log", schema_of::<LogReport<'static>>),
    ("log-stats", "log --stats", schema_of::<StatsReport>),
    ("log-cost", "log --cost", schema_of::<CostReport>),
    ("config", "config", schema_of::<ConfigReport>),
    ("list", "list", schema_of::<ListReport>),
    ("sessions", "sessions", schema_of::<SessionsReport>),
    ("hooks-status", "hooks status", schema_of::<installer::status::Status>),
    ("doctor", "doctor", schema_of::<installer::doctor::Report>),
    ("ci", "ci", schema_of::<CiReport>),
    ("docs", "docs", schema_of::<DocsReport>),
];

/// The schema of what that command prints; without one, which commands there are.
pub(crate) fn schema(command: Option<&str>) -> Result<Reply, String> {
    let Some(wanted) = command else {
        let lines = ALL.iter().map(|(name, command, _)| format!("{name:14}req {command} --json"));
        return Ok(Reply::yes(lines.collect::<Vec<_>>().join("\n")));
    };
    if let Some(one) = ALL.iter().find(|(name, ..)| *name == name_of(wanted)) {
        return Ok(Reply::yes(json(&document(one))));
    }
    let names = ALL.map(|(name, ..)| name);
    Err(unknown("schema of", wanted, &names, &format!("; there are {}", names.join(", "))))
}

/// A command's words as one: `log --stats` is `log-stats`.
fn name_of(command: &str) -> String {
    let words = command.split_whitespace().map(|word| word.trim_start_matches('-'));
    words.collect::<Vec<_>>().join("-")
}

/// The schema with its heading.
fn document((_, command, schema): &Described) -> Value {
    let mut heading = Map::new();
    let mut schema = schema().to_value();
    let rest = schema.as_object_mut().map(std::mem::take).unwrap_or_default();
    heading.extend(rest.get("$schema").map(|draft| ("$schema".to_owned(), draft.clone())));
    heading.insert("title".to_owned(), format!("req {command} --json").into());
    heading.insert("$comment".to_owned(), STABILITY.into());
    heading.extend(rest.into_iter().filter(|(key, _)| !matches!(key.as_str(), "$schema" | "title")));
    let mut document = Value::Object(heading);
    tidy(&mut document);
    document
}

/// No key but those described, descriptions on one line each, and no formats that only Rust knows.
fn tidy(schema: &mut Value) {
    if let Some(map) = schema.as_object_mut() {
        map.values_mut().for_each(tidy);
        let is_of_rust = |value: &Value| value.as_str().is_some_and(|format| format.contains("int"));
        map.retain(|key, value| key != "format" || !is_of_rust(value));
        if let Some(Value::String(description)) = map.get_mut("description") {
            *description = description.replace('\n', " ");
        }
        let is_object = |kind: &Value| {
            kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&"object".into()))
        };
        if map.get("properties").is_some_and(Value::is_object) && map.get("type").is_some_and(is_object) {
            map.entry("additionalProperties").or_insert(Value::Bool(false));
        }
    } else if let Some(list) = schema.as_array_mut() {
        list.iter_mut().for_each(tidy);
    }
}

/// As it is written, in one piece: whoever reads it should not have to follow references.
fn schema_of<T: JsonSchema>() -> Schema {
    let settings =
        SchemaSettings::draft2020_12().for_serialize().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ALL, name_of, schema, tidy};

    #[test]
    fn a_schema_says_what_it_is_of_and_that_it_only_grows() {
        for (name, command, _) in ALL {
            assert_eq!(name, name_of(command));
            let text = schema(Some(name)).unwrap().text;
            let document: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(document["title"], format!("req {command} --json"));
            assert!(document["$comment"].as_str().unwrap().contains("never renamed"), "{text}");
            assert_eq!(document["$schema"], "https://json-schema.org/draft/2020-12/schema");
            assert!(!text.contains("$ref"), "in one piece: {text}");
            all_described(&document, command);
        }
        assert!(schema(Some(" log --stats ")).is_ok());
        assert!(schema(Some("stauts")).unwrap_err().contains("did you mean status?"));
        assert!(schema(Some("zzz")).unwrap_err().contains("there are status, check"));
    }

    #[track_caller]
    fn all_described(schema: &Value, place: &str) {
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let place = format!("{place}.{key}");
            assert!(property["description"].is_string(), "{place} is not described");
            all_described(property, &place);
            all_described(&property["items"], &place);
        }
    }

    #[test]
    fn no_key_may_stand_in_an_object_that_is_not_described() {
        let object = |extra: Value| {
            let mut object = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
            object.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            object
        };
        let mut nested = json!({ "items": object(json!({ "description": "a\nb" })), "format": "uint8" });
        tidy(&mut nested);
        let closed = object(json!({ "description": "a b", "additionalProperties": false }));
        assert_eq!(nested, json!({ "items": closed }));
        let mut map =
            json!({ "type": "object", "additionalProperties": { "type": "integer", "format": "int64" } });
        tidy(&mut map);
        assert_eq!(map, json!({ "type": "object", "additionalProperties": { "type": "integer" } }));
    }
}
