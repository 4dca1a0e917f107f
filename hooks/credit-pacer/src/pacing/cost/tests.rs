//! What a batch costs and how fast a session is, from calls and readings made by hand.

use super::{Cost, History};
use crate::pacing::{Call, Question, Reading, Snapshot, Window};

fn call(at: f64, session: u64, slept_secs: f64) -> Call {
    Call { at, session, slept_secs }
}

fn snapshot(at: i64, five: f64, seven: f64) -> Snapshot {
    let reading = |used_percent, resets_at| Some(Reading { used_percent, resets_at });
    Snapshot { at, five_hour: reading(five, 100_000), seven_day: reading(seven, 500_000) }
}

fn history<'a>(now: f64, snapshots: &'a [Snapshot], calls: &'a [Call]) -> History<'a> {
    History::of(&Question { now, session: 1, snapshots, calls, busy_slots: &[] })
}

fn assert_close(number: f64, expected: f64, what: &str) {
    assert!((number - expected).abs() < 1e-6, "{what}: {number}, not {expected}");
}

#[test]
fn calls_side_by_side_are_one_batch() {
    for (what, calls, batches) in [
        ("within two seconds", &[call(0.0, 1, 0.0), call(1.0, 1, 0.0), call(1.9, 1, 0.0)][..], 1),
        ("not one after another", &[call(0.0, 1, 0.0), call(1.5, 1, 0.0), call(3.0, 1, 0.0)], 2),
        ("of one session", &[call(0.0, 1, 0.0), call(1.0, 2, 0.0)], 2),
        ("those that join a sleep", &[call(0.0, 1, 60.0), call(20.0, 1, 0.0), call(61.0, 1, 0.0)], 2),
        ("not after one that was cut short", &[call(0.0, 1, 60.0), call(20.0, 1, 50.0)], 2),
        (
            "nor what is not a time",
            &[call(f64::NAN, 1, 0.0), call(f64::INFINITY, 1, 0.0), call(200.0, 1, 0.0)],
            0,
        ),
    ] {
        assert_eq!(history(100.0, &[], calls).batches.len(), batches, "{what}");
    }
}

#[test]
fn a_natural_gap_is_without_sleep_and_a_pause_counts_ten_minutes() {
    for (what, calls, now, gap) in [
        ("nothing known", &[][..], 100.0, 20.0),
        ("up to now", &[call(90.0, 1, 0.0)], 100.0, 10.0),
        ("without sleep", &[call(0.0, 1, 60.0), call(80.0, 1, 0.0)], 100.0, 20.0),
        ("a sleep that was cut short", &[call(0.0, 1, 300.0), call(50.0, 1, 30.0)], 100.0, 10.0),
        ("a pause", &[call(0.0, 1, 0.0), call(10_000.0, 1, 0.0)], 10_000.0 + 20.0, 310.0),
        ("its own, not others'", &[call(0.0, 2, 0.0), call(80.0, 2, 0.0), call(90.0, 1, 0.0)], 100.0, 10.0),
        ("others' where it has none", &[call(0.0, 2, 0.0), call(80.0, 2, 0.0)], 100.0, 80.0),
        ("not of the batch it belongs to", &[call(60.0, 1, 0.0), call(99.0, 1, 0.0)], 100.0, 39.0),
    ] {
        assert_close(history(now, &[], calls).natural_gap(), gap, what);
    }
}

#[test]
fn sessions_of_the_last_half_hour_count_and_the_asking_one() {
    for (calls, sessions) in [
        (&[][..], 1.0),
        (&[call(9_000.0, 1, 0.0)], 1.0),
        (&[call(8_000.0, 2, 0.0), call(8_300.0, 3, 0.0), call(9_900.0, 3, 0.0)], 2.0),
        (&[call(9_000.0, 2, 0.0), call(9_500.0, 3, 0.0), call(9_900.0, 1, 0.0)], 3.0),
    ] {
        assert_close(history(10_000.0, &[], calls).sessions(), sessions, "sessions");
    }
}

/// A call every 30 s from 30 on, and after each of them a reading.
fn steadily(count: i64, used: impl Fn(i64) -> (f64, f64)) -> (Vec<Snapshot>, Vec<Call>) {
    let calls = (1..=count).map(|index| call(super::seconds(index * 30), 1, 0.0)).collect();
    let snapshot = |index| {
        let (five, seven) = used(index);
        snapshot(index * 30 + 5, five, seven)
    };
    ((1..=count).map(snapshot).collect(), calls)
}

#[test]
fn the_last_batches_tell_what_one_costs() {
    let cost = |count, used: &dyn Fn(i64) -> (f64, f64), window| {
        let (snapshots, calls) = steadily(count, used);
        history(super::seconds(count * 30 + 10), &snapshots, &calls).own_cost(window)
    };
    // Dear from the 100th on: twenty of them are enough.
    let dearer = |index: i64| (0.1 * super::seconds(index) + 0.9 * super::seconds((index - 100).max(0)), 0.0);
    let Cost { points, weight, .. } = cost(140, &dearer, Window::FiveHour);
    assert_close(points, 1.0, "the last twenty");
    assert_close(weight, 1.0, "known");
    // Cheap: a hundred batches say more than two points.
    let cheap = |index: i64| ((0.02 * super::seconds(index)).floor(), 0.0);
    let Cost { points, weight, .. } = cost(200, &cheap, Window::FiveHour);
    assert!((0.015..=0.025).contains(&points) && weight >= 1.0, "{points} {weight}");
    // Little is known of few.
    let Cost { points, weight, .. } = cost(11, &|index| (0.1 * super::seconds(index), 0.0), Window::FiveHour);
    assert_close(points, 0.1, "few");
    assert_close(weight, 0.2, "a point of five");
}

#[test]
fn a_weeks_points_are_read_off_the_five_hours() {
    let used = |index: i64| (0.5 * super::seconds(index), (0.05 * super::seconds(index)).floor());
    let (snapshots, calls) = steadily(120, used);
    let of = |snapshots| history(4000.0, snapshots, &calls).costs(Window::SevenDay);
    let [own, by_hours] = of(&snapshots);
    for (what, Cost { points, weight, .. }) in [("of its own", own), ("by the hours", by_hours)] {
        assert!((0.045..=0.055).contains(&points), "{what}: {points}");
        assert_close(weight, 0.5, what);
    }
    let [own, by_hours] = of(&snapshots[..50]);
    assert_close(by_hours.weight, 0.5 * 2.0 / 6.0, "two of six points");
    assert_close(own.weight, 2.0 / 3.0 * (1.0 - by_hours.weight), "two of three points, of the rest");
}

#[test]
fn of_the_oldest_move_counts_what_is_missing() {
    // 9 batches that cost 40 points, then 60 that cost so many.
    let calls: Vec<Call> = (1..=70).map(|index| call(super::seconds(index * 60), 1, 0.0)).collect();
    let cost = |points| {
        let snapshots =
            [snapshot(60, 10.0, 0.0), snapshot(610, 50.0, 0.0), snapshot(4210, 50.0 + points, 0.0)];
        history(4300.0, &snapshots, &calls).own_cost(Window::FiveHour).points
    };
    for (points, expected) in [
        (12.0, 10.0 / 50.0),
        (10.0, 10.0 / 60.0),
        (9.0, 10.0 / (60.0 + 9.0 / 40.0)),
        (0.0, 10.0 / (60.0 + 9.0 * 10.0 / 40.0)),
    ] {
        assert_close(cost(points), expected, &format!("{points} points"));
    }
}

#[test]
fn lower_readings_resets_and_others_use_cost_nothing() {
    let calls: Vec<Call> = (0..40).map(|index| call(f64::from(index) * 30.0, 1, 0.0)).collect();
    let points =
        |snapshots: &[Snapshot]| history(90_000.0, snapshots, &calls).own_cost(Window::FiveHour).points;
    let reset = |at, used_percent, resets_at| Snapshot {
        at,
        five_hour: Some(Reading { used_percent, resets_at }),
        seven_day: None,
    };
    // Readings of an idle session come in between: 4 points, not 8. 40 batches, of which one is before the first reading.
    let idle = [(1, 10.0), (300, 12.0), (310, 10.0), (320, 12.0), (900, 14.0), (1170, 14.0)];
    let idle = idle.map(|(at, used)| reset(at, used, 100_000));
    assert_close(points(&idle), 4.0 / 39.0, "idle");
    // Across a reset nothing is known: two windows of ten batches and two points each.
    let windows = [(1, 10.0, 600), (301, 12.0, 650), (630, 1.0, 18_600), (930, 3.0, 18_600)];
    let windows = windows.map(|(at, used, resets)| reset(at, used, resets));
    assert_close(points(&windows), 4.0 / 20.0, "resets");
    // Hours later nobody here was it.
    let later = [(1, 10.0), (301, 12.0), (80_000, 50.0)].map(|(at, used)| reset(at, used, 100_000));
    assert_close(points(&later), 2.0 / 10.0, "others");
}

#[test]
fn what_goes_up_with_time_alone_is_others() {
    // Steadily at work: all of it may be ours.
    let (snapshots, calls) = steadily(120, |index| (0.5 * super::seconds(index), 0.0));
    assert_close(history(4000.0, &snapshots, &calls).elsewhere(), 0.0, "ours");
    // A batch a minute in every other ten minutes, and six points whether there are any or not.
    let calls: Vec<Call> =
        (0..60).map(|index| call(f64::from(index + index / 10 * 10) * 60.0, 1, 0.0)).collect();
    let snapshots: Vec<Snapshot> =
        (1..12).map(|index| snapshot(index * 600, 6.0 * super::seconds(index), 0.0)).collect();
    let elsewhere = history(7000.0, &snapshots, &calls).elsewhere() * 600.0;
    assert!((4.0..=6.0).contains(&elsewhere), "{elsewhere}");
}
