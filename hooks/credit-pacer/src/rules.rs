//! The settings as the controller takes them, and the time zone.

use chrono::{DateTime, Local, Offset, TimeZone, Utc};
use chrono_tz::Tz;
use pacing::{Calendar, DAY_SECS, Hours, Limit, Rules, Window, Zone};

use crate::settings::{Day, HoursOfDay, Settings};

/// Offsets are known this far back, in days: the memory of habits, and a week.
const DAYS_BACK: i64 = 36;

/// And this far ahead: the longest window, and a day.
const DAYS_AHEAD: i64 = 9;

/// The rules without a time zone: enough to see that nothing is over its line. Finding a zone costs files.
pub(crate) fn without_zone(settings: &Settings) -> Rules {
    let limit = |window| Limit {
        is_enabled: settings.is_paced_by(window),
        preload: settings.preload_percent(window).clamp(0.0, 100.0),
    };
    let hours =
        |hours: &[HoursOfDay]| hours.iter().map(|hours| Hours { from: hours.from, to: hours.to }).collect();
    let workdays = settings.workdays.as_slice();
    Rules {
        safety: settings.safety_buffer_pct.get() / 100.0,
        threshold: settings.threshold_points(),
        shortest_delay: settings.shortest_delay(),
        longest_delay: settings.longest_delay(),
        stale_after: settings.stale_after_secs.get().into(),
        five_hour: limit(Window::FiveHour),
        seven_day: limit(Window::SevenDay),
        calendar: Calendar {
            zone: Zone::default(),
            workdays: Day::WEEK.map(|(day, _)| workdays.contains(&day)),
            work_hours: hours(settings.work_hours.as_slice()),
            days_off: settings.holidays.as_slice().iter().map(|days| (days.first, days.last)).collect(),
            quiet_hours: hours(settings.quiet_hours.as_slice()),
        },
    }
}

/// The rules in the user's time zone, around this moment.
pub(crate) fn around(settings: &Settings, now: i64) -> Rules {
    between(settings, now.saturating_sub(DAYS_BACK * DAY_SECS), now.saturating_add(DAYS_AHEAD * DAY_SECS))
}

/// The rules in the user's time zone, between two moments.
pub(crate) fn between(settings: &Settings, from: i64, to: i64) -> Rules {
    let mut rules = without_zone(settings);
    rules.calendar.zone = Found::of(settings).offsets(from, to);
    rules
}

/// A time zone for people: its name, or nothing where the system does not tell one.
pub(crate) fn zone_name(settings: &Settings) -> Option<String> {
    match Found::of(settings) {
        Found::Named(zone) => Some(zone.name().to_owned()),
        Found::Local => iana_time_zone::get_timezone().ok(),
    }
}

enum Found {
    Named(Tz),
    /// The system's.
    Local,
}

impl Found {
    fn of(settings: &Settings) -> Self {
        if settings.timezone.is_system() {
            return Self::Local;
        }
        Self::Named(settings.timezone.name().parse().unwrap_or(Tz::UTC))
    }

    fn offset(&self, at: i64) -> i64 {
        let Some(at) = DateTime::<Utc>::from_timestamp(at, 0).map(|at| at.naive_utc()) else { return 0 };
        i64::from(match self {
            Self::Named(zone) => zone.offset_from_utc_datetime(&at).fix().local_minus_utc(),
            Self::Local => Local.offset_from_utc_datetime(&at).fix().local_minus_utc(),
        })
    }

    /// The offsets between two moments: looked at day by day, and closer where two days differ.
    fn offsets(&self, from: i64, to: i64) -> Zone {
        let mut changes = vec![(from, self.offset(from))];
        let mut before = from;
        while before < to {
            let after = before.saturating_add(DAY_SECS);
            if self.offset(after) != self.offset(before) {
                let change = self.change(before, after);
                changes.push((change, self.offset(change)));
            }
            before = after;
        }
        Zone::new(changes)
    }

    /// The second in which the offset changes.
    fn change(&self, mut before: i64, mut after: i64) -> i64 {
        let offset = self.offset(before);
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            if self.offset(middle) == offset { before = middle } else { after = middle }
        }
        after
    }
}
