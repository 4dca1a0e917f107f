//! The outcome of one process, and assertions on it.

use serde_json::Value;
use std::process::ExitStatus;
use std::time::Duration;

#[derive(Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    /// Everything on stdout; empty where stdout was not a pipe to us.
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// From just before the start until the end was seen, to about a millisecond.
    pub wall: Duration,
    /// It was ended by us: at the deadline, by [`super::Running::kill`], or because something kept its output open.
    pub killed: bool,
}

impl Outcome {
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Fails unless the process ended by itself with this exit code.
    #[track_caller]
    pub fn assert_exit(&self, code: i32) {
        assert!(!self.killed && self.status.code() == Some(code), "expected exit {code}: {self}");
    }

    /// The answer of a hook: `None` for silence. Fails unless it kept the promise every hook gives: it ends by itself,
    /// the exit status is 0, and stdout is empty or exactly one JSON object (anything else the client drops silently).
    #[track_caller]
    pub fn answer(&self) -> Option<Value> {
        self.assert_exit(0);
        if self.stdout.is_empty() {
            return None;
        }
        let answer: Value = serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not one JSON value ({error}): {self}"));
        assert!(answer.is_object(), "stdout is JSON but no object: {self}");
        Some(answer)
    }

    #[track_caller]
    pub fn assert_silent(&self) {
        assert!(self.answer().is_none(), "expected no answer: {self}");
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ended = if self.killed { " (ended by the harness)" } else { "" };
        writeln!(f, "{}{ended} after {:?}", self.status, self.wall)?;
        writeln!(f, "stdout: {}", self.stdout_text())?;
        write!(f, "stderr: {}", self.stderr_text())
    }
}
