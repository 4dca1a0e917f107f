//! The controller as tables and properties.

use proptest::prelude::*;

use crate::{
    Calendar, Call, DAY_SECS, Fit, Hours, Learned, Limit, Pace, Reading, Readings, Rules, Status, Window,
    WindowPace, Zone, decide, seconds,
};

/// Monday 2026-11-23 00:00 UTC.
const MONDAY: i64 = 1_795_392_000;

const HOUR: i64 = 3600;

/// The defaults in UTC.
fn rules() -> Rules {
    Rules {
        safety: 0.95,
        threshold: 0.0,
        shortest_delay: 5.0,
        longest_delay: 350.0,
        stale_after: 900.0,
        limits: [45.0, 10.0].map(|preload| Limit { is_enabled: true, preload }),
        calendar: Calendar { workdays: [true, true, true, true, true, false, false], ..Calendar::default() },
    }
}

fn on(workdays: [u8; 7]) -> Rules {
    let mut rules = rules();
    rules.calendar.workdays = workdays.map(|day| day > 0);
    rules
}

fn working(hours: &[(u16, u16)]) -> Rules {
    let mut rules = rules();
    rules.calendar.work_hours =
        hours.iter().map(|(from, to)| Hours { from: from * 60, to: to * 60 }).collect();
    rules
}

fn off(first: i64, last: i64) -> Rules {
    let mut rules = rules();
    rules.calendar.days_off = vec![(MONDAY / DAY_SECS + first, MONDAY / DAY_SECS + last)];
    rules
}

fn reading(window: Window, at: i64, used_percent: f64, resets_at: i64) -> Readings {
    Window::ALL.map(|other| (other == window).then(|| Reading::new(at, used_percent, resets_at)))
}

fn ask(now: i64, readings: &Readings, learned: &Learned, rules: &Rules) -> Pace {
    decide(seconds(now), readings, learned, rules)
}

fn of(pace: &Pace, window: Window) -> WindowPace {
    pace.windows.into_iter().find(|pace| pace.window == window).unwrap()
}

fn week(now: i64, used: f64, resets_at: i64, rules: &Rules) -> WindowPace {
    of(
        &ask(now, &reading(Window::SevenDay, now, used, resets_at), &Learned::default(), rules),
        Window::SevenDay,
    )
}

fn assert_close(number: f64, expected: f64, what: &str) {
    assert!((number - expected).abs() < 0.05, "{what}: {number}, not {expected}");
}

#[test]
fn week_goes_by_working_days_hours_and_holidays() {
    let day = |days: i64, hours: i64| MONDAY + days * DAY_SECS + hours * HOUR;
    for (what, rules, now, resets_at, expected) in [
        ("Monday noon", rules(), day(0, 12), day(7, 0), 10.0),
        ("Wednesday noon", rules(), day(2, 12), day(7, 0), 50.0),
        ("Saturday", rules(), day(5, 12), day(7, 0), 100.0),
        ("preload until Monday", rules(), day(0, 4), day(4, 16), 10.0),
        ("after the preload", rules(), day(0, 8), day(4, 16), 13.33),
        ("a Saturday's worker at noon", on([0, 0, 0, 0, 0, 1, 0]), day(-2, 12), day(4, 16), 50.0),
        ("ends in a weekend", rules(), day(4, 12), day(6, 12), 90.0),
        ("begins in a weekend", rules(), day(-1, 20), day(5, 10), 10.0),
        ("hours, noon of three", working(&[(9, 17)]), day(2, 13), day(7, 0), 50.0),
        ("hours, overlapping", working(&[(9, 12), (13, 18), (14, 16)]), day(2, 14), day(7, 0), 50.0),
        ("hours over midnight", working(&[(22, 6)]), day(5, 2), day(7, 0), 90.0),
        ("a holiday", off(0, 0), day(1, 12), day(7, 0), 12.5),
        ("holidays from to", off(0, 2), day(3, 12), day(7, 0), 25.0),
        ("a week off goes by the clock", off(-3, 8), day(2, 12), day(7, 0), 35.71),
        ("no working days at all", on([0; 7]), day(2, 12), day(7, 0), 35.71),
    ] {
        assert_close(week(now, 0.0, resets_at, &rules).line.allowance_percent, expected, what);
    }
}

#[test]
fn five_hours_go_by_the_clock() {
    for (secs_left, allowance) in [(5 * HOUR, 45.0), (3 * HOUR, 45.0), (9000, 50.0), (HOUR, 80.0)] {
        let readings = reading(Window::FiveHour, MONDAY, 0.0, MONDAY + secs_left);
        let pace = of(&ask(MONDAY, &readings, &Learned::default(), &rules()), Window::FiveHour);
        assert_close(pace.line.allowance_percent, allowance, "allowance");
        assert_close(pace.line.safe_percent, allowance * 0.95, "safe");
    }
}

/// Berlin: clocks are put forward on 29 March 2026 at 01:00 UTC, and back on 25 October at 01:00 UTC.
fn berlin() -> Zone {
    Zone(vec![(0, HOUR), (1_774_746_000, 2 * HOUR), (1_792_890_000, HOUR)])
}

#[test]
fn local_times_that_come_twice_or_never() {
    let zone = berlin();
    for (what, local, moment) in [
        ("winter", 1_774_742_400 + HOUR, 1_774_742_400),
        ("a time that is left out is the change itself", 1_774_746_000 + HOUR + 1800, 1_774_746_000),
        ("summer", 1_774_746_000 + 3 * HOUR, 1_774_746_000 + HOUR),
        ("a time that comes twice is the first", 1_792_890_000 + HOUR + 1800, 1_792_890_000 - 1800),
        ("after that", 1_792_890_000 + 2 * HOUR, 1_792_890_000 + HOUR),
    ] {
        assert_eq!(zone.moment(local), moment, "{what}");
    }
    let days = |now: i64| {
        (zone.moment((zone.day(now) + 1) * DAY_SECS) - zone.moment(zone.day(now) * DAY_SECS)) / HOUR
    };
    assert_eq!([days(1_774_746_000), days(1_792_890_000), days(MONDAY)], [23, 25, 24]);
}

#[test]
fn half_of_a_day_whose_clocks_change() {
    for (noon, reset, expected) in [
        (1_774_778_400, 1_775_080_800, 11.0 / 23.0 * 100.0),
        (1_792_926_000, 1_793_228_400, 13.0 / 25.0 * 100.0),
    ] {
        let mut rules = on([0, 0, 0, 0, 0, 0, 1]);
        rules.calendar.zone = berlin();
        assert_close(week(noon, 0.0, reset, &rules).line.elapsed_percent, expected, "noon");
    }
}

#[test]
fn quiet_hours_hold_minutes_also_after_midnight() {
    for (hours, minute, expected) in [
        ((540, 1020), 539, false),
        ((540, 1020), 540, true),
        ((540, 1020), 1020, false),
        ((1320, 360), 1439, true),
        ((1320, 360), 0, true),
        ((1320, 360), 360, false),
        ((1320, 0), 0, false),
        ((0, 1440), 1439, true),
    ] {
        let quiet_hours = vec![Hours { from: hours.0, to: hours.1 }];
        let calendar = Calendar { quiet_hours, ..Calendar::default() };
        assert_eq!(calendar.is_quiet(seconds(MONDAY + minute * 60)), expected, "{hours:?} {minute}");
    }
}

#[test]
fn numbers_for_people_are_short() {
    let calendar = Calendar { zone: berlin(), ..Calendar::default() };
    for (days, said) in [(4, "Fri 01:00"), (8, "Tue 1 Dec 01:00"), (-7, "Mon 16 Nov 01:00")] {
        assert_eq!(calendar.said(MONDAY + days * DAY_SECS, MONDAY), said);
    }
    for (secs, expected) in [
        (-1, "0 s"),
        (60, "1 min"),
        (185, "3 min 5 s"),
        (3659, "1 h"),
        (7800, "2 h 10 min"),
        (4 * DAY_SECS + 3 * HOUR + 59, "4 d 3 h"),
        (2 * DAY_SECS + 59, "2 d"),
    ] {
        assert_eq!(crate::duration(secs), expected);
    }
    for (number, expected) in [(0.0, "0 %"), (61.46, "61.5 %"), (99.97, "100 %")] {
        assert_eq!(crate::percent(number), expected);
    }
}

#[test]
fn readings_that_say_nothing_about_now() {
    let (now, end) = (MONDAY + 60 * HOUR, MONDAY + 7 * DAY_SECS);
    for (what, readings, status) in [
        ("fresh", reading(Window::SevenDay, now - 900, 99.0, end), Status::Over),
        ("old", reading(Window::SevenDay, now - 901, 99.0, end), Status::Stale),
        ("from a clock a little ahead", reading(Window::SevenDay, now + 90, 99.0, end), Status::Over),
        ("from a clock far ahead", reading(Window::SevenDay, now + 91, 99.0, end), Status::Stale),
        ("its window has ended", reading(Window::SevenDay, now - 60, 99.0, now), Status::Stale),
        ("none", reading(Window::FiveHour, now, 1.0, now + HOUR), Status::Unknown),
        (
            "a reset too far away begins a window now",
            reading(Window::SevenDay, now, 90.0, i64::MAX),
            Status::Over,
        ),
    ] {
        let pace = ask(now, &readings, &Learned::default(), &rules());
        assert_eq!(of(&pace, Window::SevenDay).status, status, "{what}");
        assert_eq!(pace.delay_secs > 0.0, status == Status::Over, "{what}: {pace:?}");
    }
    let mut rules = rules();
    rules.limits[1].is_enabled = false;
    let off = ask(now, &reading(Window::SevenDay, now, 99.0, end), &Learned::default(), &rules);
    assert_eq!((of(&off, Window::SevenDay).status, off.delay_secs.to_bits()), (Status::Off, 0));
}

/// Work from nine to five with a call each half minute on so many days before Monday the 23rd, and on that day until an hour.
fn worker(days: std::ops::Range<i64>, until_hour: i64, cost: f64) -> (Learned, Readings) {
    let (mut learned, mut used, mut last) = (Learned::default(), (0.0, 0), Readings::default());
    let shifts = days.map(|day| (day, 17)).chain([(0, until_hour)]);
    for (day, end) in shifts.filter(|(day, _)| (day + 700) % 7 < 5) {
        for second in (9 * HOUR..end * HOUR).step_by(30) {
            let at = MONDAY + day * DAY_SECS + second;
            if at >= used.1 {
                used = (0.0, at + 5 * HOUR);
            }
            used.0 += cost;
            last = reading(Window::FiveHour, at, used.0.round().min(100.0), used.1);
            learned.read(&last);
            learned.call(Call { at: seconds(at), session: 1, slept_secs: 0.0 });
        }
    }
    (learned, last)
}

#[test]
fn forecast_knows_when_the_day_ends() {
    // 70 % at three in the afternoon is over the line of an hour's window; a user who stops at five needs no delay.
    let delay = |days, cost| {
        let (learned, readings) = worker(days, 12, cost);
        assert_close(learned.gap_secs(), 30.0, "gap");
        ask(MONDAY + 12 * HOUR, &readings, &learned, &rules())
    };
    let known = delay(-14..0, 0.25);
    let fit = of(&known, Window::FiveHour).fit.unwrap();
    assert!((fit.expected - 240.0).abs() < 30.0, "until 14:00: {fit:?}");
    assert!((30.0..50.0).contains(&fit.fitting), "{fit:?}");
    assert!(known.delay_secs > 60.0, "{known:?}");
    assert_eq!(known.constrained_window, Some(Window::FiveHour));
    // The little that is expected fits.
    assert_eq!(delay(-14..0, 0.13).delay_secs.to_bits(), 0);
}

#[test]
fn forecast_that_looks_further_ahead_has_to_exceed_the_budget_by_more() {
    // In the first two rows three times as many calls are expected as fit.
    for (hour, cost, waits) in [(13, 0.19, true), (11, 0.274, false), (11, 0.32, true)] {
        let (learned, readings) = worker(-14..0, hour, cost);
        let pace = ask(MONDAY + hour * HOUR, &readings, &learned, &rules());
        assert_eq!(of(&pace, Window::FiveHour).status, Status::Over, "{hour} {cost}");
        assert_eq!(pace.delay_secs > 0.0, waits, "{hour} {cost}: {pace:?}");
    }
}

#[test]
fn window_over_its_line_says_what_comes_what_fits_and_why_nothing_waits() {
    let week = week(MONDAY, 50.0, MONDAY + 6 * DAY_SECS, &rules());
    let mut quiet = rules();
    quiet.calendar.quiet_hours = vec![Hours { from: 0, to: 60 }];
    for (expected, delay_secs, rules, why) in [
        (200.0, 9.0, &rules(), ""),
        (200.0, 0.0, &quiet, "; nothing waits in quiet_hours"),
        (200.0, 0.0, &rules(), "; a delay would be too short"),
        (140.0, 0.0, &rules(), "; calls wait once 150 are expected, because the forecast is uncertain"),
        (90.0, 0.0, &rules(), "; nothing waits"),
    ] {
        let fit = Some(Fit { expected, fitting: 100.0, waits_above: 150.0, ends_at: None });
        let place = WindowPace { delay_secs, fit, ..week }.place(seconds(MONDAY), rules);
        let known = "weekly limit: 50 % used, 9.5 % safe by now; about";
        assert_eq!(place, format!("{known} {expected} calls expected until the reset, 100 fit{why}"));
    }
}

#[test]
fn calls_of_the_current_window_decide_what_a_call_costs() {
    // Ten days of cheap calls, then a morning of calls that cost three times as much.
    let (mut learned, _) = worker(-14..-1, 17, 0.06);
    let mut last = Readings::default();
    for (step, second) in (9 * HOUR..12 * HOUR).step_by(30).enumerate() {
        let (at, used) = (MONDAY + second, f64::from(u16::try_from(step).unwrap()) * 0.18);
        last = reading(Window::FiveHour, at, used.round(), MONDAY + 14 * HOUR);
        learned.read(&last);
        learned.call(Call { at: seconds(at), session: 1, slept_secs: 0.0 });
    }
    let fit = of(&ask(MONDAY + 12 * HOUR, &last, &learned, &rules()), Window::FiveHour).fit.unwrap();
    assert!((180.0..240.0).contains(&fit.fitting), "35 points by 0.18: {fit:?}");
}

#[test]
fn delayed_calls_count_as_they_would_have_come() {
    let mut learned = Learned::default();
    for step in 0..100_i32 {
        // Every 20 seconds by nature, with a delay of 40 between.
        let at = seconds(MONDAY) + f64::from(step) * 60.0;
        learned.call(Call { at, session: 1, slept_secs: 40.0 });
    }
    assert_close(learned.gap_secs(), 20.0, "gap");
    assert!((learned.habit.calls() - 300.0).abs() < 8.0, "{}", learned.habit.calls());
}

#[test]
fn forgotten_terminal_changes_nothing() {
    let (learned, readings) = worker(-14..0, 12, 0.25);
    let mut with_another = learned.clone();
    with_another.call(Call { at: seconds(MONDAY + 12 * HOUR - 1800), session: 2, slept_secs: 0.0 });
    let now = MONDAY + 12 * HOUR;
    let [alone, beside] =
        [&learned, &with_another].map(|learned| ask(now, &readings, learned, &rules()).delay_secs);
    assert!((alone - beside).abs() / alone < 0.03, "{alone} {beside}");
}

#[test]
fn locked_out_time_is_unknown_and_two_accounts_do_not_mix() {
    let (mut learned, _) = worker(-14..0, 12, 0.22);
    let before = learned.habit.calls();
    let hour = |hour: i64| MONDAY + hour * HOUR;
    learned.read(&reading(Window::FiveHour, hour(12), 100.0, hour(14)));
    learned.call(Call { at: seconds(hour(15)), session: 1, slept_secs: 0.0 });
    assert_close(learned.habit.calls(), before + 1.0, "calls");
    let days = learned.habit.by_day(&rules().calendar, seconds(hour(16)));
    assert!(days[0].calls[13 * 4].is_nan() && days[0].calls[14 * 4 + 1] == 0.0);
    let cost = |learned: &Learned| learned.account().cost(Window::FiveHour, 0.2);
    let first = reading(Window::FiveHour, hour(15), 3.0, hour(19));
    learned.read(&first);
    let of_first = cost(&learned);
    learned.read(&reading(Window::FiveHour, hour(15) + 10, 70.0, hour(16)));
    assert_close(cost(&learned), 0.2, "another account's cost is not known");
    learned.read(&first);
    assert_close(cost(&learned), of_first, "the first account's is");
}

#[test]
fn week_brings_no_more_than_the_largest_of_the_three_before() {
    // A burst on two days of each week; as a mean over days, it would come on every day.
    let expected = |days: &[i64]| {
        let mut learned = Learned::default();
        for day in days {
            for second in (9 * HOUR..17 * HOUR).step_by(30) {
                let at = seconds(MONDAY + day * DAY_SECS + second);
                learned.call(Call { at, session: 1, slept_secs: 0.0 });
            }
        }
        let now = MONDAY + 20 * HOUR;
        let readings = reading(Window::SevenDay, now, 50.0, MONDAY + 7 * DAY_SECS);
        of(&ask(now, &readings, &learned, &rules()), Window::SevenDay).fit.unwrap().expected
    };
    assert_close(expected(&[-14, -13, -7, -6, 0]), 960.0, "half of a burst is left");
    assert_close(expected(&[-14, -13, -12, -7, -6, 0]), 2.0 * 960.0, "one week had three days");
}

fn any_readings() -> impl Strategy<Value = Readings> {
    let used = || prop_oneof![0.0..130.0, any::<f64>()];
    let resets = || prop_oneof![MONDAY - HOUR..MONDAY + 8 * DAY_SECS, any::<i64>()];
    let at = || prop_oneof![4 => MONDAY - 9000..MONDAY + 60, 1 => any::<i64>()];
    let reading =
        (at(), used(), resets()).prop_map(|(at, used, resets_at)| Reading::new(at, used, resets_at));
    let reading = proptest::option::weighted(0.9, reading);
    (reading.clone(), reading).prop_map(|(five_hour, seven_day)| [five_hour, seven_day])
}

fn any_call() -> impl Strategy<Value = Call> {
    let at = prop_oneof![4 => seconds(MONDAY - 9000)..seconds(MONDAY + 60), 1 => 0.0..1e10];
    (at, 0..4_u64, 0.0..350.0).prop_map(|(at, session, slept_secs)| Call { at, session, slept_secs })
}

fn learned_from(calls: &[Call], all: &[Readings]) -> Learned {
    let mut learned = Learned::default();
    for readings in all {
        learned.read(readings);
    }
    for call in calls {
        learned.call(*call);
    }
    learned
}

proptest! {
    #[test]
    fn numbers_are_finite_and_no_delay_is_too_long(
        now in prop_oneof![4 => seconds(MONDAY)..seconds(MONDAY + DAY_SECS), 1 => 0.0..1e10],
        all in proptest::collection::vec(any_readings(), 1..8),
        calls in proptest::collection::vec(any_call(), 0..30),
        is_berlin in any::<bool>(), hours in 0..3_u8,
    ) {
        let learned = learned_from(&calls, &all);
        let mut rules = working([[].as_slice(), &[(9, 17)], &[(22, 6), (5, 7)]][usize::from(hours)]);
        rules.calendar.zone = if is_berlin { berlin() } else { Zone::default() };
        let pace = decide(now, all.last().unwrap(), &learned, &rules);
        prop_assert!((0.0..=350.0).contains(&pace.delay_secs), "{}", pace.delay_secs);
        let is_over = pace.windows.iter().any(|window| window.status == Status::Over);
        prop_assert_eq!(super::is_over(now, all.last().unwrap(), &rules), is_over);
        prop_assert!(pace.delay_secs <= 0.0 || pace.delay_secs >= 5.0);
        for window in &pace.windows {
            let line = window.line;
            for number in [line.elapsed_percent, line.allowance_percent, line.safe_percent, window.delay_secs] {
                prop_assert!((0.0..=350.0).contains(&number), "{window:?}");
            }
            prop_assert!(window.over_percent.is_finite(), "{window:?}");
            prop_assert!(window.status == Status::Over || window.delay_secs <= 0.0, "{window:?}");
            if let Some(reading) = window.reading.filter(|_| window.delay_secs > 0.0) {
                prop_assert!(window.delay_secs <= seconds(reading.resets_at) - now, "{window:?}");
            }
            if let Some(fit) = window.fit {
                prop_assert!(fit.expected >= 0.0 && fit.fitting >= 0.0 && fit.expected.is_finite(), "{fit:?}");
            }
        }
    }

    #[test]
    fn safe_line_never_falls(
        window in proptest::sample::select(&Window::ALL[..]),
        resets_at in MONDAY..MONDAY + 90 * DAY_SECS,
        mut ago in proptest::collection::vec(1..7 * DAY_SECS, 2..20),
    ) {
        ago.sort_by(|one, other| other.cmp(one));
        let mut rules = working(&[(9, 17)]);
        rules.calendar.zone = berlin();
        let safe = |ago: &i64| rules.line(window, resets_at, seconds(resets_at - *ago)).safe_percent;
        let safe: Vec<f64> = ago.iter().filter(|ago| **ago <= window.length_secs()).map(safe).collect();
        prop_assert!(safe.is_sorted(), "{safe:?}");
        prop_assert!(safe.iter().all(|safe| (0.0..=95.0 + 1e-9).contains(safe)), "{safe:?}");
    }

    #[test]
    fn no_delay_under_the_safe_line(
        left in 1..7 * DAY_SECS, below in 0.0..100.0_f64, calls in proptest::collection::vec(any_call(), 0..30),
    ) {
        let resets_at = MONDAY + left;
        let used = (rules().line(Window::SevenDay, resets_at, seconds(MONDAY)).safe_percent - below).max(0.0);
        let readings = reading(Window::SevenDay, MONDAY, used, resets_at);
        let pace = ask(MONDAY, &readings, &learned_from(&calls, &[readings]), &rules());
        prop_assert_eq!(of(&pace, Window::SevenDay).status, Status::Ok);
        prop_assert_eq!(pace.delay_secs.to_bits(), 0);
    }
}
