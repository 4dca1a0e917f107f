//! Driving one real hook binary: one sandbox, one session, one process per event, and what is left on the disk. It knows
//! no rule of any hook. Every answer goes through [`documented`], so that no test forgets the promise of exit 0 and a
//! documented answer.

use fd_lock::RwLock;
use serde_json::{Value, json};
use shared::config::fits;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tests::binaries;
pub(crate) use tests::listing::{names, tree};
use tests::payloads::{Payload, Session};
use tests::process::{Invocation, Outcome, Running};
pub(crate) use tests::sandbox::restrict;
use tests::sandbox::{Environment, Level, Sandbox};

const SCHEMA: &str = include_str!("../../shared/src/protocol/documented.schema.json");

/// A hook, a sandbox, a session in it, and what the client tells its hooks.
pub(crate) struct Driver {
    name: &'static str,
    pub(crate) sandbox: Sandbox,
    pub(crate) session: Session,
    /// What the client has in its environment beside what it always has.
    pub(crate) variables: Environment,
}

impl Driver {
    pub(crate) fn new(name: &'static str, global: &str) -> Self {
        let driver = Self::unconfigured(name);
        driver.sandbox.requirements(Level::User, global);
        driver
    }

    pub(crate) fn unconfigured(name: &'static str) -> Self {
        let sandbox = Sandbox::new();
        let session = Session::new(&sandbox);
        Self { name, sandbox, session, variables: Environment::new() }
    }

    /// The hook as the terminal client starts it.
    pub(crate) fn hook(&self) -> Invocation {
        Invocation::new(binaries::path(self.name), &self.sandbox)
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("CLAUDE_CODE_SESSION_ID", self.session.id.as_str())
            .env("CLAUDE_PROJECT_DIR", self.sandbox.project().display().to_string())
            .envs(self.variables.clone())
    }

    #[track_caller]
    pub(crate) fn ask(&self, payload: &Payload) -> Option<Value> {
        documented(&self.hook().stdin(payload.to_bytes()).run())
    }

    /// What it answers to many events at once: starts a copy for each and waits until every one has begun and waits for
    /// its input, then gives all their inputs.
    #[track_caller]
    pub(crate) fn ask_at_once(&self, payloads: &[Payload]) -> Vec<Option<Value>> {
        let copies: Vec<Running> = payloads.iter().map(|_| self.hook().stdin_held_open("").start()).collect();
        for copy in &copies {
            self.wait_until_it_reads(copy);
        }
        for (copy, payload) in copies.iter().zip(payloads) {
            copy.give(payload.to_bytes());
        }
        copies.into_iter().map(|copy| documented(&copy.wait())).collect()
    }

    /// A hook notes when it began before it reads, and sleeps nowhere before that: one that sleeps has come that far.
    #[cfg(target_os = "linux")]
    fn wait_until_it_reads(&self, copy: &Running) {
        // The system keeps 15 bytes of a program's name.
        let asleep = format!("({}) S", &self.name[..self.name.len().min(15)]);
        let until = Instant::now() + Duration::from_secs(10);
        let line = || fs::read_to_string(format!("/proc/{}/stat", copy.id())).unwrap_or_default();
        while !line().contains(&asleep) {
            assert!(Instant::now() < until, "the copy does not read: {}", line());
            std::thread::yield_now();
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn wait_until_it_reads(&self, _copy: &Running) {}

    pub(crate) fn state(&self, name: &str) -> PathBuf {
        self.sandbox.state_dir().join(name)
    }

    pub(crate) fn state_names(&self) -> BTreeSet<String> {
        names(&self.sandbox.state_dir())
    }

    /// The state in a state file; null where there is no file.
    pub(crate) fn remembered(&self, name: &str) -> Value {
        let Ok(bytes) = fs::read(self.state(name)) else { return Value::Null };
        serde_json::from_slice::<Value>(&bytes).unwrap()["state"].clone()
    }

    /// Writes a state file as the hooks do; an empty `session` stands for all sessions.
    pub(crate) fn remembers(&self, name: &str, session: &str, state: &Value) {
        let envelope = json!({ "version": 1, "session": session, "state": state });
        fs::write(self.state(name), envelope.to_string()).unwrap();
    }

    /// The lock that guards a state file, to be held like another process would.
    pub(crate) fn lock_of(&self, name: &str) -> RwLock<File> {
        let path = self.state(&format!("{name}.lock"));
        RwLock::new(File::options().read(true).write(true).create(true).truncate(false).open(path).unwrap())
    }

    pub(crate) fn journal(&self) -> String {
        fs::read_to_string(self.state("journal.jsonl")).unwrap_or_default()
    }

    /// The journal's lines of a kind: `judge`, `sleep`.
    pub(crate) fn lines(&self, what: &str) -> Vec<Value> {
        let journal = self.journal();
        let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["what"] == what).collect()
    }

    /// The texts of those lines.
    pub(crate) fn texts(&self, what: &str) -> Vec<String> {
        let lines = self.lines(what);
        lines.iter().map(|line| line["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The program where every user may run it.
    pub(crate) fn copied_program(&self) -> PathBuf {
        let program = self.sandbox.temporary_dir().join(self.name);
        fs::copy(binaries::path(self.name), &program).unwrap();
        restrict(&program, 0o755);
        program
    }

    /// Lets every user see the sandbox, which is its owner's alone otherwise.
    pub(crate) fn open_to_all(&self) {
        let sandbox = &self.sandbox;
        for folder in [sandbox.root(), sandbox.home(), sandbox.project(), sandbox.temporary_dir()] {
            restrict(&folder, 0o755);
        }
    }
}

/// A hook's answer, as the client documents it; `None` for silence. Fails on anything else, and on another status than 0.
#[track_caller]
pub(crate) fn documented(outcome: &Outcome) -> Option<Value> {
    let answer = outcome.answer()?;
    assert_documented(&answer, outcome);
    Some(answer)
}

/// Fails on an answer that the client does not document; `shown` says what gave it.
#[track_caller]
pub(crate) fn assert_documented(answer: &Value, shown: &dyn std::fmt::Display) {
    static DOCUMENTED: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA).unwrap());
    assert!(fits(&DOCUMENTED, answer), "not a documented answer: {shown}");
}

/// The reason with which a stop or a prompt is blocked; `None` if it is not.
pub(crate) fn block_reason(answer: Option<&Value>) -> Option<String> {
    let answer = answer.filter(|answer| answer["decision"] == "block")?;
    Some(answer["reason"].as_str().expect("a block has a reason").to_owned())
}

/// The reason with which a tool call is refused; `None` if it is not.
pub(crate) fn denial(answer: Option<&Value>) -> Option<String> {
    let output = &answer?["hookSpecificOutput"];
    let is_denied = output["permissionDecision"] == "deny";
    is_denied.then(|| output["permissionDecisionReason"].as_str().expect("a denial has a reason").to_owned())
}

/// The text given to the model beside whatever goes on; `None` if there is none.
pub(crate) fn context(answer: Option<&Value>) -> Option<String> {
    answer?["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned)
}

/// The text shown to the user beside the verdict; empty if there is none.
pub(crate) fn notice(answer: Option<&Value>) -> String {
    let text = answer.and_then(|answer| answer["systemMessage"].as_str());
    text.unwrap_or_default().to_owned()
}

/// Makes a named pipe, which nobody ever writes to or reads from.
pub(crate) fn make_pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a named pipe");
}

pub(crate) fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found == extension)
}

/// A file of satisfactions by the name of its branch, `main.json`, or what was set aside in its place: behind the name stands
/// a hash.
pub(crate) fn marks_file(project: &std::path::Path, name: &str) -> std::path::PathBuf {
    let folder = project.join(".git/requirements");
    let (slug, rest) = name.split_once(".json").unwrap_or((name, ""));
    let is_meant = |file: &String| {
        file.strip_prefix(slug)
            .and_then(|file| file.strip_prefix('.'))
            .is_some_and(|file| file.ends_with(&format!(".json{rest}")))
    };
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let found = files.filter_map(|file| file.file_name().into_string().ok()).find(is_meant);
    folder.join(found.unwrap_or_else(|| name.to_owned()))
}
