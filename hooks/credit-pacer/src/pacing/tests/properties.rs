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
