//! Rows and spans for tests. Times are typed as in `2026-11-20 14:03`, in the zone of the test.

use chrono::NaiveDateTime;
use pacing::{Strategy, Window};
use serde_json::{Map, Value};
use shared::usage::Source;

use crate::database::{DecisionRow, SnapshotRow};
use crate::history::past::Past;
use crate::history::span::Span;
use crate::rules;
use crate::settings::Settings;

/// A zone, and what is kept.
pub(crate) struct Sample {
    settings: Settings,
    pub(crate) snapshots: Vec<SnapshotRow>,
    pub(crate) decisions: Vec<DecisionRow>,
}

impl Sample {
    pub(crate) fn of(zone: &str) -> Self {
        let entries = Map::from_iter([("timezone".to_owned(), Value::from(zone))]);
        Self {
            settings: Settings::over_defaults(&entries).unwrap(),
            snapshots: Vec::new(),
            decisions: Vec::new(),
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
        let row = decision(session, self.at(time), secs);
        self.decisions.push(row);
        self
    }

    /// What it looks like later, with alerts at 80 and 95 %.
    pub(crate) fn past(&self, days: u32, now: &str) -> Past {
        let now = self.at(now);
        let rules = rules::between(&self.settings, now - 86_400 * 100, now + 86_400 * 20);
        let span = Span::last_days(days, now, &rules, self.settings.timezone.name());
        Past::of(span, &self.snapshots, &self.decisions, &[80, 95])
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
        session_id: "<script>alert(1)</script>".to_owned(),
        source: Source::StatusLine,
    }
}

pub(crate) fn decision(session: &str, at: i64, secs: i64) -> DecisionRow {
    DecisionRow {
        timestamp: at,
        should_throttle: secs > 0,
        delay_seconds: secs,
        session_id: session.to_owned(),
        window: Some(Window::SevenDay),
        used: Some(61.0),
        safe: Some(52.25),
        strategy: Strategy::Gradual,
    }
}

/// A safe line that rises from nothing to 95 % at the reset.
pub(crate) fn even(window: Window, resets_at: i64, at: i64) -> f64 {
    let left = pacing::seconds(resets_at.saturating_sub(at));
    (95.0 * (1.0 - left / pacing::seconds(window.length_secs()))).clamp(0.0, 95.0)
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
            sample.decisions.push(decision("one", morning + 1000, 42));
        }
    }
    sample
}
