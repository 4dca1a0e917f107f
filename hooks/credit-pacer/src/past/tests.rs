//! Recorded rows by window and day. Times are typed as in `2026-11-20 14:03`, in the zone of the test.

use chrono::NaiveDateTime;
use pacing::{Reading, Window};
use serde_json::{Map, Value};

use super::{Past, days_of};
use crate::database::{DelayRow, Rows};
use crate::rules;
use crate::settings::Settings;

const NOW: &str = "2026-11-22 12:00";

/// A zone, and what is recorded.
pub(crate) struct Sample {
    settings: Settings,
    rows: Rows,
}

impl Sample {
    pub(crate) fn of(zone: &str) -> Self {
        let entries = Map::from_iter([("timezone".to_owned(), Value::from(zone))]);
        let settings = Settings::over_defaults(&entries).unwrap();
        Self { settings, rows: Rows::default() }
    }

    /// In seconds since the epoch.
    fn at(&self, time: &str) -> i64 {
        let seconds = if time.len() > 16 { "" } else { ":00" };
        let time: NaiveDateTime = format!("{}{seconds}", time.replace(' ', "T")).parse().unwrap();
        let local = time.and_utc().timestamp();
        rules::around(&self.settings, local).calendar.zone.moment(local)
    }

    fn add(&mut self, window: Window, at: i64, used_percent: f64, resets_at: i64) {
        self.rows.0[window as usize].push(Reading { at, used_percent, resets_at });
    }

    /// With readings of a window that resets then.
    pub(crate) fn read(mut self, window: Window, resets_at: &str, readings: &[(&str, f64)]) -> Self {
        let resets_at = self.at(resets_at);
        for (time, used_percent) in readings {
            self.add(window, self.at(time), *used_percent, resets_at);
        }
        self
    }

    /// With a delay that the week asked for.
    fn delay(mut self, time: &str, secs: i64) -> Self {
        let at = self.at(time);
        self.rows.1.push(DelayRow { at, secs, window: Some("seven_day".to_owned()) });
        self
    }

    /// The past as it is looked back on at this time.
    pub(crate) fn past(&self, days: i64, now: &str) -> Past {
        let now = self.at(now);
        let rules = rules::between(&self.settings, now - 86_400 * 100, now + 86_400 * 20);
        Past::of(days, now, rules, self.rows.clone())
    }
}

/// Four days of a worker: two windows a day, the week used up on Thursday, and delays.
pub(crate) fn week() -> Sample {
    let mut sample = Sample::of("Europe/Berlin");
    let end = sample.at("2026-11-20 16:00");
    for day in 3..7_i32 {
        let morning = end - Window::SevenDay.length_secs() + i64::from(day) * 86_400 - 7 * 3600;
        for hour in 0..8_i32 {
            let at = morning + i64::from(hour) * 3600;
            let resets_at = morning + if hour < 5 { 5 } else { 10 } * 3600;
            let used_percent = f64::from(hour % 5 + 1) * 18.0;
            sample.add(Window::FiveHour, at, used_percent, resets_at);
            let used_percent = (f64::from((day - 3) * 8 + hour) * 4.0).min(100.0);
            sample.add(Window::SevenDay, at, used_percent, end);
        }
        sample.rows.1.push(DelayRow { at: morning + 1000, secs: 42, window: Some("seven_day".to_owned()) });
    }
    sample
}

#[test]
fn reads_days() {
    for (words, expected) in [
        (&[][..], Some(7)),
        (&["--days", "3"], Some(3)),
        (&["--days", "many"], None),
        (&["--days"], None),
        (&["3"], None),
    ] {
        assert_eq!(days_of(words, 7), expected, "{words:?}");
    }
}

#[test]
fn reading_holds_until_the_reset_the_next_account_or_now() {
    let sample = Sample::of("UTC")
        .read(Window::FiveHour, "2026-11-20 14:00", &[("2026-11-20 10:00", 30.0), ("2026-11-20 10:20", 20.0)])
        .read(Window::FiveHour, "2026-11-22 13:00", &[("2026-11-22 09:00", 50.0)])
        .read(Window::FiveHour, "2026-11-22 14:00", &[("2026-11-22 10:00", 10.0)]);
    let past = sample.past(7, NOW);
    for (from, to, expected) in [
        ("2026-11-20 09:00", "2026-11-20 10:00", None),
        ("2026-11-20 10:30", "2026-11-20 13:00", Some(30.0)),
        ("2026-11-20 13:59", "2026-11-20 18:00", Some(30.0)),
        ("2026-11-20 14:00", "2026-11-20 18:00", None),
        ("2026-11-22 09:30", "2026-11-22 11:00", Some(50.0)),
        ("2026-11-22 10:30", "2026-11-22 11:00", Some(10.0)),
        ("2026-11-22 12:01", "2026-11-22 13:00", None),
    ] {
        let highest = past.highest(Window::FiveHour, &(sample.at(from)..sample.at(to)));
        assert_eq!(highest.map(|reading| reading.used_percent), expected, "{from}");
    }
}

#[test]
fn leaves_out_readings_after_the_reset_from_the_future_and_before_the_days() {
    for (time, reset) in [
        ("2026-11-20 15:00", "2026-11-20 14:00"),
        ("2026-11-23 10:00", "2026-11-23 14:00"),
        ("2026-11-13 10:00", "2026-11-16 00:00"),
    ] {
        let sample = Sample::of("UTC").read(Window::SevenDay, reset, &[(time, 10.0)]);
        assert!(sample.past(7, NOW).is_empty(), "{time} {reset}");
    }
}

#[test]
fn day_of_the_clocks_change_has_its_25_hours() {
    let readings = [("2026-10-25 23:59:59", 50.0), ("2026-10-26 00:00", 60.0)];
    let past = Sample::of("Europe/Berlin")
        .read(Window::FiveHour, "2026-10-26 04:30", &readings)
        .delay("2026-10-25 00:00", 10)
        .delay("2026-10-25 23:59:59", 20)
        .delay("2026-10-26 00:00:30", 30)
        .past(2, "2026-10-26 12:00");
    let days: Vec<_> = past.days.iter().map(|day| past.row(day)).collect();
    let expected = [["Sun 25 Oct", "50 %", "–", "2, 30 s"], ["Mon 26 Oct", "60 %", "–", "1, 30 s"]]
        .map(|row| row.map(str::to_owned));
    assert_eq!(days, expected);
}
