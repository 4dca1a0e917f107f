//! A project that requires something, the hook, and `req` in the hands of everybody who may run it.

use crate::driver::Driver;
use crate::typed::{Typed, shell, typed};
use serde_json::{Value, json};
use std::ops::Deref;
use std::path::PathBuf;
use tests::binaries;
use tests::payloads::Session;
use tests::process::Invocation;
use tests::sandbox::Level;

/// One of each type, and one that is off.
pub(super) const TEAM: &str = "\
requirements:
  commit_plan: {enabled: true, description: The plan is written down.}
  adr_reviewed: {enabled: true, scope: branch}
  license_checked: {enabled: true, scope: permanent}
  release_notes: {enabled: true, satisfied_by: user}
  not_on_main: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [release]}
  branch_size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 400}}
  tests_green: {enabled: true, type: evidence, command: ./run-tests, paths: ['src/**']}
  off_here: {type: blocking}
";

/// The id of another session than the driver's.
pub(super) const OTHER: &str = "0c4e7a11-0000-4000-8000-000000000002";

/// The project and its session.
pub(super) struct Desk(Driver);

impl Deref for Desk {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.0
    }
}

impl Desk {
    /// A project whose file says this.
    pub(super) fn new(project: &str) -> Self {
        let desk = Self::empty();
        desk.sandbox.requirements(Level::Project, project);
        desk
    }

    /// A project that requires nothing.
    pub(super) fn empty() -> Self {
        Self(Driver::unconfigured("requirements-check"))
    }

    /// `req` as a script runs it: no terminal, no session.
    pub(super) fn script(&self, words: &[&str]) -> Invocation {
        Invocation::new(binaries::path("req"), &self.sandbox).args(words.iter().copied())
    }

    /// `req` in Claude's shell.
    pub(super) fn claude(&self, words: &[&str]) -> Invocation {
        self.claude_of(&self.session.id, words)
    }

    /// `req` in the shell of another session.
    pub(super) fn claude_of(&self, session: &str, words: &[&str]) -> Invocation {
        self.script(words)
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("CLAUDE_CODE_SESSION_ID", session)
    }

    /// `req` as the user types it in a terminal of their own.
    pub(super) fn user(&self, words: &str) -> Typed {
        typed(&binaries::path("req"), &self.sandbox, &shell(), words, &[])
    }

    /// A session begins.
    pub(super) fn starts(&self, session: &Session) {
        self.ask(&session.session_start("startup"));
    }

    /// Another session in the same project.
    pub(super) fn another(&self) -> Session {
        self.session.clone().with_id(OTHER)
    }

    /// How the requirements stand for Claude's session, by name: `met`, `open`, `unknown`.
    pub(super) fn standing(&self, name: &str) -> String {
        standing(&json_of(self.claude(&["status", "--json"])), name)
    }

    /// A file of the repository's marks.
    pub(super) fn marks_file(&self, name: &str) -> PathBuf {
        crate::driver::marks_file(&self.sandbox.project(), name)
    }

    /// What the hook answers before and after a line that Claude runs, which ended well.
    pub(super) fn ran(&self, line: &str) -> [Option<Value>; 2] {
        let input = json!({ "command": line });
        let before = self.session.pre_tool_use("Bash", input);
        [self.ask(&before), self.ask(&self.session.bash_succeeded(line, ""))]
    }
}

/// Runs a command that goes well; what it printed.
#[track_caller]
pub(super) fn yes(command: Invocation) -> String {
    let outcome = command.run();
    outcome.assert_exit(0);
    assert_eq!(outcome.stderr_text(), "", "{outcome}");
    outcome.stdout_text().trim_end().to_owned()
}

/// Runs a command whose answer is no; what it says, on stderr.
#[track_caller]
pub(super) fn no(command: Invocation) -> String {
    let outcome = command.run();
    outcome.assert_exit(1);
    assert_eq!(outcome.stdout_text(), "", "{outcome}");
    outcome.stderr_text().trim_end().to_owned()
}

/// Runs a command that prints JSON.
#[track_caller]
pub(super) fn json_of(command: Invocation) -> Value {
    let outcome = command.run();
    outcome.assert_exit(0);
    serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"))
}

/// How a requirement stands in a status.
#[track_caller]
pub(super) fn standing(status: &Value, name: &str) -> String {
    let all = status["requirements"].as_array().expect("a list of requirements");
    let one = all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name} in {status}"));
    one["state"].as_str().expect("a state").to_owned()
}
