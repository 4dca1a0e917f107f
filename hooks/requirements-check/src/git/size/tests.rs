//! The real git is the judge: `git diff --numstat` says what counts.

use std::time::Instant;

use super::super::tests::Sandbox;
use super::*;

fn request(base: Option<&str>) -> SizeRequest {
    SizeRequest { base: base.map(str::to_owned), exclude: Vec::new() }
}

fn measure(sandbox: &Sandbox, base: Option<&str>) -> u64 {
    let counted = count(&sandbox.worktree(), request(base), None).unwrap();
    assert!(counted.is_complete);
    counted.lines
}

/// What git says once it has been told of the new files.
fn by_git(sandbox: &Sandbox, against: &str) -> u64 {
    sandbox.git(&["add", "--intent-to-add", "."]);
    let text = sandbox.git(&["diff", "--numstat", "--no-ext-diff", against]);
    let numbers = text.split_whitespace().filter_map(|field| field.parse::<u64>().ok());
    numbers.sum()
}

#[test]
fn counts_as_git_does() {
    let sandbox = Sandbox::with_commit();
    sandbox.write(".gitignore", "ignored/\n");
    sandbox.write("dir/crlf.txt", "1\r\n2\r\n3\r\n");
    sandbox.write("binary", b"a\0b\nc\n");
    sandbox.commit();
    sandbox.git(&["switch", "--quiet", "--create=feature"]);
    let changes: [(&str, &[u8]); 8] = [
        ("first.txt", b"one\nTWO\nthree"),
        ("dir/crlf.txt", b"1\r\n3\r\n4\r\n"),
        ("binary", b"a\0c\nc\n"),
        ("dir/\u{fc}.txt", b"1\n2\n"),
        ("ignored/z.txt", b"1\n"),
        ("new/no end", b"1\n2"),
        ("new/binary", b"\0\n\n"),
        ("empty", b""),
    ];
    for (path, content) in changes {
        sandbox.write(path, content);
        assert_eq!(measure(&sandbox, Some("main")), by_git(&sandbox, "main"), "{path} written");
        sandbox.git(&["add", "--all"]);
        assert_eq!(measure(&sandbox, Some("main")), by_git(&sandbox, "main"), "{path} staged");
        sandbox.commit();
        assert_eq!(measure(&sandbox, Some("main")), by_git(&sandbox, "main"), "{path} committed");
    }
}

/// A branch with ten lines committed, one file staged, one changed and one new.
fn worked_on() -> Sandbox {
    let sandbox = Sandbox::with_commit();
    sandbox.git(&["switch", "--quiet", "--create=feature"]);
    sandbox.write("committed.txt", "x\n".repeat(10));
    sandbox.commit();
    sandbox.write("staged.txt", "1\n2\n");
    sandbox.git(&["add", "staged.txt"]);
    sandbox.write("first.txt", "one\nTWO\nthree\n");
    sandbox.write("new/untracked.txt", "1\n2\n3");
    sandbox
}

#[test]
fn adds_up_committed_staged_unstaged_and_untracked_lines() {
    let counted = count(&worked_on().worktree(), request(None), None).unwrap();
    let expected = Size { base: "main".to_owned(), lines: 10 + 2 + 2 + 3, is_complete: true };
    assert_eq!(counted, expected);
}

#[test]
fn a_moved_file_counts_with_what_changed_in_it() {
    let sandbox = Sandbox::new();
    let lines = (0..50).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
    sandbox.write("old.txt", &lines);
    sandbox.commit();
    sandbox.git(&["mv", "old.txt", "new.txt"]);
    assert_eq!(measure(&sandbox, None), 0);
    sandbox.write("new.txt", lines.replace("line 7\n", "seven\n"));
    assert_eq!(measure(&sandbox, None), 2);
}

#[test]
fn leaves_out_what_is_excluded_generated_binary_or_ignored() {
    let sandbox = Sandbox::with_commit();
    sandbox.write(".gitattributes", "*.pb.rs linguist-generated\n*.dat binary\n*.lfs filter=lfs\n");
    sandbox.write(".gitignore", "out/\n");
    sandbox.commit();
    for path in [
        "docs/x.md",
        ".claude/x",
        "Cargo.lock",
        "web/app.min.js",
        "api.pb.rs",
        "x.dat",
        "x.lfs",
        "out/x",
        "kept.rs",
    ] {
        sandbox.write(path, "1\n2\n");
    }
    sandbox.write("nul", "a\0\n");
    let request = SizeRequest { base: None, exclude: vec![Glob::try_from("docs/**".to_owned()).unwrap()] };
    assert_eq!(count(&sandbox.worktree(), request, None).unwrap().lines, 2, "kept.rs alone");
}

#[test]
fn a_branch_cannot_call_its_own_work_generated() {
    let sandbox = Sandbox::with_commit();
    sandbox.git(&["switch", "--quiet", "--create=feature"]);
    sandbox.write(".gitattributes", "* linguist-generated\n");
    sandbox.write("own.rs", "1\n2\n");
    assert_eq!(measure(&sandbox, Some("main")), 3);
    sandbox.commit();
    assert_eq!(measure(&sandbox, Some("main")), 3, "committed");
}

#[test]
fn submodules_and_repositories_inside_are_left_out() {
    let sandbox = Sandbox::with_commit();
    let other = sandbox.beside("other");
    sandbox.git(&["clone", "--quiet", ".", other.to_str().unwrap()]);
    sandbox.git(&["submodule", "--quiet", "add", other.to_str().unwrap(), "sub"]);
    sandbox.commit();
    sandbox.git(&["clone", "--quiet", ".", "nested"]);
    sandbox.write("sub/first.txt", "changed\n");
    assert_eq!(measure(&sandbox, None), 0);
}

#[test]
fn a_program_named_by_the_repository_is_not_run() {
    let sandbox = Sandbox::with_commit();
    let witness = sandbox.beside("witness");
    let run = format!("touch {}", witness.display());
    for key in ["filter.bad.clean", "core.fsmonitor", "diff.external", "diff.bad.textconv"] {
        sandbox.git(&["config", key, &run]);
    }
    sandbox.write(".gitattributes", "* filter=bad diff=bad\n");
    sandbox.write("first.txt", "one\n");
    assert_eq!(measure(&sandbox, None), 0, "what the filter makes of them is not known");
    assert!(!witness.exists());
}

#[test]
fn at_the_deadline_the_count_is_a_lower_bound() {
    let sandbox = worked_on();
    let late = count(&sandbox.worktree(), request(None), Some(Instant::now())).unwrap();
    assert!(!late.is_complete && late.lines == 0, "{late:?}");
}

#[test]
fn counts_more_than_two_thousand_changed_files() {
    let sandbox = Sandbox::with_commit();
    for number in 0..2_100 {
        sandbox.write(&format!("many/{number}.txt"), "one\ntwo\n");
    }
    assert_eq!(measure(&sandbox, None), 4_200);
}

#[test]
fn the_stamp_changes_with_what_is_out() {
    let sandbox = worked_on();
    let stamp = || stamp(&sandbox.worktree(), &sandbox.worktree().head().unwrap());
    let before = stamp();
    sandbox.write("first.txt", "edited\n");
    assert_eq!(stamp(), before);
    sandbox.commit();
    assert_ne!(stamp(), before);
}
