//! Rows and spans for tests. Times are typed as in `2026-11-20 14:03`, in the zone of the test.

use chrono::NaiveDateTime;
use pacing::Window;
use serde_json::{Map, Value};

use crate::database::{DelayRow, SnapshotRow};
use crate::history::past::Past;
use crate::rules;
use crate::settings::Settings;

/// A zone, and what is kept.
pub(crate) struct Sample {
    settings: Settings,
    pub(crate) snapshots: Vec<SnapshotRow>,
    pub(crate) delays: Vec<DelayRow>,
}

impl Sample {
    pub(crate) fn of(zone: &str) -> Self {
        let entries = Map::from_iter([("timezone".to_owned(), Value::from(zone))]);
        Self {
            settings: Settings::over_defaults(&entries).unwrap(),
            snapshots: Vec::new(),
            delays: Vec::new(),
        }
    }

    /// In seconds since the epoch.
    pub(crate) fn at(&self, time: &str) -> i64 {
        let seconds = if time.len() > 16 { "" } else { ":00" };
        let time: NaiveDateTime = format!("{}{seconds}", time.replace(' ', "T")).parse().unwrap();
        let local = time.and_utc().timestamp();
        rules::between(&self.settings, local - 86_400 * 40, local + 86_400 * 40).calendar.zone.moment(local)
    }

    /// With readings of a window that resets then.
    pub(crate) fn read(mut self, window: Window, resets_at: &str, readings: &[(&str, f64)]) -> Self {
        let resets_at = self.at(resets_at);
        for (time, used) in readings {
            let row = reading(window, self.at(time), *used, resets_at);
            self.snapshots.push(row);
        }
        self
    }

    /// With a delay that the week asked for.
    pub(crate) fn delay(mut self, session: &str, time: &str, secs: i64) -> Self {
        let row = delay(session, self.at(time), secs);
        self.delays.push(row);
        self
    }

    /// The past as it is looked back on at this time.
    pub(crate) fn past(&self, days: u32, now: &str) -> Past {
        let now = self.at(now);
        let rules = rules::between(&self.settings, now - 86_400 * 100, now + 86_400 * 20);
        let zone = self.settings.timezone.name().to_owned();
        Past::of(days, now, rules, zone, &self.snapshots, &self.delays)
    }
}

pub(crate) fn reading(window: Window, at: i64, used: f64, resets_at: i64) -> SnapshotRow {
    let of = |wanted: Window| (wanted == window).then_some((used, resets_at)).unzip();
    let (five_hour, seven_day) = (of(Window::FiveHour), of(Window::SevenDay));
    SnapshotRow {
        timestamp: at,
        observed_at: at,
        five_hour_util: five_hour.0,
        five_hour_resets_at: five_hour.1,
        seven_day_util: seven_day.0,
        seven_day_resets_at: seven_day.1,
    }
}

pub(crate) fn delay(session: &str, at: i64, secs: i64) -> DelayRow {
    DelayRow { timestamp: at, secs, session_id: session.to_owned(), window: Some(Window::SevenDay) }
}

/// Two weeks of a worker: two windows a day, the week used up on Thursday, and delays.
pub(crate) fn two_weeks() -> Sample {
    let mut sample = Sample::of("Europe/Berlin");
    for (week, share) in [("2026-11-13 16:00", 0.5), ("2026-11-20 16:00", 1.0)] {
        let end = sample.at(week);
        let start = end - Window::SevenDay.length_secs();
        for day in 3..7_i32 {
            let morning = start + i64::from(day) * 86_400 - 7 * 3600;
            for hour in 0..8_i32 {
                let at = morning + i64::from(hour) * 3600;
                let five_hour_end = morning + if hour < 5 { 5 } else { 10 } * 3600;
                let used = f64::from(hour % 5 + 1) * 18.0 * share;
                sample.snapshots.push(reading(Window::FiveHour, at, used, five_hour_end));
                let used = (f64::from((day - 3) * 8 + hour) * 4.0 * share).min(100.0);
                sample.snapshots.push(reading(Window::SevenDay, at, used, end));
            }
            sample.delays.push(delay("one", morning + 1000, 42));
        }
    }
    sample
}
