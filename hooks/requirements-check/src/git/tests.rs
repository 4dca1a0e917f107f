//! Repositories for tests, made and changed by the real git, with nothing of the developer's own settings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Worktree;

/// A repository in a folder of its own, on branch `main`, without a commit.
pub(super) struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    pub(super) fn new() -> Self {
        let sandbox = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(sandbox.path("")).unwrap();
        sandbox.git(&["init", "--quiet", "--initial-branch=main", "."]);
        // libgit2 reads the global files of whoever runs the tests; what is set here wins over them.
        for setting in ["core.autocrlf=false", "core.excludesFile=/dev/null", "core.attributesFile=/dev/null"]
        {
            let (key, value) = setting.split_once('=').unwrap();
            sandbox.git(&["config", key, value]);
        }
        sandbox
    }

    /// A repository with one commit on `main`.
    pub(super) fn with_commit() -> Self {
        let sandbox = Self::new();
        sandbox.write("first.txt", "one\ntwo\nthree\n");
        sandbox.commit();
        sandbox
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("repo").join(path)
    }

    pub(super) fn beside(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(super) fn worktree(&self) -> Worktree {
        Worktree::find(&shared::host::real(&self.path(""))).unwrap().unwrap().0
    }

    pub(super) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    pub(super) fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=x"]);
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.path(""), arguments)
    }

    pub(super) fn git_in(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self.command(folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Git without the environment of the developer.
    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new("git");
        command.current_dir(folder).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command
            .env("HOME", self.beside("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_OPTIONAL_LOCKS", "0");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@example.org");
        }
        command.args(["-c", "protocol.file.allow=always", "-c", "advice.detachedHead=false"]);
        command
    }
}

#[test]
fn a_remote_has_a_url() {
    let sandbox = Sandbox::new();
    let has_remote = || super::has_remote(&sandbox.path(".git"));
    sandbox.git(&["config", "remote.x.fetch", "+refs/heads/*:refs/x/*"]);
    assert!(!has_remote());
    sandbox.git(&["remote", "add", "their/fork", "https://example.org/x.git"]);
    assert!(has_remote());
    fs::write(sandbox.path(".git/config"), "[remote").unwrap();
    assert!(!has_remote());
}
