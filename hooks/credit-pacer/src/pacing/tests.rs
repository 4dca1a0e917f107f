//! The arithmetic as tables and properties: the line (`lines`), the delay (`delays`), and what holds for any input.

mod delays;
mod lines;
mod properties;

use serde_json::{Map, Value};
use shared::config::read_typed;

use super::{Call, Pace, Question, Reading, Rules, Snapshot, Window, WindowPace, decide};
use crate::settings::Settings;

/// The built-in defaults in UTC, with lines over them.
pub(super) fn rules(lines: &str) -> Rules {
    let mut entries = Map::from_iter([("timezone".to_owned(), "UTC".into())]);
    entries.extend(read_typed::<Map<String, Value>>(lines).unwrap());
    Rules::of(&Settings::over_defaults(&entries).unwrap())
}

/// A local time, as in `2026-11-23 12:00 Europe/Berlin`; without a zone in UTC.
pub(super) fn at(text: &str) -> i64 {
    let (day, rest) = text.split_once(' ').unwrap();
    let (time, zone) = rest.split_once(' ').unwrap_or((rest, "UTC"));
    format!("{day}T{time}[{zone}]").parse::<jiff::Zoned>().unwrap().timestamp().as_second()
}

pub(super) fn week(at: i64, used_percent: f64, resets_at: i64) -> Snapshot {
    Snapshot { at, five_hour: None, seven_day: Some(Reading { used_percent, resets_at }) }
}

pub(super) fn hours(at: i64, used_percent: f64, resets_at: i64) -> Snapshot {
    Snapshot { at, five_hour: Some(Reading { used_percent, resets_at }), seven_day: None }
}

pub(super) fn ask(now: i64, snapshots: &[Snapshot], calls: &[Call], rules: &Rules) -> Pace {
    let question = Question { now: super::seconds(now), session: 1, snapshots, calls, busy_slots: &[] };
    decide(&question, rules)
}

pub(super) fn of(pace: &Pace, window: Window) -> WindowPace {
    *pace.windows.iter().find(|pace| pace.window == window).unwrap()
}

pub(super) fn assert_close(number: f64, expected: f64, what: &str) {
    assert!((number - expected).abs() < 0.05, "{what}: {number}, not {expected}");
}
