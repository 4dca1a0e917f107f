//! Two moments of a work tree are the same exactly when all their files are.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use globset::{Glob, GlobSetBuilder};

use super::super::tests::Sandbox;
use super::*;

fn globs(pattern: &str) -> GlobSet {
    GlobSetBuilder::new().add(Glob::new(pattern).unwrap()).build().unwrap()
}

fn now(sandbox: &Sandbox, paths: Option<&GlobSet>) -> Fingerprint {
    take(&sandbox.worktree(), paths, &Own::default()).unwrap().fingerprint
}

fn same(worktree: &Worktree, one: &Fingerprint, other: &Fingerprint, paths: Option<&GlobSet>) -> bool {
    differing(Some(worktree), one, other, paths).is_ok_and(|paths| paths.is_empty())
}

/// Takes a step; whether the files are the same after it.
type Step = (fn(&Sandbox), bool);

#[test]
fn two_moments_are_the_same_exactly_if_their_files_are() {
    let sandbox = Sandbox::with_commit();
    let steps: [Step; 10] = [
        (|sandbox| sandbox.write("a.txt", "1\n"), false),
        (|sandbox| drop(sandbox.git(&["add", "--all"])), true),
        (Sandbox::commit, true),
        (|sandbox| drop(sandbox.git(&["reset", "--quiet", "--soft", "HEAD~1"])), true),
        (|sandbox| drop(sandbox.git(&["rm", "--quiet", "--cached", "a.txt"])), true),
        (|sandbox| fs::rename(sandbox.path("a.txt"), sandbox.path("b.txt")).unwrap(), false),
        (
            |sandbox| fs::set_permissions(sandbox.path("b.txt"), fs::Permissions::from_mode(0o755)).unwrap(),
            false,
        ),
        (|sandbox| std::os::unix::fs::symlink("b.txt", sandbox.path("link")).unwrap(), false),
        (Sandbox::commit, true),
        (|sandbox| fs::remove_file(sandbox.path("first.txt")).unwrap(), false),
    ];
    let mut before = now(&sandbox, None);
    for (number, (step, expected)) in steps.into_iter().enumerate() {
        step(&sandbox);
        let after = now(&sandbox, None);
        assert_eq!(same(&sandbox.worktree(), &before, &after, None), expected, "step {number}");
        before = after;
    }
}

#[test]
fn ignored_files_are_no_part_of_it() {
    let sandbox = Sandbox::with_commit();
    sandbox.write(".gitignore", "out/\n*.log\n");
    sandbox.commit();
    sandbox.write("out/x", "1");
    sandbox.write("deep/er/x.log", "1");
    assert!(now(&sandbox, None).changed.is_empty());
}

#[test]
fn more_changes_than_can_be_kept_are_an_error() {
    let sandbox = Sandbox::with_commit();
    for file in 0..=MAX_CHANGED {
        sandbox.write(&format!("many/{file}"), "");
    }
    let taken = || take(&sandbox.worktree(), None, &Own::default());
    assert_eq!(taken(), Err(too_many(MAX_CHANGED)));
    sandbox.git(&["add", "--all"]);
    assert_eq!(taken(), Err(too_many(MAX_CHANGED)), "staged");
    assert!(now(&sandbox, Some(&globs("*.txt"))).changed.is_empty());
}

#[test]
fn large_files_are_told_by_size_and_time() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("large.bin", vec![1; 8 * 1024 * 1024 + 1]);
    let taken = now(&sandbox, None);
    assert!(taken.changed["large.bin"].starts_with("8388609@"), "{taken:?}");
}

/// A repository with another one as submodule `sub`, whose folder is given back too.
fn with_submodule() -> (Sandbox, std::path::PathBuf) {
    let sandbox = Sandbox::with_commit();
    let other = sandbox.beside("other");
    sandbox.git(&["clone", "--quiet", ".", other.to_str().unwrap()]);
    sandbox.git_in(&other, &["commit", "--quiet", "--allow-empty", "--message=second"]);
    sandbox.git(&["submodule", "--quiet", "add", other.to_str().unwrap(), "sub"]);
    sandbox.commit();
    let sub = sandbox.path("sub");
    (sandbox, sub)
}

#[test]
fn a_submodule_counts_by_what_is_checked_out_in_it() {
    let (sandbox, sub) = with_submodule();
    let now = || now(&sandbox, Some(&globs("sub")));
    let is_same = |one: &Fingerprint, other: &Fingerprint| same(&sandbox.worktree(), one, other, None);
    let before = now();
    assert!(before.changed.is_empty(), "{before:?}");
    sandbox.git_in(&sub, &["pack-refs", "--all"]);
    assert_eq!(now(), before, "on a branch whose reference is packed");
    fs::write(sub.join("first.txt"), "changed\n").unwrap();
    assert_eq!(now(), before, "its files are its own matter");
    sandbox.git_in(&sub, &["checkout", "--quiet", "--force", "HEAD~1"]);
    let moved = now();
    assert!(!is_same(&before, &moved), "{moved:?}");
    sandbox.commit();
    assert!(is_same(&moved, &now()) && !is_same(&before, &now()));
    sandbox.git(&["rm", "--quiet", "--cached", "sub"]);
    fs::remove_dir_all(&sub).unwrap();
    assert!(!is_same(&moved, &now()));
}

#[test]
fn a_submodule_that_is_not_checked_out_is_as_it_is_listed() {
    let (sandbox, _) = with_submodule();
    sandbox.git(&["submodule", "--quiet", "deinit", "--force", "sub"]);
    assert!(now(&sandbox, None).changed.is_empty());
}

/// HOME as repository: the state and the client's folders lie in the work tree.
fn home_as_repository() -> (Sandbox, Own) {
    let sandbox = Sandbox::with_commit();
    sandbox.write(".claude/settings.json", "{}");
    sandbox.write(".claude/hook-state/tracked.json", "1");
    sandbox.commit();
    let own = Own {
        never: vec![".claude/hook-state".into()],
        untracked: vec![".claude".into(), ".claude.json".into()],
    };
    (sandbox, own)
}

#[test]
fn what_tools_keep_for_themselves_is_no_part_of_it() {
    let (sandbox, own) = home_as_repository();
    for path in [
        ".claude/hook-state/x.json",
        ".claude/hook-state/tracked.json",
        ".claude/projects/x/y.jsonl",
        ".claude.json",
        ".claude.json.backup",
    ] {
        sandbox.write(path, "22");
        assert!(take(&sandbox.worktree(), None, &own).unwrap().fingerprint.changed.is_empty(), "{path}");
        let plain = take_plain(&sandbox.path(""), None, &own).unwrap();
        assert!(!plain.changed.contains_key(path), "{path}");
    }
    for path in [".claude/settings.json", ".claudex", ".claude.jsonl", "first.txt"] {
        sandbox.write(path, "22");
        assert!(
            take(&sandbox.worktree(), None, &own).unwrap().fingerprint.changed.contains_key(path),
            "{path}"
        );
    }
}

#[test]
fn what_differs_is_told_by_path() {
    let sandbox = Sandbox::with_commit();
    let moment = || now(&sandbox, None);
    let told = |one: &Fingerprint, other: &Fingerprint, paths: Option<&str>| {
        let paths = paths.map(globs);
        differing(Some(&sandbox.worktree()), one, other, paths.as_ref()).unwrap()
    };
    let before = moment();
    sandbox.write("new/b.txt", "1");
    sandbox.write("first.txt", "other");
    let edited = moment();
    assert_eq!(told(&before, &edited, None), ["first.txt", "new/b.txt"]);
    assert_eq!(told(&before, &edited, Some("new/**")), ["new/b.txt"]);
    sandbox.commit();
    assert_eq!(told(&before, &moment(), None), ["first.txt", "new/b.txt"], "across trees");
    assert_eq!(told(&edited, &moment(), None), [""; 0]);
    assert!(differing(None, &before, &moment(), None).is_err());
}

#[test]
fn a_tree_that_is_no_longer_there_is_not_the_same() {
    let sandbox = Sandbox::with_commit();
    let taken = now(&sandbox, None);
    let lost = Fingerprint { tree: "0123456789".repeat(4), changed: BTreeMap::new() };
    assert!(!same(&sandbox.worktree(), &lost, &taken, None));
}

#[test]
fn without_a_repository_sizes_and_times_count() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("node_modules/x")).unwrap();
    for path in ["a.txt", "b.rs", "node_modules/x/y.rs"] {
        fs::write(folder.path().join(path), "1").unwrap();
    }
    let taken = take_plain(folder.path(), Some(&globs("**/*.rs")), &Own::default()).unwrap();
    assert_eq!(taken.changed.keys().collect::<Vec<_>>(), ["b.rs"]);
    fs::write(folder.path().join("b.rs"), "12").unwrap();
    assert_ne!(take_plain(folder.path(), Some(&globs("**/*.rs")), &Own::default()).unwrap(), taken);
}

#[test]
fn files_staged_otherwise_than_they_lie_there_are_named() {
    let sandbox = Sandbox::with_commit();
    let staged = || take(&sandbox.worktree(), None, &Own::default()).unwrap().staged_otherwise;
    sandbox.write("first.txt", "staged\n");
    sandbox.write("new.txt", "new\n");
    sandbox.git(&["add", "first.txt", "new.txt"]);
    assert_eq!(staged(), [""; 0], "what is staged lies there");
    sandbox.write("first.txt", "tested\n");
    fs::remove_file(sandbox.path("new.txt")).unwrap();
    assert_eq!(staged(), ["first.txt", "new.txt"]);
    sandbox.git(&["reset", "--quiet"]);
    assert_eq!(staged(), [""; 0], "nothing is staged");
}
