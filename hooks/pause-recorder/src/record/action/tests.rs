//! What goes into a line, and the line itself.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use shared::host::Timestamp;

use super::{Action, Draft, Kind, LOOKED_AT_BYTES, MAX_ARGS_CHARS, args_summary, json_shortened, shortened};

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

/// Tokens that are put together here, so that none stands in this file.
fn tokens() -> [String; 4] {
    [
        ["AK", "IAIOSFODNN7EXAMPLE"].concat(),
        ["gh", "p_"].concat() + &"Ab1".repeat(12),
        ["sk-", "ant-api03-"].concat() + &"Ab1".repeat(12),
        ["xo", "xb-1234567890-"].concat() + &"Ab1".repeat(12),
    ]
}

#[track_caller]
fn check_hidden(json: &str, token: &str) {
    let kept = json_shortened(json, 100_000);
    assert!(!kept.contains(&token[6..]), "{token} in {}", kept.chars().take(300).collect::<String>());
}

#[test]
fn a_secret_is_masked_behind_any_escapes_of_the_json_it_stands_in() {
    for token in tokens() {
        for text in [
            format!("printf '[d]\\n{token}\\n'"),
            format!("[d]\n{token}\n"),
            format!("\ta\t{token}\t"),
            format!("\u{1b}[31m{token}\u{1b}[0m"),
            format!("\u{1}{token}"),
        ] {
            let mut json = Value::from(text);
            // JSON inside JSON, some times.
            for _ in 0..4 {
                json = json!({ "command": json });
                check_hidden(&json.to_string(), &token);
                json = Value::from(json.to_string());
                check_hidden(&json.to_string(), &token);
            }
        }
        check_hidden(&format!("[\"\\ud83d\\n{token}\\n\"]"), &token);
        check_hidden(&format!("[\"\\u001b[1m{token}\\u00"), &token);
        check_hidden(&json!({ "a": { token.clone(): 1 } }).to_string(), &token);
    }
}

#[test]
fn in_a_json_of_any_length_a_secret_is_masked() {
    for token in tokens() {
        let many = format!("x \\\\n{token}\\n").repeat(3 * LOOKED_AT_BYTES / 30);
        check_hidden(&format!("{{\"stdout\":\"{many}\"}}"), &token);
        check_hidden(&format!("{{\"stdout\":\"{many}"), &token);
    }
}

#[test]
fn a_json_without_a_secret_is_kept_as_it_is_written() {
    for json in [
        "",
        "null",
        r#"{"b": "x\u00e9\n\"q\" \ud83d\ude00", "a": [1.50, true]}"#,
        r#"{"path": "C:\\new\\token.txt"}"#,
        r#"{"breaks": "off\"#,
        r#"{"breaks": "off\u00"#,
        r#"" "" "#,
    ] {
        assert_eq!(json_shortened(json, 1_000), json);
    }
    let json = format!(r#"{{"a":"one\n{}","n":1}}"#, tokens()[1]);
    assert_eq!(json_shortened(&json, 1_000), r#"{"a":"one\n[masked: GitHub token]","n":1}"#);
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
        let all: String = secrets::masked(&text).chars().take(200).collect();
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
    fn whatever_a_string_says_its_secret_is_masked(before in any::<String>(), after in any::<String>(), which in 0_usize..4) {
        let token = &tokens()[which];
        let json = json!({ "a": format!("{before}\n{token}\n{after}") }).to_string();
        let kept = json_shortened(&json, 10_000);
        prop_assert!(!kept.contains(token.as_str()), "{}", kept);
    }

    #[test]
    fn whatever_a_text_holds_a_line_is_one_line(text in any::<String>(), share in any::<f64>()) {
        let line = draft(&text, share).line(ID).unwrap();
        let ended = line.strip_suffix(b"\n").unwrap();
        prop_assert!(!ended.contains(&b'\n'));
        let action: Action = serde_json::from_slice(&line).unwrap();
        prop_assert_eq!(action.data["message"].as_str(), Some(text.as_str()));
    }
}
