//! The installer as a process: what its commands leave in the files of a user, who already has some.

mod files;
mod questions;
mod refusals;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tests::binaries;
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox, toolchain_env};
use tests::small_programs;

/// A user and the commands they type. Nothing is built; `PREBUILT` holds scripts.
pub(crate) struct User {
    pub(crate) sandbox: Sandbox,
}

impl User {
    pub(crate) fn new() -> Self {
        Self { sandbox: Sandbox::new() }
    }

    /// With this settings.json.
    pub(crate) fn with(settings: &str) -> Self {
        let user = Self::new();
        fs::write(user.settings(), settings).unwrap();
        user
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.sandbox.settings_path(Level::User)
    }

    /// The bytes of settings.json; `None` if there is none.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        fs::read(self.settings()).ok()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes().expect("settings.json is there")).unwrap()
    }

    pub(crate) fn home(&self, path: &str) -> PathBuf {
        self.sandbox.home().join(path)
    }

    pub(crate) fn deployed(&self, hook: &str) -> PathBuf {
        self.home(".claude/hooks").join(hook)
    }

    /// A folder with this hook, and scripts in place of the others.
    pub(crate) fn with_real(&self, hook: &str) -> String {
        small_programs::write_all_but(hook, &self.archive());
        self.archive().display().to_string()
    }

    pub(crate) fn archive(&self) -> PathBuf {
        self.sandbox.temporary_dir().join("archive")
    }

    /// `cargo xtask ...`, without cargo.
    pub(crate) fn command(&self, line: &str) -> Invocation {
        let words = line.split_whitespace().map(|word| match word {
            "PREBUILT" => small_programs::folder().display().to_string(),
            "PROJECT" => self.sandbox.project().display().to_string(),
            word => word.to_owned(),
        });
        Invocation::new(binaries::installer(), &self.sandbox)
            .args(words)
            .envs(toolchain_env())
            // Whatever was built in the source tree is none of this user's.
            .env("CARGO_TARGET_DIR", self.sandbox.temporary_dir().join("target").display().to_string())
            .unset("CLAUDE_HOOK_STATE_DIR")
            .deadline(Duration::from_secs(60))
    }

    /// A line of this `req`, by a user who has no source tree.
    pub(crate) fn req(&self, program: &Path, line: &str) -> Invocation {
        Invocation::new(program, &self.sandbox)
            .args(line.split_whitespace())
            .env("PATH", self.path())
            .unset("CLAUDE_HOOK_STATE_DIR")
            .deadline(Duration::from_secs(60))
    }

    /// The search path, in which our commands are.
    pub(crate) fn path(&self) -> String {
        format!("{}:{}", self.home(".local/bin").display(), self.sandbox.env()["PATH"])
    }

    /// What it does; fails unless it ends with 0.
    #[track_caller]
    pub(crate) fn types(&self, line: &str) -> Outcome {
        let outcome = self.command(line).run();
        outcome.assert_exit(0);
        outcome
    }

    /// Everything it says; fails unless it ends with 1.
    #[track_caller]
    fn fails(&self, line: &str) -> String {
        let outcome = self.command(line).run();
        outcome.assert_exit(1);
        outcome.stdout_text() + &outcome.stderr_text()
    }

    /// Names of the files beside settings.json that are no backups.
    fn beside(&self) -> Vec<String> {
        let names = crate::driver::names(&self.home(".claude")).into_iter();
        names.filter(|name| !name.contains("barbless-backup")).collect()
    }
}

/// Writes a program that is this line of a shell.
pub(crate) fn write_script(file: &Path, line: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    // The file may be a program that is running.
    let _ = fs::remove_file(file);
    fs::write(file, format!("#!/bin/sh\n{line}\n")).unwrap();
    crate::driver::restrict(file, 0o755);
}
