//! `req schema`: what the reading commands print with `--json`, as JSON Schema from the types they print.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::check::CheckReport;
use crate::ci::CiReport;
use crate::config::ConfigReport;
use crate::docs::DocsReport;
use crate::journal::{LogReport, StatsReport, WhyReport};
use crate::listing::{ListReport, SessionsReport};
use crate::reply::{Answer, Reply, Versioned, json, unknown};
use crate::status::StatusReport;

/// What a program may rely on.
const STABILITY: &str = "Keys are added, never renamed or removed.";

/// A command's words after `req`, and the schema of the type it prints.
type Described = (&'static str, fn() -> Schema);

const ALL: [Described; 12] = [
    ("status", schema_of::<Versioned<StatusReport<'static>>>),
    ("check", schema_of::<Versioned<CheckReport>>),
    ("why", schema_of::<Versioned<WhyReport<'static>>>),
    ("log", schema_of::<Versioned<LogReport<'static>>>),
    ("log --stats", schema_of::<Versioned<StatsReport<'static>>>),
    ("config", schema_of::<Versioned<ConfigReport>>),
    ("list", schema_of::<Versioned<ListReport>>),
    ("sessions", schema_of::<Versioned<SessionsReport>>),
    ("hooks status", schema_of::<installer::status::Status>),
    ("doctor", schema_of::<installer::doctor::Report>),
    ("ci", schema_of::<Versioned<CiReport>>),
    ("docs", schema_of::<Versioned<DocsReport>>),
];

/// The schema of what that command prints; without one, which commands there are.
pub(crate) fn schema(command: Option<&str>) -> Answer {
    let names = ALL.map(|(command, _)| name_of(command));
    let Some(wanted) = command else {
        let line = |(name, (command, _)): (&String, Described)| format!("{name:14}req {command} --json");
        return Ok(Reply::lines(names.iter().zip(ALL).map(line)));
    };
    let Some((command, schema)) = ALL.iter().find(|(command, _)| name_of(command) == name_of(wanted)) else {
        let names = names.each_ref().map(String::as_str);
        return Err(unknown("schema of", wanted, &names, &format!("; there are {}", names.join(", "))));
    };
    let mut schema = schema().to_value();
    schema["title"] = format!("req {command} --json").into();
    schema["$comment"] = STABILITY.into();
    tidy(&mut schema);
    Ok(Reply::yes(json(&schema)))
}

/// A command's words as one: `log --stats` is `log-stats`.
fn name_of(command: &str) -> String {
    let words = command.split_whitespace().map(|word| word.trim_start_matches('-'));
    words.collect::<Vec<_>>().join("-")
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
    use serde_json::Value;

    use super::{ALL, schema};

    #[test]
    fn schema_describes_every_key_and_allows_no_other() {
        for (command, _) in ALL {
            let text = schema(Some(command)).unwrap().text;
            let document: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(document["title"], format!("req {command} --json"));
            assert!(document["$comment"].as_str().unwrap().contains("never renamed"), "{text}");
            assert_eq!(document["$schema"], "https://json-schema.org/draft/2020-12/schema");
            assert!(!text.contains("$ref") && !text.contains("int64"), "{text}");
            all_described(&document, command);
        }
        assert_eq!(schema(Some(" log --stats ")).unwrap().text, schema(Some("log-stats")).unwrap().text);
        assert!(schema(Some("stauts")).unwrap_err().to_string().contains("did you mean status?"));
        assert!(schema(Some("zzz")).unwrap_err().to_string().contains("there are status, check"));
    }

    #[track_caller]
    fn all_described(schema: &Value, place: &str) {
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            assert_eq!(schema["additionalProperties"], false, "{place}");
            let place = format!("{place}.{key}");
            assert!(property["description"].is_string(), "{place} is not described");
            all_described(property, &place);
            all_described(&property["items"], &place);
        }
    }
}
