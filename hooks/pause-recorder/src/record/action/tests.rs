//! What goes into a line, and the line itself.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use shared::host::Timestamp;

use super::{Action, Draft, Kind, MAX_ARGS_CHARS, args_summary, shortened};

const ID: &str = "session-20260106-120000";

fn draft(text: &str, share: f64) -> Draft {
    let data = Map::from_iter([("message".to_owned(), Value::from(text))]);
    Draft { kind: Kind::UserMessage, at: Timestamp::from_secs(1_767_700_800), data, share }
}

fn line(text: &str, share: f64) -> String {
    String::from_utf8(draft(text, share).line(ID).unwrap()).unwrap()
}

#[test]
fn the_keys_of_a_line_stand_in_the_order_of_the_original() {
    assert_eq!(
        line("now", 0.91),
        concat!(
            r#"{"type":"user_message","timestamp":"2026-01-06T12:00:00.000Z","session_id":"session-20260106-120000","#,
            r#""data":{"message":"now"},"context_percentage":0.91}"#,
            "\n"
        )
    );
}

#[test]
fn a_share_is_always_a_number_from_0_to_1() {
    for (share, expected) in
        [(0.0, 0.0), (1.0, 1.0), (1.02, 1.0), (-0.5, 0.0), (f64::NAN, 0.0), (f64::INFINITY, 0.0)]
    {
        let action: Action = serde_json::from_str(&line("", share)).unwrap();
        assert_eq!(action.context_percentage.to_bits(), f64::to_bits(expected), "{share}");
    }
}

#[test]
fn a_text_is_cut_by_characters() {
    for (text, most, expected) in [
        ("", 3, ""),
        ("abc", 3, "abc"),
        ("abcd", 3, "abc"),
        ("äöüß", 3, "äöü"),
        ("\u{1f600}\u{1f601}", 1, "\u{1f600}"),
        ("a\nb\u{0}c", 4, "a\nb\u{0}"),
    ] {
        assert_eq!(shortened(text, most), expected, "{text:?}");
    }
}

#[test]
fn a_secret_is_masked_before_the_text_is_cut() {
    let token = format!("ghp_{}", "Ab1".repeat(12));
    let before = "x ".repeat(96);
    let kept = shortened(&format!("{before}{token} and more"), 200);
    assert_eq!(kept, format!("{before}[masked:"));
    let args = json!({ "command": format!("curl -H 'Authorization: Bearer {token}' example.org") });
    let kept = args_summary(&args.to_string());
    assert!(!kept.contains("Ab1") && kept.contains("curl"), "{kept}");
}

#[test]
fn of_a_long_text_the_same_is_kept_as_if_all_of_it_were_looked_at() {
    let key = |letters: &str| format!("ghp_{}", letters.repeat(40_000));
    for text in [
        "word ".repeat(30_000),
        "ä".repeat(60_000),
        key("Ab1"),
        format!("x {} y {}", key("Ab1"), "z ".repeat(40_000)),
        format!("-----BEGIN PRIVATE KEY-----\n{}", "QUJDREVGR0hJSktMTU5P\n".repeat(8_000)),
        format!("{}{} y", "x ".repeat(32_700), key("Ab1")),
    ] {
        let all: String = shared::secrets::masked(&text).chars().take(200).collect();
        assert_eq!(shortened(&text, 200), all, "{}", &text[..40]);
    }
}

#[test]
fn the_arguments_of_a_tool_are_cut() {
    let long = json!({ "content": "word ".repeat(1_000) }).to_string();
    assert_eq!(args_summary(&long).chars().count(), MAX_ARGS_CHARS);
}

proptest! {
    #[test]
    fn whatever_a_text_holds_a_line_is_one_line(text in any::<String>(), share in any::<f64>()) {
        let line = draft(&text, share).line(ID).unwrap();
        let ended = line.strip_suffix(b"\n").unwrap();
        prop_assert!(!ended.contains(&b'\n'));
        let action: Action = serde_json::from_slice(&line).unwrap();
        prop_assert_eq!(action.data["message"].as_str(), Some(text.as_str()));
    }
}
