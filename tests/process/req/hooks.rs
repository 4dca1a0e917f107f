//! `req hooks`: installing from an unpacked archive, without a source tree, and what a user types afterwards.

#[cfg(unix)]
mod guarded;

use serde_json::Value;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tests::binaries;
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox};
use tests::small_programs;

/// A settings.json as somebody has written it.
const SETTINGS: &str = "{ \"model\": \"opus\",\r\n\t\"hooks\": { } }\r\n";

/// A user with an unpacked archive: every program in one folder, as it comes.
struct User {
    sandbox: Sandbox,
    archive: PathBuf,
}

impl User {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        fs::write(sandbox.settings_path(Level::User), SETTINGS).unwrap();
        let archive = sandbox.temporary_dir().join("barbless");
        fs::create_dir(&archive).unwrap();
        small_programs::write_all(&archive);
        let req = archive.join(format!("req{EXE_SUFFIX}"));
        fs::remove_file(&req).unwrap();
        fs::copy(binaries::path("req"), req).unwrap();
        Self { sandbox, archive }
    }

    /// `req hooks ...` out of that folder.
    fn command(&self, program: &Path, line: &str) -> Invocation {
        let words = ["hooks"].into_iter().chain(line.split_whitespace());
        Invocation::new(program, &self.sandbox)
            .args(words)
            .unset("CLAUDE_HOOK_STATE_DIR")
            .deadline(Duration::from_secs(60))
    }

    /// The `req` of the archive.
    fn unpacked(&self) -> PathBuf {
        self.archive.join(format!("req{EXE_SUFFIX}"))
    }

    /// The `req` in the user's path.
    fn deployed(&self) -> PathBuf {
        self.sandbox.home().join(format!(".local/bin/req{EXE_SUFFIX}"))
    }

    /// What it does; fails unless it ends with 0.
    #[track_caller]
    fn types(&self, program: &Path, line: &str) -> Outcome {
        let outcome = self.command(program, line).run();
        outcome.assert_exit(0);
        speaks_of_itself(&outcome);
        outcome
    }

    fn settings(&self) -> String {
        fs::read_to_string(self.sandbox.settings_path(Level::User)).unwrap()
    }

    /// What `status --json` says of a hook.
    #[track_caller]
    fn status(&self, program: &Path, hook: &str) -> Value {
        let status = self.types(program, "status --json").stdout_text();
        let status: Value = serde_json::from_str(&status).unwrap();
        let hooks = status["hooks"].as_array().unwrap();
        hooks.iter().find(|one| one["hook"] == hook).unwrap().clone()
    }
}

/// Whoever has no source tree has no cargo.
#[track_caller]
fn speaks_of_itself(outcome: &Outcome) {
    for text in [outcome.stdout_text(), outcome.stderr_text()] {
        assert!(!text.contains("cargo") && !text.contains("xtask"), "{text}");
    }
}

#[track_caller]
fn refused(outcome: &Outcome) -> String {
    outcome.assert_exit(1);
    speaks_of_itself(outcome);
    let said = outcome.stderr_text();
    assert!(said.lines().any(|line| line.starts_with("req: ")), "it says who speaks: {said}");
    said
}

#[test]
fn from_an_unpacked_archive_hooks_are_installed_switched_and_taken_away_to_the_byte() {
    let user = User::new();
    let req = user.unpacked();
    user.types(&req, "install --hooks rate-awareness,requirements-check --yes");
    let installed = user.settings();
    assert!(
        installed.contains("requirements-check") && installed.contains("\"model\": \"opus\""),
        "{installed}"
    );
    let status = user.status(&req, "rate-awareness");
    assert_eq!((&status["deployed"], &status["enabled"]), (&true.into(), &true.into()), "{status}");
    assert_eq!(status["drift"], Value::Array(Vec::new()));

    user.types(&req, "disable rate-awareness --yes");
    assert_eq!(user.status(&req, "rate-awareness")["registered"], Value::Array(Vec::new()));
    user.types(&req, "enable rate-awareness");
    assert_eq!(user.settings(), installed);
    user.types(&req, "disable rate-awareness --yes");
    user.types(&req, "undo --yes");
    assert_eq!(user.settings(), installed, "undone");

    user.types(&req, "uninstall --yes");
    assert_eq!(user.settings(), SETTINGS);
    assert!(!user.deployed().exists(), "and no command of ours is left in the path");
}

#[test]
fn in_claudes_shell_what_loosens_is_refused_with_the_line_the_user_can_type() {
    let user = User::new();
    let req = user.unpacked();
    user.types(&req, "install --hooks rate-awareness --yes");
    let installed = user.settings();
    for (line, typed) in [
        ("disable rate-awareness --yes", "req hooks disable rate-awareness"),
        ("undo --yes", "req hooks undo"),
        ("uninstall --yes", "req hooks uninstall"),
        ("uninstall --purge --yes", "req hooks uninstall --purge"),
    ] {
        let said = refused(&user.command(&req, line).env("CLAUDECODE", "1").run());
        assert!(said.contains("for the user to decide") && said.contains(typed), "{line}: {said}");
        assert_eq!(user.settings(), installed, "{line}");
    }
    let outcome = user.command(&req, "status").env("CLAUDECODE", "1").run();
    outcome.assert_exit(0);
}
