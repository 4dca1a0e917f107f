//! What a typed value means for its key.

use regex_lite::Regex;
use serde_json::Value;
use shared::config::{self, describe_in_full, dotted, read_value, schema_at};

use super::key::unknown;
use super::outlook::Outlook;

/// The value that was typed for the key at `path`.
///
/// # Errors
/// What the key takes instead.
pub(super) fn value_of(path: &[String], typed: &str, outlook: &Outlook) -> Result<Value, String> {
    let schema = schema_at(path).map_err(|_| unknown(path, outlook))?;
    meant(schema, typed).map_err(|read| match read {
        Ok(value) => misfit(schema, &value, path, outlook),
        Err(why) => {
            format!("req: the value for {} is {why}; expected {}", dotted(path), describe_in_full(schema))
        }
    })
}

/// The YAML it is; where the key takes a text, the text as it was typed, without its quotes if it has some: `#`, `!` and `&`
/// mean something in a file, not here. If neither fits, how it was read.
fn meant(schema: &Value, typed: &str) -> Result<Value, Result<Value, &'static str>> {
    let text = Value::from(typed);
    match read_value(typed) {
        Ok(value) if is_all(&value, typed.trim()) && fits(schema, &value) => Ok(value),
        _ if fits(schema, &text) => Ok(text),
        // A word with blanks or a comment around it.
        Ok(value) if value.is_string() && fits(schema, &value) => Ok(value),
        read => Err(read),
    }
}

/// Nothing of what was typed is missing in what was read, such as a comment.
fn is_all(read: &Value, typed: &str) -> bool {
    let is_in = |quote| typed.len() > 1 && typed.starts_with(quote) && typed.ends_with(quote);
    match read {
        Value::Null => matches!(typed, "null" | "Null" | "NULL" | "~"),
        Value::String(_) => is_in('"') || is_in('\''),
        _ => true,
    }
}

/// The value is what the schema describes, its patterns too: where files are read, each setting's own type judges those.
fn fits(schema: &Value, value: &Value) -> bool {
    config::fits(schema, value) && has_form(schema, value)
}

/// Every text in it has the form that its pattern says.
fn has_form(schema: &Value, value: &Value) -> bool {
    let options = schema.get("anyOf").and_then(Value::as_array);
    if options.is_some_and(|options| !options.iter().any(|option| fits(option, value))) {
        return false;
    }
    let below = |schema: Option<&Value>, entry| schema.is_none_or(|schema| has_form(schema, entry));
    match value {
        Value::String(text) => {
            let pattern = schema.get("pattern").and_then(Value::as_str);
            pattern.and_then(|pattern| Regex::new(pattern).ok()).is_none_or(|pattern| pattern.is_match(text))
        }
        Value::Array(entries) => entries.iter().all(|entry| below(schema.get("items"), entry)),
        Value::Object(map) => map.iter().all(|(key, entry)| {
            let named = schema.get("properties").and_then(|properties| properties.get(key));
            below(named.or_else(|| schema.get("additionalProperties")), entry)
        }),
        _ => true,
    }
}

/// The deepest key whose value is wrong, and what it should be.
fn misfit(schema: &Value, value: &Value, path: &[String], outlook: &Outlook) -> String {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let below = [path, std::slice::from_ref(key)].concat();
        match schema_at(&below) {
            Err(_) => return unknown(&below, outlook),
            Ok(schema) if !fits(schema, inner) => return misfit(schema, inner, &below, outlook),
            Ok(_) => {}
        }
    }
    format!("req: {}: expected {}; nothing was changed", dotted(path), describe_in_full(schema))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use shared::config::spelled;

    use super::meant;

    fn text() -> Value {
        json!({ "type": "string" })
    }

    #[test]
    fn where_a_text_is_wanted_it_is_what_was_typed_without_its_quotes() {
        for (typed, expected) in [
            ("see #12 and # more", "see #12 and # more"),
            ("", ""),
            ("!!binary aGk=", "!!binary aGk="),
            ("&x y", "&x y"),
            ("a: b", "a: b"),
            ("5", "5"),
            ("null", "null"),
            ("'a # b'", "a # b"),
            ("'it''s'", "it's"),
            (r#""tab\t\"x\"""#, "tab\t\"x\""),
            ("\"\"", ""),
            (r#""a" and "b""#, r#""a" and "b""#),
            (r#""\""#, r#""\""#),
        ] {
            assert_eq!(meant(&text(), typed), Ok(json!(expected)), "{typed}");
            // The line that is given to type says the same.
            assert_eq!(meant(&text(), &spelled(&json!(expected))), Ok(json!(expected)), "{typed}");
        }
    }

    #[test]
    fn a_text_of_another_form_than_the_keys_is_none_of_its_values() {
        let hours = json!({ "type": "string", "pattern": "^[0-9]{2}:[0-9]{2}-[0-9]{2}:[0-9]{2}$" });
        let list = json!({ "type": "array", "items": hours });
        let either = json!({ "anyOf": [hours, list] });
        let map = json!({ "type": "object", "properties": { "hours": either } });
        for (schema, typed, expected) in [
            (&hours, "09:00-17:00", Some(json!("09:00-17:00"))),
            (&hours, "9-17", None),
            (&list, "['09:00-17:00']", Some(json!(["09:00-17:00"]))),
            (&list, "['09:00-17:00', '9-17']", None),
            (&either, "09:00-17:00", Some(json!("09:00-17:00"))),
            (&either, "['09:00-17:00']", Some(json!(["09:00-17:00"]))),
            (&either, "9-17", None),
            (&map, "{hours: '09:00-17:00'}", Some(json!({ "hours": "09:00-17:00" }))),
            (&map, "{hours: ['9-17']}", None),
        ] {
            assert_eq!(meant(schema, typed).ok(), expected, "{typed} {schema}");
        }
    }

    #[test]
    fn other_values_are_the_yaml_they_are() {
        let maybe = json!({ "type": ["string", "null"] });
        let word = json!({ "type": "string", "enum": ["blocking"] });
        let number = json!({ "type": ["integer", "null"] });
        let texts = json!({ "type": "array", "items": { "type": "string" } });
        let mixed = json!({ "type": ["string", "integer", "array"] });
        for (schema, typed, expected) in [
            (&maybe, "null", json!(null)),
            (&maybe, "~", json!(null)),
            (&maybe, "# a note", json!("# a note")),
            (&word, " blocking ", json!("blocking")),
            (&number, "5", json!(5)),
            (&number, "null", json!(null)),
            (&texts, "[a, 'b # c']", json!(["a", "b # c"])),
            (&mixed, "'5'", json!("5")),
        ] {
            assert_eq!(meant(schema, typed), Ok(expected), "{typed}");
        }
        for (schema, typed) in
            [(&number, ""), (&number, "# five"), (&number, "five"), (&word, "soft"), (&texts, "a")]
        {
            assert!(meant(schema, typed).is_err(), "{typed}");
        }
    }
}
