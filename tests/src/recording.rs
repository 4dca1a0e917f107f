//! `record-hook` seen from a test: how it shall behave, and what it wrote down. The types here are the contract between
//! the test and the binary (`src/bin/record-hook.rs`), which reads a JSON file of [`Behaviour`]s by id and writes a file
//! for each [`Run`]. It records and replies; it never judges what it saw.

use crate::binaries;
use crate::sandbox::Sandbox;
use crate::settings::Hook;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(30);

/// Behaviour of a recording hook; the default prints nothing and exits 0.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[must_use]
pub struct Behaviour {
    /// One reply per run, in order; silence after the last.
    replies: Vec<(Value, u64)>,
    /// Look at the transcript every 5 ms for this long and note each change.
    pub sample_ms: Option<u64>,
    /// Note SIGTERM and go on instead of dying from it.
    pub trap: bool,
    pub variables: Vec<String>,
}

impl Behaviour {
    /// In its next run, prints this after so many milliseconds: a string as it is, anything else as JSON.
    pub fn then(mut self, stdout: impl Into<Value>, after_ms: u64) -> Self {
        self.replies.push((stdout.into(), after_ms));
        self
    }

    pub fn reply(&self, run: usize) -> (Value, u64) {
        self.replies.get(run).cloned().unwrap_or_default()
    }

    /// Also notes what stands in the transcript, for so many milliseconds.
    pub fn watching_the_transcript(mut self, sample_ms: u64) -> Self {
        self.sample_ms = Some(sample_ms);
        self
    }

    /// Also notes signals instead of dying from them.
    pub fn trapping_signals(mut self) -> Self {
        self.trap = true;
        self
    }

    pub fn noting(mut self, variables: &[&str]) -> Self {
        self.variables.extend(variables.iter().map(|&name| name.to_owned()));
        self
    }
}

/// One run of a recording hook, as far as it has come. Times are microseconds since 1970; see [`crate::clock`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Run {
    pub id: String,
    pub pid: u32,
    pub started_us: u64,
    /// `None` while it runs, and if it was killed.
    pub ended_us: Option<u64>,
    /// When it got SIGTERM.
    pub signals: Vec<u64>,
    /// Its transcript, each time it was found changed; `None` where there was no file.
    pub looks: Vec<Option<String>>,
    /// Stdin as JSON; null when it was no JSON.
    pub payload: Value,
    /// Arguments that are not its own.
    pub args: Vec<String>,
    /// Variables whose name starts with `CLAUDE`, `COLUMNS`, `LINES`, `HOME`, and those named by [`Behaviour::noting`].
    pub env: BTreeMap<String, String>,
    /// Names of all variables; values of the others may be secret.
    pub env_names: Vec<String>,
    /// One of the standard streams is a terminal.
    pub has_terminal: bool,
}

impl Run {
    /// [`Self::ended_us`] of a run that has come to its end by itself; fails for any other.
    #[track_caller]
    pub fn ended(&self) -> u64 {
        self.ended_us.unwrap_or_else(|| panic!("a recording hook has not ended: {self:?}"))
    }

    /// Which of its looks was the first to find this in the transcript.
    pub fn first_look_with(&self, text: &str) -> Option<usize> {
        self.looks.iter().position(|look| look.as_ref().is_some_and(|look| look.contains(text)))
    }
}

/// Sets up recording hooks of one sandbox and reads what they wrote.
pub struct Recorder {
    folder: PathBuf,
    behaviours: Mutex<BTreeMap<String, Behaviour>>,
}

impl Recorder {
    /// A recorder whose files lie in the sandbox's temporary folder.
    pub fn new(sandbox: &Sandbox) -> Self {
        let folder = sandbox.temporary_dir().join("record-hook");
        fs::create_dir_all(folder.join("runs")).expect("a folder of the recorder");
        Self { folder, behaviours: Mutex::default() }
    }

    /// The arguments that make `record-hook` record under this id and behave so.
    pub fn args(&self, id: &str, behaviour: Behaviour) -> Vec<String> {
        let mut behaviours = self.behaviours.lock().expect("the behaviours");
        behaviours.insert(id.to_owned(), behaviour);
        let config = serde_json::to_vec(&*behaviours).expect("behaviours as JSON");
        fs::write(self.folder.join("behaviours.json"), config).expect("the recording hooks' configuration");
        vec![self.folder.display().to_string(), id.to_owned()]
    }

    /// A hook entry that records under this id, behaves so, and has these further arguments.
    pub fn hook(&self, id: &str, behaviour: Behaviour, more: &[&str]) -> Hook {
        let args = self.args(id, behaviour);
        let own: Vec<&str> = args.iter().map(String::as_str).collect();
        Hook::new(&binaries::path("record-hook"), &[&own, more].concat())
    }

    /// The same as a shell line, for a place that takes nothing else.
    pub fn line(&self, id: &str, behaviour: Behaviour) -> String {
        format!("'{}' '{}'", binaries::path("record-hook").display(), self.args(id, behaviour).join("' '"))
    }

    /// Every run of every id, in order of their first moments.
    pub fn all_runs(&self) -> Vec<Run> {
        let files = fs::read_dir(self.folder.join("runs")).expect("the folder of the runs").flatten();
        let run = |file: PathBuf| serde_json::from_slice(&fs::read(file).expect("a run")).ok();
        // A file that is still empty belongs to a run that has just begun.
        let mut runs: Vec<Run> = files.filter_map(|file| run(file.path())).collect();
        runs.sort_by_key(|run| run.started_us);
        runs
    }

    pub fn runs(&self, id: &str) -> Vec<Run> {
        self.all_runs().into_iter().filter(|run| run.id == id).collect()
    }

    /// Waits until the runs fulfil a condition; fails at the deadline and prints them.
    #[track_caller]
    pub fn wait_until(&self, what: &str, fulfilled: impl Fn(&[Run]) -> bool) {
        let until = Instant::now() + DEADLINE;
        while !fulfilled(&self.all_runs()) {
            assert!(Instant::now() < until, "{what}: not within {DEADLINE:?}: {:#?}", self.all_runs());
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[track_caller]
    pub fn wait_for_ends(&self, id: &str, count: usize) {
        let is_end = |run: &&Run| run.id == id && run.ended_us.is_some();
        self.wait_until(&format!("end {count} of `{id}`"), |runs| {
            runs.iter().filter(is_end).count() >= count
        });
    }
}
