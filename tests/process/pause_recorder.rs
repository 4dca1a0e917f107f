//! pause-recorder through real processes: levels, record, snapshot, brief, commands; kills and full disks harm none of them.

mod commands;
mod commit;
mod crowd;
mod damage;
mod ends;
mod folder;
mod levels;
mod recorded;
mod snapshot;

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tests::payloads::{Payload, Session};
use tests::sandbox::Environment;
use tests::transcripts::Transcript;

use crate::driver::{Driver, context, documented, has_extension, names, notice};

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
        json_file(&self.file(id, ".json"))
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

    /// What a session that starts in the project is given.
    #[track_caller]
    fn starts(&self, id: &str) -> Start {
        self.starts_as(&self.another(id).session_start("startup"), &[])
    }

    #[track_caller]
    fn starts_as(&self, payload: &Payload, variables: &[(&str, &str)]) -> Start {
        let hook = variables.iter().fold(self.hook(), |hook, (name, value)| hook.env(name, *value));
        let answer = documented(&hook.stdin(payload.to_bytes()).run());
        Start { brief: context(answer.as_ref()).unwrap_or_default(), notice: notice(answer.as_ref()) }
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

    /// The environment in which `git` is this script.
    fn with_git(&self, script: &str) -> Environment {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = self.sandbox.root().join("stand-ins");
        fs::create_dir_all(&folder).unwrap();
        let git = folder.join("git");
        fs::write(&git, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", folder.display(), self.sandbox.env()["PATH"]);
        Environment::from([("PATH".to_owned(), path)])
    }
}

/// The session's last reply is one after which so much is in its context.
fn holds(session: &Session, tokens: u64) {
    Transcript::of(session).prompt("go on").context(MODEL, tokens).text("Going on.").write();
}

/// What a session is given at its start.
struct Start {
    /// To the model.
    brief: String,
    /// To the user.
    notice: String,
}

#[track_caller]
fn json_file(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap()
}

/// The lines of a record or an archive, each of which must be whole.
#[track_caller]
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(text.ends_with('\n'), "{text}");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[track_caller]
fn id_of(record: &Path) -> String {
    lines(record)[0]["session_id"].as_str().unwrap().to_owned()
}

fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().unwrap()).collect()
}
