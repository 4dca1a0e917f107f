//! Texts as a record keeps them: parsed, masked, then cut.

use secrets::masked;
use serde_json::Value;

/// The characters of a text that a record keeps.
pub(crate) const MAX_SUMMARY_CHARS: usize = 200;

/// The characters of a tool's arguments that a record keeps.
const MAX_ARGS_CHARS: usize = 500;

/// The bytes of a longer text that are masked. A tool may return megabytes.
const MASKED_BYTES: usize = 64 * 1024;

/// Masks the secrets of a text and cuts it to `most` characters.
#[must_use]
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let end = (0..=MASKED_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    let kept = masked(&text[..end.unwrap_or_default()]);
    // If a secret fills most of the beginning, the cut may have split it.
    let is_enough = text.len() <= MASKED_BYTES || kept.len() >= MASKED_BYTES / 2;
    let kept = if is_enough { kept } else { masked(text) };
    kept.chars().take(most).collect()
}

/// Masks the strings of a JSON text and the text itself, and cuts it. A secret may hide behind an escape, so the strings are
/// parsed first. A text that cannot be parsed keeps nothing.
#[must_use]
pub(crate) fn json_shortened(json: &str, most: usize) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(json) else { return String::new() };
    mask_strings(&mut value, most);
    shortened(&value.to_string(), most)
}

/// The JSON of a tool's input as a record keeps it.
#[must_use]
pub(crate) fn args_summary(input: &str) -> String {
    json_shortened(input, MAX_ARGS_CHARS)
}

fn mask_strings(value: &mut Value, most: usize) {
    match value {
        Value::String(text) => *text = shortened(text, most),
        Value::Array(entries) => entries.iter_mut().for_each(|entry| mask_strings(entry, most)),
        Value::Object(map) => map.values_mut().for_each(|entry| mask_strings(entry, most)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{MASKED_BYTES, json_shortened, shortened};

    const SECRET: &str = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";

    #[test]
    fn masks_before_it_cuts() {
        let text = format!("key {SECRET} rest");
        assert!(shortened(&text, 12).starts_with("key [masked"), "{}", shortened(&text, 12));
        assert_eq!(shortened("äöü", 2), "äö");
    }

    #[test]
    fn masks_a_secret_that_fills_the_beginning_of_a_long_text() {
        let body = "MIIEow/abc+".repeat(MASKED_BYTES / 8);
        let text = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n");
        assert!(!shortened(&text, 200).contains("MIIE"), "{}", shortened(&text, 200));
    }

    #[test]
    fn masks_what_the_strings_of_a_json_say() {
        let escaped = SECRET.replace('-', "\\u002d");
        let json = format!(r#"{{"command":"x","list":["{escaped}"],"password":"hunter2hunter2"}}"#);
        let kept = json_shortened(&json, 500);
        assert!(!kept.contains("abcdefgh") && !kept.contains("hunter2"), "{kept}");
        assert!(kept.starts_with(r#"{"command":"x","#), "{kept}");
        assert_eq!(json_shortened(r#"{"a":"\n\"b"}"#, 500), r#"{"a":"\n\"b"}"#);
        assert_eq!(json_shortened(r#"{"a":"#, 500), "");
    }
}
