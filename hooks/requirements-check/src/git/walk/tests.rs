//! The walk sees what git sees; the real git is the judge.

use std::collections::BTreeSet;
use std::process::Command;

use super::super::own::Own;
use super::super::repository::open;
use super::super::sandbox::Sandbox;
use super::*;

fn found(sandbox: &Sandbox) -> BTreeSet<(String, &'static str)> {
    let opened = open(&sandbox.worktree()).unwrap();
    let tracked = Tracked::load(&opened).unwrap();
    let mut all = BTreeSet::new();
    let mut visit = |path: &[u8], found: Found| {
        let word = match found {
            Found::Touched => "touched",
            Found::Untracked => "untracked",
            Found::Gone => "gone",
            Found::Submodule => "submodule",
        };
        all.insert((String::from_utf8(path.to_vec()).unwrap(), word));
        Ok(Next::Continue)
    };
    let own = Own::default().within(&opened.root);
    assert_eq!(walk(&opened, &tracked, &own, None, &mut visit), Ok(true));
    all
}

#[test]
fn a_tracked_file_is_found_in_an_ignored_folder() {
    let sandbox = Sandbox::with_commit();
    sandbox.write(".gitignore", "out/\n");
    sandbox.write("out/forced", "1");
    sandbox.git(&["add", "--force", "."]);
    sandbox.commit();
    sandbox.write("out/forced", "22");
    sandbox.write("out/other", "1");
    let found = found(&sandbox);
    assert!(found.contains(&("out/forced".to_owned(), "touched")));
    assert!(!found.iter().any(|(path, _)| path == "out/other"));
}

#[test]
fn a_folder_that_became_a_link_has_lost_its_files() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("dir/x", "1");
    sandbox.commit();
    std::fs::rename(sandbox.path("dir"), sandbox.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", sandbox.path("dir")).unwrap();
    let found = found(&sandbox);
    for expected in [("dir", "untracked"), ("dir/x", "gone"), ("elsewhere/x", "untracked")] {
        assert!(found.contains(&(expected.0.to_owned(), expected.1)), "{expected:?} in {found:?}");
    }
}

#[test]
fn a_pipe_is_passed_by() {
    let sandbox = Sandbox::with_commit();
    assert!(Command::new("mkfifo").arg(sandbox.path("pipe")).status().unwrap().success());
    std::fs::remove_file(sandbox.path("first.txt")).unwrap();
    assert!(Command::new("mkfifo").arg(sandbox.path("first.txt")).status().unwrap().success());
    assert_eq!(found(&sandbox), BTreeSet::from([("first.txt".to_owned(), "gone")]));
}

#[test]
fn the_visitor_ends_the_pass() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("one", "");
    sandbox.write("two", "");
    let opened = open(&sandbox.worktree()).unwrap();
    let tracked = Tracked::load(&opened).unwrap();
    let mut seen = 0;
    let own = Own::default().within(&opened.root);
    let complete = walk(&opened, &tracked, &own, None, &mut |_, _| {
        seen += 1;
        Ok(Next::Stop)
    });
    assert_eq!((complete, seen), (Ok(false), 1));
}
