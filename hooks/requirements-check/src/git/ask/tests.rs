//! The `git` command as a witness: what it is asked, and what it may not do meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::super::tests::Sandbox;
use super::*;

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
        let worktree = Worktree::find(&folder).unwrap().unwrap();
        let head = worktree.head().unwrap();
        assert_eq!(ask(&folder, path()), Ok((worktree, head)));
    }
    assert_eq!(ask(&Sandbox::new().path(""), path()).unwrap().1, Key::Branch("main".to_owned()), "no commit");
    assert!(matches!(ask(&sandbox.beside(""), path()), Err(GitError::Other(_))), "no repository");
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
    let none = GitError::Other("no git command found in PATH".to_owned());
    assert_eq!(ask(&sandbox.path(""), own), Err(none));
    assert!(!witness.exists());
    for script in ["echo one line", "exit 1", "printf '\\377\\n'", "exec yes"] {
        fake_git(bin.path(), script);
        let both = format!("{}:/usr/bin:/bin", bin.path().display());
        assert!(matches!(ask(&sandbox.path(""), both), Err(GitError::Other(_))), "{script}");
    }
}
