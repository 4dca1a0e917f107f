//! Whether the client is certain to read of a text what we read of it, and to take the file at all. Asked of files that a
//! stranger may have written: what is not known here makes a text uncertain. Pure.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::survey::Survey;
use super::{neighbours, without_mark};

/// Of `permissions`, what the client takes as a list of any texts.
const PERMISSIONS: [&str; 4] = ["allow", "deny", "ask", "additionalDirectories"];

/// No object of the text has a key twice, of which one reader takes the first and another the last; and every number is
/// finite.
pub(super) fn has_each_key_once(text: &str) -> bool {
    serde_json::from_str::<Once>(without_mark(text)).is_ok()
}

/// The client takes the file: it holds nothing but hooks of the type command and settings that are known, each of the
/// kind it must be. `found` is what a survey says of this text.
pub(super) fn is_taken(text: &str, found: &Survey) -> bool {
    let Ok(Value::Object(root)) = serde_json::from_str(without_mark(text)) else { return false };
    found.faults.is_empty() && root.iter().all(|(key, value)| is_known(key, value))
}

/// That a plain setting is of its kind is what a survey without faults says.
fn is_known(key: &str, value: &Value) -> bool {
    match key {
        "hooks" => value.as_object().is_some_and(|events| events.values().all(holds_commands)),
        "permissions" => all_of(value, |key, list| PERMISSIONS.contains(&key) && is_texts(list)),
        "env" => all_of(value, |_, value| value.is_string()),
        "enabledPlugins" => all_of(value, |_, value| value.is_boolean()),
        "$schema" => value.is_string(),
        key => neighbours::is_plain(key),
    }
}

fn holds_commands(groups: &Value) -> bool {
    let holds_commands = |group: &Value| {
        let entries = group.get("hooks").and_then(Value::as_array);
        entries.is_some_and(|entries| entries.iter().all(|entry| entry["type"] == "command"))
    };
    groups.as_array().is_some_and(|groups| groups.iter().all(holds_commands))
}

fn all_of(value: &Value, is_right: impl Fn(&str, &Value) -> bool) -> bool {
    value.as_object().is_some_and(|object| object.iter().all(|(key, value)| is_right(key, value)))
}

fn is_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

/// Any value whose objects have each key once.
struct Once;

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Self;

    fn expecting(&self, what: &mut fmt::Formatter<'_>) -> fmt::Result {
        what.write_str("JSON with each key once")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self, A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = object.next_key::<String>()? {
            // Our parser gives names of this kind a meaning of its own.
            if key.starts_with("$serde_json") || !seen.insert(key) {
                return Err(A::Error::custom("a key stands twice"));
            }
            object.next_value::<Self>()?;
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E: Error>(self) -> Result<Self, E> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::has_each_key_once;

    #[test]
    fn a_key_may_stand_in_two_objects_but_not_twice_in_one() {
        for (text, expected) in [
            (r#"{"a":{"b":1},"c":[{"b":2},{"b":null}]}"#, true),
            ("\u{feff}{\"a\":-1.5e3}", true),
            (r#"{"a":1,"a":1}"#, false),
            (r#"{"a":[[{"b":1,"\u0062":true}]]}"#, false),
            (r#"{"a":1e400}"#, false),
            (r#"{"a":1} x"#, false),
            (r#"{"\u0024serde_json::private::RawValue":"{}"}"#, false),
            ("", false),
        ] {
            assert_eq!(has_each_key_once(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_that_is_too_deep_is_uncertain_and_ends_nobody() {
        assert!(!has_each_key_once(&"[".repeat(1_000_000)));
    }
}
