//! Texts as a record, a snapshot and a message hold them: parsed, masked, then cut; and numbers in words. Pure.

use secrets::masked;
use serde::Deserialize;
use serde_json::Value;
use shared::text::is_hidden;

/// The characters of a text that a record or a list keeps.
pub(crate) const MAX_CHARS: usize = 200;

/// The characters of a file's path that a record or a list keeps.
pub(crate) const MAX_PATH_CHARS: usize = 1_000;

/// Masks and cuts a text, which may hold anything.
pub(crate) fn word(text: &str) -> String {
    shortened(text, MAX_CHARS)
}

/// Masks the secrets of a text and cuts it to `most` characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    masked(text).chars().take(most).collect()
}

/// Masks the strings of a JSON text and the text itself, and cuts it. A text that cannot be parsed keeps nothing, because a secret
/// may hide behind an escape.
pub(crate) fn json_shortened(json: &str, most: usize) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(json) else { return String::new() };
    mask_strings(&mut value, most);
    shortened(&value.to_string(), most)
}

/// The file that a tool gets, by its arguments.
pub(crate) fn file_of(input: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Input {
        #[serde(alias = "notebook_path", alias = "path")]
        file_path: String,
    }
    serde_json::from_str::<Input>(input).ok().map(|input| input.file_path)
}

fn mask_strings(value: &mut Value, most: usize) {
    match value {
        Value::String(text) => *text = shortened(text, most),
        Value::Array(entries) => entries.iter_mut().for_each(|entry| mask_strings(entry, most)),
        Value::Object(map) => map.values_mut().for_each(|entry| mask_strings(entry, most)),
        _ => {}
    }
}

/// The beginning of a text on one line: secrets masked, breaks and unseen characters as single spaces.
pub(crate) fn one_line(text: &str) -> String {
    let masked = masked(text);
    let words = masked.split(|char: char| char.is_whitespace() || is_hidden(char));
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_CHARS).collect::<String>().trim_end().to_owned()
}

/// `71 % full (142,000 of 200,000 tokens)`.
pub(crate) fn full(percent: f64, used: u64, total: u64) -> String {
    format!("{:.0} % full ({} of {} tokens)", percent.floor(), grouped(used), grouped(total))
}

/// `142,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// `1 action`, `2 actions`.
pub(crate) fn counted(count: u64) -> String {
    if count == 1 { "1 action".to_owned() } else { format!("{count} actions") }
}

#[cfg(test)]
mod tests {
    use super::{json_shortened, one_line, shortened};

    const SECRET: &str = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";

    #[test]
    fn text_is_masked_before_it_is_cut() {
        let key = "MIIEow/abc+".repeat(8_192);
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END RSA PRIVATE KEY-----\n");
        assert!(!shortened(&key, 200).contains("MIIE"), "{}", shortened(&key, 200));
        let text = format!("key {SECRET} rest");
        for cut in [shortened(&text, 12), one_line(&text)] {
            assert!(cut.starts_with("key [masked"), "{cut}");
        }
        assert_eq!(shortened("äöü", 2), "äö");
    }

    #[test]
    fn json_strings_are_masked_behind_their_escapes() {
        let escaped = SECRET.replace('-', "\\u002d");
        let json = format!(r#"{{"command":"x","list":["{escaped}"],"password":"hunter2hunter2"}}"#);
        let kept = json_shortened(&json, 500);
        assert!(!kept.contains("abcdefgh") && !kept.contains("hunter2"), "{kept}");
        assert!(kept.starts_with(r#"{"command":"x","#), "{kept}");
        assert_eq!(json_shortened(r#"{"a":"\n\"b"}"#, 500), r#"{"a":"\n\"b"}"#);
        assert_eq!(json_shortened(r#"{"a":"#, 500), "");
    }

    #[test]
    fn line_has_single_spaces_and_whole_characters() {
        let (long, cut) = ("ä ".repeat(200), "ä ".repeat(100));
        for (text, line) in [
            ("  a \n\n# b\r\n\tc ", "a # b c"),
            ("a\u{0}\u{1b}[31mb\u{85}c\u{2028}d\u{2029}e\u{202e}f\u{200b}g", "a [31mb c d e f g"),
            (&long, cut.trim_end()),
        ] {
            assert_eq!(one_line(text), line, "{text:?}");
        }
    }
}
