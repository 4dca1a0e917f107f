//! What may be used by when.

use super::{ask, assert_close, at, hours, of, rules, week};
use crate::pacing::{Status, Window};

/// What may be used of the week by a moment, in percent.
fn allowed(settings: &str, now: &str, resets: &str) -> f64 {
    let now = at(now);
    of(&ask(now, &[week(now, 0.0, at(resets))], &[], &rules(settings)), Window::SevenDay).allowance_percent
}

#[test]
fn the_week_goes_by_working_days_and_stands_still_on_the_others() {
    let calendar =
        "{workdays: [mon, tue, wed, thu, fri, sat, sun], seven_day: {enabled: true, preload_pct: 0}}";
    for (now, by_calendar, by_work) in [
        ("2026-11-23 12:00", 7.1, 10.0),
        ("2026-11-25 12:00", 35.7, 50.0),
        ("2026-11-27 23:59", 71.4, 100.0),
        ("2026-11-28 12:00", 78.6, 100.0),
        ("2026-11-29 18:00", 96.4, 100.0),
    ] {
        let resets = "2026-11-30 00:00";
        assert_close(allowed(calendar, now, resets), by_calendar, now);
        assert_close(allowed("{}", now, resets), by_work, now);
    }
}

#[test]
fn from_the_beginning_on_the_preload_may_be_used() {
    for (now, expected) in [
        ("2026-11-20 16:00", 10.0),
        ("2026-11-20 20:00", 10.0),
        ("2026-11-21 00:00", 10.0),
        ("2026-11-23 04:00", 10.0),
        ("2026-11-23 08:00", 13.3),
        ("2026-11-23 16:00", 20.0),
        ("2026-11-27 15:59", 100.0),
    ] {
        assert_close(allowed("{}", now, "2026-11-27 16:00"), expected, now);
    }
    for (settings, expected) in [
        ("preload_hours: 24", 20.0),
        ("preload_hours: 6", 5.0),
        ("preload_hours: 0", 0.0),
        ("seven_day: {enabled: true, preload_pct: 33}", 33.0),
    ] {
        assert_close(allowed(settings, "2026-11-20 16:00", "2026-11-27 16:00"), expected, settings);
    }
}

#[test]
fn five_hours_go_by_the_wall_clock_whatever_the_day() {
    let saturday = at("2026-11-28 12:00");
    for (hours_left, elapsed, allowance) in
        [(5.0, 0.0, 45.0), (3.0, 40.0, 45.0), (2.5, 50.0, 50.0), (1.0, 80.0, 80.0), (0.001, 99.98, 99.98)]
    {
        let resets = saturday + crate::pacing::whole_seconds(hours_left * 3600.0);
        let pace = of(&ask(saturday, &[hours(saturday, 0.0, resets)], &[], &rules("{}")), Window::FiveHour);
        assert_close(pace.elapsed_percent, elapsed, "elapsed");
        assert_close(pace.allowance_percent, allowance, "allowance");
        assert_close(pace.safe_percent, allowance * 0.95, "safe");
    }
}

#[test]
fn days_hours_and_holidays_of_ones_own() {
    for (what, settings, now, resets, expected) in [
        // Friday to Friday with one working day: Saturday.
        ("a Saturday's worker before", "workdays: [sat]", "2026-11-20 22:00", "2026-11-27 16:00", 10.0),
        ("a Saturday's worker at noon", "workdays: [sat]", "2026-11-21 12:00", "2026-11-27 16:00", 50.0),
        ("a Saturday's worker after", "workdays: [sat]", "2026-11-22 00:00", "2026-11-27 16:00", 100.0),
        // From Sunday noon to Sunday noon: all five days lie within.
        ("ends in a weekend: before it", "{}", "2026-11-27 12:00", "2026-11-29 12:00", 90.0),
        ("ends in a weekend: in it", "{}", "2026-11-28 09:00", "2026-11-29 12:00", 100.0),
        // From Saturday on; the first weekend counts nothing.
        ("begins in a weekend", "{}", "2026-11-22 20:00", "2026-11-28 10:00", 10.0),
        ("hours: noon of three", "work_hours: '09:00-17:00'", "2026-11-25 13:00", "2026-11-30 00:00", 50.0),
        ("hours: the evening", "work_hours: '09:00-17:00'", "2026-11-25 22:00", "2026-11-30 00:00", 60.0),
        (
            "hours: two spans, one of them twice",
            "work_hours: ['09:00-12:00', '13:00-18:00', '14:00-16:00']",
            "2026-11-25 14:00",
            "2026-11-30 00:00",
            50.0,
        ),
        (
            "hours over midnight belong to the evening's day",
            "work_hours: '22:00-06:00'",
            "2026-11-28 02:00",
            "2026-11-30 00:00",
            90.0,
        ),
        (
            "a holiday counts nothing",
            "holidays: ['2026-11-23']",
            "2026-11-24 12:00",
            "2026-11-30 00:00",
            12.5,
        ),
        (
            "holidays from to",
            "holidays: '2026-11-23..2026-11-25'",
            "2026-11-26 12:00",
            "2026-11-30 00:00",
            25.0,
        ),
        (
            "a week off goes by the calendar",
            "holidays: '2026-11-20..2026-12-01'",
            "2026-11-25 12:00",
            "2026-11-30 00:00",
            35.7,
        ),
        ("no working days at all", "workdays: []", "2026-11-25 12:00", "2026-11-30 00:00", 35.7),
    ] {
        assert_close(allowed(settings, now, resets), expected, what);
    }
}

#[test]
fn a_day_on_which_the_clocks_change_has_its_own_hours() {
    let all = |zone: &str| {
        format!(
            "{{timezone: {zone}, workdays: [mon, tue, wed, thu, fri, sat, sun], seven_day: {{enabled: true, preload_pct: 0}}}}"
        )
    };
    // Sunday 29 March 2026 has 23 hours in Berlin, 25 October 25, whole weeks 168 each, as a window is one of seconds.
    for (zone, now, resets, hours) in [
        ("Europe/Berlin", "2026-03-29 12:00 Europe/Berlin", "2026-04-05 01:00 Europe/Berlin", 11.0),
        ("Europe/Berlin", "2026-10-25 12:00 Europe/Berlin", "2026-10-31 23:00 Europe/Berlin", 13.0),
        ("America/New_York", "2026-03-08 12:00 America/New_York", "2026-03-15 01:00 America/New_York", 11.0),
        ("America/New_York", "2026-11-01 12:00 America/New_York", "2026-11-07 23:00 America/New_York", 13.0),
    ] {
        assert_close(allowed(&all(zone), now, resets), hours / 168.0 * 100.0, now);
    }
    // Only Sunday is worked in: half of it is over after half of its real hours.
    for (now, resets, expected) in [
        ("2026-03-29 12:00 Europe/Berlin", "2026-04-02 00:00 Europe/Berlin", 11.0 / 23.0 * 100.0),
        ("2026-10-25 12:00 Europe/Berlin", "2026-10-29 00:00 Europe/Berlin", 13.0 / 25.0 * 100.0),
    ] {
        assert_close(allowed("{timezone: Europe/Berlin, workdays: [sun]}", now, resets), expected, now);
    }
    // Hours of which one is left out, and one comes twice.
    for (work_hours, now, resets, expected) in [
        ("02:00-05:00", "2026-03-29 04:00 Europe/Berlin", "2026-04-02 00:00 Europe/Berlin", 50.0),
        ("02:30-05:00", "2026-03-29 04:00 Europe/Berlin", "2026-04-02 00:00 Europe/Berlin", 50.0),
        ("02:00-04:00", "2026-10-25 03:00 Europe/Berlin", "2026-10-29 00:00 Europe/Berlin", 200.0 / 3.0),
    ] {
        let settings = format!("{{timezone: Europe/Berlin, workdays: [sun], work_hours: '{work_hours}'}}");
        assert_close(allowed(&settings, now, resets), expected, work_hours);
    }
}

#[test]
fn the_weekend_is_the_users_from_zone_to_zone() {
    for zone in [
        "Etc/GMT+12",
        "Pacific/Honolulu",
        "America/St_Johns",
        "UTC",
        "Asia/Kolkata",
        "Asia/Kathmandu",
        "Pacific/Kiritimati",
    ] {
        let settings = format!("timezone: {zone}");
        let local = |text: &str| format!("{text} {zone}");
        for (now, expected) in [
            ("2026-11-23 12:00", 10.0),
            ("2026-11-25 12:00", 50.0),
            ("2026-11-27 12:00", 90.0),
            ("2026-11-28 00:00", 100.0),
        ] {
            let allowance = allowed(&settings, &local(now), &local("2026-11-30 00:00"));
            assert_close(allowance, expected, &local(now));
        }
    }
}

#[test]
fn readings_that_say_nothing_about_now() {
    let now = at("2026-11-25 12:00");
    let week_end = at("2026-11-30 00:00");
    for (what, snapshot, status) in [
        ("fresh", week(now - 900, 99.0, week_end), Status::Over),
        ("old", week(now - 901, 99.0, week_end), Status::Stale),
        ("from a clock a little ahead", week(now + 90, 99.0, week_end), Status::Over),
        ("from a clock far ahead", week(now + 91, 99.0, week_end), Status::Stale),
        ("its window has ended", week(now - 60, 99.0, now), Status::Stale),
        ("its window ended long ago", week(now - 60, 99.0, 0), Status::Stale),
        ("none", hours(now, 1.0, now + 3600), Status::Unknown),
        ("no number", week(now, f64::NAN, week_end), Status::Unknown),
    ] {
        let pace = ask(now, &[snapshot], &[], &rules("{}"));
        assert_eq!(of(&pace, Window::SevenDay).status, status, "{what}");
        assert_eq!(pace.delay_secs > 0.0, status == Status::Over, "{what}");
    }
    let off = ask(now, &[week(now, 99.0, week_end)], &[], &rules("weekly_limit_enabled: false"));
    assert_eq!((of(&off, Window::SevenDay).status, off.delay_secs.to_bits()), (Status::Off, 0));
}

#[test]
fn a_reset_that_is_too_far_off_begins_a_window_now() {
    let now = at("2026-11-25 12:00");
    for far in [now + 8 * 86_400, now + 400 * 86_400, i64::MAX] {
        let pace = of(&ask(now, &[week(now, 50.0, far)], &[], &rules("{}")), Window::SevenDay);
        assert_eq!(pace.status, Status::Over, "{far}");
        assert_close(pace.elapsed_percent, 0.0, "elapsed");
        assert_close(pace.over_percent, 40.5, "over");
    }
    let nearly = of(&ask(now, &[week(now, 5.0, now + 7 * 86_400 + 60)], &[], &rules("{}")), Window::SevenDay);
    assert_close(nearly.elapsed_percent, 0.0, "a minute of play");
}

#[test]
fn an_older_number_of_the_same_window_does_not_lower_what_is_used() {
    let now = at("2026-11-25 12:00");
    let (end, other) = (at("2026-11-30 00:00"), at("2026-11-29 00:00"));
    let used =
        |snapshots: &[_]| of(&ask(now, snapshots, &[], &rules("{}")), Window::SevenDay).reading.unwrap().1;
    assert_close(used(&[week(now - 60, 48.0, end), week(now, 46.0, end + 60)]).used_percent, 48.0, "same");
    assert_close(used(&[week(now - 60, 48.0, other), week(now, 46.0, end)]).used_percent, 46.0, "another");
}

#[test]
fn the_same_time_of_the_days_before_tells_what_is_worked_until_the_reset() {
    // Yesterday from 9 to 12, give or take ten minutes; the window ends at 15.
    let yesterday: Vec<i64> = (54..72).collect();
    for (hour, expected) in [(10, Some(13.0 / 30.0)), (14, None), (20, None)] {
        let now = (24 + hour) * 3600;
        let share = super::super::line::likely_share(39 * 3600, super::super::seconds(now), &yesterday);
        assert_eq!(share, expected, "{hour}");
    }
}
