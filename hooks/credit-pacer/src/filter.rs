//! `credit-pacer decide`: the arithmetic as a filter, a JSON object a line in and out. A bad line is answered by an error, and
//! the next one is read.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::observe::digest;
use crate::pacing::{
    self, Call, Question, Reading, Rules, Snapshot, Status, Strategy, Window, WindowPace, seconds,
    whole_seconds,
};
use crate::settings::Settings;

/// A longer line is bad, in bytes.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// The length of a slot in which there were calls or not, in seconds.
const SLOT_SECS: f64 = 600.0;

/// A line that is asked. Numbers may be whole or not.
#[derive(Debug, Deserialize)]
struct Asked {
    now: f64,
    #[serde(default)]
    session: String,
    #[serde(default)]
    snapshots: Option<Vec<AskedSnapshot>>,
    #[serde(default)]
    calls: Option<Vec<AskedCall>>,
    #[serde(default)]
    settings: Option<Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
struct AskedSnapshot {
    at: f64,
    #[serde(default)]
    five_hour: Option<AskedReading>,
    #[serde(default)]
    seven_day: Option<AskedReading>,
}

#[derive(Debug, Deserialize)]
struct AskedReading {
    #[serde(default)]
    used_percent: Option<f64>,
    #[serde(default)]
    resets_at: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct AskedCall {
    at: f64,
    #[serde(default)]
    session: String,
    #[serde(default)]
    slept_secs: f64,
}

/// A line that is answered.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Pace(Paced),
    Bad { error: String },
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
}

/// Answers every line until there are no more. Whoever listens may leave before the end.
pub(crate) fn run(mut input: impl BufRead, mut output: impl Write) -> ExitCode {
    let mut line = Vec::new();
    loop {
        line.clear();
        let answer = match next_line(&mut input, &mut line) {
            Ok(true) => answer(&line),
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

fn answer(line: &[u8]) -> Answer {
    // Read as an object first: a list would pass for one.
    let asked = serde_json::from_slice::<Map<String, Value>>(line);
    let asked = asked.and_then(|asked| serde_json::from_value(asked.into()));
    match asked.map_err(|error| error.to_string()).and_then(paced) {
        Ok(pace) => Answer::Pace(pace),
        Err(error) => Answer::Bad { error },
    }
}

fn paced(asked: Asked) -> Result<Paced, String> {
    let settings = Settings::over_defaults(&asked.settings.unwrap_or_default());
    let rules = Rules::of(&settings.map_err(|why| format!("settings: {why}"))?);
    let mut snapshots: Vec<Snapshot> =
        asked.snapshots.unwrap_or_default().iter().map(AskedSnapshot::read).collect();
    snapshots.sort_by_key(|snapshot| snapshot.at);
    let mut calls: Vec<Call> = asked.calls.unwrap_or_default().iter().map(AskedCall::read).collect();
    calls.sort_by(|one, other| one.at.total_cmp(&other.at));
    let mut busy_slots: Vec<i64> = calls.iter().map(|call| whole_seconds(call.at / SLOT_SECS)).collect();
    busy_slots.dedup();
    let question = Question {
        now: asked.now,
        session: digest(&asked.session),
        snapshots: &snapshots,
        calls: &calls,
        busy_slots: &busy_slots,
    };
    let pace = pacing::decide(&question, &rules);
    Ok(Paced {
        delay_secs: pace.delay_secs,
        strategy: pace.strategy,
        constrained_window: pace.constrained_window,
        reason: pace.reason,
        windows: pace
            .windows
            .iter()
            .map(|window| (window.window, PacedWindow::of(window, asked.now)))
            .collect(),
    })
}

impl AskedSnapshot {
    fn read(&self) -> Snapshot {
        let read = |reading: &Option<AskedReading>| reading.as_ref().and_then(AskedReading::read);
        Snapshot {
            at: whole_seconds(self.at),
            five_hour: read(&self.five_hour),
            seven_day: read(&self.seven_day),
        }
    }
}

impl AskedReading {
    /// A share of a window without its reset is nothing to pace by, nor the other way round.
    fn read(&self) -> Option<Reading> {
        Some(Reading { used_percent: self.used_percent?, resets_at: whole_seconds(self.resets_at?) })
    }
}

impl AskedCall {
    fn read(&self) -> Call {
        Call { at: self.at, session: digest(&self.session), slept_secs: self.slept_secs }
    }
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
        }
    }
}

#[cfg(test)]
mod tests;
