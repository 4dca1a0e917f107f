//! `credit-pacer decide`: the controller as a filter, one JSON object per line in and out. A bad line is answered by an error,
//! and the filter goes on.
//!
//! A line `{"learn": ...}` teaches the past, and lines after it go on from there. So does a line whose `calls` name the call
//! that the line before asked about. Any other line stands alone.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use pacing::{
    Call, DAY_SECS, Learned, Pace, Question, Reading, Rules, Snapshot, WindowPace, seconds, whole_seconds,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::observe::digest;
use crate::rules;
use crate::settings::Settings;

/// A longer line is bad, in bytes.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// Calls further away from each other, or from now, are a slip, in seconds.
const YEAR_SECS: f64 = 366.0 * 86_400.0;

/// A reading may be this many seconds in the future.
const CLOCK_PLAY_SECS: f64 = 90.0;

/// The form of a line.
const SHAPE: &str = r#"{"now": SECONDS, "session": "NAME", "snapshots": [{"at": SECONDS, "five_hour": {"used_percent": NUMBER, "resets_at": SECONDS}, "seven_day": {...}}], "calls": [{"at": SECONDS, "session": "NAME", "slept_secs": NUMBER}], "settings": {...}}, or {"learn": {"calls": [...], "snapshots": [...]}, "settings": {...}}"#;

/// A line. `null` counts as left out; unknown keys are ignored.
#[derive(Debug, Deserialize)]
struct Line {
    now: Option<f64>,
    session: Option<String>,
    learn: Option<History>,
    settings: Option<Map<String, Value>>,
    #[serde(flatten)]
    history: History,
}

#[derive(Debug, Deserialize)]
struct History {
    calls: Option<Vec<CallLine>>,
    snapshots: Option<Vec<SnapshotLine>>,
}

#[derive(Debug, Deserialize)]
struct CallLine {
    at: f64,
    session: Option<String>,
    slept_secs: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct SnapshotLine {
    at: f64,
    five_hour: Option<ReadingLine>,
    seven_day: Option<ReadingLine>,
}

#[derive(Debug, Deserialize)]
struct ReadingLine {
    used_percent: Option<f64>,
    resets_at: Option<f64>,
}

/// The memory from line to line.
#[derive(Debug, Default)]
struct Memory {
    learned: Learned,
    /// A `learn` line came.
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
pub(crate) fn run(mut input: impl BufRead, mut output: impl Write) -> ExitCode {
    let mut memory = Memory::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let answer = match next_line(&mut input, &mut line) {
            Ok(true) => memory.answer(&line).unwrap_or_else(|error| json!({ "error": error })),
            Ok(false) => return ExitCode::SUCCESS,
            Err(_) => return ExitCode::FAILURE,
        };
        match writeln!(output, "{answer}").and_then(|()| output.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Err(_) => return ExitCode::FAILURE,
        }
    }
}

/// Reads a line; of one that is too long the beginning. `false`: there is none.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    let read = input.by_ref().take(MAX_LINE).read_until(b'\n', line)?;
    if !line.ends_with(b"\n") && u64::try_from(read).is_ok_and(|read| read == MAX_LINE) {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}

impl Memory {
    fn answer(&mut self, line: &[u8]) -> Result<Value, String> {
        let line: Line =
            serde_json::from_slice(line).map_err(|error| format!("{error}; a line is {SHAPE}"))?;
        let settings = line.settings.unwrap_or_default();
        if let Some(history) = line.learn {
            Settings::over_defaults(&settings).map_err(|why| format!("settings: {why}"))?;
            return self.teach(history).map_err(|why| format!("learn.{why}"));
        }
        let now = line
            .now
            .filter(|now| now.is_finite())
            .ok_or_else(|| format!("now is missing; a line is {SHAPE}"))?;
        let (mut calls, snapshots) = (calls(line.history.calls), snapshots(line.history.snapshots)?);
        near("calls", calls.iter().map(|call| call.at), now)?;
        let goes_on = self.asked.is_some_and(|(at, session)| {
            calls.iter().any(|call| call.session == session && (call.at - at).abs() < 1e-3)
        });
        let rules = rules(&mut self.rules, settings, now)?.clone();
        if !self.is_taught && !goes_on {
            (self.learned, self.calls, self.snapshots) = Default::default();
        }
        self.asked = Some((now, digest(line.session.as_deref().unwrap_or_default())));
        calls.retain(|call| call.at <= now && call.at >= self.newest_call());
        let is_of_now = |snapshot: &&Snapshot| seconds(snapshot.at) <= now + CLOCK_PLAY_SECS;
        let of_now: Vec<Snapshot> = snapshots.iter().filter(is_of_now).copied().collect();
        let newest = self.newest_snapshot();
        self.learn(calls, of_now.iter().filter(|snapshot| snapshot.at >= newest).copied().collect());
        if let Some(last) = of_now.last() {
            // A known one, too: it says which account is in use.
            self.learned.read(last);
        }
        let pace = pacing::decide(&Question { now, snapshots: &snapshots, learned: &self.learned }, &rules);
        Ok(paced(&pace, now))
    }

    fn teach(&mut self, history: History) -> Result<Value, String> {
        let (calls, snapshots) = (calls(history.calls), snapshots(history.snapshots)?);
        let times =
            calls.iter().map(|call| call.at).chain(snapshots.iter().map(|snapshot| seconds(snapshot.at)));
        let known = self.calls.last().map(|call| call.at);
        let center = known.or_else(|| median(times.collect())).unwrap_or_default();
        near("calls", calls.iter().map(|call| call.at), center)?;
        near("snapshots", snapshots.iter().map(|snapshot| seconds(snapshot.at)), center)?;
        self.is_taught = true;
        self.learn(calls, snapshots);
        let (days, calls) = (self.learned.habit.days(), self.learned.habit.calls().round());
        Ok(json!({ "learned": { "days": days, "calls": whole_seconds(calls) } }))
    }

    /// Learns what is new in the order of time. Where something older than the known past is new, all is learned again.
    fn learn(&mut self, calls: Vec<Call>, snapshots: Vec<Snapshot>) {
        let (calls, snapshots) = (self.new_calls(calls), self.new_snapshots(snapshots));
        let (known, read) = (self.newest_call(), self.newest_snapshot());
        let is_older = calls.first().is_some_and(|call| call.at < known)
            || snapshots.first().is_some_and(|snapshot| snapshot.at < read);
        let (from_call, from_snapshot) = (self.calls.len(), self.snapshots.len());
        self.calls.extend(calls);
        self.snapshots.extend(snapshots);
        if is_older {
            self.calls.sort_by(|one, other| one.at.total_cmp(&other.at));
            self.snapshots.sort_by_key(|snapshot| snapshot.at);
            self.learned = learn(Learned::default(), &self.calls, &self.snapshots);
        } else {
            let learned = std::mem::take(&mut self.learned);
            self.learned = learn(learned, &self.calls[from_call..], &self.snapshots[from_snapshot..]);
        }
    }

    fn newest_call(&self) -> f64 {
        self.calls.last().map_or(f64::NEG_INFINITY, |call| call.at)
    }

    fn newest_snapshot(&self) -> i64 {
        self.snapshots.last().map_or(i64::MIN, |snapshot| snapshot.at)
    }

    /// The calls that are not known yet, by time. Parallel calls have the same time and session.
    fn new_calls(&self, mut calls: Vec<Call>) -> Vec<Call> {
        calls.sort_by(|one, other| one.at.total_cmp(&other.at));
        let key = |call: &Call| (call.at.to_bits(), call.session);
        let first = calls.first().map_or(f64::INFINITY, |call| call.at);
        let known = &self.calls[self.calls.partition_point(|call| call.at < first)..];
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        for call in known {
            *counts.entry(key(call)).or_default() += 1;
        }
        calls.retain(|call| match counts.get_mut(&key(call)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        calls
    }

    /// The readings that are not known yet, by time.
    fn new_snapshots(&self, mut snapshots: Vec<Snapshot>) -> Vec<Snapshot> {
        snapshots.retain(|new| {
            let from = self.snapshots.partition_point(|known| known.at < new.at);
            !self.snapshots[from..].iter().take_while(|known| known.at == new.at).any(|known| known == new)
        });
        snapshots
    }
}

fn learn(mut learned: Learned, calls: &[Call], snapshots: &[Snapshot]) -> Learned {
    let mut snapshots = snapshots.iter().peekable();
    for call in calls {
        while let Some(snapshot) = snapshots.next_if(|snapshot| seconds(snapshot.at) <= call.at) {
            learned.read(snapshot);
        }
        learned.call(*call);
    }
    snapshots.for_each(|snapshot| learned.read(snapshot));
    learned
}

/// The rules of these settings around now: those of the line before, where nothing changed and the day is near.
fn rules(
    known: &mut Option<(Map<String, Value>, i64, Rules)>,
    settings: Map<String, Value>,
    now: f64,
) -> Result<&Rules, String> {
    let now = whole_seconds(now);
    let is_known = known.as_ref().is_some_and(|(before, at, _)| {
        *before == settings && (0..DAY_SECS / 2).contains(&now.saturating_sub(*at))
    });
    if !is_known {
        let typed = Settings::over_defaults(&settings).map_err(|why| format!("settings: {why}"))?;
        *known = Some((settings, now, rules::around(&typed, now)));
    }
    known.as_ref().map(|(_, _, rules)| rules).ok_or_else(|| "settings: there are none".to_owned())
}

fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

/// The first time that is far away from `center`, as an error.
fn near(list: &str, mut times: impl Iterator<Item = f64>, center: f64) -> Result<(), String> {
    let is_far = |at: f64| (at - center).abs() > YEAR_SECS;
    let far = times
        .position(is_far)
        .map(|index| format!("{list}[{index}].at is more than a year away from the other times"));
    far.map_or(Ok(()), Err)
}

fn calls(lines: Option<Vec<CallLine>>) -> Vec<Call> {
    let call = |line: CallLine| Call {
        at: line.at,
        session: digest(line.session.as_deref().unwrap_or_default()),
        slept_secs: line.slept_secs.unwrap_or_default(),
    };
    lines.unwrap_or_default().into_iter().map(call).collect()
}

fn snapshots(lines: Option<Vec<SnapshotLine>>) -> Result<Vec<Snapshot>, String> {
    let snapshot = |(index, line): (usize, SnapshotLine)| {
        let reading =
            |window: &str, line| reading(line).map_err(|why| format!("snapshots[{index}].{window}.{why}"));
        Ok(Snapshot {
            at: whole_seconds(line.at),
            five_hour: reading("five_hour", line.five_hour)?,
            seven_day: reading("seven_day", line.seven_day)?,
        })
    };
    let mut snapshots = lines
        .unwrap_or_default()
        .into_iter()
        .enumerate()
        .map(snapshot)
        .collect::<Result<Vec<_>, String>>()?;
    snapshots.sort_by_key(|snapshot| snapshot.at);
    Ok(snapshots)
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
