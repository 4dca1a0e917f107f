//! The real git is the judge: `git diff --numstat` says what counts.

use std::time::Instant;

use super::super::tests::Sandbox;
use super::*;
use crate::settings::Glob;

fn measure(sandbox: &Sandbox, base: Option<&str>, exclude: &[&str]) -> Size {
    let exclude: Vec<Glob> = exclude.iter().map(|glob| Glob::try_from((*glob).to_owned()).unwrap()).collect();
    super::measure(sandbox.worktree(), base.map(str::to_owned), &exclude, None).unwrap()
}

fn lines(sandbox: &Sandbox) -> u64 {
    measure(sandbox, Some("main"), &[]).lines
}

/// What git says once it has been told of the new files.
fn by_git(sandbox: &Sandbox) -> u64 {
    sandbox.git(&["add", "--intent-to-add", "."]);
    let text = sandbox.git(&["diff", "--numstat", "--no-ext-diff", "main"]);
    text.split_whitespace().filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// A repository on `feature`.
fn feature() -> Sandbox {
    let sandbox = Sandbox::with_commit();
    sandbox.git(&["switch", "--quiet", "--create=feature"]);
    sandbox
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
        assert_eq!(lines(&sandbox), by_git(&sandbox), "{path} written");
        sandbox.git(&["add", "--all"]);
        assert_eq!(lines(&sandbox), by_git(&sandbox), "{path} staged");
        sandbox.commit();
        assert_eq!(lines(&sandbox), by_git(&sandbox), "{path} committed");
    }
}

#[test]
fn adds_up_committed_staged_unstaged_and_untracked_lines_until_the_deadline() {
    let sandbox = feature();
    sandbox.write("committed.txt", "x\n".repeat(10));
    sandbox.commit();
    sandbox.write("staged.txt", "1\n2\n");
    sandbox.git(&["add", "staged.txt"]);
    sandbox.write("first.txt", "one\nTWO\nthree\n");
    sandbox.write("new/untracked.txt", "1\n2\n3");
    let expected = Size { base: "main".to_owned(), lines: 10 + 2 + 2 + 3, is_complete: true };
    assert_eq!(measure(&sandbox, None, &[]), expected);
    let late = super::measure(sandbox.worktree(), None, &[], Some(Instant::now())).unwrap();
    assert!(!late.is_complete && late.lines == 0, "{late:?}");
}

#[test]
fn a_moved_file_counts_with_what_changed_in_it() {
    let sandbox = Sandbox::new();
    let lines = (0..50).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
    sandbox.write("old.txt", &lines);
    sandbox.commit();
    sandbox.git(&["mv", "old.txt", "new.txt"]);
    assert_eq!(measure(&sandbox, None, &[]).lines, 0);
    sandbox.write("new.txt", lines.replace("line 7\n", "seven\n"));
    assert_eq!(measure(&sandbox, None, &[]).lines, 2);
}

#[test]
fn leaves_out_what_is_excluded_generated_binary_ignored_or_a_repository_of_its_own() {
    let (sandbox, other) = (Sandbox::with_commit(), Sandbox::with_commit());
    sandbox.write(".gitattributes", "*.dat binary\n");
    sandbox.write(".gitignore", "out/\n");
    sandbox.git(&["submodule", "--quiet", "add", other.path("").to_str().unwrap(), "sub"]);
    sandbox.commit();
    sandbox.git(&["clone", "--quiet", ".", "nested"]);
    for path in
        ["docs/x.md", ".claude/x", "Cargo.lock", "web/app.min.js", "x.dat", "out/x", "sub/x", "kept.rs"]
    {
        sandbox.write(path, "1\n2\n");
    }
    assert_eq!(measure(&sandbox, None, &["docs/**"]).lines, 2, "kept.rs alone");
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
    assert_eq!(measure(&sandbox, None, &[]).lines, 3);
    assert!(!witness.exists());
}

#[test]
fn counts_more_than_two_thousand_changed_files() {
    let sandbox = feature();
    for number in 0..2_100 {
        sandbox.write(&format!("many/{number}.txt"), "one\ntwo\n");
    }
    assert_eq!(lines(&sandbox), 4_200);
}
