//! Which branch a branch is measured against, in every constellation of remotes.

use super::super::tests::Sandbox;
use super::*;

/// `origin` with `main`, and a clone of it that is on `feature`.
fn cloned() -> Sandbox {
    let sandbox = Sandbox::with_commit();
    let origin = sandbox.beside("origin");
    sandbox.git(&["clone", "--quiet", "--bare", ".", origin.to_str().unwrap()]);
    sandbox.git(&["remote", "add", "origin", origin.to_str().unwrap()]);
    sandbox.git(&["fetch", "--quiet", "origin"]);
    sandbox.git(&["switch", "--quiet", "--create=feature"]);
    sandbox.commit();
    sandbox
}

fn base(sandbox: &Sandbox, configured: Option<&str>) -> String {
    choose(&sandbox.worktree().open().unwrap(), configured).unwrap().name
}

#[test]
fn the_settings_come_first() {
    let sandbox = cloned();
    sandbox.git(&["branch", "release"]);
    sandbox.git(&["tag", "v1", "main"]);
    for name in ["release", "origin/main", "v1", "HEAD~1", "refs/heads/release"] {
        assert_eq!(base(&sandbox, Some(name)), name.trim_start_matches("refs/heads/"));
    }
    sandbox.git(&["branch", "--quiet", "--delete", "--force", "main"]);
    assert_eq!(base(&sandbox, Some("main")), "origin/main");
    let unknown = choose(&sandbox.worktree().open().unwrap(), Some("nowhere"));
    let why = "`nowhere` is no branch, tag or commit of this repository";
    assert_eq!(unknown.err().map(|error| error.to_string()).as_deref(), Some(why));
}

#[test]
fn an_upstream_counts_unless_it_is_where_the_branch_is_pushed_to() {
    let sandbox = cloned();
    sandbox.git(&["branch", "develop", "main"]);
    sandbox.git(&["branch", "--quiet", "--set-upstream-to=develop"]);
    assert_eq!(base(&sandbox, None), "develop");
    sandbox.git(&["push", "--quiet", "--set-upstream", "origin", "feature"]);
    assert_eq!(base(&sandbox, None), "main");
}

#[test]
fn the_remotes_default_goes_before_main_and_master() {
    let sandbox = cloned();
    sandbox.git(&["push", "--quiet", "origin", "main:trunk"]);
    sandbox.git(&["fetch", "--quiet", "origin"]);
    sandbox.git(&["remote", "set-head", "origin", "trunk"]);
    assert_eq!(base(&sandbox, None), "origin/trunk");
    sandbox.git(&["remote", "set-head", "origin", "--delete"]);
    assert_eq!(base(&sandbox, None), "main");
    sandbox.git(&["branch", "--move", "main", "master"]);
    assert_eq!(base(&sandbox, None), "master");
    sandbox.git(&["branch", "--move", "master", "else"]);
    assert_eq!(base(&sandbox, None), "origin/main");
}

#[test]
fn some_other_branch_is_never_the_base() {
    let sandbox = Sandbox::with_commit();
    for name in ["feature/old", "develop"] {
        sandbox.git(&["branch", name]);
    }
    sandbox.git(&["branch", "--move", "main", "feature/new"]);
    assert_eq!(base(&sandbox, None), "HEAD");
}

#[test]
fn on_the_base_itself_it_is_what_its_upstream_lacks() {
    let sandbox = cloned();
    sandbox.git(&["switch", "--quiet", "main"]);
    assert_eq!(base(&sandbox, None), "origin/main");
    assert_eq!(base(&sandbox, Some("main")), "HEAD", "without an upstream it is what is not committed");
    sandbox.git(&["branch", "--quiet", "--set-upstream-to=origin/main"]);
    assert_eq!(base(&sandbox, Some("main")), "origin/main");
    let alone = Sandbox::with_commit();
    assert_eq!(base(&alone, None), "HEAD");
}

#[test]
fn a_detached_head_is_measured_like_a_branch() {
    let sandbox = cloned();
    sandbox.git(&["switch", "--quiet", "--detach"]);
    assert_eq!(base(&sandbox, None), "main");
    assert_eq!(base(&sandbox, Some("HEAD~1")), "HEAD~1");
}

#[test]
fn histories_without_a_common_commit_are_measured_from_head() {
    let sandbox = Sandbox::with_commit();
    sandbox.git(&["switch", "--quiet", "--orphan", "other"]);
    sandbox.commit();
    assert_eq!(base(&sandbox, None), "HEAD");
}

/// A clone beside it, made with these arguments.
fn clone_of(sandbox: &Sandbox, from: &str, arguments: &[&str]) -> Worktree {
    let folder = sandbox.beside("clone");
    let from = format!("file://{from}");
    let words = [&["clone", "--quiet"], arguments, &[from.as_str(), folder.to_str().unwrap()]].concat();
    sandbox.git(&words);
    Worktree::find(&folder).unwrap().unwrap()
}

#[test]
fn what_somebody_has_checked_out_is_no_default_branch() {
    let sandbox = Sandbox::with_commit();
    sandbox.git(&["switch", "--quiet", "-c", "feature"]);
    sandbox.commit();
    let clone = clone_of(&sandbox, sandbox.path("").to_str().unwrap(), &[]);
    assert_eq!(choose(&clone.open().unwrap(), None).unwrap().name, "origin/main");
}

#[test]
fn a_clone_that_lacks_the_base_or_the_way_to_it_says_what_to_fetch() {
    for (depth, missing, shallow) in [
        (&["--single-branch"][..], "the branch to compare with is not", ""),
        (&["--depth=1"], "the branch to compare with is not", " --unshallow"),
        (&["--depth=1", "--no-single-branch"], "where this left origin/main is not", " --unshallow"),
    ] {
        let sandbox = cloned();
        for _ in 0..2 {
            sandbox.commit();
        }
        let origin = sandbox.beside("origin");
        sandbox.git(&["push", "--quiet", "origin", "HEAD:feature"]);
        let clone = clone_of(&sandbox, origin.to_str().unwrap(), &[depth, &["--branch=feature"]].concat());
        let said = baseless(&clone, None).unwrap().unwrap();
        let fetch = format!("git fetch{shallow} origin '+refs/heads/*:refs/remotes/origin/*'");
        assert!(said.contains(missing) && said.contains(&fetch), "{depth:?}: {said}");
        assert_eq!(choose(&clone.open().unwrap(), None).unwrap().name, "HEAD");
    }
}

#[test]
fn nothing_is_missing_where_there_is_a_base_or_none_anywhere() {
    let sandbox = cloned();
    assert_eq!(baseless(&sandbox.worktree(), None).unwrap(), None);
    let alone = Sandbox::with_commit();
    let repo = alone.worktree();
    for configured in [None, Some("main")] {
        assert_eq!(baseless(&repo, configured).unwrap(), None, "main itself, without an upstream");
    }
    let said = baseless(&repo, Some("nowhere")).unwrap().unwrap();
    assert_eq!(said, "`nowhere` is no branch, tag or commit of this clone");
    let empty = Sandbox::new();
    assert_eq!(baseless(&empty.worktree(), None).unwrap(), None, "no commit");
    alone.git(&["switch", "--quiet", "--orphan", "other"]);
    alone.commit();
    assert_eq!(baseless(&repo, None).unwrap(), None, "histories that never met are measured from HEAD");
    alone.git(&["branch", "--quiet", "--delete", "--force", "main"]);
    let said = baseless(&repo, None).unwrap().unwrap();
    assert!(!said.contains("fetch"), "there is nowhere to fetch from: {said}");
}
