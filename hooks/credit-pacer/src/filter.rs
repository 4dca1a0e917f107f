//! `credit-pacer decide`: the controller as a filter, one JSON object per line in and out. A bad line is answered by an error,
//! and the filter goes on.
//!
//! A line `{"learn": ...}` teaches the past, and lines after it go on from there. So does a line whose `calls` name the call
//! that the line before asked about. Any other line stands alone.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use pacing::{
    CLOCK_PLAY_SECS, Call, Learned, Pace, Reading, Readings, WindowPace, newest, seconds, whole_seconds,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::digest;

use crate::rules;
use crate::settings::Settings;

/// The form of a line.
const SHAPE: &str = r#"{"now": SECONDS, "session": "NAME", "snapshots": [{"at": SECONDS, "five_hour": {"used_percent": NUMBER, "resets_at": SECONDS}, "seven_day": {...}}], "calls": [{"at": SECONDS, "session": "NAME", "slept_secs": NUMBER}], "settings": {...}}, or {"learn": {"calls": [...], "snapshots": [...]}, "settings": {...}}"#;

/// A line. `null` counts as left out; unknown keys are ignored.
#[derive(Deserialize)]
struct Line {
    now: Option<f64>,
    session: Option<String>,
    learn: Option<History>,
    settings: Option<Map<String, Value>>,
    #[serde(flatten)]
    history: History,
}

#[derive(Deserialize)]
struct History {
    calls: Option<Vec<Reported>>,
    snapshots: Option<Vec<Reported>>,
}

/// A call or a snapshot.
#[derive(Deserialize)]
struct Reported {
    at: f64,
    session: Option<String>,
    slept_secs: Option<f64>,
    five_hour: Option<ReportedWindow>,
    seven_day: Option<ReportedWindow>,
}

#[derive(Deserialize)]
struct ReportedWindow {
    used_percent: Option<f64>,
    resets_at: Option<f64>,
}

/// The facts of a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moment {
    at: f64,
    readings: Readings,
    call: Option<Call>,
}

/// The memory from line to line.
#[derive(Default)]
struct Memory {
    learned: Learned,
    is_taught: bool,
    /// By time.
    past: Vec<Moment>,
    /// The call that the last line asked about.
    asked: Option<(f64, u64)>,
}

/// Milliseconds are beyond the times that a line may name.
fn time(at: f64) -> Result<f64, String> {
    if (0.0..1e10).contains(&at) { Ok(at) } else { Err(format!("{at} is no time in seconds")) }
}

impl History {
    /// By time, a snapshot before a call.
    fn moments(self) -> Result<Vec<Moment>, String> {
        let snapshots = self.snapshots.into_iter().flatten().map(|reported| reported.moment(false));
        let calls = self.calls.into_iter().flatten().map(|reported| reported.moment(true));
        let mut moments = snapshots.chain(calls).collect::<Result<Vec<_>, _>>()?;
        moments.sort_by(|one, other| one.at.total_cmp(&other.at));
        Ok(moments)
    }
}

impl Reported {
    fn moment(self, is_call: bool) -> Result<Moment, String> {
        let at = time(self.at)?;
        let reading = |reported: Option<ReportedWindow>| {
            // Usage without its reset is no reading, nor the other way round.
            let reported = reported.and_then(|reported| reported.used_percent.zip(reported.resets_at));
            match reported {
                Some((used, _)) if used < 0.0 => Err(format!("used_percent has to be 0 or more, not {used}")),
                _ => Ok(reported.map(|(used, resets_at)| {
                    Reading::new(whole_seconds(at), used, whole_seconds(resets_at))
                })),
            }
        };
        let session = digest::number(self.session.unwrap_or_default());
        let slept_secs = self.slept_secs.unwrap_or_default().clamp(0.0, 3600.0);
        let call = is_call.then_some(Call { at, session, slept_secs });
        Ok(Moment { at, readings: [reading(self.five_hour)?, reading(self.seven_day)?], call })
    }
}

/// Answers every line until there are no more. The reader of the answers may leave before the end.
pub(crate) fn run(input: impl BufRead, mut output: impl Write) -> ExitCode {
    let mut memory = Memory::default();
    for line in input.split(b'\n') {
        let Ok(line) = line else { return ExitCode::FAILURE };
        let answer = memory.answer(&line).unwrap_or_else(|error| json!({ "error": error }));
        if writeln!(output, "{answer}").and_then(|()| output.flush()).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

impl Memory {
    fn answer(&mut self, line: &[u8]) -> Result<Value, String> {
        let line: Line =
            serde_json::from_slice(line).map_err(|error| format!("{error}; a line is {SHAPE}"))?;
        let settings = Settings::over_defaults(&line.settings.unwrap_or_default())
            .map_err(|why| format!("settings: {why}"))?;
        if let Some(history) = line.learn {
            self.is_taught = true;
            self.learn(history.moments()?);
            let (days, calls) = (self.learned.habit.days(), self.learned.habit.calls().round());
            return Ok(json!({ "learned": { "days": days, "calls": whole_seconds(calls) } }));
        }
        let now = time(line.now.ok_or_else(|| format!("now is missing; a line is {SHAPE}"))?)?;
        let mut moments = line.history.moments()?;
        let readings = [0, 1].map(|window| {
            let read = moments.iter().filter_map(|moment| moment.readings[window]);
            newest(&read.collect::<Vec<_>>())
        });
        let is_asked = |(at, session): (f64, u64)| {
            let mut calls = moments.iter().filter_map(|moment| moment.call);
            calls.any(|call| call.session == session && (call.at - at).abs() < 1e-3)
        };
        if !self.is_taught && !self.asked.is_some_and(is_asked) {
            (self.learned, self.past) = Default::default();
        }
        self.asked = Some((now, digest::number(line.session.unwrap_or_default())));
        moments.retain(|moment| moment.at <= now + CLOCK_PLAY_SECS);
        self.learn(moments);
        let rules = rules::around(&settings, whole_seconds(now));
        Ok(paced(&pacing::decide(now, &readings, &self.learned, &rules), now))
    }

    /// Learns what is new, in the order of time. Where a new call is older than a known one, all is learned again.
    fn learn(&mut self, mut moments: Vec<Moment>) {
        moments.retain(|moment| !self.knows(moment));
        let newest = self.past.iter().rev().find_map(|moment| moment.call);
        let first = moments.iter().find_map(|moment| moment.call);
        let is_older = first.zip(newest).is_some_and(|(first, newest)| first.at < newest.at);
        self.past.extend(&moments);
        self.past.sort_by(|one, other| one.at.total_cmp(&other.at));
        if is_older {
            self.learned = Learned::default();
            moments.clone_from(&self.past);
        }
        for moment in moments {
            self.learned.read(&moment.readings);
            if let Some(call) = moment.call {
                self.learned.call(call);
            }
        }
    }

    fn knows(&self, moment: &Moment) -> bool {
        let from = self.past.partition_point(|known| known.at < moment.at);
        self.past[from..].iter().take_while(|known| known.at <= moment.at).any(|known| known == moment)
    }
}

/// The controller's answer as JSON.
pub(crate) fn paced(pace: &Pace, now: f64) -> Value {
    let window = |pace: &WindowPace| (pace.window.key().to_owned(), paced_window(pace, now));
    json!({
        "delay_secs": pace.delay_secs,
        "strategy": pace.strategy,
        "constrained_window": pace.constrained_window,
        "reason": pace.reason,
        "windows": pace.windows.iter().map(window).collect::<Map<_, _>>(),
    })
}

/// A window; `null` where a number is not known.
fn paced_window(pace: &WindowPace, now: f64) -> Value {
    let current = pace.reading.filter(|reading| seconds(reading.resets_at) > now);
    let known = |number: f64| current.map(|_| number);
    json!({
        "status": pace.status,
        "used_percent": pace.reading.map(|reading| reading.used_percent),
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
