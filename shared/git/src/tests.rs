//! Against the real git, with nothing of the developer's own settings.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use shared::child::ChildError;
use shared::host::Environment;

use super::{Git, TrustedPath, is_answer, repository_filters};

const PATIENCE: Duration = Duration::from_secs(60);

/// A repository in `repo` with one commit, and a home of its own.
struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "repo", "bin"] {
            fs::create_dir(scratch.at(folder)).unwrap();
        }
        scratch.plain_git(&["init", "--quiet", "--initial-branch=main", "."]);
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
            scratch.plain_git(&["config", key, value]);
        }
        fs::write(scratch.at("repo/first.txt"), "one\n").unwrap();
        scratch.plain_git(&["add", "."]);
        scratch.plain_git(&["commit", "--quiet", "-m", "the first"]);
        scratch
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn plain_git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(self.at("repo")).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.at("home")).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_PAGER", "cat");
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    }

    fn program(&self, path: &str, text: &str) -> PathBuf {
        let program = self.at(path);
        // Another process writes it: a file that a child of a parallel test still holds open for writing cannot be started.
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let mut shell = std::process::Command::new("sh");
        assert!(shell.args(["-c", write]).arg(&program).arg(text).status().unwrap().success());
        program
    }

    /// `PATH` with `folder` in front.
    fn environment(&self, folder: &Path) -> Environment {
        let path = std::env::var_os("PATH").unwrap();
        let folders = [folder.to_owned()].into_iter().chain(std::env::split_paths(&path));
        Environment {
            home: Some(self.at("home")),
            search_path: Some(std::env::join_paths(folders).unwrap()),
            ..Environment::default()
        }
    }
}

#[test]
fn starts_no_program_that_the_repository_names() {
    let scratch = Scratch::new();
    let witness = scratch.at("witness");
    let program = scratch.program("program", &format!("echo run >> {}; cat", witness.display()));
    let program = program.to_str().unwrap();
    fs::write(scratch.at("repo/.gitattributes"), "* filter=own diff=own\n").unwrap();
    let hooks = scratch.at("repo/.git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["pre-commit", "post-index-change", "post-commit", "reference-transaction"] {
        fs::copy(program, hooks.join(hook)).unwrap();
    }
    for (key, value) in [
        ("core.fsmonitor", program),
        ("core.pager", program),
        ("pager.log", "true"),
        ("alias.status", &format!("!{program}")),
        ("filter.own.clean", program),
        ("filter.own.required", "true"),
    ] {
        scratch.plain_git(&["config", key, value]);
    }
    // The same bytes with another time: git has to compare them, and runs the filter for that.
    fs::write(scratch.at("repo/first.txt"), "one\n").unwrap();
    let repo = scratch.at("repo");
    let mut git = Git::new(&repo, &scratch.environment(&scratch.at("bin")), PATIENCE).unwrap();
    assert!(git.disable_repository_filters().unwrap());
    let status = git.run(["status", "--porcelain", "--untracked-files=no"]).unwrap();
    assert!(status.status.success() && status.stdout.is_empty());
    assert!(is_answer(&git.run(["log", "-1"]).unwrap()));
    assert!(is_answer(&git.run(["commit", "--quiet", "--allow-empty", "-m", "x"]).unwrap()));
    assert!(!witness.exists());
    scratch.plain_git(&["status"]);
    assert!(witness.exists(), "git by itself starts them");
}

#[test]
fn never_takes_git_from_the_repository_and_waits_no_longer_than_its_deadline() {
    let scratch = Scratch::new();
    scratch.program("repo/git", "touch ../witness");
    let repo = scratch.at("repo");
    let git = Git::new(&repo, &scratch.environment(&repo), PATIENCE).unwrap();
    assert!(is_answer(&git.run(["rev-parse", "HEAD"]).unwrap()));
    let only_there = Environment { search_path: Some(repo.clone().into()), ..Environment::default() };
    assert!(Git::new(&repo, &only_there, PATIENCE).is_none());
    assert!(!scratch.at("witness").exists());
    scratch.program("bin/git", "sleep 600");
    let slow = scratch.environment(&scratch.at("bin"));
    let git = Git::new(&repo, &slow, Duration::from_millis(50)).unwrap();
    assert!(matches!(git.run(["status"]), Err(ChildError::Late)));
}

#[test]
fn finds_filters_of_the_repository_and_no_others() {
    let of = |listed: &str| repository_filters(listed.as_bytes());
    let listed = "global\0filter.lfs.clean\0local\0filter.a.b.clean\0local\0filter.a.b.process\0worktree\0filter.c.clean\0";
    assert_eq!(of(listed), Some(vec!["a.b".to_owned(), "c".to_owned()]));
    assert_eq!(of(""), Some(Vec::new()));
    assert_eq!(of("local\0filter.a=b.clean\0"), None);
    assert_eq!(repository_filters(b"local\0filter.\xff.clean\0"), None);
}

fn program(file: &Path, mode: u32) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "").unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_program_is_never_taken_from_the_project() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |path: &str| scratch.path().join(path);
    fs::create_dir_all(at("outer/.git")).unwrap();
    fs::create_dir_all(at("outer/inner/.git")).unwrap();
    for (folder, mode) in [("outer/bin", 0o755), ("outer/inner/bin", 0o755), ("plain", 0o644), ("bin", 0o755)]
    {
        program(&at(folder).join("tool"), mode);
    }
    symlink(at("outer/bin"), at("link")).unwrap();
    for (folders, expected) in [
        (&["outer/inner/bin", "outer/bin", "link", "plain", "bin"][..], Some(at("bin/tool"))),
        (&["outer/inner/bin", "outer/bin", "link", "plain"], None),
        (&[], None),
    ] {
        let path = std::env::join_paths(folders.iter().map(|folder| at(folder))).unwrap();
        let trusted = TrustedPath::new(Some(&path), &at("outer/inner"));
        assert_eq!(trusted.find("tool"), expected, "{folders:?}");
    }
    let relative = TrustedPath::new(Some("bin:.:".as_ref()), &at("outer"));
    assert_eq!((relative.find("tool"), TrustedPath::new(None, &at("outer")).find("tool")), (None, None));
}
