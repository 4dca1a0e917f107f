//! Rows of the database turned into what is drawn.

use pacing::Window;
use proptest::prelude::*;

use super::{Past, Run};
use crate::history::sample::{Sample, delay, reading};

const NOW: &str = "2026-11-22 12:00";

fn runs(sample: &Sample) -> Vec<Run> {
    let past = sample.past(7, NOW);
    past.courses.into_iter().flat_map(|course| course.runs).collect()
}

fn used(run: &Run) -> Vec<f64> {
    run.points.iter().map(|(_, used)| *used).collect()
}

#[test]
fn within_a_window_use_never_goes_down() {
    let readings = [
        ("2026-11-20 10:00", 10.0),
        ("2026-11-20 10:10", 30.0),
        ("2026-11-20 10:20", 20.0),
        ("2026-11-20 10:30", 30.0),
        ("2026-11-20 10:40", 130.0),
        ("2026-11-20 10:50", f64::NAN),
    ];
    let runs = runs(&Sample::of("UTC").read(Window::FiveHour, "2026-11-20 14:00", &readings));
    assert_eq!(runs.iter().map(used).collect::<Vec<_>>(), [[10.0, 30.0, 130.0]]);
}

#[test]
fn another_reset_is_another_window_and_a_minute_is_not() {
    for (reset, expected) in [
        ("2026-11-20 14:01:30", 1),
        ("2026-11-20 13:58:30", 1),
        ("2026-11-20 14:01:31", 2),
        ("2026-11-20 19:00", 2),
    ] {
        let sample = Sample::of("UTC")
            .read(Window::FiveHour, "2026-11-20 14:00", &[("2026-11-20 10:00", 10.0)])
            .read(Window::FiveHour, reset, &[("2026-11-20 11:00", 20.0)]);
        assert_eq!(runs(&sample).len(), expected, "{reset}");
    }
}

#[test]
fn a_reading_holds_until_the_reset_the_next_account_or_now() {
    let first = ("2026-11-20 10:00", 10.0);
    for (reset, next, until) in [
        ("2026-11-20 14:00", None, "2026-11-20 14:00"),
        ("2026-11-27 14:00", None, NOW),
        ("2026-11-27 14:00", Some("2026-11-21 09:00"), "2026-11-21 09:00"),
    ] {
        let mut sample = Sample::of("UTC").read(Window::SevenDay, reset, &[first]);
        if let Some(next) = next {
            sample = sample.read(Window::SevenDay, "2026-11-25 08:00", &[(next, 50.0)]);
        }
        assert_eq!(runs(&sample)[0].until, sample.at(until), "{reset} {next:?}");
    }
}

#[test]
fn what_cannot_be_is_left_out() {
    for (time, reset) in [
        ("2026-11-20 15:00", "2026-11-20 14:00"),
        ("2026-11-23 10:00", "2026-11-23 14:00"),
        ("2026-11-20 10:00", "2036-11-20 14:00"),
    ] {
        let sample = Sample::of("UTC").read(Window::FiveHour, reset, &[(time, 10.0)]);
        assert!(sample.past(7, NOW).is_empty(), "{time} {reset}");
    }
}

#[test]
fn a_window_that_reaches_into_the_days_counts_and_one_before_them_does_not() {
    let week = |reset: &str| {
        let sample = Sample::of("UTC").read(Window::SevenDay, reset, &[("2026-11-13 10:00", 40.0)]);
        sample.past(7, NOW).in_numbers().iter().map(|day| day.highest[1]).collect::<Vec<_>>()
    };
    assert_eq!(week("2026-11-16 00:00"), [None; 7]);
    assert_eq!(week("2026-11-17 01:00"), [Some(40.0), Some(40.0), None, None, None, None, None]);
}

#[test]
fn the_day_of_the_clocks_change_has_its_25_hours() {
    let sample = Sample::of("Europe/Berlin")
        .read(
            Window::FiveHour,
            "2026-10-26 04:30",
            &[("2026-10-25 23:59:59", 50.0), ("2026-10-26 00:00", 60.0)],
        )
        .delay("s", "2026-10-25 00:00", 10)
        .delay("s", "2026-10-25 23:59:59", 20)
        .delay("s", "2026-10-26 00:00:30", 30);
    let days = sample.past(2, "2026-10-26 12:00").in_numbers();
    let found: Vec<_> = days.iter().map(|day| (day.highest[0], day.delays, day.delayed_secs)).collect();
    assert_eq!(found, [(Some(50.0), 2, 30), (Some(60.0), 1, 30)]);
}

#[test]
fn calls_that_wait_side_by_side_are_one_delay() {
    let sample = Sample::of("UTC")
        .delay("one", "2026-11-22 10:00:00", 40)
        .delay("one", "2026-11-22 10:00:01", 39)
        .delay("two", "2026-11-22 10:00:02", 20)
        .delay("one", "2026-11-22 10:00:30", 30)
        .delay("one", "2026-11-22 10:01:00", 5)
        .delay("one", "2026-11-22 10:02:00", 0);
    let past = sample.past(1, NOW);
    let start = sample.at("2026-11-22 10:00");
    let found: Vec<_> = past.delays.iter().map(|delay| (delay.at - start, delay.secs)).collect();
    assert_eq!(found, [(0, 60), (2, 20), (60, 5)]);
}

proptest! {
    #[test]
    fn any_rows_give_rising_points_before_their_end(
        rows in prop::collection::vec((any::<i64>(), any::<f64>(), any::<i64>()), 0..20),
        near in prop::collection::vec((0..200_000_i64, 0.0..150.0, 0..200_000_i64), 0..60),
        delays in prop::collection::vec((any::<i64>(), any::<i64>()), 0..20),
    ) {
        let now = 1_800_000_000;
        let settings = crate::settings::Settings::over_defaults(&serde_json::Map::new()).unwrap();
        let near = near.into_iter().map(|(back, used, ahead)| (now - back, used, now - back + ahead));
        let rows: Vec<_> = rows.into_iter().chain(near)
            .map(|(at, used, reset)| reading(Window::FiveHour, at, used, reset)).collect();
        let delays: Vec<_> = delays.into_iter().map(|(at, secs)| delay("s", at, secs)).collect();
        let rules = crate::rules::without_zone(&settings);
        let past = Past::of(3, now, rules, "UTC".to_owned(), &rows, &delays);
        for run in &past.courses[0].runs {
            prop_assert!(run.points.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1));
            prop_assert!(run.points.iter().all(|(at, _)| *at <= run.until && *at < run.resets_at));
            prop_assert!(run.until <= run.resets_at && run.until <= now);
        }
    }
}
