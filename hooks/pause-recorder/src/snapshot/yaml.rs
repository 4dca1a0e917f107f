//! A value as a YAML document that every reader takes for the same value, those of YAML 1.1 too: texts are always in double
//! quotes, because `yes`, `1:30` and a date are none to some readers; so are keys that are not plain words.

use serde::Serialize;
use serde_json::Value;

use shared::config::quoted;

/// A key that is written longer cannot stand on the line of its value: readers look for the `:` no further.
const MAX_KEY_CHARS: usize = 1_000;

/// The value as a YAML document, which ends in a line break.
///
/// # Errors
/// If it is none that JSON could hold, or a key of it is longer than 1,000 characters.
pub(super) fn to_yaml<T: Serialize>(value: &T) -> Result<String, String> {
    let value = serde_json::to_value(value).map_err(|error| error.to_string())?;
    let mut text = String::new();
    match in_one_line(&value) {
        Some(line) => text.push_str(&line),
        None => block(&mut text, &value, 0)?,
    }
    text.push('\n');
    Ok(text)
}

/// What stands on the line of its key: what has no entries.
fn in_one_line(value: &Value) -> Option<String> {
    match value {
        Value::Array(entries) if entries.is_empty() => Some("[]".to_owned()),
        Value::Object(map) if map.is_empty() => Some("{}".to_owned()),
        Value::Array(_) | Value::Object(_) => None,
        Value::String(text) => Some(quoted(text)),
        Value::Number(number) => Some(number_of(&number.to_string())),
        Value::Bool(_) | Value::Null => Some(value.to_string()),
    }
}

/// YAML 1.1 wants a point and a sign in what has an exponent.
fn number_of(json: &str) -> String {
    let Some((digits, exponent)) = json.split_once(['e', 'E']) else { return json.to_owned() };
    let point = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['+', '-']) { "" } else { "+" };
    format!("{digits}{point}e{sign}{exponent}")
}

/// A list or map that has entries, each on lines of its own; the cursor stands where its first line begins.
fn block(text: &mut String, value: &Value, indent: usize) -> Result<(), String> {
    match value {
        Value::Array(entries) => {
            for (at, entry) in entries.iter().enumerate() {
                begin_line(text, at, indent);
                text.push('-');
                below(text, entry, indent + 2, " ")?;
            }
        }
        Value::Object(map) => {
            for (at, (key, entry)) in map.iter().enumerate() {
                begin_line(text, at, indent);
                text.push_str(&key_of(key)?);
                text.push(':');
                below(text, entry, indent + 2, "\n")?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// An entry behind its `-` or its key. A list in a list and a map in a list begin on the same line.
fn below(text: &mut String, entry: &Value, indent: usize, before_block: &str) -> Result<(), String> {
    if let Some(line) = in_one_line(entry) {
        text.push(' ');
        text.push_str(&line);
        return Ok(());
    }
    text.push_str(before_block);
    if before_block == "\n" {
        text.push_str(&" ".repeat(indent));
    }
    block(text, entry, indent)
}

fn begin_line(text: &mut String, at: usize, indent: usize) {
    if at > 0 {
        text.push('\n');
        text.push_str(&" ".repeat(indent));
    }
}

fn key_of(key: &str) -> Result<String, String> {
    let is_word = |char: char| char.is_ascii_lowercase() || char == '_';
    // Words that some readers take for something else.
    let is_taken = matches!(key, "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null");
    let is_plain = !key.is_empty() && key.chars().all(is_word) && !is_taken;
    let key = if is_plain { key.to_owned() } else { quoted(key) };
    let is_short = key.chars().count() <= MAX_KEY_CHARS;
    is_short.then_some(key).ok_or_else(|| "a key is too long for YAML".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::to_yaml;
    use shared::config::read_typed;

    #[test]
    fn a_document_as_it_is_written() {
        let value = json!({
            "id": "session-1",
            "share": 0.93,
            "none": null,
            "range": [0.9, 1.0],
            "tasks": [],
            "map": {},
            "actions": [{ "type": "tool_call", "on": true }, { "type": "b", "of": [1] }],
            "nested": [[1, 2], []],
        });
        let text = "id: \"session-1\"\nshare: 0.93\nnone: null\nrange:\n  - 0.9\n  - 1.0\ntasks: []\nmap: {}\nactions:\n  \
                    - type: \"tool_call\"\n    \"on\": true\n  - type: \"b\"\n    of:\n      - 1\nnested:\n  - - 1\n    - 2\n  - []\n";
        assert_eq!(to_yaml(&value).unwrap(), text);
        assert_eq!(read_typed::<Value>(text).unwrap(), value);
    }

    #[test]
    fn a_value_without_entries_is_a_document_too() {
        for (value, text) in
            [(json!("a"), "\"a\"\n"), (json!([]), "[]\n"), (json!({}), "{}\n"), (json!(null), "null\n")]
        {
            assert_eq!(to_yaml(&value).unwrap(), text);
            assert_eq!(read_typed::<Value>(text).unwrap(), value);
        }
    }

    #[test]
    fn texts_that_look_like_something_else_stay_texts() {
        for text in [
            "yes",
            "No",
            "~",
            "null",
            "1e3",
            "0x1f",
            "1:30",
            "2026-01-06T12:00:00Z",
            "- x",
            "a: b",
            "# c",
            "",
            " ",
            "a\nb",
            "a\r\nb\n",
            "\u{0}\u{1b}\u{7f}\u{85}",
            "\u{2028}\u{2029}",
            "\u{feff}x",
            "\u{fffe}\u{ffff}",
            "'\"\\",
            "!!int 3",
            "&a *a",
            "%YAML",
            "---",
            "...",
            "\t",
            "🦀",
        ] {
            let value = json!({ text: text, "list": [text] });
            let written = to_yaml(&value).unwrap();
            assert_eq!(read_typed::<Value>(&written).unwrap(), value, "{written}");
            let odd = |char: char| (char.is_control() && char != '\n') || "\u{2028}\u{2029}".contains(char);
            assert!(!written.contains(odd), "{written:?}");
        }
    }

    #[test]
    fn numbers_are_numbers_for_every_reader() {
        for (number, text) in [
            (json!(0.08), "0.08"),
            (json!(93.0), "93.0"),
            (json!(1e-8), "1.0e-8"),
            (json!(1.5e300), "1.5e+300"),
            (json!(u64::MAX), "18446744073709551615"),
            (json!(-5), "-5"),
        ] {
            let written = to_yaml(&number).unwrap();
            assert_eq!(written, format!("{text}\n"));
            assert_eq!(read_typed::<Value>(&written).unwrap(), number);
        }
    }

    #[test]
    fn a_key_that_is_too_long_is_an_error() {
        assert!(to_yaml(&json!({ "k".repeat(1_001): 1 })).is_err());
        let longest = json!({ "\u{1}".repeat(100): 1 });
        assert_eq!(read_typed::<Value>(&to_yaml(&longest).unwrap()).unwrap(), longest);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            prop::num::f64::NORMAL.prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[-~#:&*!|>%@,\\[\\]{}'\"\n\t yes0-9.e+]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_is_read_back(value in any_value()) {
            let written = to_yaml(&value).unwrap();
            prop_assert_eq!(read_typed::<Value>(&written).unwrap(), value, "{}", written);
        }
    }
}
