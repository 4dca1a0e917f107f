//! A snapshot as YAML. Every text stands in double quotes, because some readers take `yes`, `1:30` or a date for something else.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The value as a YAML document. Its keys are plain words.
pub(crate) fn yaml(value: &Value) -> String {
    let mut text = String::new();
    block(&mut text, value, "");
    text
}

fn block(text: &mut String, value: &Value, indent: &str) {
    let entries: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, entry)| (format!("{key}:"), entry)).collect(),
        Value::Array(list) => list.iter().map(|entry| ("-".to_owned(), entry)).collect(),
        _ => Vec::new(),
    };
    for (name, entry) in entries {
        let entries = entry.as_object().map(Map::len).or(entry.as_array().map(Vec::len));
        let is_block = entries.is_some_and(|entries| entries > 0);
        if is_block {
            let _ = writeln!(text, "{indent}{name}");
            block(text, entry, &format!("{indent}  "));
        } else {
            let _ = writeln!(text, "{indent}{name} {}", quoted(entry));
        }
    }
}

/// JSON is YAML but for the characters that YAML does not allow in a file.
fn quoted(scalar: &Value) -> String {
    let is_allowed = |char: char| {
        !char.is_control() && !matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    scalar.to_string().chars().fold(String::new(), |mut text, char| {
        if is_allowed(char) {
            text.push(char);
        } else {
            let _ = write!(text, "\\u{:04x}", u32::from(char));
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use shared::config::read_typed;

    use super::yaml;

    #[test]
    fn reads_back_as_the_same_value() {
        let odd = [
            "yes",
            "~",
            "1e3",
            "2026-01-06T12:00:00Z",
            "- x",
            "a: b",
            "",
            "\u{0}\u{7f}\u{85}\u{2028}",
            "\u{feff}\u{ffff}",
            "'\"\\",
            "🦀",
        ];
        let value = json!({
            "id": "session-1", "share": 0.93, "none": null, "range": [0.9, 1.0], "tasks": [], "map": {},
            "actions": [{ "type": "tool_call", "on": true }, { "of": [odd] }], "texts": odd,
        });
        let text = yaml(&value);
        assert_eq!(read_typed::<Value>(&text).unwrap(), value, "{text}");
        assert!(!text.contains(|char: char| char.is_control() && char != '\n'), "{text:?}");
        assert!(text.starts_with("id: \"session-1\"\nshare: 0.93\nnone: null\nrange:\n  - 0.9\n"), "{text}");
    }
}
