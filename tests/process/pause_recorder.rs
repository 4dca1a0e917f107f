//! pause-recorder through real processes: levels, record, snapshot, brief, commands; kills and full disks harm none of them.

mod commands;
mod crowd;
mod damage;
mod ends;
mod folder;
mod recorded;
mod snapshot;

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tests::payloads::Session;
use tests::transcripts::Transcript;

use crate::driver::{Driver, context, has_extension, names, notice};

const NAME: &str = "pause-recorder";

/// A model of which nobody says anything: 200,000 tokens fit.
const MODEL: &str = "claude-sonnet-4-6";

/// Nine tenths of these: the record begins.
const AT_AUTO_PAUSE: u64 = 180_000;

struct Recorder(Driver);

impl Deref for Recorder {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.0
    }
}

impl Recorder {
    /// With these keys of its section in the global file, in YAML's flow style.
    fn new(own: &str) -> Self {
        Self(Driver::new(NAME, &format!("pause-recorder: {{{own}}}\n")))
    }

    /// Another session of the project.
    fn another(&self, id: &str) -> Session {
        self.session.clone().with_id(id)
    }

    /// What the hook answers to the end of a tool call in this session.
    #[track_caller]
    fn call(&self, session: &Session) -> Option<Value> {
        self.ask(&session.bash_succeeded("cargo test", "ok"))
    }

    /// What the user is told at a tool call with so much in the context.
    #[track_caller]
    fn climb(&self, session: &Session, tokens: u64) -> String {
        holds(session, tokens);
        notice(self.call(session).as_ref())
    }

    /// A session that is being recorded from now on.
    #[track_caller]
    fn recorded(&self, session: &Session) -> PathBuf {
        let before = self.actives();
        let told = self.climb(session, AT_AUTO_PAUSE);
        assert!(told.contains("from here on this session is recorded in .claude/sessions"), "{told:?}");
        let mut new: Vec<PathBuf> =
            self.actives().into_iter().filter(|path| !before.contains(path)).collect();
        assert_eq!(new.len(), 1, "{before:?} {new:?}");
        new.remove(0)
    }

    /// A session that was recorded and has ended; returns the snapshot's id.
    #[track_caller]
    fn paused(&self, session: &Session) -> String {
        self.recorded(session);
        self.ask(&session.stop("The parser is written, the printer is not."));
        self.ask(&session.session_end("other"));
        self.latest()
    }

    /// The id in the pointer's first line.
    #[track_caller]
    fn latest(&self) -> String {
        let text = fs::read_to_string(self.dir().join("LATEST-SESSION.txt")).unwrap();
        text.lines().next().unwrap().to_owned()
    }

    /// The project's folder.
    fn dir(&self) -> PathBuf {
        self.sandbox.project().join(".claude/sessions")
    }

    fn file(&self, id: &str, end: &str) -> PathBuf {
        self.dir().join(format!("{id}{end}"))
    }

    #[track_caller]
    fn snapshot(&self, id: &str) -> Value {
        serde_json::from_slice(&fs::read(self.file(id, ".json")).unwrap()).unwrap()
    }

    /// What lies in the project's folder, without locks.
    fn kept(&self) -> Vec<String> {
        let there = if self.dir().is_dir() { names(&self.dir()) } else { return Vec::new() };
        there.into_iter().filter(|name| name != ".gitignore" && !has_extension(name, "lock")).collect()
    }

    fn actives(&self) -> Vec<PathBuf> {
        let names = self.kept().into_iter();
        names.filter(|name| name.starts_with("ACTIVE-PAUSE-")).map(|name| self.dir().join(name)).collect()
    }

    /// The brief that a session gets at its start.
    #[track_caller]
    fn starts(&self, id: &str) -> String {
        context(self.ask(&self.another(id).session_start("startup")).as_ref()).unwrap_or_default()
    }

    /// Runs its own command line, as Claude's shell would.
    fn run(&self, words: &[&str]) -> tests::process::Outcome {
        self.run_in(&self.session, words)
    }

    /// As Claude's shell in this session would.
    fn run_in(&self, session: &Session, words: &[&str]) -> tests::process::Outcome {
        let shell = self.hook().env("CLAUDE_CODE_SESSION_ID", session.id.as_str());
        shell.args(words.iter().copied()).run()
    }

    /// What a typed prompt is answered with; `None`: it goes to Claude.
    #[track_caller]
    fn typed(&self, session: &Session, prompt: &str) -> Option<String> {
        let answer = self.ask(&session.user_prompt_submit(prompt))?;
        (answer["decision"] == "block").then(|| answer["reason"].as_str().unwrap().to_owned())
    }
}

/// The session's last reply is one after which so much is in its context.
fn holds(session: &Session, tokens: u64) {
    Transcript::of(session).prompt("go on").context(MODEL, tokens).text("Going on.").write();
}

/// The lines of a record or an archive, each of which must be whole.
#[track_caller]
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().unwrap()).collect()
}
