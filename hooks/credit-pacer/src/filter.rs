//! `credit-pacer decide`: the controller as a filter, one JSON object per line in and out. A bad line is answered by an error,
//! and the filter goes on.
//!
//! A line `{"learn": ...}` teaches the past, and lines after it go on from there. So does a line whose `calls` name the call
//! that the line before asked about. Any other line stands alone.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use pacing::{
    CLOCK_PLAY_SECS, Call, DAY_SECS, Learned, Pace, Question, Reading, Rules, Snapshot, WindowPace, seconds,
    whole_seconds,
};
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::{Map, Value, json};

use crate::observe::digest;
use crate::rules;
use crate::settings::Settings;

/// The times that calls and readings may have, in seconds since the epoch. Milliseconds are beyond them.
const TIMES: std::ops::Range<f64> = 0.0..1e10;

/// The form of a line.
const SHAPE: &str = r#"{"now": SECONDS, "session": "NAME", "snapshots": [{"at": SECONDS, "five_hour": {"used_percent": NUMBER, "resets_at": SECONDS}, "seven_day": {...}}], "calls": [{"at": SECONDS, "session": "NAME", "slept_secs": NUMBER}], "settings": {...}}, or {"learn": {"calls": [...], "snapshots": [...]}, "settings": {...}}"#;

/// A line. `null` counts as left out; unknown keys are ignored.
#[derive(serde::Deserialize)]
struct Line {
    now: Option<f64>,
    session: Option<String>,
    learn: Option<History>,
    settings: Option<Map<String, Value>>,
    #[serde(flatten)]
    history: History,
}

#[derive(serde::Deserialize)]
struct History {
    calls: Option<Vec<CallLine>>,
    snapshots: Option<Vec<SnapshotLine>>,
}

#[derive(serde::Deserialize)]
struct CallLine {
    #[serde(deserialize_with = "time")]
    at: f64,
    session: Option<String>,
    slept_secs: Option<f64>,
}

#[derive(serde::Deserialize)]
struct SnapshotLine {
    #[serde(deserialize_with = "time")]
    at: f64,
    five_hour: Option<ReadingLine>,
    seven_day: Option<ReadingLine>,
}

#[derive(serde::Deserialize)]
struct ReadingLine {
    used_percent: Option<f64>,
    resets_at: Option<f64>,
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let at = f64::deserialize(deserializer)?;
    if TIMES.contains(&at) { Ok(at) } else { Err(D::Error::custom(format!("{at} is no time in seconds"))) }
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
    /// The settings of the last line, and the rules they make around that time.
    rules: Option<(Map<String, Value>, i64, Rules)>,
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
        let settings = line.settings.unwrap_or_default();
        if let Some(history) = line.learn {
            typed(&settings)?;
            let (calls, snapshots) = history.read()?;
            self.is_taught = true;
            self.learn(calls, snapshots);
            let (days, calls) = (self.learned.habit.days(), self.learned.habit.calls().round());
            return Ok(json!({ "learned": { "days": days, "calls": whole_seconds(calls) } }));
        }
        let now = line.now.ok_or_else(|| format!("now is missing; a line is {SHAPE}"))?;
        let (calls, snapshots) = line.history.read()?;
        let rules = self.rules(settings, whole_seconds(now))?;
        let is_asked = |(at, session): (f64, u64)| {
            calls.iter().any(|call| call.session == session && (call.at - at).abs() < 1e-3)
        };
        if !self.is_taught && !self.asked.is_some_and(is_asked) {
            (self.learned, self.calls, self.snapshots) = Default::default();
        }
        self.asked = Some((now, digest(line.session.as_deref().unwrap_or_default())));
        self.learn_recent(calls, &snapshots, now);
        let pace = pacing::decide(&Question { now, snapshots: &snapshots, learned: &self.learned }, &rules);
        Ok(paced(&pace, now))
    }

    /// The rules of these settings around now: those of the line before, if nothing changed and the day is near.
    fn rules(&mut self, settings: Map<String, Value>, now: i64) -> Result<Rules, String> {
        let is_near = |at: i64| (0..DAY_SECS / 2).contains(&now.saturating_sub(at));
        if let Some((known, at, rules)) = &self.rules
            && *known == settings
            && is_near(*at)
        {
            return Ok(rules.clone());
        }
        let rules = rules::around(&typed(&settings)?, now);
        self.rules = Some((settings, now, rules.clone()));
        Ok(rules)
    }

    /// Learns the calls and readings of a line about `now`. Those before the newest known ones are passed over.
    fn learn_recent(&mut self, mut calls: Vec<Call>, snapshots: &[Snapshot], now: f64) {
        let (known, read) = (newest(&self.calls, at_of_call), newest(&self.snapshots, at_of_snapshot));
        calls.retain(|call| (known..=now).contains(&call.at));
        let is_of_now = |snapshot: &&Snapshot| at_of_snapshot(snapshot) <= now + CLOCK_PLAY_SECS;
        let of_now: Vec<Snapshot> = snapshots.iter().filter(is_of_now).copied().collect();
        let new = of_now.iter().filter(|snapshot| at_of_snapshot(snapshot) >= read).copied();
        self.learn(calls, new.collect());
        if let Some(last) = of_now.last() {
            // A known reading still tells which account is in use.
            self.learned.read(last);
        }
    }

    /// Learns what is new in the order of time. Where something older than the known past is new, all is learned again.
    fn learn(&mut self, calls: Vec<Call>, snapshots: Vec<Snapshot>) {
        // Parallel calls have the same time and session. They are known together.
        let is_same = |one: &Call, other: &Call| one.session == other.session;
        let (from_call, is_older) = add(&mut self.calls, calls, at_of_call, is_same);
        let (from_snapshot, is_read_late) =
            add(&mut self.snapshots, snapshots, at_of_snapshot, |one, other| one == other);
        if is_older || is_read_late {
            self.learned = Learned::default();
            learn(&mut self.learned, &self.calls, &self.snapshots);
        } else {
            learn(&mut self.learned, &self.calls[from_call..], &self.snapshots[from_snapshot..]);
        }
    }
}

fn typed(settings: &Map<String, Value>) -> Result<Settings, String> {
    Settings::over_defaults(settings).map_err(|why| format!("settings: {why}"))
}

const fn at_of_call(call: &Call) -> f64 {
    call.at
}

const fn at_of_snapshot(snapshot: &Snapshot) -> f64 {
    seconds(snapshot.at)
}

fn newest<T>(known: &[T], at: impl Fn(&T) -> f64) -> f64 {
    known.last().map_or(f64::NEG_INFINITY, at)
}

/// Adds what is not known yet, by time: where that begins, and whether some of it is older than what was known.
fn add<T>(
    known: &mut Vec<T>,
    mut new: Vec<T>,
    at: impl Fn(&T) -> f64,
    is_same: impl Fn(&T, &T) -> bool,
) -> (usize, bool) {
    new.retain(|new| {
        let from = known.partition_point(|known| at(known) < at(new));
        !known[from..].iter().take_while(|known| at(known) <= at(new)).any(|known| is_same(known, new))
    });
    let (count, last) = (known.len(), newest(known, &at));
    let is_older = new.iter().any(|new| at(new) < last);
    new.sort_by(|one, other| at(one).total_cmp(&at(other)));
    known.append(&mut new);
    if is_older {
        known.sort_by(|one, other| at(one).total_cmp(&at(other)));
    }
    (count, is_older)
}

fn learn(learned: &mut Learned, calls: &[Call], snapshots: &[Snapshot]) {
    let mut snapshots = snapshots.iter().peekable();
    for call in calls {
        while let Some(snapshot) = snapshots.next_if(|snapshot| at_of_snapshot(snapshot) <= call.at) {
            learned.read(snapshot);
        }
        learned.call(*call);
    }
    snapshots.for_each(|snapshot| learned.read(snapshot));
}

impl History {
    /// The calls as they come, and the readings by time.
    fn read(self) -> Result<(Vec<Call>, Vec<Snapshot>), String> {
        let call = |line: CallLine| Call {
            at: line.at,
            session: digest(line.session.as_deref().unwrap_or_default()),
            slept_secs: line.slept_secs.unwrap_or_default(),
        };
        let snapshot = |line: SnapshotLine| {
            Ok(Snapshot {
                at: whole_seconds(line.at),
                five_hour: reading(line.five_hour)?,
                seven_day: reading(line.seven_day)?,
            })
        };
        let snapshots = self.snapshots.unwrap_or_default().into_iter().map(snapshot);
        let mut snapshots = snapshots.collect::<Result<Vec<_>, String>>()?;
        snapshots.sort_by_key(|snapshot| snapshot.at);
        Ok((self.calls.unwrap_or_default().into_iter().map(call).collect(), snapshots))
    }
}

/// Usage without its reset is no reading, nor the other way round.
fn reading(line: Option<ReadingLine>) -> Result<Option<Reading>, String> {
    let Some((used_percent, resets_at)) = line.and_then(|line| line.used_percent.zip(line.resets_at)) else {
        return Ok(None);
    };
    if used_percent < 0.0 {
        return Err(format!("used_percent has to be 0 or more, not {used_percent}"));
    }
    Ok(Some(Reading { used_percent, resets_at: whole_seconds(resets_at) }))
}

fn paced(pace: &Pace, now: f64) -> Value {
    let windows =
        pace.windows.iter().map(|window| (window.window.key().to_owned(), paced_window(window, now)));
    json!({
        "delay_secs": pace.delay_secs,
        "strategy": pace.strategy,
        "constrained_window": pace.constrained_window,
        "reason": pace.reason,
        "windows": windows.collect::<Map<String, Value>>(),
    })
}

/// A window; `null` where a number is not known.
fn paced_window(pace: &WindowPace, now: f64) -> Value {
    let current = pace.reading.filter(|(_, reading)| seconds(reading.resets_at) > now);
    let known = |number: f64| current.map(|_| number);
    json!({
        "status": pace.status,
        "used_percent": pace.reading.map(|(_, reading)| reading.used_percent),
        "elapsed_percent": known(pace.elapsed_percent),
        "allowance_percent": known(pace.allowance_percent),
        "safe_percent": known(pace.safe_percent),
        "over_percent": known(pace.over_percent),
        "delay_secs": pace.delay_secs,
        "forecast": pace.fit.map(|fit| json!({ "calls_expected": fit.expected, "calls_that_fit": fit.fitting })),
    })
}

#[cfg(test)]
mod tests;
