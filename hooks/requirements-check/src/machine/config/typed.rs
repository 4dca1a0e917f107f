//! What a typed value means for its key.

use serde_json::Value;
use shared::config::{describe_in_full, dotted, fits, read_value, schema_at};

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
        Ok(value) if is_all(&value, typed) && fits(schema, &value) => Ok(value),
        _ if fits(schema, &text) => Ok(text),
        // A word with blanks or a comment around it.
        Ok(value) if value.is_string() && fits(schema, &value) => Ok(value),
        read => Err(read),
    }
}

/// Nothing of what was typed is missing in what was read.
fn is_all(read: &Value, typed: &str) -> bool {
    let typed = typed.trim();
    match read {
        Value::Null => matches!(typed, "null" | "Null" | "NULL" | "~"),
        Value::String(_) => is_quoted(typed),
        _ => true,
    }
}

/// One quotation from its beginning to its end.
fn is_quoted(typed: &str) -> bool {
    let inside = |quote: char| typed.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    let is_double = inside('"').is_some_and(|inside| {
        let mut chars = inside.chars();
        // What is behind a backslash is passed over.
        while let Some(char) = chars.next() {
            if char == '"' || char == '\\' && chars.next().is_none() {
                return false;
            }
        }
        true
    });
    is_double || inside('\'').is_some_and(|inside| !inside.replace("''", "").contains('\''))
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
            ("#12", "#12"),
            ("", ""),
            ("!!binary aGk=", "!!binary aGk="),
            ("&x y", "&x y"),
            ("*x", "*x"),
            ("a: b", "a: b"),
            ("5", "5"),
            ("true", "true"),
            ("null", "null"),
            ("two\nlines", "two\nlines"),
            ("'a # b'", "a # b"),
            ("'it''s'", "it's"),
            (r#""tab\t\"x\"""#, "tab\t\"x\""),
            ("\"\"", ""),
            ("'a' # 'b'", "'a' # 'b'"),
            (r#""a" and "b""#, r#""a" and "b""#),
            ("it's", "it's"),
            ("'", "'"),
            (r#""\""#, r#""\""#),
        ] {
            assert_eq!(meant(&text(), typed), Ok(json!(expected)), "{typed}");
            // The line that is given to type says the same.
            assert_eq!(meant(&text(), &spelled(&json!(expected))), Ok(json!(expected)), "{typed}");
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
            (&maybe, "", json!("")),
            (&maybe, "# a note", json!("# a note")),
            (&word, " blocking ", json!("blocking")),
            (&number, "5", json!(5)),
            (&number, "null", json!(null)),
            (&texts, "[a, 'b # c']", json!(["a", "b # c"])),
            (&mixed, "5", json!(5)),
            (&mixed, "'5'", json!("5")),
            (&mixed, "[a]", json!(["a"])),
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
