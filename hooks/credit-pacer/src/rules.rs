//! The settings as the controller takes them, and the time zone.

use chrono::{DateTime, Local, Offset, TimeZone, Utc};
use pacing::{Calendar, DAY_SECS, Limit, Rules, Window, Zone};

use crate::settings::{HoursOfDay, Settings};

/// The rules without a time zone: enough to see that nothing is over its line. A zone costs files.
pub(crate) fn without_zone(settings: &Settings) -> Rules {
    let limit = |window| {
        let window = settings.window(window);
        Limit { is_enabled: window.enabled, preload: window.preload_pct.get() }
    };
    let hours = |hours: &[HoursOfDay]| hours.iter().map(|hours| hours.0).collect();
    let workdays = settings.workdays.as_slice();
    Rules {
        safety: settings.safety_buffer_pct.get() / 100.0,
        threshold: settings.threshold_pct.get(),
        shortest_delay: settings.base_delay_secs.get().min(settings.max_delay_secs.get()),
        longest_delay: settings.max_delay_secs.get(),
        stale_after: settings.stale_after_secs.get().into(),
        limits: Window::ALL.map(limit),
        calendar: Calendar {
            zone: Zone::default(),
            workdays: std::array::from_fn(|day| workdays.iter().any(|one| *one as usize == day)),
            work_hours: hours(settings.work_hours.as_slice()),
            days_off: settings.holidays.as_slice().iter().map(|days| days.0).collect(),
            quiet_hours: hours(settings.quiet_hours.as_slice()),
        },
    }
}

/// The rules in the user's time zone, around this moment: four weeks of habits and a week back, the longest window ahead.
pub(crate) fn around(settings: &Settings, now: i64) -> Rules {
    between(settings, now.saturating_sub(36 * DAY_SECS), now.saturating_add(9 * DAY_SECS))
}

/// The rules in the user's time zone, between two moments.
pub(crate) fn between(settings: &Settings, from: i64, to: i64) -> Rules {
    let mut rules = without_zone(settings);
    rules.calendar.zone = match settings.timezone.0 {
        Some(zone) => offsets(&zone, from, to),
        None => offsets(&Local, from, to),
    };
    rules
}

/// The offsets between two moments. Each day is looked up, and where its ends differ, each quarter of an hour, at which all changes come.
fn offsets(zone: &impl TimeZone, from: i64, to: i64) -> Zone {
    let from = from - from.rem_euclid(DAY_SECS);
    let mut changes = vec![(i64::MIN, offset(zone, from))];
    for day in (from..to).step_by(86_400) {
        let old = offset(zone, day);
        if offset(zone, day + DAY_SECS) != old {
            let mut quarters = (day..=day + DAY_SECS).step_by(900).map(|at| (at, offset(zone, at)));
            changes.extend(quarters.find(|(_, new)| *new != old));
        }
    }
    Zone(changes)
}

fn offset(zone: &impl TimeZone, at: i64) -> i64 {
    let at = DateTime::<Utc>::from_timestamp(at, 0).map(|at| at.naive_utc());
    at.map_or(0, |at| zone.offset_from_utc_datetime(&at).fix().local_minus_utc().into())
}
