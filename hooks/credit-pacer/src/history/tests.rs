//! Recorded rows as chart and table.

use pacing::Window;

use super::{chart, page};
use crate::past::tests::{Sample, week};

#[test]
fn shows_both_limits_and_the_days() {
    let text = page(&week().past(4, "2026-11-20 18:00"));
    let (charts, rest) = text.split_once("\n\nday").unwrap();
    assert!(charts.starts_with("5-hour limit: at most 90 % used\n"), "{text}");
    assert!(charts.contains("\nweekly limit: at most 100 % used\n"), "{text}");
    let expected = "         5-hour  weekly                 delays
Tue 17 Nov    90 %    60 %                1, 42 s
Wed 18 Nov    90 %    92 %                1, 42 s
Thu 19 Nov    90 %   100 %                1, 42 s
Fri 20 Nov       –   100 %                      –

Times in your time zone (credit-pacer.timezone); safe line by the settings of today.";
    assert_eq!(rest, expected, "{text}");
    let empty = page(&Sample::of("UTC").past(7, "2026-11-22 12:00"));
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
