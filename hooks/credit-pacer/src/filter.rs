//! `credit-pacer decide`: the controller as a filter, one JSON object per line in and out. A bad line is answered by an error,
//! and the filter goes on.
//!
//! A line `{"learn": ...}` teaches the past, and lines after it go on from there. So does a line whose `calls` name the call
//! that the line before asked about. Any other line stands alone.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use pacing::{
    Call, Learned, Question, Reading, Rules, Snapshot, Status, Strategy, Window, WindowPace, seconds,
    whole_seconds,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::observe::digest;
use crate::rules;
use crate::settings::Settings;

/// A longer line is bad, in bytes.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// The form of a line.
const SHAPE: &str = r#"{"now": SECONDS, "session": "NAME", "snapshots": [{"at": SECONDS, "five_hour": {"used_percent": NUMBER, "resets_at": SECONDS}, "seven_day": {...}}], "calls": [{"at": SECONDS, "session": "NAME", "slept_secs": NUMBER}], "settings": {...}}, or {"learn": {"calls": [...], "snapshots": [...]}, "settings": {...}}"#;

/// A line. What is `null` counts as left out; unknown keys are ignored.
#[derive(Debug, Deserialize)]
struct Line {
    now: Option<f64>,
    session: Option<String>,
    snapshots: Option<Vec<SnapshotLine>>,
    calls: Option<Vec<CallLine>>,
    settings: Option<Map<String, Value>>,
    learn: Option<Learn>,
}

#[derive(Debug, Deserialize)]
struct Learn {
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

/// A line that is answered.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Pace(Paced),
    Learned { learned: LearnedSoFar },
    Bad { error: String },
}

#[derive(Debug, Serialize)]
struct LearnedSoFar {
    days: usize,
    calls: u64,
}

#[derive(Debug, Serialize)]
struct Paced {
    delay_secs: f64,
    strategy: Strategy,
    constrained_window: Option<Window>,
    reason: String,
    windows: BTreeMap<Window, PacedWindow>,
}

/// A window; `null` where a number is not known.
#[derive(Debug, Serialize)]
struct PacedWindow {
    status: Status,
    used_percent: Option<f64>,
    elapsed_percent: Option<f64>,
    allowance_percent: Option<f64>,
    safe_percent: Option<f64>,
    over_percent: Option<f64>,
    delay_secs: f64,
    forecast: Option<Forecast>,
}

#[derive(Debug, Serialize)]
struct Forecast {
    calls_expected: f64,
    calls_that_fit: f64,
}

/// The memory from line to line.
#[derive(Debug, Default)]
struct Memory {
    learned: Learned,
    /// A `learn` line came.
    is_taught: bool,
    /// The calls that are known: the time of the newest, and how many have that time.
    newest: (f64, usize),
    /// The call that the last line asked about.
    asked: Option<(f64, u64)>,
    /// The settings of the last line, and the rules they make around that time.
    rules: Option<(Map<String, Value>, i64, Rules)>,
}

/// Answers every line until there are no more. Whoever listens may leave before the end.
pub(crate) fn run(mut input: impl BufRead, mut output: impl Write) -> ExitCode {
    let mut memory = Memory::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let answer = match next_line(&mut input, &mut line) {
            Ok(true) => memory.answer(&line).unwrap_or_else(|error| Answer::Bad { error }),
            Ok(false) => return ExitCode::SUCCESS,
            Err(_) => return ExitCode::FAILURE,
        };
        match write_line(&mut output, &answer) {
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

fn write_line(output: &mut impl Write, answer: &Answer) -> io::Result<()> {
    let mut text = serde_json::to_vec(answer)?;
    text.push(b'\n');
    output.write_all(&text)?;
    output.flush()
}

impl Memory {
    fn answer(&mut self, line: &[u8]) -> Result<Answer, String> {
        let line: Line =
            serde_json::from_slice(line).map_err(|error| format!("{error}; a line is {SHAPE}"))?;
        let settings = line.settings.unwrap_or_default();
        let calls = calls(line.calls);
        if let Some(learn) = line.learn {
            Settings::over_defaults(&settings).map_err(|why| format!("settings: {why}"))?;
            self.is_taught = true;
            self.learn(self::calls(learn.calls), &snapshots(learn.snapshots)?);
            let (days, calls) = (self.learned.habit.days(), self.learned.habit.calls().round());
            let learned = LearnedSoFar { days, calls: u64::try_from(whole_seconds(calls)).unwrap_or(0) };
            return Ok(Answer::Learned { learned });
        }
        let now = line
            .now
            .filter(|now| now.is_finite())
            .ok_or_else(|| format!("now is missing; a line is {SHAPE}"))?;
        let snapshots = snapshots(line.snapshots)?;
        let goes_on = self.asked.is_some_and(|(at, session)| {
            calls.iter().any(|call| call.session == session && (call.at - at).abs() < 1e-3)
        });
        if !self.is_taught && !goes_on {
            (self.learned, self.newest) = (Learned::default(), (f64::NEG_INFINITY, 0));
        }
        self.asked = Some((now, digest(line.session.as_deref().unwrap_or_default())));
        self.learn(calls.into_iter().filter(|call| call.at <= now).collect(), &snapshots);
        let rules = rules(&mut self.rules, settings, now)?;
        let pace = pacing::decide(&Question { now, snapshots: &snapshots, learned: &self.learned }, rules);
        Ok(Answer::Pace(Paced {
            delay_secs: pace.delay_secs,
            strategy: pace.strategy,
            constrained_window: pace.constrained_window,
            reason: pace.reason,
            windows: pace
                .windows
                .iter()
                .map(|window| (window.window, PacedWindow::of(window, now)))
                .collect(),
        }))
    }

    /// Learns from calls and readings in the order of their time. Calls that are known already are passed over.
    fn learn(&mut self, mut calls: Vec<Call>, snapshots: &[Snapshot]) {
        calls.sort_by(|one, other| one.at.total_cmp(&other.at));
        let (newest, known) = self.newest;
        let fresh = calls.iter().position(|call| call.at >= newest).unwrap_or(calls.len());
        let same = calls[fresh..].iter().take_while(|call| call.at <= newest).count();
        let mut snapshots = snapshots.iter().peekable();
        for call in &calls[fresh + same.min(known)..] {
            while let Some(snapshot) = snapshots.next_if(|snapshot| seconds(snapshot.at) <= call.at) {
                self.learned.read(snapshot);
            }
            self.learned.call(*call);
        }
        snapshots.for_each(|snapshot| self.learned.read(snapshot));
        if let Some(last) = calls.last().filter(|last| last.at >= newest) {
            let at_once = calls.iter().rev().take_while(|call| call.at >= last.at).count();
            self.newest = (last.at, at_once);
        }
    }
}

/// The rules of these settings around now: those of the line before, where nothing changed and the day is near.
fn rules(
    known: &mut Option<(Map<String, Value>, i64, Rules)>,
    settings: Map<String, Value>,
    now: f64,
) -> Result<&Rules, String> {
    let now = whole_seconds(now);
    let is_known = known
        .as_ref()
        .is_some_and(|(before, at, _)| *before == settings && (0..43_200).contains(&now.saturating_sub(*at)));
    if !is_known {
        let typed = Settings::over_defaults(&settings).map_err(|why| format!("settings: {why}"))?;
        *known = Some((settings, now, rules::around(&typed, now)));
    }
    known.as_ref().map(|(_, _, rules)| rules).ok_or_else(|| "settings: there are none".to_owned())
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
    let mut snapshots = lines
        .unwrap_or_default()
        .into_iter()
        .enumerate()
        .map(|(index, line)| {
            let reading = |window: &str, line| {
                reading(line).map_err(|why| format!("snapshots[{index}].{window}.{why}"))
            };
            Ok(Snapshot {
                at: whole_seconds(line.at),
                five_hour: reading("five_hour", line.five_hour)?,
                seven_day: reading("seven_day", line.seven_day)?,
            })
        })
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

impl PacedWindow {
    fn of(pace: &WindowPace, now: f64) -> Self {
        let current = pace.reading.filter(|(_, reading)| seconds(reading.resets_at) > now);
        let known = |number: f64| current.map(|_| number);
        Self {
            status: pace.status,
            used_percent: pace.reading.map(|(_, reading)| reading.used_percent),
            elapsed_percent: known(pace.elapsed_percent),
            allowance_percent: known(pace.allowance_percent),
            safe_percent: known(pace.safe_percent),
            over_percent: known(pace.over_percent),
            delay_secs: pace.delay_secs,
            forecast: pace
                .fit
                .map(|fit| Forecast { calls_expected: fit.expected, calls_that_fit: fit.fitting }),
        }
    }
}

#[cfg(test)]
mod tests;
