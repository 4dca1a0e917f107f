//! What holds whatever is asked.

use proptest::prelude::*;

use super::{ask, of, rules};
use crate::pacing::{Call, Question, Reading, Snapshot, Status, Window, decide, seconds};

/// Within some weeks of 2026.
const EPOCH: i64 = 1_790_000_000;

fn any_reading() -> impl Strategy<Value = Option<Reading>> {
    let used = prop_oneof![0.0..130.0, any::<f64>()];
    let resets = prop_oneof![EPOCH - 3600..EPOCH + 8 * 86_400, any::<i64>()];
    proptest::option::weighted(0.9, (used, resets))
        .prop_map(|reading| reading.map(|(used_percent, resets_at)| Reading { used_percent, resets_at }))
}

fn any_snapshot() -> impl Strategy<Value = Snapshot> {
    let at = prop_oneof![4 => EPOCH - 9000..EPOCH + 60, 1 => any::<i64>()];
    (at, any_reading(), any_reading()).prop_map(|(at, five_hour, seven_day)| Snapshot {
        at,
        five_hour,
        seven_day,
    })
}

fn any_call() -> impl Strategy<Value = Call> {
    let at = prop_oneof![4 => seconds(EPOCH - 9000)..seconds(EPOCH + 60), 1 => any::<f64>()];
    let slept = prop_oneof![0.0..350.0, any::<f64>()];
    (at, 0..4_u64, slept).prop_map(|(at, session, slept_secs)| Call { at, session, slept_secs })
}

fn any_settings() -> impl Strategy<Value = String> {
    let zones =
        ["UTC", "Europe/Berlin", "Etc/GMT+12", "Pacific/Kiritimati", "America/St_Johns", "Africa/Cairo"];
    let days = ["[]", "[sat]", "[mon, tue, wed, thu, fri]", "[mon, tue, wed, thu, fri, sat, sun]"];
    let hours = ["[]", "'09:00-17:00'", "['22:00-06:00', '05:00-07:00']", "'00:00-24:00'"];
    let choice = |words: &'static [&'static str]| proptest::sample::select(words);
    (choice(zones.to_vec().leak()), choice(days.to_vec().leak()), choice(hours.to_vec().leak()), 1..=100_u32, 0..=20_u32)
        .prop_map(|(zone, days, hours, safety, threshold)| {
            format!("{{timezone: {zone}, workdays: {days}, work_hours: {hours}, safety_buffer_pct: {safety}, threshold_pct: {threshold}}}")
        })
}

/// How much of the longest delay a whole percent more may take off: what it tells of the cost counts in place of the average.
const BY_ONE_MORE: f64 = 0.5;

/// A shorter delay is none, so that much may be missing besides.
const SHORTEST: f64 = 5.0;

/// One session's calls over some hours, and what was used between readings of both windows, in whole percents. The last
/// reading is past the line.
#[derive(Debug, Clone)]
struct Past {
    calls: Vec<Call>,
    snapshots: Vec<Snapshot>,
}

fn any_past() -> impl Strategy<Value = Past> {
    let steps = proptest::collection::vec((60..2000_i64, 0..40_u8, 0..4_u8), 1..6);
    (10.0..120.0_f64, 600..9000_i64, steps, 3600..4 * 86_400_i64).prop_map(|(gap, since, steps, left)| {
        let calls =
            std::iter::successors(Some(seconds(since)), |ago| Some(ago - gap)).take_while(|ago| *ago > 30.0);
        let calls = calls.map(|ago| Call { at: seconds(EPOCH) - ago, session: 1, slept_secs: 0.0 }).collect();
        let reading = |used_percent, resets_at| Some(Reading { used_percent, resets_at });
        let (mut at, mut five, mut seven) = (EPOCH - 20, 85.0, 80.0);
        let mut snapshots = Vec::new();
        let snapshot = |at, five, seven| Snapshot {
            at,
            five_hour: reading(five, EPOCH + 5000),
            seven_day: reading(seven, EPOCH + left),
        };
        snapshots.push(snapshot(at, five, seven));
        for (secs, of_hours, of_week) in steps {
            (at, five, seven) =
                (at - secs, (five - f64::from(of_hours)).max(0.0), seven - f64::from(of_week));
            snapshots.push(snapshot(at, five, seven));
        }
        snapshots.reverse();
        Past { calls, snapshots }
    })
}

proptest! {
    #[test]
    fn a_percent_more_takes_little_off_a_delay(past in any_past(), more in 1..6_u8, is_of_week in any::<bool>()) {
        let window = if is_of_week { Window::SevenDay } else { Window::FiveHour };
        let rules = rules("{}");
        let delay = |more: u8| {
            let mut snapshots = past.snapshots.clone();
            let last = snapshots.last_mut().unwrap();
            let read = if is_of_week { &mut last.seven_day } else { &mut last.five_hour };
            read.as_mut().unwrap().used_percent += f64::from(more);
            of(&ask(EPOCH, &snapshots, &past.calls, &rules), window).delay_secs
        };
        let (before, after) = (delay(more - 1), delay(more));
        prop_assert!(after >= before - BY_ONE_MORE * 350.0 - SHORTEST, "{before} -> {after}");
        prop_assert!(before < 350.0 || after >= 175.0, "{before} -> {after}");
        // Of the five hours a point is a fifth of what is enough, so it takes a fifth.
        prop_assert!(is_of_week || after >= before - 70.0 - SHORTEST, "{before} -> {after}");
    }

    #[test]
    fn readings_of_the_five_hours_take_at_most_half_off_a_weeks_delay(past in any_past()) {
        let rules = rules("{}");
        let delay = |snapshots: &[Snapshot]| of(&ask(EPOCH, snapshots, &past.calls, &rules), Window::SevenDay).delay_secs;
        let weekly = past.snapshots.iter().map(|snapshot| Snapshot { five_hour: None, ..*snapshot });
        let (alone, both) = (delay(&weekly.collect::<Vec<_>>()), delay(&past.snapshots));
        prop_assert!(both >= alone / 2.0 - SHORTEST, "{alone} -> {both}");
    }
}

proptest! {
    #[test]
    fn every_number_is_finite_and_no_delay_is_too_long(
        now in prop_oneof![4 => seconds(EPOCH)..seconds(EPOCH + 86_400), 1 => any::<f64>()],
        snapshots in proptest::collection::vec(any_snapshot(), 0..8),
        calls in proptest::collection::vec(any_call(), 0..30),
        busy_slots in proptest::collection::vec(any::<i64>(), 0..4),
        settings in any_settings(),
    ) {
        let rules = rules(&settings);
        let pace = decide(&Question { now, session: 1, snapshots: &snapshots, calls: &calls, busy_slots: &busy_slots }, &rules);
        prop_assert!((0.0..=350.0).contains(&pace.delay_secs), "{}", pace.delay_secs);
        prop_assert!(pace.delay_secs <= 0.0 || pace.delay_secs >= 5.0);
        for window in &pace.windows {
            for number in [window.elapsed_percent, window.allowance_percent, window.safe_percent, window.delay_secs] {
                prop_assert!((0.0..=350.0).contains(&number), "{window:?}");
            }
            prop_assert!(window.over_percent.is_finite(), "{window:?}");
            prop_assert!(window.status == Status::Over || window.delay_secs <= 0.0, "{window:?}");
            prop_assert!(window.delay_secs <= pace.delay_secs, "{window:?}");
            if let Some((_, reading)) = window.reading.filter(|_| window.delay_secs > 0.0) {
                prop_assert!(window.delay_secs <= seconds(reading.resets_at) - now, "{window:?}");
            }
        }
    }

    #[test]
    fn what_may_be_used_never_becomes_less(
        window in proptest::sample::select(&Window::ALL[..]),
        resets_at in EPOCH..EPOCH + 90 * 86_400,
        mut ago in proptest::collection::vec(1..7 * 86_400_i64, 2..20),
        settings in any_settings(),
    ) {
        let rules = rules(&settings);
        ago.sort_by(|one, other| other.cmp(one));
        let safe = |ago: &i64| rules.safe_at(window, resets_at, seconds(resets_at - *ago));
        let safe: Vec<f64> = ago.iter().filter(|ago| **ago <= window.length_secs()).map(safe).collect();
        prop_assert!(safe.is_sorted(), "{safe:?}");
        prop_assert!(safe.iter().all(|safe| (0.0..=rules.target() + 1e-9).contains(safe)), "{safe:?}");
    }

    #[test]
    fn what_is_within_the_line_is_not_delayed(
        left in 1..7 * 86_400_i64, below in 0.0..100.0_f64, settings in any_settings(),
        calls in proptest::collection::vec(any_call(), 0..30),
    ) {
        let rules = rules(&settings);
        let resets_at = EPOCH + left;
        let used_percent = (rules.safe_at(Window::SevenDay, resets_at, seconds(EPOCH)) - below).max(0.0);
        let snapshot = Snapshot { at: EPOCH, five_hour: None, seven_day: Some(Reading { used_percent, resets_at }) };
        let pace = ask(EPOCH, &[snapshot], &calls, &rules);
        prop_assert_eq!(of(&pace, Window::SevenDay).status, Status::Ok);
        prop_assert_eq!(pace.delay_secs.to_bits(), 0);
    }

    #[test]
    fn a_second_window_never_makes_a_delay_shorter(
        snapshots in proptest::collection::vec(any_snapshot(), 0..8),
        calls in proptest::collection::vec(any_call(), 0..30),
    ) {
        let delay = |settings| ask(EPOCH, &snapshots, &calls, &rules(settings)).delay_secs;
        let both = delay("{}");
        prop_assert!(both >= delay("five_hour_limit_enabled: false"));
        prop_assert!(both >= delay("weekly_limit_enabled: false"));
    }
}
