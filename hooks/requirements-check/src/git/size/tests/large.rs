//! Files too large to be compared line by line.

use super::*;

/// Lines of numbers, so many bytes and a few more.
fn large_text(bytes: usize) -> String {
    let mut text = String::new();
    let mut number = 0_u32;
    while text.len() <= bytes {
        text = text + &number.to_string() + "\n";
        number += 1;
    }
    text
}

/// A deadline that no test reaches.
fn leisurely() -> Instant {
    Instant::now() + Duration::from_secs(600)
}

#[test]
fn a_new_file_of_any_size_counts_with_all_its_lines_in_a_hurry_too() {
    for (bytes, how) in
        [(2, "untracked"), (2, "staged"), (2, "committed"), (9, "untracked"), (9, "committed")]
    {
        let sandbox = Sandbox::with_commit();
        sandbox.git(&["switch", "--quiet", "--create=feature"]);
        sandbox.write("large.txt", large_text(bytes * 1024 * 1024));
        match how {
            "staged" => drop(sandbox.git(&["add", "."])),
            "committed" => sandbox.commit(),
            _ => {}
        }
        let expected = by_git(&sandbox, "main");
        let request = SizeRequest {
            base: None,
            exclude: &GlobSet::empty(),
            own: &Own::default(),
            include_generated: true,
        };
        for deadline in [None, Some(leisurely())] {
            let counts = scan(&sandbox.worktree(), &request, deadline).unwrap();
            assert_eq!(
                (counts.files, counts.complete),
                (expected.clone(), true),
                "{bytes} MiB {how} {deadline:?}"
            );
        }
    }
}

#[test]
fn a_large_file_that_grew_or_shrank_counts_at_least_by_that() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("grown.txt", "1\n2\n");
    sandbox.write("shrunk.txt", large_text(2 * 1024 * 1024));
    sandbox.write("gone.txt", large_text(2 * 1024 * 1024).replace('1', "x"));
    sandbox.commit();
    sandbox.write("grown.txt", large_text(2 * 1024 * 1024));
    sandbox.write("shrunk.txt", "1\n2\n");
    fs::remove_file(sandbox.path("gone.txt")).unwrap();
    let request =
        SizeRequest { base: None, exclude: &GlobSet::empty(), own: &Own::default(), include_generated: true };
    let counts = scan(&sandbox.worktree(), &request, Some(leisurely())).unwrap();
    let exact = by_git(&sandbox, "HEAD");
    assert!(!counts.complete && counts.total() <= measure(&sandbox, None).total());
    for (path, (inserted, deleted)) in &exact {
        let counted = counts.files[path];
        assert_eq!(counted.0.abs_diff(counted.1), inserted.abs_diff(*deleted), "{path}");
    }
    assert_eq!(measure(&sandbox, None).files, exact);
}

#[test]
fn a_large_file_that_was_moved_does_not_count() {
    for commits in [false, true] {
        let sandbox = Sandbox::with_commit();
        sandbox.write("old.txt", large_text(2 * 1024 * 1024));
        sandbox.commit();
        sandbox.git(&["switch", "--quiet", "--create=feature"]);
        sandbox.git(&["mv", "old.txt", "new.txt"]);
        if commits {
            sandbox.commit();
        }
        let request = SizeRequest {
            base: None,
            exclude: &GlobSet::empty(),
            own: &Own::default(),
            include_generated: true,
        };
        let counts = scan(&sandbox.worktree(), &request, Some(leisurely())).unwrap();
        assert_eq!(counts.files, Numbers::new(), "committed: {commits}");
    }
}

#[test]
fn a_recount_counts_a_file_that_became_large() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("new.txt", "1\n");
    let mut counts = measure(&sandbox, None);
    sandbox.write("new.txt", large_text(2 * 1024 * 1024));
    sandbox.write("first.txt", large_text(2 * 1024 * 1024));
    let request =
        SizeRequest { base: None, exclude: &GlobSet::empty(), own: &Own::default(), include_generated: true };
    for path in ["new.txt", "first.txt"] {
        recount(&sandbox.worktree(), &request, &mut counts, &sandbox.path(path), None).unwrap();
        assert!(counts.files[path].0 > 200_000, "{path}: {counts:?}");
    }
}

#[test]
fn in_a_hurry_a_large_new_file_counts_and_a_moved_one_does_not() {
    let request =
        SizeRequest { base: None, exclude: &GlobSet::empty(), own: &Own::default(), include_generated: true };
    let hurried = |sandbox: &Sandbox| {
        let deadline = Instant::now() + Duration::from_millis(150);
        scan(&sandbox.worktree(), &request, Some(deadline)).unwrap()
    };
    let sandbox = Sandbox::with_commit();
    sandbox.write("old.txt", large_text(2 * 1024 * 1024));
    sandbox.commit();
    sandbox.git(&["mv", "old.txt", "new.txt"]);
    let moved = hurried(&sandbox);
    assert_eq!(moved.files, Numbers::new());
    sandbox.write("other.txt", large_text(2 * 1024 * 1024));
    let seen = (0..50).any(|_| hurried(&sandbox).total() > 100_000);
    assert!(seen, "{:?}", hurried(&sandbox));
}
