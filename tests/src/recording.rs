//! `record-hook` seen from a test: how it shall behave, and what it wrote down. The types here are the contract between
//! the test and the binary (`src/bin/record-hook.rs`), which reads a JSON file of [`Behaviour`]s by id and appends
//! [`Line`]s. It records and replies; it never judges what it saw.

use crate::binaries;
use crate::sandbox::Sandbox;
use crate::settings::Hook;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// Behaviour of a recording hook; the default prints nothing and exits 0.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[must_use]
pub struct Behaviour {
    /// One reply per run, in order; the last one repeats. None: silence.
    pub replies: Vec<Reply>,
    /// Note what stands in the transcript right now.
    pub tail_transcript: bool,
    /// Look at the transcript again every 5 ms for this long and note each change; 0: one look only.
    pub sample_ms: u64,
    /// Note signals (SIGTERM, SIGINT, SIGHUP) and go on instead of dying from them.
    pub trap: bool,
    /// Note the values of these variables too.
    pub variables: Vec<String>,
}

impl Behaviour {
    /// Replies with these, one per run; the last one repeats.
    pub fn replying(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { replies: replies.into_iter().collect(), ..Self::default() }
    }

    /// Also notes what stands in the transcript, for `sample_ms` milliseconds.
    pub fn watching_the_transcript(mut self, sample_ms: u64) -> Self {
        self.tail_transcript = true;
        self.sample_ms = sample_ms;
        self
    }

    /// Also notes signals instead of dying from them.
    pub fn trapping_signals(mut self) -> Self {
        self.trap = true;
        self
    }

    /// Also notes the values of these variables.
    pub fn noting(mut self, variables: &[&str]) -> Self {
        self.variables.extend(variables.iter().map(|&name| name.to_owned()));
        self
    }
}

/// One reply of a recording hook.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[must_use]
pub struct Reply {
    /// A string is printed as it is, anything else as JSON; null prints nothing.
    pub stdout: Value,
    /// Printed on stderr.
    pub stderr: String,
    /// Exit code.
    pub exit: i32,
    /// Waits this long before it prints.
    pub sleep_ms: u64,
}

impl Reply {
    /// Silence and exit 0.
    pub fn silent() -> Self {
        Self::default()
    }

    /// A JSON answer, or plain text when given a string.
    pub fn stdout(stdout: impl Into<Value>) -> Self {
        Self { stdout: stdout.into(), ..Self::default() }
    }

    /// Waits before it prints.
    pub fn after_ms(mut self, milliseconds: u64) -> Self {
        self.sleep_ms = milliseconds;
        self
    }

    /// Exits with a code, and says why on stderr.
    pub fn exiting(mut self, code: i32, stderr: &str) -> Self {
        self.exit = code;
        stderr.clone_into(&mut self.stderr);
        self
    }
}

/// One line of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// The `--id` of the hook.
    pub id: String,
    pub pid: u32,
    /// When, in microseconds since 1970; see [`crate::clock`].
    pub at_us: u64,
    /// The entry.
    #[serde(flatten)]
    pub what: What,
}

/// One entry of a recording hook.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum What {
    /// It was run; `at_us` is its first moment.
    Start(Start),
    /// It looked at a transcript and found it changed (or looked for the first time).
    Transcript(Look),
    /// It got a signal.
    Signal { signal: i32 },
    /// It is about to exit; missing when it was killed.
    End {
        /// With this code.
        exit: i32,
    },
}

/// Input of the hook.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Start {
    /// Earlier runs of the same id: 0 for the first.
    pub run: usize,
    /// Stdin as JSON; a string when it was no JSON.
    pub payload: Value,
    /// Arguments that are not its own.
    pub args: Vec<String>,
    /// Working directory.
    pub cwd: String,
    /// Variables whose name starts with `CLAUDE`, `PWD`, `SHELL`, `COLUMNS`, `LINES`, `PATH`, `HOME`, and those named
    /// by [`Behaviour::noting`].
    pub env: BTreeMap<String, String>,
    /// Names of all variables; values of the others may be secret.
    pub env_names: Vec<String>,
    /// The standard streams that are terminals.
    pub terminals: [bool; 3],
}

impl Start {
    /// `hook_event_name` of the payload.
    pub fn event(&self) -> &str {
        self.payload["hook_event_name"].as_str().unwrap_or_default()
    }
}

/// One run of a recording hook, put together from its lines.
#[derive(Clone, Debug)]
pub struct Run {
    /// Input.
    pub start: Start,
    pub pid: u32,
    /// Start, in microseconds since 1970.
    pub started_us: u64,
    /// End, in microseconds since 1970; `None` while it runs, and if it was killed.
    pub ended_us: Option<u64>,
    /// The signals it noted and when; see [`Behaviour::trapping_signals`].
    pub signals: Vec<(i32, u64)>,
    /// Looks at the transcript.
    pub looks: Vec<Look>,
}

impl Run {
    fn new(line: &Line, start: Start) -> Self {
        let (pid, started_us) = (line.pid, line.at_us);
        Self { start, pid, started_us, ended_us: None, signals: Vec::new(), looks: Vec::new() }
    }

    /// [`Self::ended_us`] of a run that has come to its end by itself; fails for any other.
    #[track_caller]
    pub fn ended(&self) -> u64 {
        self.ended_us.unwrap_or_else(|| panic!("a recording hook has not ended: {self:?}"))
    }

    fn add(&mut self, at_us: u64, what: What) {
        match what {
            What::Start(_) => {}
            What::Transcript(look) => self.looks.push(look),
            What::Signal { signal } => self.signals.push((signal, at_us)),
            What::End { .. } => self.ended_us = Some(at_us),
        }
    }
}

/// A transcript as it was on disk at that moment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Look {
    /// `transcript_path` or `agent_transcript_path`.
    pub of: String,
    /// Milliseconds since the hook began.
    pub after_ms: f64,
    /// The complete lines; null when the file does not exist.
    pub lines: Option<Vec<Seen>>,
}

/// One line of a transcript, shortened to what tells lines apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// `type` of the line, or `unparsable`.
    pub kind: String,
    /// Ids of its tool calls and tool results, first 60 characters of its texts.
    pub marks: Vec<String>,
}

/// Sets up recording hooks of one sandbox and reads their log.
pub struct Recorder {
    log: PathBuf,
    config: PathBuf,
    behaviours: RefCell<BTreeMap<String, Behaviour>>,
}

impl Recorder {
    /// A recorder whose log and configuration lie in the sandbox's temporary folder.
    pub fn new(sandbox: &Sandbox) -> Self {
        let folder = sandbox.temporary_dir();
        let (log, config) = (folder.join("record-hook.jsonl"), folder.join("record-hook.json"));
        let recorder = Self { log, config, behaviours: RefCell::default() };
        recorder.write_config();
        recorder
    }

    /// A hook entry that records under this id and behaves so.
    pub fn hook(&self, id: &str, behaviour: Behaviour) -> Hook {
        self.behaviours.borrow_mut().insert(id.to_owned(), behaviour);
        self.write_config();
        let args = self.args(id);
        Hook::new(&binaries::record_hook(), &args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The same as a shell line, for a place that takes nothing else.
    pub fn line(&self, id: &str, behaviour: Behaviour) -> String {
        self.behaviours.borrow_mut().insert(id.to_owned(), behaviour);
        self.write_config();
        let words = [binaries::record_hook().display().to_string()].into_iter().chain(self.args(id));
        words.map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ")
    }

    fn write_config(&self) {
        let config = serde_json::to_vec(&*self.behaviours.borrow()).expect("behaviours as JSON");
        fs::write(&self.config, config).expect("the recording hooks' configuration");
    }

    /// The arguments that make `record-hook` record under this id here.
    pub fn args(&self, id: &str) -> Vec<String> {
        let path = |path: &PathBuf| path.to_str().expect("paths of the harness are UTF-8").to_owned();
        let (log, config) = (path(&self.log), path(&self.config));
        ["--log", &log, "--config", &config, "--id", id].map(str::to_owned).to_vec()
    }

    /// Every line so far, in the order they were written.
    pub fn lines(&self) -> Vec<Line> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        // A last line without its line break is still being written.
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        complete.lines().map(|line| serde_json::from_str(line).expect("a line of record-hook")).collect()
    }

    /// Waits until the log fulfils a condition; fails at the deadline and prints the log.
    #[track_caller]
    pub fn wait_until(&self, what: &str, deadline: Duration, fulfilled: impl Fn(&[Line]) -> bool) {
        let until = Instant::now() + deadline;
        while !fulfilled(&self.lines()) {
            assert!(Instant::now() < until, "{what}: not within {deadline:?}; the log: {:#?}", self.lines());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Inputs of the runs of one id, in order.
    pub fn starts(&self, id: &str) -> Vec<Start> {
        let own = self.lines().into_iter().filter(|line| line.id == id);
        own.filter_map(|line| if let What::Start(start) = line.what { Some(start) } else { None }).collect()
    }

    /// Every run of every id, in order of their first moments.
    pub fn all_runs(&self) -> Vec<(String, Run)> {
        let mut runs: Vec<(String, Run)> = Vec::new();
        for line in self.lines() {
            if let What::Start(start) = &line.what {
                runs.push((line.id.clone(), Run::new(&line, start.clone())));
                continue;
            }
            // Ids of processes come again one day: the latest run of that id is meant.
            let own = runs.iter_mut().rev().find(|(id, run)| *id == line.id && run.pid == line.pid);
            if let Some((_, run)) = own {
                run.add(line.at_us, line.what);
            }
        }
        runs.sort_by_key(|(_, run)| run.started_us);
        runs
    }

    /// The runs of one id, in order of their first moments.
    pub fn runs(&self, id: &str) -> Vec<Run> {
        self.all_runs().into_iter().filter(|(own, _)| own == id).map(|(_, run)| run).collect()
    }

    /// Looks at the transcript by the runs of one id, in order.
    pub fn looks(&self, id: &str) -> Vec<Look> {
        let own = self.lines().into_iter().filter(|line| line.id == id);
        own.filter_map(|line| if let What::Transcript(look) = line.what { Some(look) } else { None })
            .collect()
    }
}
