//! Repositories made and changed by the real git, with nothing of the developer's own settings.

mod commits;
mod looks;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use shared::host::{Clock, Environment, Host, Timestamp};

use super::GitContext;

const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with a repository in `repo` and a home of its own.
struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    fn empty() -> Self {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "repo"] {
            fs::create_dir(scratch.beside(folder)).unwrap();
        }
        scratch
    }

    /// A repository without a commit.
    fn unborn() -> Self {
        let scratch = Self::empty();
        scratch.git(&["init", "--quiet", "--initial-branch=main", "."]);
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
            scratch.git(&["config", key, value]);
        }
        scratch
    }

    fn with_commit() -> Self {
        let scratch = Self::unborn();
        scratch.write("first.txt", "one\n");
        scratch.git(&["add", "."]);
        scratch.git(&["commit", "--quiet", "-m", "the first"]);
        scratch
    }

    fn beside(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn root(&self) -> PathBuf {
        self.beside("repo")
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    /// A program that says in a file that it was run, and passes on what it is input.
    fn witness(&self, name: &str) -> String {
        let program = self.beside(name);
        let text = format!("#!/bin/sh\necho run >> {}\ncat\n", self.beside("witnesses").display());
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program.to_str().unwrap().to_owned()
    }

    fn has_run(&self) -> bool {
        self.beside("witnesses").exists()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let (is_done, said) = self.try_git(arguments);
        assert!(is_done, "git {arguments:?}: {said}");
        said
    }

    fn try_git(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new("git");
        command.current_dir(self.root()).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.beside("home")).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_OPTIONAL_LOCKS", "0");
        let output = command.args(["-c", "protocol.file.allow=always"]).args(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    fn environment(&self) -> Environment {
        Environment {
            home: Some(self.beside("home")),
            search_path: std::env::var_os("PATH"),
            ..Environment::default()
        }
    }

    fn look_in(&self, root: &Path) -> GitContext {
        let now = Timestamp::from_secs(1);
        let host = Host { started: now, clock: Clock::Fixed(now), environment: self.environment() };
        super::look(&host, root, PATIENCE).unwrap()
    }

    fn look(&self) -> GitContext {
        self.look_in(&self.root())
    }
}
