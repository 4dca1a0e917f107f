//! The local branches, and what work trees have out though it is no branch.

use super::super::tests::Sandbox;
use super::*;

fn shown(sandbox: &Sandbox) -> Vec<String> {
    let heads = heads(&sandbox.worktree()).unwrap();
    heads.into_iter().map(|head| format!("{head:?}")).collect()
}

#[test]
fn the_local_branches_packed_or_not_and_no_others() {
    let sandbox = Sandbox::with_commit();
    sandbox.git(&["branch", "feature/auth"]);
    sandbox.git(&["pack-refs", "--all"]);
    sandbox.git(&["branch", "loose"]);
    sandbox.git(&["tag", "v1"]);
    sandbox.git(&["update-ref", "refs/remotes/origin/theirs", "HEAD"]);
    let expected = ["feature/auth", "loose", "main"].map(|name| format!("Branch({name:?})"));
    assert_eq!(shown(&sandbox), expected);
    sandbox.git(&["branch", "--delete", "loose"]);
    assert_eq!(shown(&sandbox), [&expected[0], &expected[2]].map(Clone::clone));
}

#[test]
fn what_a_work_tree_has_out_though_it_is_no_branch_or_one_without_a_commit() {
    let sandbox = Sandbox::new();
    assert_eq!(shown(&sandbox), ["Branch(\"main\")"], "before the first commit");
    sandbox.commit();
    let linked = sandbox.beside("linked");
    sandbox.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    let commit = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let both = ["Branch(\"main\")".to_owned(), format!("Detached({commit:?})")];
    assert_eq!(shown(&sandbox), both);
    let from_there = heads(&Worktree::find(&linked).unwrap().unwrap()).unwrap();
    assert_eq!(from_there.len(), 2, "the same from the linked work tree");
    sandbox.git(&["worktree", "remove", linked.to_str().unwrap()]);
    assert_eq!(shown(&sandbox), ["Branch(\"main\")"]);
}

#[test]
fn where_a_head_cannot_be_read_nothing_is_said() {
    let sandbox = Sandbox::with_commit();
    std::fs::write(sandbox.path(".git/HEAD"), "garbage").unwrap();
    assert!(matches!(heads(&sandbox.worktree()), Err(GitError::Head(_))));
}
