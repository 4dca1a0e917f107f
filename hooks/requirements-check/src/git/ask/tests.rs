//! The `git` command as a witness: what it is asked, and what it may not do meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::super::tests::Sandbox;
use super::*;

fn ask(sandbox: &Sandbox, folder: &str, path: &OsStr) -> Result<(Worktree, Key), GitError> {
    ask_git(&sandbox.path(folder), &environment(path, Some(sandbox.beside("home"))))
}

fn environment(path: &OsStr, home: Option<PathBuf>) -> Environment {
    Environment { search_path: Some(path.to_owned()), home, ..Environment::default() }
}

fn path() -> OsString {
    std::env::var_os("PATH").unwrap()
}

/// A `git` in `folder` that runs `script`.
fn fake_git(folder: &Path, script: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("git"), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn git_says_what_the_files_say() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("deep/er/x", "");
    let linked = sandbox.beside("linked");
    sandbox.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let read = |folder: &Path| {
        let worktree = Worktree::find(folder).unwrap().unwrap();
        let key = worktree.head().unwrap();
        Ok((worktree, key))
    };
    assert_eq!(ask_git(&linked, &environment(&path(), None)), read(&linked));
    assert_eq!(ask(&sandbox, "deep/er", &path()), read(&sandbox.path("")));
    sandbox.git(&["switch", "--quiet", "--detach"]);
    assert_eq!(ask(&sandbox, "", &path()), read(&sandbox.path("")));
    assert_eq!(ask(&Sandbox::new(), "", &path()).unwrap().1, Key::Branch("main".to_owned()), "no commit");
}

#[test]
fn a_git_of_the_repository_is_not_run() {
    let sandbox = Sandbox::with_commit();
    let witness = sandbox.beside("witness");
    fake_git(&sandbox.path("bin"), &format!("touch {}", witness.display()));
    let own = std::env::join_paths(["bin", ".", sandbox.path("bin").to_str().unwrap()]).unwrap();
    assert_eq!(ask(&sandbox, "", &own), Err(GitError::Other("no git command found in PATH".to_owned())));
    sandbox.git(&["config", "core.fsmonitor", witness.to_str().unwrap()]);
    sandbox.git(&["config", "alias.rev-parse", &format!("!touch {}", witness.display())]);
    assert!(ask(&sandbox, "", &path()).is_ok());
    assert!(!witness.exists());
}

#[test]
fn answers_that_make_no_sense_are_errors() {
    let sandbox = Sandbox::with_commit();
    let bin = sandbox.beside("bin");
    assert!(
        matches!(ask_git(&sandbox.beside(""), &environment(&path(), None)), Err(GitError::Other(_))),
        "no repository"
    );
    for script in ["echo one line", "exit 1", "printf '\\377\\n'", "exec yes"] {
        fake_git(&bin, script);
        let both = std::env::join_paths([bin.clone(), "/usr/bin".into(), "/bin".into()]).unwrap();
        assert!(matches!(ask(&sandbox, "", &both), Err(GitError::Other(_))), "{script}");
    }
}
