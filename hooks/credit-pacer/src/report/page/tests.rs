//! The page as a whole: well-formed, escaped, with nothing from elsewhere.

mod picture;

use proptest::prelude::*;

use super::{MARK, page};
use crate::history::past::Past;
use crate::history::sample::{Sample, decision, even, reading, two_weeks};
use crate::history::span::Span;
use crate::pacing::Window;

/// Fails if a tag is not closed, or an attribute not quoted. Returns the names of all elements.
#[track_caller]
fn well_formed(html: &str) -> Vec<&str> {
    let mut rest = html.strip_prefix(MARK).expect("the mark");
    let (mut open, mut names) = (Vec::new(), Vec::new());
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "a stray > before {}", &rest[start..]);
        let tag;
        (tag, rest) = rest[start + 1..].split_once('>').expect("a tag ends");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(name.chars().all(char::is_alphanumeric), "{tag}");
        assert_eq!(attributes.matches('"').count() % 2, 0, "{tag}");
        let outside: String = attributes.split('"').step_by(2).collect();
        assert!(outside.chars().all(|c| c.is_alphanumeric() || "=- ".contains(c)), "{tag}");
        names.push(name);
        if name == "style" {
            rest = rest.split_once("</style>").expect("the style ends").1;
        } else if !["meta", "br"].contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    names
}

/// Fails if the page needs anything but itself.
#[track_caller]
fn self_contained(html: &str) {
    for outside in ["http:", "https:", "src=", "href", "@import", "<script", "<link", "<img", "url("] {
        let count = html.matches(outside).count();
        let inside = if outside == "url(" { html.matches("url(#").count() } else { 0 };
        assert_eq!(count, inside, "{outside}");
    }
}

#[track_caller]
fn draw(past: &Past) -> String {
    let html = page(past, &even, false);
    well_formed(&html);
    self_contained(&html);
    html
}

fn count(html: &str, part: &str) -> usize {
    html.matches(part).count()
}

#[test]
fn two_weeks_in_a_page() {
    let past = two_weeks().past(14, "2026-11-20 18:00");
    let html = draw(&past);
    for part in [
        "7 November 2026 to 20 November 2026 (Europe/Berlin), recorded since 9 Nov</p>",
        "<dt>Week, highest</dt><dd>100 %</dd>",
        "Week: 2 windows were seen, 81 % used on average and 100 % at most; the limit was reached once.",
        "Sessions were delayed 8 times, 5 min 36 s in all and 42 s at most: 8 times for the week.",
        "<th scope=\"col\">5 hours</th><th scope=\"col\">Week</th>",
        ">350 s</text>",
        "<td>42 s</td><td>gradual</td>",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    // Nothing was read before the ninth: twelve days, in rows of seven for the five hours.
    assert_eq!(count(&html, "<svg"), 3);
    assert_eq!(count(&html, "class=\"delay\""), 8);
    // Four days of two windows, twice, and two weeks.
    assert_eq!(count(&html, "class=\"reset\""), 16 + 2);
    assert_eq!(count(&html, "class=\"used\""), count(&html, "class=\"safe\""));
    assert_eq!(count(&html, "<th scope=\"row\">"), 12 + 8);
}

#[test]
fn every_drawing_says_what_it_shows() {
    let html = draw(&two_weeks().past(14, "2026-11-20 18:00"));
    for drawing in html.split("<svg").skip(1) {
        let (_, label) = drawing.split_once("aria-labelledby=\"").unwrap();
        let (title, desc) = label.split_once('"').unwrap().0.split_once(' ').unwrap();
        for (element, id) in [("title", title), ("desc", desc)] {
            assert_eq!(count(&html, &format!("<{element} id=\"{id}\">")), 1, "{id}");
        }
    }
}

#[test]
fn ids_are_given_once() {
    let html = draw(&two_weeks().past(14, "2026-11-20 18:00"));
    let mut ids: Vec<&str> =
        html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn what_a_session_is_called_is_nobodys_business() {
    let sample = two_weeks().delay("<script>alert(2)</script>", "2026-11-19 11:00", 30);
    let html = draw(&sample.past(14, "2026-11-20 18:00"));
    assert!(!html.contains("alert("));
}

#[test]
fn without_data_it_says_where_data_come_from() {
    let html = draw(&Sample::of("UTC").past(30, "2026-11-22 12:00"));
    assert!(html.contains("Nothing is recorded of this time."), "{html}");
    assert!(html.contains("usage_api.enabled") && !html.contains("<svg"), "{html}");
}

#[test]
fn one_reading_can_be_seen() {
    let sample = Sample::of("UTC").read(Window::FiveHour, "2026-11-22 13:00", &[("2026-11-22 08:00", 40.0)]);
    let html = draw(&sample.past(1, "2026-11-22 08:00"));
    // A third of the day's 746 units; 60 % of the plot's 110 below its upper edge; a dot wide.
    assert!(html.contains("class=\"used\" d=\"M292.7,76H294.2\""), "{html}");
    assert!(html.contains("Week: nothing was recorded."), "{html}");
}

#[test]
fn more_than_all_moves_the_upper_edge() {
    let sample = Sample::of("UTC").read(Window::FiveHour, "2026-11-22 13:00", &[("2026-11-22 08:00", 137.0)]);
    let html = draw(&sample.past(1, "2026-11-22 10:00"));
    assert!(html.contains(">140</text>") && html.contains(">100</text>"), "{html}");
    assert!(html.contains("the limit was reached once"), "{html}");
}

#[test]
fn a_reset_in_the_middle_begins_a_new_line() {
    let sample = Sample::of("UTC")
        .read(Window::SevenDay, "2026-11-20 16:00", &[("2026-11-19 08:00", 60.0)])
        .read(Window::SevenDay, "2026-11-27 16:00", &[("2026-11-20 16:10", 1.0)]);
    let html = draw(&sample.past(7, "2026-11-22 10:00"));
    assert_eq!(count(&html, "class=\"used\""), 2);
    assert!(html.contains("<title>Reset Fri 20 Nov 16:00</title>"), "{html}");
}

#[test]
fn the_day_of_the_clocks_change_is_wider() {
    let sample = Sample::of("Europe/Berlin").read(
        Window::SevenDay,
        "2026-10-30 16:00",
        &[("2026-10-24 00:00", 1.0), ("2026-10-26 12:00", 2.0)],
    );
    let html = draw(&sample.past(3, "2026-10-26 18:00"));
    let lines = html.split("class=\"day named\" x1=\"").skip(1);
    let starts: Vec<&str> = lines.map(|rest| rest.split('"').next().unwrap()).collect();
    // 24, 25 and 24 hours of 746 units.
    assert_eq!(starts, ["44", "289.3", "544.7"]);
}

#[test]
fn a_long_time_has_its_days_in_the_table_and_the_last_ones_drawn() {
    let mut sample = Sample::of("UTC");
    let now = sample.at("2026-11-22 12:00");
    for week in 0..60 {
        let at = now - week * 604_800;
        sample.snapshots.push(reading(Window::FiveHour, at, 40.0, at + 3600));
    }
    let html = draw(&sample.past(400, "2026-11-22 12:00"));
    assert_eq!(count(&html, "<svg"), 12);
    assert_eq!(count(&html, "<th scope=\"row\">"), 400);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_rows_give_a_page(
        days in 1_u32..100,
        rows in prop::collection::vec((0..5_000_000_i64, 0.0..200.0, 0..700_000_i64, any::<bool>()), 0..40),
        delays in prop::collection::vec((0..5_000_000_i64, 0..400_i64), 0..20),
    ) {
        let now = 1_800_000_000;
        let rows: Vec<_> = rows.into_iter().map(|(back, used, ahead, short)| {
            let window = if short { Window::FiveHour } else { Window::SevenDay };
            reading(window, now - back, used, now - back + ahead)
        }).collect();
        let decisions: Vec<_> = delays.into_iter().map(|(back, secs)| decision("s", now - back, secs)).collect();
        let span = Span::last_days(days, now, jiff::tz::TimeZone::get("Asia/Kolkata").unwrap());
        let html = draw(&Past::of(span, &rows, &decisions, &[80, 95]));
        prop_assert!(!html.contains("NaN") && !html.contains("inf"), "{}", html);
    }
}
