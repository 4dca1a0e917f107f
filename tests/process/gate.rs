//! Driving the real `stop-momentum` binary: one sandbox, one session whose turn has worked, one process per event.
//! Every answer goes through [`documented`], so that no test forgets the promise of exit 0 and a documented answer.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tests::binaries;
use tests::payloads::{Payload, Session};
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox};
use tests::transcripts::Transcript;

/// The hook is on; one block per prompt.
pub(crate) const ON: &str = "stop-momentum: {enabled: true}\n";

/// The hook is on and insists: three blocks per prompt.
pub(crate) const INSISTS: &str = "stop-momentum: {enabled: true, enforce_ack: true}\n";

/// A message that neither asks nor acknowledges.
pub(crate) const WORDS: &str = "All of it is done.";

/// First words of the built-in guidance.
pub(crate) const GUIDANCE: &str = "stop-momentum: you are about to stop.";

const SCHEMA: &str = include_str!("../../shared/src/protocol/answer/documented.schema.json");

/// A sandbox, a session in it, and what the client tells its hooks.
pub(crate) struct Gate {
    pub(crate) sandbox: Sandbox,
    pub(crate) session: Session,
}

impl Gate {
    /// With this global file, in a turn that made a tool call.
    pub(crate) fn new(global: &str) -> Self {
        let gate = Self::unconfigured();
        gate.sandbox.requirements(Level::User, global);
        gate
    }

    /// Without any configuration, in a turn that made a tool call.
    pub(crate) fn unconfigured() -> Self {
        let sandbox = Sandbox::new();
        let session = Session::new(&sandbox);
        worked(&session);
        Self { sandbox, session }
    }

    /// The hook as the terminal client starts it.
    pub(crate) fn hook(&self) -> Invocation {
        Invocation::new(binaries::path("stop-momentum"), &self.sandbox)
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("CLAUDE_CODE_SESSION_ID", self.session.id.as_str())
            .env("CLAUDE_PROJECT_DIR", self.sandbox.project().display().to_string())
    }

    /// What the hook answers to an event.
    #[track_caller]
    pub(crate) fn ask(&self, payload: &Payload) -> Option<Value> {
        documented(&self.hook().stdin(payload.to_bytes()).run())
    }

    /// What the hook answers to a stop with this last message.
    #[track_caller]
    pub(crate) fn stop(&self, message: &str) -> Option<Value> {
        self.ask(&self.session.stop(message))
    }

    /// The reason with which a stop is blocked; fails if it is not.
    #[track_caller]
    pub(crate) fn blocked(&self, message: &str) -> String {
        reason(self.stop(message).as_ref())
    }

    /// Fails unless a stop passes in silence.
    #[track_caller]
    pub(crate) fn passes(&self, message: &str) {
        assert_eq!(self.stop(message), None);
    }

    /// How many stops in a row are blocked before one is let go.
    #[track_caller]
    pub(crate) fn blocks_in_a_row(&self) -> usize {
        (0..8).take_while(|_| self.stop(WORDS).is_some_and(|answer| is_block(&answer))).count()
    }

    /// A file of the state folder.
    pub(crate) fn state(&self, name: &str) -> PathBuf {
        self.sandbox.state_dir().join(name)
    }

    /// The file with the session's token.
    pub(crate) fn token_file(&self) -> PathBuf {
        self.state(&format!("stop-ack-{}", self.session.id))
    }

    /// The names in the state folder.
    pub(crate) fn state_names(&self) -> BTreeSet<String> {
        names(&self.sandbox.state_dir())
    }

    /// The journal; empty if there is none.
    pub(crate) fn journal(&self) -> String {
        fs::read_to_string(self.state("journal.jsonl")).unwrap_or_default()
    }
}

/// Writes the transcript of a turn that made a tool call which leaves nothing unfinished.
pub(crate) fn worked(session: &Session) {
    let input = serde_json::json!({ "command": "ls" });
    Transcript::of(session).prompt("do it").tool_call("Bash", &input).text(WORDS).write();
}

/// A hook's answer, as the client documents it; `None` for silence. Fails on anything else, and on another status than 0.
#[track_caller]
pub(crate) fn documented(outcome: &Outcome) -> Option<Value> {
    static SCHEMA_OF_ANSWERS: OnceLock<jsonschema::Validator> = OnceLock::new();
    let answer = outcome.answer()?;
    let schema = SCHEMA_OF_ANSWERS
        .get_or_init(|| jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap());
    let wrong: Vec<_> = schema.iter_errors(&answer).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "not the documented answer {wrong:?}: {outcome}");
    Some(answer)
}

/// The stop does not happen.
pub(crate) fn is_block(answer: &Value) -> bool {
    answer["decision"] == "block"
}

/// The reason of a block; fails if it is none.
#[track_caller]
pub(crate) fn reason(answer: Option<&Value>) -> String {
    let answer = answer.expect("the stop is blocked");
    assert!(is_block(answer), "the stop is blocked: {answer}");
    answer["reason"].as_str().expect("a block has a reason").to_owned()
}

/// The text shown to the user beside the verdict; empty if there is none.
pub(crate) fn notice(answer: Option<&Value>) -> String {
    let text = answer.and_then(|answer| answer["systemMessage"].as_str());
    text.unwrap_or_default().to_owned()
}

/// The token a reason names.
#[track_caller]
pub(crate) fn token(reason: &str) -> String {
    let start = reason.rfind("ACK-").unwrap_or_else(|| panic!("no token in: {reason}"));
    reason[start..start + 8].to_owned()
}

/// A token of the right form that is not this one.
pub(crate) fn other_token(token: &str) -> String {
    let last = if token.ends_with('A') { 'B' } else { 'A' };
    format!("{}{last}", &token[..token.len() - 1])
}

/// The names in a folder.
pub(crate) fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Makes a named pipe, which nobody ever writes to or reads from.
#[cfg(unix)]
pub(crate) fn make_pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a named pipe");
}

/// Everything below a folder: path, and content or what it is; access times and modes do not count.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for name in names(folder) {
        let path = folder.join(name);
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_dir() {
            found.extend(tree(&path));
            found.insert(path, "a folder".to_owned());
        } else if kind.is_file() {
            let content = fs::read(&path).unwrap();
            found.insert(path, String::from_utf8_lossy(&content).into_owned());
        } else {
            found.insert(path, format!("{kind:?}"));
        }
    }
    found
}

/// A file name ends in this, as in `switches.json`.
pub(crate) fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found == extension)
}
