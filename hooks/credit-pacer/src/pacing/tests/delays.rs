//! How long is waited.

use super::{ask, assert_close, at, hours, of, rules, week};
use crate::pacing::{Call, Question, Reading, Snapshot, Status, Strategy, Window, decide, is_clearly_within};

const WEEK_END: &str = "2026-11-30 00:00";

fn both(at: i64, five: (f64, i64), seven: (f64, i64)) -> Snapshot {
    let reading = |(used_percent, resets_at)| Some(Reading { used_percent, resets_at });
    Snapshot { at, five_hour: reading(five), seven_day: reading(seven) }
}

#[test]
fn on_wednesday_at_noon_48_percent_are_half_a_point_over() {
    let now = at("2026-11-25 12:00");
    for (used, over, status) in [
        (47.0, -0.5, Status::Ok),
        (47.5, 0.0, Status::Ok),
        (48.0, 0.5, Status::Over),
        (50.0, 2.5, Status::Over),
    ] {
        let pace = of(&ask(now, &[week(now, used, at(WEEK_END))], &[], &rules("{}")), Window::SevenDay);
        assert_close(pace.safe_percent, 47.5, "safe");
        assert_close(pace.over_percent, over, "over");
        assert_eq!(pace.status, status, "{used}");
    }
    let pace = ask(now, &[week(now, 50.0, at(WEEK_END))], &[], &rules("threshold_pct: 3"));
    assert_eq!((of(&pace, Window::SevenDay).status, pace.delay_secs.to_bits()), (Status::Ok, 0));
}

#[test]
fn the_largest_delay_wins_and_masks_nothing() {
    let now = at("2026-11-25 12:00");
    let (five_end, week_end) = (now + 2 * 3600, at(WEEK_END));
    for (five, seven, winner) in [
        (90.0, 40.0, Some(Window::FiveHour)),
        (50.0, 90.0, Some(Window::SevenDay)),
        (90.0, 90.0, None),
        (50.0, 40.0, None),
    ] {
        let pace = ask(now, &[both(now, (five, five_end), (seven, week_end))], &[], &rules("{}"));
        let alone = [
            ask(now, &[hours(now, five, five_end)], &[], &rules("{}")).delay_secs,
            ask(now, &[week(now, seven, week_end)], &[], &rules("{}")).delay_secs,
        ];
        assert_close(pace.delay_secs, alone[0].max(alone[1]), "the larger");
        for (window, delay) in Window::ALL.into_iter().zip(alone) {
            assert_close(of(&pace, window).delay_secs, delay, window.key());
        }
        let is_either = winner.is_none_or(|winner| pace.constrained_window == Some(winner));
        assert!(
            is_either && pace.constrained_window.is_some() == (alone[0].max(alone[1]) > 0.0),
            "{five} {seven}"
        );
    }
}

/// One session's calls every `gap` seconds up to now, each costing `points` of the five hours, read after each of them.
fn steady(
    now: i64,
    count: i64,
    gap: i64,
    used: f64,
    points: f64,
    resets_at: i64,
) -> (Vec<Snapshot>, Vec<Call>) {
    let step = |index: i64| now - (count - index) * gap;
    let calls =
        (0..count).map(|index| Call { at: super::super::seconds(step(index)), session: 1, slept_secs: 0.0 });
    let used_at = |index: i64| used - super::super::seconds(count - 1 - index) * points;
    let snapshots = (0..count).map(|index| hours(step(index), used_at(index), resets_at));
    (snapshots.collect(), calls.collect())
}

#[test]
fn calls_are_so_far_apart_that_what_is_left_lasts() {
    let now = at("2026-11-25 12:00");
    // Half of the window is over, 65 % are used: 30 points are left for 9000 s. A batch costs half a point, so one every
    // 150 s; it comes every 20 s by itself.
    let (snapshots, calls) = steady(now, 40, 20, 65.0, 0.5, now + 9000);
    let pace = ask(now, &snapshots, &calls, &rules("{}"));
    assert_close(pace.delay_secs, 130.0, "delay");
    assert_eq!((pace.strategy, pace.constrained_window), (Strategy::Gradual, Some(Window::FiveHour)));
    // A second session does the same at the same time: each has half.
    let others = calls.iter().map(|call| Call { session: 2, ..*call });
    let mut two: Vec<Call> = calls.iter().copied().chain(others).collect();
    two.sort_by(|one, other| one.at.total_cmp(&other.at));
    assert_close(
        ask(now, &snapshots, &two, &rules("{}")).delay_secs,
        130.0,
        "a batch of each costs half as much",
    );
    // The longest delay, the reset, and the shortest delay.
    for (settings, left, expected) in
        [("{max_delay_secs: 40}", 9000, 40.0), ("{base_delay_secs: 200, max_delay_secs: 350}", 9000, 0.0)]
    {
        let (snapshots, calls) = steady(now, 40, 20, 65.0, 0.5, now + left);
        assert_close(ask(now, &snapshots, &calls, &rules(settings)).delay_secs, expected, settings);
    }
}

#[test]
fn nothing_waits_past_the_reset() {
    let now = at("2026-11-25 12:00");
    for left in [1, 4, 6, 60, 300] {
        let pace = ask(now, &[hours(now, 99.0, now + left)], &[], &rules("{}"));
        let left = super::super::seconds(left);
        assert_close(pace.delay_secs, if left < 5.0 { 0.0 } else { left }, "until the reset");
    }
}

#[test]
fn strategies_go_by_points_over_the_line() {
    let now = at("2026-11-25 12:00");
    for (used, strategy) in [
        (51.0, Strategy::Minimal),
        (53.0, Strategy::Gradual),
        (67.0, Strategy::Gradual),
        (68.0, Strategy::Aggressive),
        (94.9, Strategy::Aggressive),
        (95.0, Strategy::Emergency),
        (130.0, Strategy::Emergency),
    ] {
        let (snapshots, calls) = steady(now, 40, 20, used, 0.5, now + 9000);
        let pace = ask(now, &snapshots, &calls, &rules("{}"));
        assert_eq!(pace.strategy, strategy, "{used}");
        if strategy == Strategy::Emergency {
            assert_close(pace.delay_secs, 350.0, "emergency");
        }
    }
}

#[test]
fn a_day_off_is_paced_by_the_rest_of_the_week_and_never_an_emergency_below_the_target() {
    // Friday 16:00 to Friday 16:00, on Saturday: 8 of 120 hours are over.
    let now = at("2026-11-21 12:00");
    for (used, emergency) in [(12.0, false), (60.0, false), (94.0, false), (95.0, true)] {
        let pace = ask(now, &[week(now, used, at("2026-11-27 16:00"))], &[], &rules("{}"));
        assert_eq!(pace.strategy == Strategy::Emergency, emergency, "{used}");
        assert_close(of(&pace, Window::SevenDay).elapsed_percent, 6.7, "it stands still");
    }
    // Saturday of a week that ends on Monday: all of it may be used up.
    let now = at("2026-11-28 12:00");
    for used in [50.0, 94.0, 95.0] {
        let pace = ask(now, &[week(now, used, at(WEEK_END))], &[], &rules("{}"));
        assert_eq!(of(&pace, Window::SevenDay).status, Status::Ok, "{used}");
    }
}

#[test]
fn whole_percents_do_not_switch_between_nothing_and_everything() {
    // Every 30 s a call, every one of 0.09 points; the reading is whole percents of what is used, and the line rises slowly.
    let end = at("2026-11-25 17:00");
    let start = end - 5 * 3600;
    let (mut used, mut now) = (50.0, start + 60);
    let (mut snapshots, mut calls, mut delays) = (Vec::new(), Vec::new(), Vec::new());
    while now < end - 1800 {
        snapshots.push(hours(now, f64::floor(used), end));
        let pace = ask(now, &snapshots, &calls, &rules("{}"));
        delays.push(pace.delay_secs);
        calls.push(Call { at: super::super::seconds(now), session: 1, slept_secs: pace.delay_secs });
        used += 0.35;
        now += 30 + super::super::whole_seconds(pace.delay_secs);
    }
    assert!(delays.len() > 50 && delays.iter().any(|delay| *delay > 0.0), "{}", delays.len());
    for pair in delays.windows(2) {
        let (least, most) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
        assert!(most - least <= 176.0 && (least > 0.0 || most < 176.0), "{least} beside {most}");
    }
    assert!(used <= 96.0, "it lasts: {used}");
}

#[test]
fn of_the_week_a_share_of_the_working_time_is_worked() {
    let now = at("2026-11-25 12:00");
    let (five_end, week_end) = (now + 9000, at(WEEK_END));
    let (hourly, calls) = steady(now, 40, 20, 45.0, 0.5, five_end);
    // The week moves a tenth of what the five hours do: both tell what a batch costs, and nothing is left to the average.
    let snapshots = hourly.iter().map(|snapshot| Snapshot {
        seven_day: snapshot.five_hour.map(|reading| Reading {
            used_percent: 58.0 - (45.0 - reading.used_percent) / 10.0,
            resets_at: week_end,
        }),
        ..*snapshot
    });
    let snapshots: Vec<Snapshot> = snapshots.collect();
    let ask = |busy_slots: &[i64]| {
        let question = Question {
            now: super::super::seconds(now),
            session: 1,
            snapshots: &snapshots,
            calls: &calls,
            busy_slots,
        };
        decide(&question, &rules("{max_delay_secs: 350}")).delay_secs
    };
    let monday = at("2026-11-23 00:00") / 600;
    let half: Vec<i64> = (monday..at("2026-11-25 12:00") / 600).filter(|slot| slot % 2 == 0).collect();
    let last_hour: Vec<i64> = half.iter().copied().filter(|slot| *slot > half[half.len() - 4]).collect();
    let whole = ask(&[]);
    assert!(whole > 0.0);
    // The delay and the gap of 20 s together are the time from batch to batch.
    assert_close((ask(&half) + 20.0) / (whole + 20.0), 0.5, "half the time");
    assert_close(ask(&last_hour), whole, "not yet known");
}

#[test]
fn quiet_hours_are_the_users() {
    let settings = "{quiet_hours: '22:00-06:00', timezone: Europe/Berlin}";
    for (time, is_quiet) in [("21:59", false), ("22:00", true), ("05:59", true), ("06:00", false)] {
        let now = at(&format!("2026-11-25 {time} Europe/Berlin"));
        let pace = ask(now, &[hours(now, 99.0, now + 9000)], &[], &rules(settings));
        assert_eq!(pace.delay_secs > 0.0, !is_quiet, "{time}");
        assert_eq!(pace.reason.contains("quiet"), is_quiet, "{}", pace.reason);
    }
}

#[test]
fn the_reason_is_a_sentence_for_people() {
    let now = at("2026-11-25 12:00");
    let (five_end, week_end) = (now + 9000, at(WEEK_END));
    for (snapshot, settings, reason) in [
        (
            both(now, (20.0, five_end), (30.0, week_end)),
            "{}",
            "within plan: 5 hours 20 % used, 48 % planned, week 30 % used, 48 % planned",
        ),
        (
            both(now, (90.0, five_end), (30.0, week_end)),
            "{}",
            "5 hours 90 % used, 48 % planned by now; resets Wed 14:30",
        ),
        (
            both(now, (90.0, five_end), (97.0, week_end)),
            "five_hour_limit_enabled: false",
            "week 97 % used, nothing left before 95 %; resets Mon 00:00",
        ),
        (
            both(now, (20.0, five_end), (48.0, week_end)),
            "{}",
            "too little over for a delay: week 48 % used, 47.5 % planned",
        ),
        (
            both(now, (20.0, five_end), (49.0, week_end)),
            "{}",
            "calls are far enough apart already: week 49 % used, 48 % planned by now",
        ),
        (
            both(now, (60.0, five_end), (30.0, week_end)),
            "max_delay_secs: 4",
            "nothing waits with this max_delay_secs: 5 hours 60 % used, 48 % planned",
        ),
        (
            both(now, (60.0, five_end), (30.0, week_end)),
            "threshold_pct: 50",
            "within plan: week 30 % used, 48 % planned; over, but within threshold_pct (50 points): 5 hours 60 % used, \
             48 % planned",
        ),
        (
            both(now, (48.0, five_end), (30.0, week_end)),
            "{threshold_pct: 1, weekly_limit_enabled: false}",
            "over, but within threshold_pct (1 point): 5 hours 48 % used, 47.5 % planned",
        ),
        (both(now - 22 * 60, (20.0, five_end), (48.0, week_end)), "{}", "the reading is 22 min old"),
        (Snapshot::default(), "{}", "no reading yet: 5 hours, week"),
        (hours(now, 20.0, now - 5), "{}", "no reading since the reset: 5 hours; no reading yet: week"),
        (
            Snapshot::default(),
            "{five_hour_limit_enabled: false, weekly_limit_enabled: false}",
            "no window is paced by",
        ),
    ] {
        assert_eq!(ask(now, &[snapshot], &[], &rules(settings)).reason, reason);
    }
}

#[test]
fn the_reason_names_what_the_plan_stands_still_for() {
    // The week of Friday 16:00 to Friday 16:00.
    let end = at("2026-11-27 16:00");
    let days = "is no working day (credit-pacer.workdays)";
    for (time, settings, expected) in [
        ("2026-11-22 11:00", "{}", format!("Mon 00:00, because Sunday {days}")),
        ("2026-11-21 23:59", "work_hours: '09:00-17:00'", format!("Mon 09:00, because Saturday {days}")),
        (
            "2026-11-23 12:00",
            "holidays: 2026-11-23",
            "Tue 00:00, because today is a day off (credit-pacer.holidays)".to_owned(),
        ),
        (
            "2026-11-23 20:00",
            "work_hours: '09:00-17:00'",
            "Tue 09:00, because these are no working hours (credit-pacer.work_hours)".to_owned(),
        ),
        ("2026-11-23 12:00", "{}", String::new()),
        // Nothing of the week's working time is left: all of it may be used.
        ("2026-11-27 15:00", "work_hours: '09:00-12:00'", String::new()),
    ] {
        let now = at(time);
        let reason = ask(now, &[week(now, 94.99, end)], &[], &rules(settings)).reason;
        let said = reason.split_once("; the plan stands still until ").map_or("", |(_, said)| said);
        assert_eq!(said, expected, "{time}: {reason}");
        let used_up = ask(now, &[week(now, 97.0, end)], &[], &rules(settings)).reason;
        assert!(!used_up.contains("stands still"), "it would not help: {used_up}");
    }
    let now = at("2026-11-22 11:00");
    let hours = ask(now, &[hours(now, 90.0, now + 9000)], &[], &rules("{}")).reason;
    assert!(!hours.contains("stands still"), "they go by the wall clock: {hours}");
    let reason = ask(now, &[week(now, 17.0, end)], &[], &rules("base_delay_secs: 350")).reason;
    assert_eq!(
        reason,
        "calls are far enough apart already: week 17 % used, 10 % planned by now; the plan stands still until Mon 00:00, \
         because Sunday is no working day (credit-pacer.workdays)"
    );
}

#[test]
fn what_is_clearly_within_needs_no_calendar() {
    let now = at("2026-11-25 12:00");
    for (five, seven, settings, expected) in [
        (42.0, 9.0, "{}", true),
        (43.0, 9.0, "{}", false),
        (42.0, 10.0, "{}", false),
        (43.0, 9.0, "five_hour_limit_enabled: false", true),
        (43.0, 10.0, "threshold_pct: 2", true),
    ] {
        let snapshots = [both(now, (five, now + 9000), (seven, at(WEEK_END)))];
        let rules = rules(settings);
        assert_eq!(is_clearly_within(&snapshots, &rules), expected, "{five} {seven} {settings}");
        let is_delayed = ask(now, &snapshots, &[], &rules).delay_secs > 0.0;
        assert!(!(expected && is_delayed));
    }
    assert!(is_clearly_within(&[], &rules("{}")));
}

#[test]
fn what_the_calls_since_the_last_reading_cost_counts_once_it_is_over_the_line() {
    let now = at("2026-11-25 12:00");
    // Read ten minutes ago, ten minutes before the reset: about 92 % may be used by now. A batch costs half a point.
    let delay = |used: f64, since: i64| {
        let (snapshots, mut calls) = steady(now - 600, 40, 20, used, 0.5, now + 600);
        calls.extend((1..=since).map(|index| Call {
            at: super::super::seconds(now - 600 + index * 20),
            session: 1,
            slept_secs: 0.0,
        }));
        let pace = ask(now, &snapshots, &calls, &rules("{}"));
        (of(&pace, Window::FiveHour).status, pace.delay_secs)
    };
    assert_eq!(delay(88.0, 20), (Status::Ok, 0.0), "the reading is within the line");
    let (status, few) = delay(93.0, 0);
    assert_eq!(status, Status::Over);
    let (_, many) = delay(93.0, 5);
    assert!(few < 350.0 && few < many, "{few} {many}");
    assert!((many - 350.0).abs() < 1e-9, "nothing is left before 95 %: {many}");
}
