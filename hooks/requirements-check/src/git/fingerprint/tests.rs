//! Two moments of a work tree are the same exactly when all their files are.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use globset::{Glob, GlobSetBuilder};

use super::super::tests::Sandbox;
use super::*;

fn globs(pattern: &str) -> GlobSet {
    GlobSetBuilder::new().add(Glob::new(pattern).unwrap()).build().unwrap()
}

fn now(sandbox: &Sandbox, paths: Option<&str>) -> Fingerprint {
    take(&sandbox.worktree(), paths.map(globs).as_ref(), &Own::default()).unwrap().fingerprint
}

fn differing(sandbox: &Sandbox, one: &Fingerprint, other: &Fingerprint, paths: Option<&str>) -> Vec<String> {
    super::differing(Some(&sandbox.worktree()), one, other, paths.map(globs).as_ref()).unwrap()
}

/// Takes a step; the files that differ after it.
type Step = (fn(&Sandbox), &'static [&'static str]);

#[test]
fn two_moments_are_the_same_exactly_if_their_files_are() {
    let sandbox = Sandbox::with_commit();
    let steps: [Step; 12] = [
        (|sandbox| sandbox.write("a.txt", "1\n"), &["a.txt"]),
        (|sandbox| drop(sandbox.git(&["add", "--all"])), &[]),
        (Sandbox::commit, &[]),
        (|sandbox| drop(sandbox.git(&["reset", "--quiet", "--soft", "HEAD~1"])), &[]),
        (|sandbox| drop(sandbox.git(&["rm", "--quiet", "--cached", "a.txt"])), &[]),
        (|sandbox| fs::rename(sandbox.path("a.txt"), sandbox.path("b.txt")).unwrap(), &["a.txt", "b.txt"]),
        (
            |sandbox| fs::set_permissions(sandbox.path("b.txt"), fs::Permissions::from_mode(0o755)).unwrap(),
            &["b.txt"],
        ),
        (|sandbox| std::os::unix::fs::symlink("b.txt", sandbox.path("link")).unwrap(), &["link"]),
        (Sandbox::commit, &[]),
        (|sandbox| fs::remove_file(sandbox.path("first.txt")).unwrap(), &["first.txt"]),
        (|sandbox| sandbox.write(".gitignore", "out/\n"), &[".gitignore"]),
        (|sandbox| sandbox.write("out/ignored", "1\n"), &[]),
    ];
    let first = now(&sandbox, None);
    let mut before = first.clone();
    for (number, (step, expected)) in steps.into_iter().enumerate() {
        step(&sandbox);
        let after = now(&sandbox, None);
        assert_eq!(differing(&sandbox, &before, &after, None), expected, "step {number}");
        before = after;
    }
    assert_eq!(differing(&sandbox, &first, &before, Some("f*")), ["first.txt"], "across trees");
    let lost = Fingerprint { tree: "0123456789".repeat(4), changed: BTreeMap::new() };
    assert!(super::differing(Some(&sandbox.worktree()), &lost, &first, None).is_err());
    assert!(super::differing(None, &lost, &first, None).is_err());
}

#[test]
fn converts_line_ends_as_git_does() {
    let sandbox = Sandbox::with_commit();
    sandbox.git(&["config", "core.autocrlf", "true"]);
    sandbox.write("crlf.txt", "1\r\n2\r\n");
    let before = now(&sandbox, None);
    sandbox.commit();
    assert_eq!(differing(&sandbox, &before, &now(&sandbox, None), None), [""; 0]);
}

#[test]
fn more_changes_than_can_be_kept_are_an_error_and_large_files_are_told_by_size_and_time() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("large.bin", vec![1; 8 * 1024 * 1024 + 1]);
    assert!(now(&sandbox, None).changed["large.bin"].starts_with("8388609@"));
    fs::remove_file(sandbox.path("large.bin")).unwrap();
    for file in 0..=MAX_CHANGED {
        sandbox.write(&format!("many/{file}"), "");
    }
    let taken = || take(&sandbox.worktree(), None, &Own::default());
    assert_eq!(taken(), Err(GitError::TooMany(MAX_CHANGED)));
    sandbox.git(&["add", "--all"]);
    assert_eq!(taken(), Err(GitError::TooMany(MAX_CHANGED)), "staged");
    assert!(now(&sandbox, Some("*.txt")).changed.is_empty());
}

#[test]
fn a_submodule_counts_by_what_is_checked_out_in_it() {
    let (sandbox, other) = (Sandbox::with_commit(), Sandbox::with_commit());
    other.commit();
    sandbox.git(&["submodule", "--quiet", "add", other.path("").to_str().unwrap(), "sub"]);
    sandbox.commit();
    let sub = sandbox.path("sub");
    let now = || now(&sandbox, Some("sub"));
    let before = now();
    assert!(before.changed.is_empty(), "{before:?}");
    fs::write(sub.join("first.txt"), "changed\n").unwrap();
    assert_eq!(now(), before, "its files are its own matter");
    sandbox.git_in(&sub, &["checkout", "--quiet", "--force", "HEAD~1"]);
    let moved = now();
    assert_eq!(differing(&sandbox, &before, &moved, None), ["sub"]);
    sandbox.commit();
    assert_eq!(differing(&sandbox, &moved, &now(), None), [""; 0]);
    sandbox.git(&["submodule", "--quiet", "deinit", "--force", "sub"]);
    assert!(now().changed.is_empty(), "not checked out, it is as it is listed");
}

#[test]
fn what_tools_keep_for_themselves_is_no_part_of_it() {
    let sandbox = Sandbox::with_commit();
    sandbox.write(".claude/settings.json", "{}");
    sandbox.write(".claude/hook-state/tracked.json", "1");
    sandbox.commit();
    let own = Own {
        never: vec![".claude/hook-state".into()],
        untracked: vec![".claude".into(), ".claude.json".into()],
    };
    for path in [
        ".claude/hook-state/x.json",
        ".claude/hook-state/tracked.json",
        ".claude/projects/x/y.jsonl",
        ".claude.json",
        ".claude.json.backup",
    ] {
        sandbox.write(path, "22");
        assert!(take(&sandbox.worktree(), None, &own).unwrap().fingerprint.changed.is_empty(), "{path}");
    }
    for path in [".claude/settings.json", ".claudex", ".claude.jsonl", "first.txt"] {
        sandbox.write(path, "22");
        let changed = take(&sandbox.worktree(), None, &own).unwrap().fingerprint.changed;
        assert!(changed.contains_key(path), "{path}");
    }
}

#[test]
fn without_a_repository_sizes_and_times_count() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("node_modules/x")).unwrap();
    for path in ["a.txt", "b.rs", "node_modules/x/y.rs"] {
        fs::write(folder.path().join(path), "1").unwrap();
    }
    let take = || take_plain(folder.path(), Some(&globs("**/*.rs")), &Own::default()).unwrap();
    let taken = take();
    assert_eq!(taken.changed.keys().collect::<Vec<_>>(), ["b.rs"]);
    fs::write(folder.path().join("b.rs"), "12").unwrap();
    assert_ne!(take(), taken);
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
