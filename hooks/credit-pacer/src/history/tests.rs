//! Recorded rows as chart, table and page, and the page's place.

use std::fs;

use pacing::Window;
use serde_json::json;
use serde_json::value::to_raw_value;
use shared::host::Places;
use shared::own_commands::is_own_call;
use shared::protocol::ToolCall;

use super::{MARK, chart, charts, page, replace};
use crate::command::VERBS;
use crate::past::tests::{Sample, week};

#[test]
fn shows_both_limits_and_the_days() {
    let text = charts(&week().past(4, "2026-11-20 18:00"));
    let (drawn, rest) = text.split_once("\n\nday").unwrap();
    assert!(drawn.starts_with("5-hour limit: at most 90 % used\n"), "{text}");
    assert!(drawn.contains("\nweekly limit: at most 100 % used\n"), "{text}");
    let expected = "         5-hour  weekly                 delays
Tue 17 Nov    90 %    60 %                1, 42 s
Wed 18 Nov    90 %    92 %                1, 42 s
Thu 19 Nov    90 %   100 %                1, 42 s
Fri 20 Nov       –   100 %                      –

Times in your time zone (credit-pacer.timezone); safe line by the settings of today.";
    assert_eq!(rest, expected, "{text}");
    let empty = charts(&Sample::of("UTC").past(7, "2026-11-22 12:00"));
    assert!(empty.starts_with("Nothing is recorded of the last 7 days; readings come from"), "{empty}");
}

#[test]
fn draws_usage_and_marks_where_it_is_over_the_safe_line() {
    let readings = [("2026-11-20 10:00", 8.0), ("2026-11-20 12:00", 30.0), ("2026-11-20 13:00", 93.0)];
    let past =
        Sample::of("UTC").read(Window::FiveHour, "2026-11-20 15:00", &readings).past(1, "2026-11-20 14:00");
    let drawn = chart(&past, Window::FiveHour, 48);
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!(lines[0], "5-hour limit: 93 % used, resets Fri 20 Nov 15:00", "{drawn}");
    assert_eq!(lines[1].trim_start(), "▁▁▁▁▃▃██", "{drawn}");
    assert!(lines[2].contains("^^") && lines[2].ends_with("^ over the safe line"), "{drawn}");
    assert_eq!(lines[3], "Fri 20 Nov", "{drawn}");
    assert_eq!(chart(&past, Window::SevenDay, 48).lines().next(), Some("weekly limit: nothing recorded"));
}

#[test]
fn page_needs_nothing_but_itself() {
    let text = page(&week().past(14, "2026-11-20 18:00"));
    assert!(text.starts_with(MARK), "{text}");
    for part in [
        "default-src 'none'",
        "<p>Sat 7 Nov to Fri 20 Nov</p>",
        "<h2>5-hour limit: at most 90 % used</h2><svg",
        "<h2>weekly limit: at most 100 % used</h2><svg",
        "Thu 19 Nov    90 %   100 %                1, 42 s\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(text.matches("<svg").count(), 2);
    for foreign in ["http://", "https://", "<script", "NaN", "inf", "{days}", "{pictures}"] {
        assert!(!text.contains(foreign), "{foreign}\n{text}");
    }
    let empty = page(&Sample::of("UTC").past(30, "2026-11-20 18:00"));
    assert!(
        empty.contains("Nothing is recorded of the last 30 days;") && empty.contains("req hooks statusline")
    );
}

#[test]
fn replaces_nothing_but_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    fs::create_dir(at("sub.html")).unwrap();
    fs::write(at("ours.html"), format!("{MARK}old")).unwrap();
    fs::write(at("other.html"), "<!DOCTYPE html>\n<p>mine</p>").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(at("ours.html"), at("link.html")).unwrap();
    for (path, is_written) in [
        ("link.html", cfg!(not(unix))),
        ("new.html", true),
        ("ours.html", true),
        ("other.html", false),
        ("sub.html", false),
        ("OFF", false),
        ("missing/a.html", false),
    ] {
        let written = replace(&at(path), "new");
        assert_eq!(written.is_ok(), is_written, "{path}: {written:?}");
        let content = fs::read_to_string(at(path)).unwrap_or_default();
        assert_eq!(content == "new", is_written, "{path}: {content}");
    }
}

/// Gates and rails look at calls that write a file.
#[test]
fn is_a_call_like_any_other_where_it_writes_a_file() {
    let is_own = |usage: &str| {
        let command = format!("credit-pacer {}", usage.replace(['[', ']', '|'], " "));
        let input = to_raw_value(&json!({ "command": command })).unwrap();
        let call = ToolCall { tool_name: "Bash".to_owned(), tool_input: Some(input), ..ToolCall::default() };
        is_own_call(&call, &Places::default())
    };
    for verb in VERBS {
        assert_eq!(is_own(verb.usage), !verb.usage.contains("FILE"), "{}", verb.usage);
    }
}
