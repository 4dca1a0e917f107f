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

    /// Everything it says; fails unless it ends with 1.
    #[track_caller]
    fn fails(&self, program: &Path, line: &str) -> String {
        refused(&self.command(program, line).run())
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
fn the_deployed_req_does_the_same_without_the_archive() {
    let user = User::new();
    fs::copy(binaries::path("stop-momentum"), user.archive.join(format!("stop-momentum{EXE_SUFFIX}")))
        .unwrap();
    user.types(&user.unpacked(), "install --all --yes");
    fs::remove_dir_all(&user.archive).unwrap();
    let (req, installed) = (user.deployed(), user.settings());
    let again = user.types(&req, "install --all --yes");
    assert_eq!(user.settings(), installed, "{again}");
    user.types(&req, "disable stop-momentum --yes");
    assert_eq!(user.status(&req, "stop-momentum")["enabled"], false);
    user.types(&req, "enable stop-momentum");
    assert_eq!(user.settings(), installed);
    assert_eq!(user.status(&req, "stop-momentum")["enabled"], true);
    user.types(&req, "uninstall --yes");
    assert_eq!(user.settings(), SETTINGS);
    assert!(!req.exists(), "it has taken itself away, too");
}

#[test]
fn a_hook_that_is_not_in_the_folder_is_refused_before_anything_is_changed() {
    let user = User::new();
    let missing = user.archive.join(format!("stop-momentum{EXE_SUFFIX}"));
    fs::remove_file(&missing).unwrap();
    for line in ["install --hooks stop-momentum --yes", "install --all --yes", "enable stop-momentum"] {
        let said = user.fails(&user.unpacked(), line);
        assert!(
            said.contains(&missing.display().to_string()) && said.contains("--from DIR"),
            "{line}: {said}"
        );
        assert_eq!(user.settings(), SETTINGS, "{line}");
        assert!(!user.sandbox.home().join(".claude/hooks").exists(), "{line}");
    }
    user.types(&user.unpacked(), "install --hooks rate-awareness --yes");
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

#[test]
fn without_a_terminal_taking_away_needs_a_yes() {
    let user = User::new();
    let req = user.unpacked();
    user.types(&req, "install --hooks rate-awareness --yes");
    let installed = user.settings();
    for line in ["disable rate-awareness", "undo", "uninstall"] {
        assert!(user.fails(&req, line).contains("--yes"), "{line}");
        assert_eq!(user.settings(), installed, "{line}");
    }
}

#[test]
fn a_dry_run_shows_the_difference_and_changes_nothing() {
    let user = User::new();
    let said = user.types(&user.unpacked(), "install --hooks rate-awareness --dry-run --yes").stdout_text();
    assert!(said.contains("rate-awareness"), "{said}");
    assert_eq!(user.settings(), SETTINGS);
    assert!(!user.sandbox.home().join(".claude/hooks").exists() && !user.deployed().exists());
}

#[test]
fn an_unknown_hook_is_told_with_the_nearest_and_wrong_usage_is_64() {
    let user = User::new();
    let said = user.fails(&user.unpacked(), "install --hooks rate-awarenes --yes");
    assert!(said.contains("rate-awareness"), "{said}");
    for line in ["", "instal", "enable", "status --scope nowhere"] {
        user.command(&user.unpacked(), line).run().assert_exit(64);
    }
    assert_eq!(user.settings(), SETTINGS);
}
