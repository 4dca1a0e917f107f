//! Two moments of a work tree are the same exactly when all their files are.

use std::os::unix::fs::PermissionsExt as _;

use globset::{Glob, GlobSetBuilder};

use super::super::tests::Sandbox;
use super::*;

fn globs(pattern: &str) -> GlobSet {
    GlobSetBuilder::new().add(Glob::new(pattern).unwrap()).build().unwrap()
}

fn now(sandbox: &Sandbox, paths: &str) -> String {
    take(&sandbox.worktree(), Some(&globs(paths))).unwrap().digest
}

/// Takes a step; whether the files are the same after it.
type Step = (fn(&Sandbox), bool);

#[test]
fn two_moments_are_the_same_exactly_if_their_files_are() {
    let sandbox = Sandbox::with_commit();
    let steps: [Step; 16] = [
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
        (|sandbox| sandbox.write("first.txt/x", "in place of a file\n"), false),
        (Sandbox::commit, true),
        (|sandbox| sandbox.write(".gitignore", "out/\n"), false),
        (|sandbox| sandbox.write("out/ignored", "1\n"), true),
        (|sandbox| sandbox.write("crlf.txt", "1\r\n2\r\n"), false),
        (|sandbox| drop(sandbox.git(&["-c", "core.autocrlf=true", "add", "--all"])), true),
    ];
    sandbox.git(&["config", "core.autocrlf", "true"]);
    let mut before = now(&sandbox, "**");
    for (number, (step, expected)) in steps.into_iter().enumerate() {
        step(&sandbox);
        let after = now(&sandbox, "**");
        assert_eq!(before == after, expected, "step {number}");
        before = after;
    }
    let before = now(&sandbox, "f*");
    sandbox.write("crlf.txt", "3\n");
    assert_eq!(now(&sandbox, "f*"), before, "another file");
}

#[test]
fn names_what_is_not_as_in_the_index() {
    let sandbox = Sandbox::with_commit();
    let before = Timestamp::from(std::time::SystemTime::now()).minus(std::time::Duration::from_secs(1));
    sandbox.write("first.txt", "changed\n");
    sandbox.write("new/a.txt", "1\n");
    let changed = take(&sandbox.worktree(), None).unwrap().changed;
    let names: Vec<&str> = changed.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["first.txt", "new/a.txt"]);
    assert!(changed.iter().all(|(_, at)| *at > before));
}

#[test]
fn large_files_are_known_by_size_and_time() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("large.bin", vec![1; 8 * 1024 * 1024 + 1]);
    let before = now(&sandbox, "**");
    sandbox.write("large.bin", vec![1; 8 * 1024 * 1024 + 2]);
    assert_ne!(now(&sandbox, "**"), before);
}

#[test]
fn a_submodule_counts_by_what_is_checked_out_in_it() {
    let (sandbox, other) = (Sandbox::with_commit(), Sandbox::with_commit());
    other.commit();
    sandbox.git(&["submodule", "--quiet", "add", other.path("").to_str().unwrap(), "sub"]);
    sandbox.commit();
    let (sub, before) = (sandbox.path("sub"), now(&sandbox, "sub"));
    fs::write(sub.join("first.txt"), "changed\n").unwrap();
    assert_eq!(now(&sandbox, "sub"), before, "its files are its own matter");
    sandbox.git_in(&sub, &["checkout", "--quiet", "--force", "HEAD~1"]);
    let moved = now(&sandbox, "sub");
    assert_ne!(moved, before);
    sandbox.commit();
    assert_eq!(now(&sandbox, "sub"), moved);
    sandbox.git(&["submodule", "--quiet", "deinit", "--force", "sub"]);
    assert_eq!(now(&sandbox, "sub"), moved, "not checked out, it is as it is listed");
}

#[test]
fn fingerprint_leaves_out_the_tools_own_files() {
    let sandbox = Sandbox::with_commit();
    sandbox.write(".claude/settings.json", "{}");
    sandbox.commit();
    for (path, counts) in [
        (".claude/projects/x/y.jsonl", false),
        (".claude.json", false),
        ("src/__pycache__/a.cpython-311.pyc", false),
        (".claude.json.backup", false),
        (".claude/settings.json", false),
        (".claudex", true),
        ("sub/.claude/x", true),
    ] {
        let plain = || take_plain(&sandbox.path(""), None).digest;
        let before = (now(&sandbox, "**"), plain());
        sandbox.write(path, "22");
        assert_eq!(now(&sandbox, "**") != before.0, counts, "{path}");
        assert_eq!(plain() != before.1, counts, "{path} without git");
    }
}

#[test]
fn without_a_repository_sizes_and_times_count() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("node_modules/x")).unwrap();
    let take = || take_plain(folder.path(), Some(&globs("**/*.rs"))).digest;
    let mut before = take();
    for (path, content, counts) in [
        ("a.txt", "1", false),
        ("b.rs", "1", true),
        ("node_modules/x/y.rs", "1", false),
        ("b.rs", "12", true),
    ] {
        fs::write(folder.path().join(path), content).unwrap();
        assert_eq!(take() != before, counts, "{path}");
        before = take();
    }
}

#[test]
fn files_staged_otherwise_than_they_lie_there_are_named() {
    let sandbox = Sandbox::with_commit();
    let staged = || staged_otherwise(&sandbox.worktree(), None).unwrap();
    sandbox.write("first.txt", "staged\n");
    sandbox.write("new.txt", "new\n");
    sandbox.git(&["add", "first.txt", "new.txt"]);
    assert_eq!(staged(), [""; 0], "what is staged lies there");
    sandbox.write("first.txt", "tested\n");
    fs::remove_file(sandbox.path("new.txt")).unwrap();
    assert_eq!(staged(), ["first.txt", "new.txt"]);
    sandbox.git(&["reset", "--quiet"]);
    assert_eq!(staged(), [""; 0], "nothing is staged");
    sandbox.git(&["rm", "--quiet", "--cached", "first.txt"]);
    assert_eq!(staged(), ["first.txt"], "a commit would remove it");
}
