//! `credit-pacer decide`: the arithmetic as a filter, a JSON object a line in and out. A bad line is answered by an error, and
//! the next one is read.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use serde::Serialize;
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

/// A line, in short, for who has it wrong.
const SHAPE: &str = r#"{"now": SECONDS, "session": "NAME", "snapshots": [{"at": SECONDS, "five_hour": {"used_percent": NUMBER, "resets_at": SECONDS}, "seven_day": {...}}], "calls": [{"at": SECONDS, "session": "NAME", "slept_secs": NUMBER}], "settings": {...}}"#;

/// A line that is asked.
struct Asked {
    now: f64,
    session: String,
    snapshots: Vec<Snapshot>,
    calls: Vec<Call>,
    settings: Map<String, Value>,
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
    match asked(line).and_then(paced) {
        Ok(pace) => Answer::Pace(pace),
        Err(error) => Answer::Bad { error },
    }
}

fn asked(line: &[u8]) -> Result<Asked, String> {
    let line: Value = serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(map) = &line else {
        return Err(format!("{}; a line is {SHAPE}", wrong("a line", "an object", &line)));
    };
    let line = Fields { map, path: String::new() };
    let now = line.number("now")?.ok_or_else(|| format!("now is missing; a line is {SHAPE}"))?;
    Ok(Asked {
        now,
        session: line.text("session")?,
        snapshots: line.list("snapshots")?.iter().map(snapshot).collect::<Result<_, _>>()?,
        calls: line.list("calls")?.iter().map(call).collect::<Result<_, _>>()?,
        settings: line.object("settings")?.map_or_else(Map::new, |settings| settings.map.clone()),
    })
}

fn paced(asked: Asked) -> Result<Paced, String> {
    let settings = Settings::over_defaults(&asked.settings);
    let rules = Rules::of(&settings.map_err(|why| format!("settings: {why}"))?);
    let Asked { now, session, mut snapshots, mut calls, .. } = asked;
    snapshots.sort_by_key(|snapshot| snapshot.at);
    calls.sort_by(|one, other| one.at.total_cmp(&other.at));
    let mut busy_slots: Vec<i64> = calls.iter().map(|call| whole_seconds(call.at / SLOT_SECS)).collect();
    busy_slots.dedup();
    let question = Question {
        now,
        session: digest(&session),
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
        windows: pace.windows.iter().map(|window| (window.window, PacedWindow::of(window, now))).collect(),
    })
}

fn snapshot(entry: &Fields<'_>) -> Result<Snapshot, String> {
    Ok(Snapshot {
        at: whole_seconds(entry.needed("at")?),
        five_hour: reading(entry, "five_hour")?,
        seven_day: reading(entry, "seven_day")?,
    })
}

/// A share of a window without its reset is nothing to pace by, nor the other way round.
fn reading(snapshot: &Fields<'_>, window: &str) -> Result<Option<Reading>, String> {
    let Some(reading) = snapshot.object(window)? else { return Ok(None) };
    let used_percent = reading.number("used_percent")?;
    if let Some(negative) = used_percent.filter(|used| *used < 0.0) {
        return Err(format!("{}used_percent has to be 0 or more, not {negative}", reading.path));
    }
    let known = used_percent.zip(reading.number("resets_at")?);
    Ok(known.map(|(used_percent, resets_at)| Reading { used_percent, resets_at: whole_seconds(resets_at) }))
}

fn call(entry: &Fields<'_>) -> Result<Call, String> {
    Ok(Call {
        at: entry.needed("at")?,
        session: digest(&entry.text("session")?),
        slept_secs: entry.number("slept_secs")?.unwrap_or_default(),
    })
}

/// An object of the line. What is `null` counts as left out; keys that are not known are not looked at.
struct Fields<'a> {
    map: &'a Map<String, Value>,
    /// Where it stands in the line, as in `snapshots[2].`
    path: String,
}

impl<'a> Fields<'a> {
    /// The value of a key, as the kind it has to be.
    fn get<T>(
        &self,
        key: &str,
        kind: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let Some(value) = self.map.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
        let read = read(value);
        read.map_or_else(|| Err(wrong(&format!("{}{key}", self.path), kind, value)), |value| Ok(Some(value)))
    }

    fn number(&self, key: &str) -> Result<Option<f64>, String> {
        self.get(key, "a number", Value::as_f64)
    }

    fn needed(&self, key: &str) -> Result<f64, String> {
        self.number(key)?.ok_or_else(|| format!("{}{key} is missing; a line is {SHAPE}", self.path))
    }

    fn text(&self, key: &str) -> Result<String, String> {
        Ok(self.get(key, "a text", Value::as_str)?.unwrap_or_default().to_owned())
    }

    fn object(&self, key: &str) -> Result<Option<Self>, String> {
        let map = self.get(key, "an object", Value::as_object)?;
        Ok(map.map(|map| Self { map, path: format!("{}{key}.", self.path) }))
    }

    fn list(&self, key: &str) -> Result<Vec<Self>, String> {
        let entries = self.get(key, "a list", Value::as_array)?.map_or(&[][..], Vec::as_slice);
        let entry = |(index, entry): (usize, &'a Value)| {
            let path = format!("{}{key}[{index}]", self.path);
            let map = entry.as_object().ok_or_else(|| wrong(&path, "an object", entry))?;
            Ok(Self { map, path: format!("{path}.") })
        };
        entries.iter().enumerate().map(entry).collect()
    }
}

fn wrong(what: &str, expected: &str, found: &Value) -> String {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("{what} has to be {expected}, not {found}")
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
