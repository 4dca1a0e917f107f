//! A user with an unpacked archive, who installs from it: every program in one folder, as it comes, small scripts in place of
//! the hooks.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tests::binaries;
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox};
use tests::small_programs;

/// A settings.json as somebody has written it.
pub(super) const SETTINGS: &str = "{ \"model\": \"opus\",\r\n\t\"hooks\": { } }\r\n";

pub(super) struct User {
    pub(super) sandbox: Sandbox,
    pub(super) archive: PathBuf,
}

impl User {
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        fs::write(sandbox.settings_path(Level::User), SETTINGS).unwrap();
        let archive = sandbox.temporary_dir().join("barbless");
        fs::create_dir(&archive).unwrap();
        small_programs::write_all(&archive);
        let user = Self { sandbox, archive };
        user.has_real("req");
        user
    }

    /// With these hooks.
    #[track_caller]
    pub(super) fn installed(hooks: &str) -> Self {
        let user = Self::new();
        user.installs(hooks);
        user
    }

    #[track_caller]
    pub(super) fn installs(&self, hooks: &str) {
        self.req(&self.unpacked(), &format!("hooks install --hooks {hooks} --yes")).run().assert_exit(0);
    }

    /// The real program lies in the archive.
    pub(super) fn has_real(&self, program: &str) {
        let file = self.archive.join(format!("{program}{EXE_SUFFIX}"));
        fs::remove_file(&file).unwrap();
        fs::copy(binaries::path(program), file).unwrap();
    }

    /// A line of this `req`.
    pub(super) fn req(&self, program: &Path, line: &str) -> Invocation {
        Invocation::new(program, &self.sandbox)
            .args(line.split_whitespace())
            .env("PATH", self.path())
            .unset("CLAUDE_HOOK_STATE_DIR")
            .deadline(Duration::from_secs(60))
    }

    pub(super) fn path(&self) -> String {
        format!("{}:{}", self.home(".local/bin").display(), self.sandbox.env()["PATH"])
    }

    /// The `req` of the archive.
    pub(super) fn unpacked(&self) -> PathBuf {
        self.archive.join(format!("req{EXE_SUFFIX}"))
    }

    /// The `req` in the user's path.
    pub(super) fn deployed(&self) -> PathBuf {
        self.home(&format!(".local/bin/req{EXE_SUFFIX}"))
    }

    pub(super) fn hook(&self, name: &str) -> PathBuf {
        self.home(".claude/hooks").join(name)
    }

    pub(super) fn home(&self, path: &str) -> PathBuf {
        self.sandbox.home().join(path)
    }

    pub(super) fn settings(&self) -> String {
        fs::read_to_string(self.sandbox.settings_path(Level::User)).unwrap()
    }
}

/// Writes a program that is this line of a shell.
pub(super) fn write_script(file: &Path, line: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let _ = fs::remove_file(file);
    fs::write(file, format!("#!/bin/sh\n{line}\n")).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[track_caller]
pub(super) fn refused(outcome: &Outcome) -> String {
    outcome.assert_exit(1);
    let said = outcome.stderr_text();
    assert!(said.lines().any(|line| line.starts_with("req: ")), "{said}");
    // Whoever has no source tree has no cargo.
    assert!(!said.contains("cargo") && !said.contains("xtask"), "{said}");
    said
}
