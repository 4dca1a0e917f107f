//! Where a path belongs, read from the files that git leaves.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::super::tests::Sandbox;
use super::*;

#[test]
fn reads_what_head_says() {
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let branch = |name: &str| Some(Key::Branch(name.to_owned()));
    for (text, expected) in [
        ("ref: refs/heads/main", branch("main")),
        ("ref:refs/heads/feature/auth", branch("feature/auth")),
        ("ref:\trefs/heads/ünï", branch("ünï")),
        (commit, Some(Key::Detached(commit.to_owned()))),
        ("ref: refs/heads/.invalid", None),
        ("ref: refs/heads/", None),
        ("ref: refs/remotes/origin/main", None),
        ("0123456", None),
        ("garbage", None),
    ] {
        assert_eq!(head_of(text), expected, "{text}");
    }
}

#[test]
fn a_path_belongs_to_the_innermost_work_tree_that_it_really_lies_in() {
    let (sandbox, other) = (Sandbox::with_commit(), Sandbox::with_commit());
    let linked = sandbox.beside("linked");
    sandbox.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    sandbox.git(&["submodule", "--quiet", "add", other.path("").to_str().unwrap(), "sub"]);
    std::os::unix::fs::symlink(other.path(""), sandbox.path("link")).unwrap();
    fs::create_dir_all(sandbox.beside("plain/.git")).unwrap();
    let git_dir = sandbox.path(".git");
    let root = git_dir.parent().unwrap().to_owned();
    let on = |branch: &str| Key::Branch(branch.to_owned());
    let own = Worktree { root: root.clone(), common_dir: git_dir.clone() };
    let long = "a/".repeat(50_000);
    for path in ["", "first.txt", "no/such/folder/file.rs", "no/../other.rs", &long] {
        assert_eq!(Worktree::find(&root.join(path)), Ok(Some((own.clone(), on("main")))));
    }
    let side = Worktree { root: linked.clone(), ..own.clone() };
    let sub = Worktree { root: root.join("sub"), common_dir: git_dir.join("modules/sub") };
    for (path, expected) in [
        (linked.join("new.txt"), Some((side, on("side")))),
        (root.join("sub/first.txt"), Some((sub, on("main")))),
        (root.join("link/new.txt"), Some((other.worktree(), on("main")))),
        (sandbox.beside("plain/x"), None),
    ] {
        assert_eq!(Worktree::find(&real(&path)), Ok(expected), "{path:?}");
    }
    fs::write(sandbox.beside("plain/.git/HEAD"), "").unwrap();
    assert!(Worktree::find(&real(&sandbox.beside("plain/x"))).is_err());
}

#[test]
fn unreadable_git_file_gives_an_error_with_its_path() {
    let sandbox = Sandbox::with_commit();
    let head = sandbox.path(".git/HEAD");
    for text in ["", "ref: refs/heads/.invalid\n", "two\nlines\n", &"x".repeat(10_000)] {
        fs::write(&head, text).unwrap();
        let error = Worktree::find(&real(&sandbox.path(""))).unwrap_err().to_string();
        assert!(error.starts_with(head.to_str().unwrap()), "{error}");
    }
    fs::remove_file(&head).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&head).status().unwrap().success());
    assert!(Worktree::find(&real(&sandbox.path(""))).is_err(), "a pipe is not waited for");
    fs::create_dir(sandbox.beside("lost")).unwrap();
    fs::write(sandbox.beside("lost/.git"), "gitdir: /no/such/folder\n").unwrap();
    assert!(matches!(Worktree::find(&real(&sandbox.beside("lost"))), Err(GitError(_))));
}

fn ask(folder: &Path, search_path: impl AsRef<OsStr>) -> Result<(Worktree, Key), GitError> {
    let search_path = Some(search_path.as_ref().to_owned());
    ask_git(folder, &Environment { search_path, ..Environment::default() })
}

fn path() -> OsString {
    std::env::var_os("PATH").unwrap()
}

#[test]
fn git_says_what_the_files_say() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("deep/er/x", "");
    let linked = sandbox.beside("linked");
    sandbox.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    sandbox.git(&["switch", "--quiet", "--detach"]);
    for folder in [linked, sandbox.path("deep/er")] {
        assert_eq!(ask(&folder, path()).map(Some), Worktree::find(&folder));
    }
    assert_eq!(ask(&Sandbox::new().path(""), path()).unwrap().1, Key::Branch("main".to_owned()), "no commit");
    assert!(matches!(ask(&sandbox.beside(""), path()), Err(GitError(_))), "no repository");
}

#[test]
fn a_git_of_the_repository_is_not_run_and_nonsense_is_an_error() {
    let (sandbox, bin) = (Sandbox::with_commit(), tempfile::tempdir().unwrap());
    let fake_git = |folder: &Path, script: &str| {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("git"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    };
    let witness = sandbox.beside("witness");
    fake_git(&sandbox.path("bin"), &format!("touch {}", witness.display()));
    let own = std::env::join_paths(["bin".as_ref(), ".".as_ref(), sandbox.path("bin").as_path()]).unwrap();
    assert!(ask(&sandbox.path(""), own).is_err());
    assert!(!witness.exists());
    for script in ["echo one line", "exit 1", "printf '\\377\\n'", "exec yes"] {
        fake_git(bin.path(), script);
        let both = format!("{}:/usr/bin:/bin", bin.path().display());
        assert!(matches!(ask(&sandbox.path(""), both), Err(GitError(_))), "{script}");
    }
}
