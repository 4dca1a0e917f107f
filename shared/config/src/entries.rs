//! Settings in force, key by key, with provenance and overridden values. For command lines only.

use serde_json::Value;

use crate::layer::{Layer, Sources, get, json, leaves, merged, parse, top_keys};
use crate::locks::counting;
use crate::section::Section;
use crate::yaml::{self, Unread};
use crate::{LayerKind, Origin, TOP_KEYS};

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Path as in a file.
    pub path: Vec<String>,
    pub value: Value,
    pub origin: Origin,
    /// Values of lower layers, the highest first.
    pub overridden: Vec<(Value, Origin)>,
    pub locked: bool,
    pub global_only: bool,
}

impl Entry {
    /// The entry at `path` of a file, with its values in the layers, the highest first.
    fn new(
        path: Vec<String>,
        mut said: impl Iterator<Item = (Value, Origin)>,
        locked: bool,
        global_only: bool,
    ) -> Option<Self> {
        let (value, origin) = said.next()?;
        Some(Self { path, value, origin, overridden: said.collect(), locked, global_only })
    }
}

impl<S> Section<S> {
    pub fn entries(&self) -> Vec<Entry> {
        let paths = leaves(&merged(self.layers.iter().map(|layer| &layer.section)));
        paths.iter().filter_map(|path| self.entry(path)).collect()
    }

    fn entry(&self, path: &[String]) -> Option<Entry> {
        let in_file = self.spec.in_file(path);
        let of_layer = |layer: &Layer| Some((json(get(&layer.section, path)?), layer.origin(&in_file)));
        let every_hook_is_off = self.off_at.clone().filter(|_| path == ["enabled"]);
        let said = every_hook_is_off.map(|origin| (false.into(), origin));
        let said = said.into_iter().chain(self.layers.iter().rev().filter_map(of_layer));
        let rights = self.rights();
        Entry::new(in_file.clone(), said, rights.is_locked(path), self.spec.is_global_only(path))
    }
}

pub fn top_entries(sources: &Sources) -> Vec<Entry> {
    let (files, _) = parse(&sources.texts(), &TOP_KEYS);
    let layers: Vec<Layer> = Layer::defaults(TOP_KEYS).into_iter().chain(files).collect();
    let is_locking = |layer: &Layer| layer.kind == LayerKind::Global && layer.values.contains_key("locked");
    let locks_something = layers.iter().any(is_locking);
    let entry = |key: &str| {
        let path = [key.to_owned()];
        let of_layer = |layer: &Layer| Some((json(counting(layer, key)?), layer.origin(&path)));
        let said = layers.iter().rev().filter_map(of_layer);
        Entry::new(path.to_vec(), said, key == "enabled" && locks_something, key == "locked")
    };
    TOP_KEYS.iter().filter_map(|key| entry(key)).collect()
}

/// Puts the keys above all sections first, then the sections in the order of config/defaults.yaml, the keys of each by the alphabet.
pub fn sort(entries: &mut [Entry]) {
    entries.sort_by_cached_key(|entry| {
        let place = |known: Option<usize>| known.unwrap_or(usize::MAX);
        let is_first = |key: &str| entry.path.first().is_some_and(|first| first == key);
        let above = TOP_KEYS.iter().position(|key| is_first(key));
        (place(above), place(top_keys().position(is_first)), entry.path.clone())
    });
}

/// The value in YAML: `true`, `plain words`, `[a, b]`, `{ a: 1 }`.
pub fn spelled(value: &Value) -> String {
    match value {
        Value::String(text) => spelled_text(text),
        Value::Array(entries) => format!("[{}]", list(entries.iter().map(spelled))),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| format!("{}: {}", spelled_text(key), spelled(value)));
            format!("{{ {} }}", list(entries))
        }
        plain => plain.to_string(),
    }
}

/// Without quotes only where its letters and signs mean nothing else anywhere, in brackets or before a comment.
fn spelled_text(text: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || " _-./*+=<>()@%$^~;!?'".contains(char);
    let begins_plainly = text.starts_with(|first: char| first.is_alphanumeric() || "_./~".contains(first));
    let is_text = || yaml::parse_value(text).is_ok_and(|value| value.as_str() == Some(text));
    if begins_plainly && text.chars().all(is_plain) && is_text() { text.to_owned() } else { quoted(text) }
}

/// A key path with dots, a key that holds dots or spaces in quotes.
pub fn dotted(path: &[String]) -> String {
    let is_plain = |key: &str| {
        !key.is_empty() && key.chars().all(|char| !char.is_whitespace() && !"\"'.".contains(char))
    };
    let keys: Vec<String> =
        path.iter().map(|key| if is_plain(key) { key.clone() } else { quoted(key) }).collect();
    keys.join(".")
}

/// The value of a text as it would stand behind a key.
pub fn read_value(text: &str) -> Result<Value, String> {
    yaml::parse_value(text).map(|parsed| json(&parsed)).map_err(|error| error.why)
}

/// The content of a whole file; an empty one is an empty map.
pub fn read_map(text: &str) -> Result<serde_json::Map<String, Value>, Unread> {
    let bare = text.trim_start_matches('\u{feff}');
    let parsed = yaml::parse(bare)?;
    if let Some(path) = parsed.repeated.first() {
        let why = format!("`{}` stands twice; take one of them out first", dotted(path));
        return Err(Unread::new(yaml::line_of(bare, path), why));
    }
    Ok(parsed.values.iter().map(|(key, value)| (key.clone(), json(value))).collect())
}

fn list(entries: impl Iterator<Item = String>) -> String {
    entries.collect::<Vec<_>>().join(", ")
}

/// In double quotes, whose escapes are those of JSON.
fn quoted(text: &str) -> String {
    // Characters that end a line in YAML, or that YAML rejects, and that JSON does not escape.
    let is_odd = |char: char| {
        matches!(char, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    let escaped = |char: char| {
        if is_odd(char) { format!("\\u{:04x}", u32::from(char)) } else { char.to_string() }
    };
    Value::from(text).to_string().chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{dotted, read_map, read_value, spelled};

    #[test]
    fn values_are_written_as_people_write_them() {
        for (value, text) in [
            (json!(true), "true"),
            (json!("release/*"), "release/*"),
            (json!("*"), "\"*\""),
            (json!("true"), "\"true\""),
            (json!(""), "\"\""),
            (json!("a # b"), "\"a # b\""),
            (json!("two\nlines"), "\"two\\nlines\""),
            (json!(["Edit", "mcp__*"]), "[Edit, mcp__*]"),
            (json!({}), "{}"),
            (json!({ "tool": "Bash", "list": [1] }), "{ tool: Bash, list: [1] }"),
        ] {
            assert_eq!(spelled(&value), text);
        }
    }

    #[test]
    fn a_key_that_holds_a_dot_or_a_space_is_quoted_in_a_path() {
        let path = ["requirements", "a.b", "c d", "enabled"].map(str::to_owned);
        assert_eq!(dotted(&path), "requirements.\"a.b\".\"c d\".enabled");
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![any::<String>(), "[ -~]{0,12}", "[-a-z:# '\"\\[\\]{},&*!|>%@`?\n\t]{0,6}"];
        let number = prop_oneof![any::<i64>().prop_map(Value::from), any::<f64>().prop_map(Value::from)];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            number,
            text.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(text.clone(), inner, 0..4)
                    .prop_map(|map| map.into_iter().collect::<Value>()),
            ]
        })
    }

    proptest! {
        #[test]
        fn written_value_is_read_back_at_any_depth(value in any_value()) {
            let text = spelled(&value);
            prop_assert_eq!(read_value(&text), Ok(value.clone()), "{}", text);
            for file in [format!("k: {text}\n"), format!("{{ k: {text} }}\n"), format!("k: {text} # c\n")] {
                prop_assert_eq!(read_map(&file).map(|map| map["k"].clone()), Ok(value.clone()), "{}", file);
            }
        }
    }
}
