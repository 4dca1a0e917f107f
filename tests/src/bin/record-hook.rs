//! A hook for experiments: records its input and replies as configured.
//!
//!     record-hook FOLDER ID [ARGUMENT ...]
//!
//! In the folder `behaviours.json` maps ids to behaviours, and every run leaves a file. Both formats are the types of
//! `tests::recording`. It is a test tool: it fails loudly, unlike a real hook.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a recording that fails must be noticed")]

use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tests::clock::epoch_micros;
use tests::recording::{Behaviour, Run};

const OTHER_VARIABLES: [&str; 3] = ["COLUMNS", "LINES", "HOME"];
const SAMPLE_EVERY: Duration = Duration::from_millis(5);

fn main() {
    let started_us = epoch_micros();
    let mut args = env::args().skip(1);
    let (folder, id) = (PathBuf::from(args.next().unwrap()), args.next().unwrap());
    let behaviours = fs::read(folder.join("behaviours.json")).unwrap();
    let mut all: BTreeMap<String, Behaviour> = serde_json::from_slice(&behaviours).unwrap();
    let behaviour = all.remove(&id).unwrap();
    // Parallel runs get different numbers.
    let file = |run: &usize| folder.join(format!("runs/{id}-{run}"));
    let run = (0..10_000).find(|run| File::create_new(file(run)).is_ok()).unwrap();
    let file = file(&run);
    let input = input(args.collect(), &behaviour);
    let beside = folder.join(std::process::id().to_string());
    let own = Own { file, beside, run: Arc::new(Mutex::new(Run { id, started_us, ..input })) };
    if behaviour.trap {
        note_signals(&own);
    }
    own.note(|_| {});
    if let Some(time) = behaviour.sample_ms {
        watch_transcript(&own, Duration::from_millis(time));
    }
    let (stdout, after_ms) = behaviour.reply(run);
    thread::sleep(Duration::from_millis(after_ms));
    // The client may have gone away meanwhile; that is for the signals, not a failure of the recording.
    match &stdout {
        Value::Null => {}
        Value::String(text) => drop(io::stdout().write_all(text.as_bytes())),
        json => drop(io::stdout().write_all(json.to_string().as_bytes())),
    }
    own.note(|run| run.ended_us = Some(epoch_micros()));
}

/// The record of this run, and its file.
#[derive(Clone)]
struct Own {
    file: PathBuf,
    beside: PathBuf,
    run: Arc<Mutex<Run>>,
}

impl Own {
    /// Changes the record, and writes it beside its file and renames it.
    fn note(&self, change: impl FnOnce(&mut Run)) {
        let mut run = self.run.lock().unwrap();
        change(&mut run);
        fs::write(&self.beside, serde_json::to_vec(&*run).unwrap()).unwrap();
        fs::rename(&self.beside, &self.file).unwrap();
    }
}

fn input(args: Vec<String>, behaviour: &Behaviour) -> Run {
    let text = |value: std::ffi::OsString| value.to_string_lossy().into_owned();
    let env: BTreeMap<String, String> =
        env::vars_os().map(|(name, value)| (text(name), text(value))).collect();
    let is_noted = |name: &String| {
        name.starts_with("CLAUDE")
            || OTHER_VARIABLES.contains(&name.as_str())
            || behaviour.variables.contains(name)
    };
    Run {
        pid: std::process::id(),
        payload: serde_json::from_reader(io::stdin()).unwrap_or_default(),
        args,
        env_names: env.keys().cloned().collect(),
        env: env.into_iter().filter(|(name, _)| is_noted(name)).collect(),
        has_terminal: io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal(),
        ..Run::default()
    }
}

fn watch_transcript(own: &Own, time: Duration) {
    let until = Instant::now() + time;
    let path = own.run.lock().unwrap().payload["transcript_path"].as_str().map(PathBuf::from);
    let mut last = None;
    while Instant::now() < until {
        let text = path.as_ref().and_then(|path| fs::read_to_string(path).ok());
        if last.as_ref() != Some(&text) {
            own.note(|run| run.looks.push(text.clone()));
            last = Some(text);
        }
        thread::sleep(SAMPLE_EVERY);
    }
}

fn note_signals(own: &Own) {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM]).expect("a handler");
    let own = own.clone();
    thread::spawn(move || {
        for _ in signals.forever() {
            own.note(|run| run.signals.push(epoch_micros()));
        }
    });
}
