//! What can be asked for, and what is said where there is nothing to show.

use super::{asked_days, is_utf8, page};
use crate::history::chart::Look;
use crate::history::sample::{Sample, even, two_weeks};

const LOOK: Look = Look { columns: 80, unicode: true };

#[test]
fn without_data_it_says_where_data_come_from() {
    for (asks_api, expected) in [
        (false, "the usage API, which is off (`usage_api.enabled`)."),
        (true, "the usage API, which is asked but has told nothing of this time."),
    ] {
        let text = page(&Sample::of("UTC").past(7, "2026-11-22 12:00"), &even, &LOOK, asks_api);
        assert!(text.starts_with("Nothing is recorded of the last 7 days.\n"), "{text}");
        assert!(text.contains("req hooks statusline") && text.ends_with(expected), "{text}");
    }
}

#[test]
fn both_windows_the_days_and_the_zone_once() {
    let text = page(&two_weeks().past(7, "2026-11-20 18:00"), &even, &LOOK, false);
    let parts: Vec<&str> = text.split("\n\n").collect();
    let begins: Vec<&str> = parts.iter().map(|part| part.split([':', ';', '\n']).next().unwrap()).collect();
    let head = "day         5-hour  weekly                 delays alerts";
    assert_eq!(begins, ["5-hour limit", "weekly limit", head, "Times in Europe/Berlin"]);
}

#[test]
fn how_many_days() {
    for (words, expected) in [
        (&[][..], Ok(None)),
        (&["--days", "3"], Ok(Some("3"))),
        (&["--days=3"], Ok(Some("3"))),
        (&["--days"], Err(())),
        (&["3"], Err(())),
        (&["--days", "3", "4"], Err(())),
    ] {
        assert_eq!(asked_days(words).map_err(drop), expected, "{words:?}");
    }
}

#[test]
fn locales() {
    for (locale, expected) in [
        ("de_DE.UTF-8", true),
        ("C.utf8", true),
        ("ca_ES.UTF-8@valencia", true),
        ("C", false),
        ("POSIX", false),
        ("de_DE@euro", false),
        ("de_DE.ISO-8859-1", false),
    ] {
        assert_eq!(is_utf8(locale), expected, "{locale}");
    }
}
