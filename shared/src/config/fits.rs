//! Whether a value is what a schema describes: as much of JSON Schema as our own schemas use, as strict as the types they are
//! generated from. A whole number written with a fraction (`5.0`) is none, as for the types.

use figment::value::{Num, Value as Read};
use serde_json::{Number, Value};

/// The value is what the schema describes.
#[must_use]
pub fn fits(schema: &Value, value: &Value) -> bool {
    is_kind(schema, value)
        && is_choice(schema, value)
        && is_within(schema, value)
        && match value {
            Value::Array(entries) => {
                schema.get("items").is_none_or(|items| entries.iter().all(|entry| fits(items, entry)))
            }
            Value::Object(_) => is_map(schema, value),
            _ => true,
        }
}

fn is_kind(schema: &Value, value: &Value) -> bool {
    let is = |kind: &Value| match kind.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
    }
}

fn is_choice(schema: &Value, value: &Value) -> bool {
    let listed = |key: &str| schema.get(key).and_then(Value::as_array);
    listed("enum").is_none_or(|words| words.contains(value))
        && schema.get("const").is_none_or(|word| word == value)
        && listed("anyOf").is_none_or(|options| options.iter().any(|option| fits(option, value)))
        && listed("oneOf")
            .is_none_or(|options| options.iter().filter(|option| fits(option, value)).count() == 1)
}

fn is_within(schema: &Value, value: &Value) -> bool {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let number = value.as_f64();
    let at_least = number.zip(bound("minimum")).is_none_or(|(number, least)| number >= least);
    let at_most = number.zip(bound("maximum")).is_none_or(|(number, most)| number <= most);
    let least_length = schema.get("minLength").and_then(Value::as_u64);
    let length = value.as_str().map(|text| text.chars().count() as u64);
    at_least && at_most && length.zip(least_length).is_none_or(|(length, least)| length >= least)
}

fn is_map(schema: &Value, value: &Value) -> bool {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let has = |key: &Value| key.as_str().is_some_and(|key| value.get(key).is_some());
    let named = |key: &str| schema.get("properties").and_then(|properties| properties.get(key));
    let fits_entry = |key: &str, entry: &Value| match (named(key), schema.get("additionalProperties")) {
        (Some(named), _) => fits(named, entry),
        (None, Some(Value::Bool(any))) => *any,
        (None, Some(any)) => fits(any, entry),
        (None, None) => true,
    };
    required.into_iter().all(has)
        && value.as_object().into_iter().flatten().all(|(key, entry)| fits_entry(key, entry))
}

/// A value as it was read from a file. A number that JSON does not know becomes its text, which fits no number.
pub(super) fn as_json(read: &Read) -> Value {
    match read {
        Read::String(_, text) => text.as_str().into(),
        Read::Char(_, char) => char.to_string().into(),
        Read::Bool(_, flag) => (*flag).into(),
        Read::Num(_, number) => json_number(*number),
        Read::Empty(..) => Value::Null,
        Read::Dict(_, dict) => dict.iter().map(|(key, value)| (key.clone(), as_json(value))).collect(),
        Read::Array(_, entries) => entries.iter().map(as_json).collect(),
    }
}

fn json_number(number: Num) -> Value {
    let read = Read::from(number);
    let whole = read.to_u128().and_then(|whole| u64::try_from(whole).ok()).map(Number::from);
    let whole =
        whole.or_else(|| read.to_i128().and_then(|whole| i64::try_from(whole).ok()).map(Number::from));
    let any = || number.to_f64().and_then(Number::from_f64);
    whole.or_else(any).map_or_else(|| "(no such number)".into(), Value::Number)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::{as_json, fits};
    use crate::config::schema::SCHEMA_TEXT;
    use crate::config::yaml;

    /// What is judged here, and what only explains.
    const KNOWN: [&str; 23] = [
        "type",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "items",
        "properties",
        "additionalProperties",
        "required",
        "minimum",
        "maximum",
        "minLength",
        "description",
        "title",
        "pattern",
        "format",
        "default",
        "examples",
        "x-costs-money",
        "x-owners",
        "x-global-only",
        "x-set-in",
        "x-stands-for",
    ];

    fn words(schema: &Value, found: &mut BTreeSet<String>) {
        let Some(map) = schema.as_object() else { return };
        for (word, value) in map {
            found.insert(word.clone());
            match word.as_str() {
                "properties" => value.as_object().unwrap().values().for_each(|value| words(value, found)),
                "anyOf" | "oneOf" => value.as_array().unwrap().iter().for_each(|value| words(value, found)),
                "items" | "additionalProperties" => words(value, found),
                _ => {}
            }
        }
    }

    #[test]
    fn no_word_of_the_committed_schema_is_passed_over() {
        let schema: Value = serde_json::from_str(SCHEMA_TEXT).unwrap();
        let mut found = BTreeSet::new();
        words(&schema, &mut found);
        found.remove("$schema");
        let strange: Vec<_> = found.iter().filter(|word| !KNOWN.contains(&word.as_str())).collect();
        assert!(strange.is_empty(), "`fits` must learn {strange:?}");
    }

    #[test]
    fn what_fits_and_what_does_not() {
        let list = json!({ "type": "array", "items": { "type": "string", "minLength": 1 } });
        let bounded = json!({ "type": ["integer", "null"], "minimum": 1, "maximum": 6 });
        let word =
            json!({ "oneOf": [{ "type": "string", "const": "a" }, { "type": "string", "const": "b" }] });
        let either = json!({ "anyOf": [{ "type": "integer", "maximum": 0, "minimum": 0 }, bounded] });
        let closed = json!({
            "type": "object", "additionalProperties": false, "required": ["a"],
            "properties": { "a": { "type": "boolean" } }
        });
        let open = json!({ "type": "object", "additionalProperties": bounded });
        for (schema, right, wrong) in [
            (&list, &["[]", "[a]"][..], &["[1]", "a", "['']", "{}", "null"][..]),
            (&bounded, &["1", "6", "null", "~"], &["0", "7", "1.0", "1.5", "'1'", "-1", "[1]", "true"]),
            (&word, &["a", "'b'"], &["c", "1", "[a]", "null"]),
            (&either, &["0", "3"], &["7", "0.0"]),
            (&closed, &["{a: true}"], &["{}", "{a: 1}", "{a: true, b: 1}", "[]"]),
            (&open, &["{}", "{x: 1, y: null}"], &["{x: 9}"]),
        ] {
            let read = |text: &str| as_json(&yaml::parse(&format!("k: {text}")).unwrap().values["k"]);
            for text in right {
                assert!(fits(schema, &read(text)), "{text} {schema}");
            }
            for text in wrong {
                assert!(!fits(schema, &read(text)), "{text} {schema}");
            }
        }
    }

    #[test]
    fn numbers_json_does_not_know_fit_no_number() {
        for text in [".nan", ".inf", "-.inf", "99999999999999999999999999999999999999999"] {
            let value = as_json(&yaml::parse(&format!("k: {text}")).unwrap().values["k"]);
            assert!(!fits(&json!({ "type": ["integer", "null"] }), &value), "{text}");
        }
    }
}
