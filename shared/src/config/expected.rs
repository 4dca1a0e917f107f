//! What a key should hold, in words, read out of the section's JSON Schema: the schema is the only description there is.
//! Cold path only.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The schema of a settings type, without references.
#[must_use]
pub fn schema_of<S: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<S>()
}

/// The keys a map may have; empty where any key may stand.
#[must_use]
pub fn known_keys(schema: &Value) -> Vec<&str> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|properties| properties.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// The schema of the value at `path`; `Err` with the map's schema where a key is not known.
pub(super) fn at<'a>(schema: &'a Value, path: &[String]) -> Result<&'a Value, &'a Value> {
    path.iter().try_fold(schema, |schema, key| {
        let named = schema.get("properties").and_then(|properties| properties.get(key));
        let any = schema.get("additionalProperties").filter(|any| any.is_object());
        named.or(any).ok_or(schema)
    })
}

/// What a value of this schema is: `true or false`, `a whole number from 1 to 6`, `one of: always, unfinished`.
#[must_use]
pub fn describe(schema: &Value) -> String {
    if let Some(words) = choices(schema) {
        return format!("one of: {}", words.join(", "));
    }
    let nullable =
        |kind: &Value| kind.as_array().map(|kinds| kinds.iter().find(|kind| *kind != "null").cloned());
    let kind = schema.get("type").map(|kind| nullable(kind).flatten().unwrap_or_else(|| kind.clone()));
    match kind.as_ref().and_then(Value::as_str) {
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => number("a whole number", schema),
        Some("number") => number("a number", schema),
        Some("string") => schema.get("title").and_then(Value::as_str).unwrap_or("text").to_owned(),
        Some("array") => "a list".to_owned(),
        Some("object") => "a map of settings".to_owned(),
        _ => alternatives(schema).unwrap_or_else(|| "another kind of value".to_owned()),
    }
}

/// The same, and of a list what each entry is.
#[must_use]
pub fn describe_in_full(schema: &Value) -> String {
    match schema.get("items") {
        Some(entry) => format!("a list, each entry {}", describe(entry)),
        None => describe(schema),
    }
}

fn choices(schema: &Value) -> Option<Vec<String>> {
    let word = |value: &Value| value.as_str().map(ToOwned::to_owned);
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return Some(words.iter().filter_map(word).collect());
    }
    let options = schema.get("oneOf").and_then(Value::as_array)?;
    options.iter().map(|option| option.get("const").and_then(word)).collect()
}

fn alternatives(schema: &Value) -> Option<String> {
    let options = schema.get("anyOf").and_then(Value::as_array)?;
    let options = options.iter().filter(|option| option.get("type") != Some(&"null".into()));
    let described: Vec<_> =
        options.map(|option| map_of(option).unwrap_or_else(|| describe(option))).collect();
    Some(described.join(" or "))
}

/// A map with its keys: where it is one of several kinds, no path says which of its keys is wrong.
fn map_of(schema: &Value) -> Option<String> {
    let keys = schema.get("properties").and_then(Value::as_object)?;
    let keys: Vec<_> = keys.iter().map(|(key, value)| format!("{key} ({})", describe(value))).collect();
    Some(format!("a map of {}", keys.join(", ")))
}

fn number(kind: &str, schema: &Value) -> String {
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
        (Some(least), None) => format!("{kind} of at least {least}"),
        (None, Some(most)) => format!("{kind} of at most {most}"),
        (None, None) => kind.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::{at, describe, schema_of};
    use crate::config::{Bounded, Decimal, ZeroOr};

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Sample {
        flag: bool,
        bounded: Bounded<1, 6>,
        maybe: Option<Bounded<1, 3>>,
        decimal: Decimal<0, 9>,
        or_never: ZeroOr<2, 9>,
        word: Word,
        text: Option<String>,
        list: Vec<String>,
        nested: Nested,
        either: Either,
        titled: Titled,
    }

    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Either {
        Text(String),
        Map(Nested),
    }

    #[derive(JsonSchema)]
    #[schemars(inline, title = "a name without spaces")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Titled(String);

    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Word {
        /// The first.
        First,
        /// The second.
        Second,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Nested {
        inner: u8,
    }

    #[test]
    fn describes_each_kind_of_value_in_words() {
        let schema = schema_of::<Sample>().to_value();
        for (path, expected) in [
            ("flag", "true or false"),
            ("bounded", "a whole number from 1 to 6"),
            ("maybe", "a whole number from 1 to 3"),
            ("decimal", "a number from 0 to 9"),
            ("or_never", "0 or a whole number from 2 to 9"),
            ("word", "one of: first, second"),
            ("text", "text"),
            ("list", "a list"),
            ("nested", "a map of settings"),
            ("either", "text or a map of inner (a whole number from 0 to 255)"),
            ("titled", "a name without spaces"),
            ("nested.inner", "a whole number from 0 to 255"),
        ] {
            let path: Vec<String> = path.split('.').map(ToOwned::to_owned).collect();
            assert_eq!(describe(at(&schema, &path).unwrap()), expected, "{path:?}");
        }
    }
}
