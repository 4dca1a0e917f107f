//! `req ci`: a clean clone gives the verdict that the hook gives where the work was done, from what git carries over.

use crate::requirements_check::world::World;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tests::process::Invocation;

const SIZE: &str = "\
requirements:
  the_rule:
    {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 10}, exclude: ['docs/**']}
";

const GUARD: &str = "\
requirements:
  the_rule: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main, 'release/*']}
";

/// Asked for before an Edit, so that one call tells what the hook says of every rule here.
const REVIEW: &str = "\
requirements:
  the_rule:
    enabled: true
    type: evidence
    enforce: both
    trigger_tools: [Edit]
    file: 'docs/review*.md'
    contains: ['^# Review', LGTM]
";

/// Work on a branch, committed, in a project that requires something.
struct Work {
    world: World,
    branch: &'static str,
}

impl Work {
    /// The requirement is on main, with a file of forty lines; the work is on a branch.
    fn on(branch: &'static str, requires: &str) -> Self {
        let world = World::new(requires);
        world.sandbox.write("old.txt", lines("old", 40));
        world.sandbox.commit("what is required");
        if branch != "main" {
            world.sandbox.git(&["switch", "--quiet", "-c", branch]);
        }
        Self { world, branch }
    }

    fn with(self, file: &str, content: &str) -> Self {
        self.world.sandbox.write(file, content);
        self.world.sandbox.commit("work");
        self
    }

    /// What the hook says to an edit where the work was done, by its own code: it counts at its leisure there, where the hook, on
    /// a busy machine, may have no time for it.
    fn is_allowed_locally(&self) -> bool {
        let check = self.world.script(&["check", "--tool", "Edit", "--file", "old.txt"]).run();
        check.status.code() == Some(0)
    }

    /// A clone of what was pushed to a server, where main is the default branch.
    fn clone(&self, name: &str, arguments: &[&str]) -> PathBuf {
        let (server, folder) =
            (self.world.sandbox.root().join("server.git"), self.world.sandbox.root().join(name));
        if !server.exists() {
            self.world.sandbox.git(&["clone", "--quiet", "--bare", ".", server.to_str().unwrap()]);
            let server = server.to_str().unwrap();
            self.world.sandbox.git(&["-C", server, "symbolic-ref", "HEAD", "refs/heads/main"]);
        }
        let from = format!("file://{}", server.display());
        let clone = ["clone", "--quiet", "--no-local", "--branch", self.branch];
        self.world.sandbox.git(&[&clone, arguments, &[&from, folder.to_str().unwrap()]].concat());
        folder
    }

    /// `req ci` as a CI system runs it: an empty home, no state, no session.
    fn ci(&self, folder: &Path, words: &[&str]) -> Invocation {
        let home = self.world.sandbox.root().join("empty-home");
        fs::create_dir_all(&home).unwrap();
        let command = self.world.script(&[&["ci"], words].concat()).cwd(folder);
        command.env("HOME", home.to_str().unwrap()).env("CI", "true").unset("CLAUDE_HOOK_STATE_DIR")
    }

    #[track_caller]
    fn report(&self, folder: &Path, words: &[&str]) -> Value {
        report_of(self.ci(folder, &[words, &["--json"]].concat()))
    }
}

/// The report, printed as JSON; its `met` is the exit status.
#[track_caller]
fn report_of(command: Invocation) -> Value {
    let outcome = command.run();
    let report: Value = serde_json::from_slice(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome}"));
    outcome.assert_exit(i32::from(report["met"] == false));
    report
}

/// How the only rule stands, and why.
#[track_caller]
fn rule(report: &Value) -> (&str, &str) {
    let [rule] = report["rules"].as_array().unwrap().as_slice() else { panic!("{report}") };
    (rule["state"].as_str().unwrap(), rule["why"].as_str().unwrap())
}

fn lines(what: &str, count: u32) -> String {
    (0..count).fold(String::new(), |text, line| text + &format!("{what} {line}\n"))
}

#[test]
fn a_clone_gives_the_verdict_of_the_hook() {
    let changed = lines("old", 35) + &lines("new", 5);
    for (branch, requires, file, content, is_allowed) in [
        ("feature", SIZE, "docs/plan.md", lines("plan", 50).as_str(), true),
        ("feature", SIZE, "old.txt", &changed, false),
        ("release/1.0", GUARD, "a.txt", "a\n", false),
        ("feature", GUARD, "a.txt", "a\n", true),
        ("feature", REVIEW, "docs/review.md", "LGTM\n", false),
        ("feature", REVIEW, "docs/review.md", "# Review\nLGTM\n", true),
    ] {
        let work = Work::on(branch, requires).with(file, content);
        assert_eq!(work.is_allowed_locally(), is_allowed, "{branch} {file}: the hook");
        let expected = if is_allowed { "met" } else { "open" };
        let clone = work.clone("clone", &[]);
        assert_eq!(rule(&work.report(&clone, &[])).0, expected, "{branch} {file}: a clone");
        work.world.sandbox.git(&["-C", clone.to_str().unwrap(), "checkout", "--quiet", "--detach"]);
        let detached = work.report(&clone, &["--branch", branch]);
        assert_eq!(rule(&detached).0, expected, "{branch} {file}: detached");
        if requires == GUARD {
            let nobody = work.report(&clone, &[]);
            assert!(rule(&nobody).0 == "unknown" && rule(&nobody).1.contains("--branch"), "{nobody}");
        }
    }
}

#[test]
fn a_clone_without_the_base_says_no_and_the_command_it_names_mends_it() {
    for arguments in [&["--depth", "1"][..], &["--single-branch"]] {
        let work = Work::on("feature", SIZE).with("a.txt", "a\n").with("new.txt", &lines("new", 9));
        let clone = work.clone("clone", arguments);
        let report = work.report(&clone, &[]);
        let (state, why) = rule(&report);
        assert!(state == "unknown" && why.contains("fetch-depth: 0"), "{report}");
        let line = why.split_once("fetch it: ").unwrap().1.split_once(" (").unwrap().0;
        Invocation::new("/bin/sh", &work.world.sandbox).args(["-c", line]).cwd(&clone).run().assert_exit(0);
        assert_eq!(rule(&work.report(&clone, &[])).0, "open", "{arguments:?}");
    }
}

#[test]
fn facts_of_the_developers_machine_are_listed_and_not_judged() {
    let work = Work::on(
        "feature",
        "requirements:\n  commit_plan: {enabled: true}\n  alone: {enabled: true, type: guard, guard_type: single_session}\n  \
         tests: {enabled: true, type: evidence, command: cargo test}\n  \
         notes: {enabled: true, type: evidence, command: make, file: old.txt, newer_than: HEAD, contains: [nowhere]}\n",
    );
    let clone = work.clone("clone", &[]);
    let report = work.report(&clone, &[]);
    let all = report["not_judged"].as_array().unwrap().iter();
    let names: Vec<&str> = all.map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["alone", "commit_plan", "notes", "notes", "tests"]);
    assert_eq!(rule(&report), ("open", "old.txt has no match of /nowhere/"));
    let text = work.ci(&clone, &[]).run().stdout_text();
    assert!(
        text.starts_with("  not satisfied  notes  ") && text.contains("\nnot judged in CI: tests ("),
        "{text}"
    );
    let work = Work::on("main", GUARD);
    assert_eq!(work.world.user("waive the_rule --note agreed").status, 0);
    assert!(work.is_allowed_locally());
    assert_eq!(rule(&report_of(work.world.req(&["ci", "--json"]))).0, "open", "a waiver of the developer");
}

#[test]
fn misspelt_gate_and_wrong_folder_are_not_passed_in_silence() {
    for (yaml, status, said) in [
        ("requirments:\n  x: {enabled: true}\n", 1, "did you mean requirements?"),
        ("requirements:\n  x: {enabled: true, type: guard}\n", 1, "guard_type"),
        ("requirements: [\n", 1, "the file is skipped"),
        ("version: \"1.0\"\n", 0, "nothing required"),
        ("requirements-check: {enabled: false}\n", 0, "switched off"),
    ] {
        let work = Work::on("feature", yaml);
        let outcome = work.ci(&work.clone("clone", &[]), &[]).run();
        outcome.assert_exit(status);
        assert!(outcome.stdout_text().contains(said), "{outcome}");
    }
    let work = Work::on("feature", "version: \"1.0\"\n");
    let folder = work.world.sandbox.root().join("plain");
    fs::create_dir_all(folder.join(".claude")).unwrap();
    let outcome = work.ci(&folder, &[]).run();
    outcome.assert_exit(1);
    assert!(outcome.stdout_text().contains("there is no git repository here, so "), "{outcome}");
    for (yaml, expected) in [(SIZE, "unknown"), (GUARD, "unknown"), (REVIEW, "open")] {
        fs::write(folder.join(".claude/requirements.yaml"), yaml).unwrap();
        assert_eq!(rule(&work.report(&folder, &["--branch", "feature"])).0, expected, "{yaml}");
    }
}

#[test]
fn it_judges_the_checkout_it_runs_in_and_writes_nothing() {
    let work = Work::on("feature", SIZE).with("new.txt", &lines("new", 20));
    work.world.claude().starts("startup");
    let clone = work.clone("clone", &[]);
    fs::write(clone.join(".claude/requirements.yaml"), SIZE.replace("block: 10", "block: 30")).unwrap();
    fs::create_dir_all(clone.join("deep/down")).unwrap();
    let before = (crate::driver::tree(&clone), work.world.state_names());
    for folder in [&clone, &clone.join("deep/down")] {
        let report = report_of(work.world.req(&["ci", "--json"]).cwd(folder));
        assert_eq!(rule(&report).1, "22 changed lines against origin/main, limit 30");
    }
    assert_eq!((crate::driver::tree(&clone), work.world.state_names()), before);
}
