//! A hook for experiments: records its input and replies as configured.
//!
//!     record-hook --log FILE --id ID [--config FILE] [ARGUMENT ...]
//!
//! The log gets one JSON line per thing that happened, appended under a file lock; the configuration maps ids to
//! behaviours. Both formats are the types of `tests::recording`. It is a test tool: it fails loudly, unlike a real hook.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a recording that fails must be noticed"
)]

use fd_lock::RwLock;
use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};
use tests::clock::epoch_micros;
use tests::recording::{Behaviour, Line, Look, Reply, Seen, Start, What};

const OTHER_VARIABLES: [&str; 6] = ["PWD", "SHELL", "COLUMNS", "LINES", "PATH", "HOME"];
const TRANSCRIPT_KEYS: [&str; 2] = ["transcript_path", "agent_transcript_path"];
const MARK_CHARS: usize = 60;
const SAMPLE_EVERY: Duration = Duration::from_millis(5);

fn main() -> ExitCode {
    let (started, started_us) = (Instant::now(), epoch_micros());
    let options = Options::from_args(env::args().skip(1));
    let behaviour = options.behaviour();
    if behaviour.trap {
        note_signals(&options);
    }
    let payload = read_payload();
    let run = options.note_start(start(&options, &behaviour, &payload), started_us);
    if behaviour.tail_transcript {
        watch_transcripts(&options, &payload, &behaviour, started);
    }
    let reply = behaviour.replies.get(run).or(behaviour.replies.last()).cloned().unwrap_or_default();
    give(&reply);
    options.note(What::End { exit: reply.exit });
    ExitCode::from(u8::try_from(reply.exit).expect("an exit code from 0 to 255"))
}

#[derive(Clone, Default)]
struct Options {
    log: PathBuf,
    id: String,
    config: Option<PathBuf>,
    rest: Vec<String>,
}

impl Options {
    fn from_args(mut args: impl Iterator<Item = String>) -> Self {
        let mut options = Self::default();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--log" => options.log = args.next().expect("--log FILE").into(),
                "--id" => options.id = args.next().expect("--id ID"),
                "--config" => options.config = Some(args.next().expect("--config FILE").into()),
                _ => options.rest.push(arg),
            }
        }
        assert!(
            options.log != OsStr::new("") && !options.id.is_empty(),
            "record-hook --log FILE --id ID is needed"
        );
        options
    }

    fn behaviour(&self) -> Behaviour {
        let Some(config) = &self.config else { return Behaviour::default() };
        let bytes = fs::read(config).expect("the configuration named by --config");
        let mut all: BTreeMap<String, Behaviour> = serde_json::from_slice(&bytes).expect("behaviours by id");
        all.remove(&self.id).unwrap_or_default()
    }

    fn note(&self, what: What) {
        self.append(epoch_micros(), |_| what);
    }

    /// Counts the earlier runs and writes the line in one locked step, so that parallel runs get different numbers.
    fn note_start(&self, mut start: Start, at_us: u64) -> usize {
        let mut run = 0;
        self.append(at_us, |log| {
            run = log.lines().filter(|line| is_start_of(line, &self.id)).count();
            start.run = run;
            What::Start(start)
        });
        run
    }

    fn append(&self, at_us: u64, what: impl FnOnce(&str) -> What) {
        let file = File::options().read(true).append(true).create(true).open(&self.log).expect("the log");
        let mut lock = RwLock::new(file);
        let mut log = lock.write().expect("the lock of the log");
        let mut earlier = String::new();
        log.rewind().and_then(|()| log.read_to_string(&mut earlier)).expect("the log so far");
        let line = Line { id: self.id.clone(), pid: std::process::id(), at_us, what: what(&earlier) };
        let mut bytes = serde_json::to_vec(&line).expect("a line as JSON");
        bytes.push(b'\n');
        log.write_all(&bytes).expect("a line in the log");
    }
}

fn is_start_of(line: &str, id: &str) -> bool {
    let line: Line = serde_json::from_str(line).expect("a line of this log");
    line.id == id && matches!(line.what, What::Start(_))
}

fn read_payload() -> Value {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).expect("stdin");
    serde_json::from_slice(&bytes).unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned().into())
}

fn start(options: &Options, behaviour: &Behaviour, payload: &Value) -> Start {
    let env: BTreeMap<String, String> = env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .collect();
    Start {
        run: 0,
        payload: payload.clone(),
        args: options.rest.clone(),
        cwd: env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default(),
        env_names: env.keys().cloned().collect(),
        env: env
            .into_iter()
            .filter(|(name, _)| is_noted(name) || behaviour.variables.contains(name))
            .collect(),
        terminals: [io::stdin().is_terminal(), io::stdout().is_terminal(), io::stderr().is_terminal()],
    }
}

fn is_noted(variable: &str) -> bool {
    variable.starts_with("CLAUDE") || OTHER_VARIABLES.contains(&variable)
}

fn watch_transcripts(options: &Options, payload: &Value, behaviour: &Behaviour, started: Instant) {
    let until = Instant::now() + Duration::from_millis(behaviour.sample_ms);
    let mut last = BTreeMap::new();
    loop {
        for key in TRANSCRIPT_KEYS {
            let Some(path) = payload[key].as_str() else { continue };
            let after_ms = started.elapsed().as_secs_f64() * 1000.0;
            let lines = fs::read_to_string(path).ok().map(|text| seen(&text));
            if last.insert(key, lines.clone()).as_ref() != Some(&lines) {
                options.note(What::Transcript(Look { of: key.to_owned(), after_ms, lines }));
            }
        }
        if Instant::now() >= until {
            return;
        }
        thread::sleep(SAMPLE_EVERY);
    }
}

/// A last line without its line break is still being written: it does not count.
fn seen(text: &str) -> Vec<Seen> {
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    complete.lines().map(seen_line).collect()
}

fn seen_line(line: &str) -> Seen {
    let Ok(entry) = serde_json::from_str::<Value>(line) else {
        return Seen { kind: "unparsable".to_owned(), marks: Vec::new() };
    };
    // Lines that are no message (of the prompt queue, for one) have their text at the top.
    let content = entry["message"].get("content").unwrap_or(&entry["content"]);
    let marks = match content {
        Value::String(text) => vec![shortened(text)],
        Value::Array(blocks) => blocks.iter().filter_map(mark).collect(),
        _ => Vec::new(),
    };
    Seen { kind: entry["type"].as_str().unwrap_or_default().to_owned(), marks }
}

fn mark(block: &Value) -> Option<String> {
    let key = match block["type"].as_str()? {
        "tool_use" => "id",
        "tool_result" => "tool_use_id",
        "thinking" => "thinking",
        _ => "text",
    };
    block[key].as_str().map(shortened)
}

fn shortened(text: &str) -> String {
    text.chars().take(MARK_CHARS).collect()
}

#[cfg(unix)]
fn note_signals(options: &Options) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals =
        signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP]).expect("signal handlers");
    let options = options.clone();
    thread::spawn(move || {
        for signal in &mut signals {
            options.note(What::Signal { signal });
        }
    });
}

#[cfg(not(unix))]
fn note_signals(_options: &Options) {}

fn give(reply: &Reply) {
    thread::sleep(Duration::from_millis(reply.sleep_ms));
    let stdout = match &reply.stdout {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        json => json.to_string(),
    };
    // The client may have gone away meanwhile; that is for the log of signals, not a failure of the recording.
    drop(io::stdout().write_all(stdout.as_bytes()));
    drop(io::stdout().flush());
    drop(io::stderr().write_all(reply.stderr.as_bytes()));
}
