//! `credit-pacer decide`: the controller as a filter, one JSON object per line in and out. A bad line is answered by an error,
//! and the filter goes on.
//!
//! A line `{"learn": ...}` teaches the past, and lines after it go on from there. So does a line whose `calls` name the call
//! that the line before asked about. Any other line stands alone.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use pacing::json::{or_default, session};
use pacing::{CLOCK_PLAY_SECS, Call, Learned, Pace, Question, Snapshot, WindowPace, seconds, whole_seconds};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::rules;
use crate::settings::Settings;

/// The form of a line.
const SHAPE: &str = r#"{"now": SECONDS, "session": "NAME", "snapshots": [{"at": SECONDS, "five_hour": {"used_percent": NUMBER, "resets_at": SECONDS}, "seven_day": {...}}], "calls": [{"at": SECONDS, "session": "NAME", "slept_secs": NUMBER}], "settings": {...}}, or {"learn": {"calls": [...], "snapshots": [...]}, "settings": {...}}"#;

/// A line. `null` counts as left out; unknown keys are ignored.
#[derive(Deserialize)]
struct Line {
    now: Option<f64>,
    #[serde(default, deserialize_with = "or_default")]
    session: String,
    learn: Option<History>,
    #[serde(default, deserialize_with = "or_default")]
    settings: Map<String, Value>,
    #[serde(flatten)]
    history: History,
}

#[derive(Deserialize)]
struct History {
    #[serde(default, deserialize_with = "or_default")]
    calls: Vec<Call>,
    #[serde(default, deserialize_with = "or_default")]
    snapshots: Vec<Snapshot>,
}

/// The memory from line to line.
#[derive(Default)]
struct Memory {
    learned: Learned,
    is_taught: bool,
    /// All known calls and readings, by time.
    calls: Vec<Call>,
    snapshots: Vec<Snapshot>,
    /// The call that the last line asked about.
    asked: Option<(f64, u64)>,
    /// The settings of the last line, as they were written and as they count.
    settings: Option<(Map<String, Value>, Settings)>,
}

/// Answers every line until there are no more. The reader of the answers may leave before the end.
pub(crate) fn run(input: impl BufRead, mut output: impl Write) -> ExitCode {
    let mut memory = Memory::default();
    for line in input.split(b'\n') {
        let Ok(line) = line else { return ExitCode::FAILURE };
        let answer = memory.answer(&line).unwrap_or_else(|error| json!({ "error": error }));
        match writeln!(output, "{answer}").and_then(|()| output.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            Err(_) => return ExitCode::FAILURE,
        }
    }
    ExitCode::SUCCESS
}

impl Memory {
    fn answer(&mut self, line: &[u8]) -> Result<Value, String> {
        let line: Line =
            serde_json::from_slice(line).map_err(|error| format!("{error}; a line is {SHAPE}"))?;
        let settings = self.settings(line.settings)?;
        if let Some(history) = line.learn {
            self.is_taught = true;
            self.learn(history.calls, history.snapshots);
            let (days, calls) = (self.learned.habit.days(), self.learned.habit.calls().round());
            return Ok(json!({ "learned": { "days": days, "calls": whole_seconds(calls) } }));
        }
        let now = line.now.ok_or_else(|| format!("now is missing; a line is {SHAPE}"))?;
        let History { calls, mut snapshots } = line.history;
        snapshots.sort_by_key(|snapshot| snapshot.at);
        let rules = rules::around(&settings, whole_seconds(now));
        let is_asked = |(at, session): (f64, u64)| {
            calls.iter().any(|call| call.session == session && (call.at - at).abs() < 1e-3)
        };
        if !self.is_taught && !self.asked.is_some_and(is_asked) {
            (self.learned, self.calls, self.snapshots) = Default::default();
        }
        self.asked = Some((now, session(&line.session)));
        self.learn_recent(calls, &snapshots, now);
        let pace = pacing::decide(&Question { now, snapshots: &snapshots, learned: &self.learned }, &rules);
        Ok(paced(&pace, now).into())
    }

    fn settings(&mut self, entries: Map<String, Value>) -> Result<Settings, String> {
        if let Some((known, settings)) = &self.settings
            && *known == entries
        {
            return Ok(settings.clone());
        }
        let settings = Settings::over_defaults(&entries).map_err(|why| format!("settings: {why}"))?;
        self.settings = Some((entries, settings.clone()));
        Ok(settings)
    }

    /// Learns the calls and readings of a line about `now`. Those before the newest known ones are passed over.
    fn learn_recent(&mut self, mut calls: Vec<Call>, snapshots: &[Snapshot], now: f64) {
        let known = self.calls.last().map_or(f64::NEG_INFINITY, at_of_call);
        calls.retain(|call| (known..=now).contains(&call.at));
        let is_of_now = |snapshot: &&Snapshot| at_of_snapshot(snapshot) <= now + CLOCK_PLAY_SECS;
        let of_now = snapshots.iter().filter(is_of_now).copied();
        let read = self.snapshots.last().map_or(i64::MIN, |snapshot| snapshot.at);
        self.learn(calls, of_now.clone().filter(|snapshot| snapshot.at >= read).collect());
        if let Some(last) = of_now.last() {
            // A known reading still tells which account is in use.
            self.learned.read(&last);
        }
    }

    /// Learns what is new in the order of time. Where something older than the known past is new, all is learned again.
    fn learn(&mut self, calls: Vec<Call>, snapshots: Vec<Snapshot>) {
        // Parallel calls have the same time and session. They are known together.
        let is_same = |one: &Call, other: &Call| one.session == other.session;
        let from_call = add(&mut self.calls, calls, at_of_call, is_same);
        let from_snapshot = add(&mut self.snapshots, snapshots, at_of_snapshot, |one, other| one == other);
        let (from_call, from_snapshot) = from_call.zip(from_snapshot).unwrap_or_else(|| {
            self.learned = Learned::default();
            (0, 0)
        });
        let mut snapshots = self.snapshots[from_snapshot..].iter().peekable();
        for call in &self.calls[from_call..] {
            while let Some(snapshot) = snapshots.next_if(|snapshot| at_of_snapshot(snapshot) <= call.at) {
                self.learned.read(snapshot);
            }
            self.learned.call(*call);
        }
        snapshots.for_each(|snapshot| self.learned.read(snapshot));
    }
}

const fn at_of_call(call: &Call) -> f64 {
    call.at
}

const fn at_of_snapshot(snapshot: &Snapshot) -> f64 {
    seconds(snapshot.at)
}

/// Adds what is not known yet, by time, and returns where that begins; `None`: some of it is older than what was known.
fn add<T>(
    known: &mut Vec<T>,
    mut new: Vec<T>,
    at: impl Fn(&T) -> f64,
    is_same: impl Fn(&T, &T) -> bool,
) -> Option<usize> {
    new.retain(|new| {
        let from = known.partition_point(|known| at(known) < at(new));
        !known[from..].iter().take_while(|known| at(known) <= at(new)).any(|known| is_same(known, new))
    });
    new.sort_by(|one, other| at(one).total_cmp(&at(other)));
    let count = known.len();
    let is_older = new.first().zip(known.last()).is_some_and(|(new, known)| at(new) < at(known));
    known.append(&mut new);
    if is_older {
        known.sort_by(|one, other| at(one).total_cmp(&at(other)));
    }
    (!is_older).then_some(count)
}

/// The controller's answer as JSON.
pub(crate) fn paced(pace: &Pace, now: f64) -> Map<String, Value> {
    let window = |pace: &WindowPace| (pace.window.key().to_owned(), paced_window(pace, now));
    let entries = [
        ("delay_secs", json!(pace.delay_secs)),
        ("strategy", json!(pace.strategy)),
        ("constrained_window", json!(pace.constrained_window)),
        ("reason", json!(pace.reason)),
        ("windows", pace.windows.iter().map(window).collect()),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A window; `null` where a number is not known.
fn paced_window(pace: &WindowPace, now: f64) -> Value {
    let current = pace.reading.filter(|(_, reading)| seconds(reading.resets_at) > now);
    let known = |number: f64| current.map(|_| number);
    json!({
        "status": pace.status,
        "used_percent": pace.reading.map(|(_, reading)| reading.used_percent),
        "elapsed_percent": known(pace.line.elapsed_percent),
        "allowance_percent": known(pace.line.allowance_percent),
        "safe_percent": known(pace.line.safe_percent),
        "over_percent": known(pace.over_percent),
        "delay_secs": pace.delay_secs,
        "forecast": pace.fit.map(|fit| json!({ "calls_expected": fit.expected, "calls_that_fit": fit.fitting })),
    })
}

#[cfg(test)]
mod tests;
