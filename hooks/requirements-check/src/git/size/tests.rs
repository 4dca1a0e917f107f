//! The real git is the judge: the property compares every file with `git diff --numstat`.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use globset::{Glob, GlobSet, GlobSetBuilder};
use proptest::prelude::*;

use super::super::sandbox::{Ending, Sandbox, Step, any_step};
use super::*;

mod large;

type Numbers = BTreeMap<String, (u32, u32)>;

fn globs(patterns: &[&str]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern).unwrap());
    }
    set.build().unwrap()
}

fn measure(sandbox: &Sandbox, base: Option<&str>) -> Counts {
    let request =
        SizeRequest { base, exclude: &GlobSet::empty(), own: &Own::default(), include_generated: true };
    scan(&sandbox.worktree(), &request, None).unwrap()
}

/// What git says, and for files it does not track their lines.
fn by_git(sandbox: &Sandbox, against: &str) -> Numbers {
    let mut numbers = numstat(sandbox, against);
    for path in sandbox.list(&["--others"]) {
        let file = sandbox.path(&path);
        let content = match fs::read_link(&file) {
            Ok(target) => target.to_str().unwrap().as_bytes().to_vec(),
            Err(_) => fs::read(&file).unwrap(),
        };
        if !content.contains(&0) {
            let lines = content.split_inclusive(|byte| *byte == b'\n').count();
            numbers.entry(path).or_default().0 += u32::try_from(lines).unwrap();
        }
    }
    numbers.retain(|_, lines| *lines != (0, 0));
    numbers
}

fn numstat(sandbox: &Sandbox, against: &str) -> Numbers {
    let mut numbers = Numbers::new();
    let text = sandbox.git(&["diff", "--numstat", "-z", "--ignore-submodules=all", "--no-ext-diff", against]);
    let mut fields = text.split_terminator('\0');
    while let Some(field) = fields.next() {
        let parts: Vec<&str> = field.split('\t').collect();
        let [inserted, deleted, path] = parts[..] else { panic!("{field:?}") };
        // A moved file has an empty name here, then its old and its new one.
        let path = if path.is_empty() { fields.nth(1).unwrap() } else { path };
        numbers.insert(path.to_owned(), (inserted.parse().unwrap_or(0), deleted.parse().unwrap_or(0)));
    }
    numbers
}

/// Lines that differ; the numbers below `from` are replaced by it.
fn numbered(lines: u32, from: u32) -> String {
    (0..lines).fold(String::new(), |text, line| text + "line " + &line.max(from).to_string() + "\n")
}

const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn counts_every_file_as_git_does(
        before in proptest::collection::vec(any_step(), 0..12),
        on_branch in proptest::collection::vec(any_step(), 0..20),
    ) {
        let mut sandbox = Sandbox::with_commit();
        sandbox.write(".gitignore", "ignored/\n");
        for step in &before {
            sandbox.step(step);
        }
        sandbox.commit();
        sandbox.git(&["switch", "--quiet", "--create=feature"]);
        sandbox.commit();
        for step in &on_branch {
            sandbox.step(step);
        }
        let counts = measure(&sandbox, Some("main"));
        let from = sandbox.git(&["merge-base", "main", "HEAD"]);
        prop_assert_eq!(&counts.files, &by_git(&sandbox, from.trim()));
        prop_assert!(counts.complete);
    }

    #[test]
    fn counts_as_git_does_before_the_first_commit(steps in proptest::collection::vec(any_step(), 0..12)) {
        let mut sandbox = Sandbox::new();
        for step in steps.iter().filter(|step| !matches!(step, Step::Commit)) {
            sandbox.step(step);
        }
        let counts = measure(&sandbox, None);
        prop_assert_eq!(counts.files, by_git(&sandbox, EMPTY_TREE));
        prop_assert_eq!(counts.base, "HEAD");
    }

    #[test]
    fn a_recount_of_the_edited_file_is_as_good_as_a_scan(
        steps in proptest::collection::vec(any_step(), 0..12),
        lines in 0..30_u32,
    ) {
        let mut sandbox = Sandbox::with_commit();
        for step in &steps {
            sandbox.step(step);
        }
        sandbox.step(&Step::Write("a.txt", 20, Ending::Lf));
        sandbox.git(&["add", "a.txt"]);
        sandbox.git(&["commit", "--quiet", "--message=x"]);
        let mut counts = measure(&sandbox, None);
        sandbox.write("a.txt", numbered(lines, 0));
        let request = SizeRequest { base: None, exclude: &GlobSet::empty(), own: &Own::default(), include_generated: true };
        recount(&sandbox.worktree(), &request, &mut counts, &sandbox.path("a.txt"), None).unwrap();
        prop_assert_eq!(counts.files, measure(&sandbox, None).files);
    }
}

#[test]
fn a_new_file_with_the_name_of_one_that_was_moved_counts_beside_it() {
    let sandbox = Sandbox::with_commit();
    sandbox.git(&["switch", "--quiet", "--create=feature"]);
    sandbox.git(&["mv", "first.txt", "moved.txt"]);
    sandbox.write("first.txt", "new\n");
    let counts = measure(&sandbox, Some("main"));
    assert_eq!(counts.files, by_git(&sandbox, "main"));
    assert_eq!(counts.files, Numbers::from([("first.txt".to_owned(), (1, 0))]));
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
    let counts = measure(&worked_on(), None);
    assert_eq!((counts.base.as_str(), counts.total()), ("main", 10 + 2 + 2 + 3));
    assert_eq!(counts.files["first.txt"], (1, 1));
}

#[test]
fn a_moved_file_counts_with_what_changed_in_it() {
    let sandbox = Sandbox::new();
    sandbox.write("old.txt", numbered(50, 0));
    sandbox.commit();
    sandbox.git(&["mv", "old.txt", "new.txt"]);
    assert_eq!(measure(&sandbox, None).total(), 0);
    sandbox.write("new.txt", numbered(50, 1));
    let mut counts = measure(&sandbox, None);
    assert_eq!(counts.files, Numbers::from([("new.txt".to_owned(), (1, 1))]));
    let request =
        SizeRequest { base: None, exclude: &GlobSet::empty(), own: &Own::default(), include_generated: true };
    sandbox.write("new.txt", numbered(50, 2));
    recount(&sandbox.worktree(), &request, &mut counts, &sandbox.path("new.txt"), None).unwrap();
    assert_eq!(counts.files, Numbers::from([("new.txt".to_owned(), (2, 2))]));
}

#[test]
fn leaves_out_what_is_excluded_generated_binary_or_ignored() {
    let sandbox = Sandbox::with_commit();
    sandbox.write(".gitattributes", "*.pb.rs linguist-generated\n*.dat binary\n");
    sandbox.write(".gitignore", "out/\n");
    sandbox.commit();
    for path in ["docs/x.md", "Cargo.lock", "web/app.min.js", "api.pb.rs", "x.dat", "out/x", "kept.rs"] {
        sandbox.write(path, "1\n2\n");
    }
    sandbox.write("nul", "a\0\n");
    let request = SizeRequest {
        base: None,
        exclude: &globs(&["docs/**"]),
        own: &Own::default(),
        include_generated: false,
    };
    let mut counts = scan(&sandbox.worktree(), &request, None).unwrap();
    let expected = Numbers::from([("kept.rs".to_owned(), (2, 0))]);
    assert_eq!(counts.files, expected);
    for path in ["docs/x.md", "Cargo.lock", "api.pb.rs", "x.dat", "out/x", "nul", "missing", ".."] {
        recount(&sandbox.worktree(), &request, &mut counts, &sandbox.path(path), None).unwrap();
        assert_eq!(counts.files, expected, "{path}");
    }
}

#[test]
fn a_branch_cannot_call_its_own_work_generated() {
    let sandbox = Sandbox::with_commit();
    sandbox.write("api/.gitattributes", "*.pb.rs linguist-generated\n");
    sandbox.commit();
    sandbox.git(&["switch", "--quiet", "--create=feature"]);
    sandbox.write(".gitattributes", "* linguist-generated\n");
    sandbox.write("api/old.pb.rs", "1\n2\n3\n");
    sandbox.write("api/own.rs", "1\n2\n");
    let request = SizeRequest {
        base: Some("main"),
        exclude: &GlobSet::empty(),
        own: &Own::default(),
        include_generated: false,
    };
    let expected = Numbers::from([(".gitattributes".to_owned(), (1, 0)), ("api/own.rs".to_owned(), (2, 0))]);
    let mut counts = scan(&sandbox.worktree(), &request, None).unwrap();
    assert_eq!(counts.files, expected);
    sandbox.commit();
    assert_eq!(scan(&sandbox.worktree(), &request, None).unwrap().files, expected, "committed");
    for path in ["api/own.rs", "api/old.pb.rs"] {
        recount(&sandbox.worktree(), &request, &mut counts, &sandbox.path(path), None).unwrap();
        assert_eq!(counts.files, expected, "{path}");
    }
    sandbox.write("api/.gitattributes", "");
    sandbox.write(".gitattributes", "");
    let counts = scan(&sandbox.worktree(), &request, None).unwrap();
    assert_eq!(counts.files.get("api/old.pb.rs"), Some(&(3, 0)), "what is not called so any more counts");
}

#[test]
fn what_tools_keep_for_themselves_does_not_count() {
    let sandbox = Sandbox::with_commit();
    for path in ["state/tracked", "config/tracked", "config/later"] {
        sandbox.write(path, "1\n");
    }
    sandbox.git(&["add", "state/tracked", "config/tracked"]);
    let own = Own { never: vec![sandbox.path("state")], untracked: vec![sandbox.path("config")] };
    let request = SizeRequest { base: None, exclude: &GlobSet::empty(), own: &own, include_generated: true };
    let mut counts = scan(&sandbox.worktree(), &request, None).unwrap();
    let expected = Numbers::from([("config/tracked".to_owned(), (1, 0))]);
    assert_eq!(counts.files, expected);
    for path in ["state/tracked", "state/new", "config/later", "config/tracked"] {
        sandbox.write(path, "1\n");
        recount(&sandbox.worktree(), &request, &mut counts, &sandbox.path(path), None).unwrap();
        assert_eq!(counts.files, expected, "{path}");
    }
}

/// Time is short and machines are busy: it is enough that the count shows once.
#[test]
fn line_ends_that_git_converts_are_no_change() {
    let sandbox = Sandbox::new();
    sandbox.write(".gitattributes", "*.txt text\n*.auto text=auto\n*.raw -text\n");
    for path in ["a.txt", "a.auto", "a.raw"] {
        sandbox.write(path, "1\n2\n");
    }
    sandbox.commit();
    for path in ["a.txt", "a.auto", "a.raw"] {
        sandbox.write(path, "1\r\n2\r\n");
    }
    assert_eq!(measure(&sandbox, None).files, Numbers::from([("a.raw".to_owned(), (2, 2))]));
    assert_eq!(measure(&sandbox, None).files, by_git(&sandbox, "HEAD"));
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
    sandbox.write("sub/new.txt", "new\n");
    assert_eq!(measure(&sandbox, None).files, Numbers::new());
}

#[test]
fn files_that_git_was_told_not_to_look_at_count_as_listed() {
    let sandbox = Sandbox::with_commit();
    sandbox.git(&["update-index", "--assume-unchanged", "first.txt"]);
    sandbox.write("first.txt", "other\n");
    assert_eq!(measure(&sandbox, None).files, by_git(&sandbox, "HEAD"));
    assert_eq!(measure(&sandbox, None).total(), 0);
}

#[test]
fn files_in_conflict_count_as_they_lie_there() {
    let sandbox = Sandbox::with_commit();
    for (branch, word) in [("left", "L"), ("right", "R")] {
        sandbox.git(&["switch", "--quiet", "--create", branch, "main"]);
        sandbox.write("first.txt", format!("one\n{word}\nthree\n"));
        sandbox.commit();
    }
    let refused = sandbox.command(&sandbox.path("")).args(["merge", "--quiet", "left"]).output().unwrap();
    assert!(!refused.status.success());
    assert_eq!(measure(&sandbox, Some("main")).files["first.txt"], (5, 1), "the markers and the other side");
}

#[test]
fn nothing_is_written_into_the_repository() {
    let sandbox = worked_on();
    let listing = || {
        let mut find = std::process::Command::new("find");
        let output =
            find.args([".git", "-printf", "%p %T@ %s\n"]).current_dir(sandbox.path("")).output().unwrap();
        let mut lines: Vec<String> =
            String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let before = listing();
    measure(&sandbox, None);
    assert_eq!(listing(), before);
}

#[test]
fn a_program_named_by_the_repository_is_not_run() {
    let sandbox = Sandbox::with_commit();
    let witness = sandbox.beside("witness");
    let run = format!("touch {}", witness.display());
    for key in
        ["filter.bad.clean", "filter.bad.smudge", "core.fsmonitor", "diff.external", "diff.bad.textconv"]
    {
        sandbox.git(&["config", key, &run]);
    }
    sandbox.write(".gitattributes", "* filter=bad diff=bad\n");
    sandbox.write("first.txt", "one\n");
    sandbox.write("new.txt", "new\n");
    assert_eq!(measure(&sandbox, None).files, Numbers::new(), "what the filter makes of them is not known");
    assert!(!witness.exists());
}

#[test]
fn at_the_deadline_the_count_is_a_lower_bound() {
    let sandbox = worked_on();
    let request =
        SizeRequest { base: None, exclude: &GlobSet::empty(), own: &Own::default(), include_generated: true };
    let counts = scan(&sandbox.worktree(), &request, Some(Instant::now())).unwrap();
    assert!(!counts.complete);
    assert!(counts.total() <= 17);
    let later = Instant::now() + Duration::from_secs(600);
    assert_eq!(scan(&sandbox.worktree(), &request, Some(later)).unwrap(), measure(&sandbox, None));
}

#[test]
fn the_stamp_changes_with_head_and_index_and_with_nothing_else() {
    let sandbox = worked_on();
    let counts = measure(&sandbox, None);
    let current =
        |expected: bool, what: &str| assert_eq!(counts.is_current(&sandbox.worktree()), expected, "{what}");
    current(true, "nothing happened");
    sandbox.write("first.txt", "edited\n");
    current(true, "an edit is no matter of the stamp");
    sandbox.git(&["update-ref", "refs/heads/main", "feature"]);
    current(false, "the base moved");
    sandbox.git(&["update-ref", "refs/heads/main", "feature~1"]);
    current(true, "the base is back");
    sandbox.git(&["update-ref", "refs/heads/feature", "main"]);
    current(false, "the branch was reset, the index was not");
    let before = stamp(&sandbox.worktree());
    sandbox.git(&["add", "first.txt"]);
    assert_ne!(stamp(&sandbox.worktree()), before);
}

#[test]
fn counts_survive_being_stored() {
    let counts = measure(&worked_on(), None);
    let text = serde_json::to_string(&counts).unwrap();
    assert_eq!(serde_json::from_str::<Counts>(&text).unwrap(), counts);
}

#[test]
fn names_the_configured_base_that_does_not_exist() {
    let request = SizeRequest {
        base: Some("trunk"),
        exclude: &GlobSet::empty(),
        own: &Own::default(),
        include_generated: true,
    };
    let error = scan(&Sandbox::with_commit().worktree(), &request, None).unwrap_err();
    assert_eq!(error, GitError::NoBase("trunk".to_owned()));
}

/// Run by hand in release mode: `cargo test --release -- --ignored --nocapture fifty_thousand`.
#[test]
#[ignore = "makes 50,000 files"]
fn fifty_thousand_files() {
    let sandbox = Sandbox::new();
    for file in 0..50_000 {
        sandbox
            .write(&format!("d{}/e{}/f{file}.txt", file % 50, file % 1000), format!("{file}\n").repeat(20));
    }
    sandbox.commit();
    sandbox.write("d1/e1/f1.txt", "changed\n");
    let request =
        SizeRequest { base: None, exclude: &GlobSet::empty(), own: &Own::default(), include_generated: true };
    for millis in [0, 0, 20, 20, 20, 60_000, 60_000, 60_000] {
        let begin = Instant::now();
        let deadline = (millis > 0).then(|| begin + Duration::from_millis(millis));
        let counts = scan(&sandbox.worktree(), &request, deadline).unwrap();
        println!(
            "deadline {millis} ms: {:?}, complete {}, total {}",
            begin.elapsed(),
            counts.complete,
            counts.total()
        );
    }
    let mut counts = measure(&sandbox, None);
    for _ in 0..3 {
        let begin = Instant::now();
        recount(&sandbox.worktree(), &request, &mut counts, &sandbox.path("d1/e1/f1.txt"), None).unwrap();
        println!("recount: {:?}", begin.elapsed());
        let begin = Instant::now();
        let found = Worktree::find(&sandbox.path("d1/e1/f1.txt")).unwrap().unwrap();
        let head = found.head().unwrap();
        let stamp = stamp(&found);
        println!("find + head + stamp: {:?} {head:?} {}", begin.elapsed(), stamp == counts.stamp);
        let begin = Instant::now();
        let opened = open(&found).unwrap();
        println!("open: {:?} {}", begin.elapsed(), opened.file_mode);
        let begin = Instant::now();
        let print = super::super::take(&found, None, &Own::default()).unwrap();
        println!("fingerprint: {:?} {}", begin.elapsed(), print.changed.len());
    }
}
