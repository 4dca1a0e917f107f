//! `req ci`: a clean clone gives the verdict that the hook gives where the work was done, from what git carries over.

use super::desk::Desk;
use crate::driver::denial;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tests::process::Invocation;

/// Whose size is told from 5 lines on and too large from 10 on.
const SIZE: &str = "\
requirements:
  the_rule:
    {enabled: true, type: dynamic, calculator: branch_size, thresholds: {warn: 5, block: 10}, exclude: ['docs/**']}
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
    desk: Desk,
    branch: &'static str,
}

impl Work {
    /// The requirement is on main, with a file of forty lines; the work is on a branch.
    fn on(branch: &'static str, requires: &str) -> Self {
        let desk = Desk::new(requires);
        desk.sandbox.write("old.txt", lines("old", 40));
        desk.sandbox.commit("what is required");
        if branch != "main" {
            desk.sandbox.git(&["switch", "--quiet", "-c", branch]);
        }
        Self { desk, branch }
    }

    fn with(self, file: &str, content: &str) -> Self {
        self.desk.sandbox.write(file, content);
        self.desk.sandbox.commit("work");
        self
    }

    /// What the hook says to an edit where the work was done; `req check` says the same. It is asked first: it counts at its
    /// leisure, where the hook, on a busy machine, may have no time for it.
    #[track_caller]
    fn is_allowed_locally(&self) -> bool {
        let check = self.desk.script(&["check", "--tool", "Edit", "--file", "old.txt"]).run();
        let input = json!({ "file_path": self.desk.sandbox.project().join("old.txt") });
        let answer = self.desk.ask(&self.desk.session.pre_tool_use("Edit", input));
        let is_allowed = denial(answer.as_ref()).is_none();
        check.assert_exit(i32::from(!is_allowed));
        is_allowed
    }

    /// A clone of what was pushed to a server, where main is the default branch.
    fn clone(&self, name: &str, arguments: &[&str]) -> PathBuf {
        let (server, folder) =
            (self.desk.sandbox.root().join("server.git"), self.desk.sandbox.root().join(name));
        if !server.exists() {
            self.desk.sandbox.git(&["clone", "--quiet", "--bare", ".", server.to_str().unwrap()]);
            let server = server.to_str().unwrap();
            self.desk.sandbox.git(&["-C", server, "symbolic-ref", "HEAD", "refs/heads/main"]);
        }
        self.clone_from(&format!("file://{}", server.display()), &folder, arguments)
    }

    fn clone_from(&self, from: &str, folder: &Path, arguments: &[&str]) -> PathBuf {
        let clone = ["clone", "--quiet", "--no-local", "--branch", self.branch];
        self.desk.sandbox.git(&[&clone, arguments, &[from, folder.to_str().unwrap()]].concat());
        folder.to_owned()
    }

    /// `req ci` as a CI system runs it: an empty home, no state, no session.
    fn ci(&self, folder: &Path, words: &[&str]) -> Invocation {
        let home = self.desk.sandbox.root().join("empty-home");
        fs::create_dir_all(&home).unwrap();
        let command = self.desk.script(&[&["ci"], words].concat()).cwd(folder);
        command.env("HOME", home.to_str().unwrap()).env("CI", "true").unset("CLAUDE_HOOK_STATE_DIR")
    }

    /// Types the command that the report names.
    #[track_caller]
    fn fetch_as_told(&self, folder: &Path, report: &Report) {
        let told = report.why().split_once("fetch it: ").and_then(|(_, rest)| rest.split_once(" ("));
        self.types(folder, told.unwrap_or_else(|| panic!("{}", report.why())).0);
    }

    #[track_caller]
    fn types(&self, folder: &Path, line: &str) {
        Invocation::new("/bin/sh", &self.desk.sandbox).args(["-c", line]).cwd(folder).run().assert_exit(0);
    }

    #[track_caller]
    fn report(&self, folder: &Path, words: &[&str]) -> Report {
        Report::of(self.ci(folder, &[words, &["--json"]].concat()))
    }
}

/// What it printed as JSON.
struct Report(Value);

impl Report {
    #[track_caller]
    fn of(command: Invocation) -> Self {
        let outcome = command.run();
        let report: Value = serde_json::from_slice(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome}"));
        outcome.assert_exit(i32::from(report["met"] == false));
        assert_eq!(outcome.stderr_text(), "", "{outcome}");
        Self(report)
    }

    /// How the only rule stands.
    fn state(&self) -> &str {
        let rules = self.0["rules"].as_array().unwrap();
        assert_eq!(rules.len(), 1, "{}", self.0);
        rules[0]["state"].as_str().unwrap()
    }

    fn why(&self) -> &str {
        self.0["rules"][0]["why"].as_str().unwrap()
    }

    /// Names and reasons of what is not judged.
    fn not_judged(&self) -> Vec<(&str, &str)> {
        let all = self.0["not_judged"].as_array().unwrap().iter();
        all.map(|one| (one["name"].as_str().unwrap(), one["why"].as_str().unwrap())).collect()
    }

    fn list(&self, key: &str) -> Vec<&str> {
        self.0[key].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect()
    }
}

fn lines(what: &str, count: u32) -> String {
    (0..count).fold(String::new(), |text, line| text + &format!("{what} {line}\n"))
}

/// The verdict of the hook here, of a whole clone, and of one that has the commit out without its branch.
#[track_caller]
fn agree(what: &str, work: &Work, is_allowed: bool) {
    assert_eq!(work.is_allowed_locally(), is_allowed, "{what}: the hook");
    let expected = if is_allowed { "met" } else { "open" };
    let clone = work.clone("clone", &[]);
    assert_eq!(work.report(&clone, &[]).state(), expected, "{what}: a clone");
    work.desk.sandbox.git(&["-C", clone.to_str().unwrap(), "checkout", "--quiet", "--detach"]);
    let detached = work.report(&clone, &["--branch", work.branch]);
    assert_eq!(detached.state(), expected, "{what}: detached");
    let colleague = work.desk.sandbox.root().join("from-work-tree");
    work.clone_from(work.desk.sandbox.project().to_str().unwrap(), &colleague, &[]);
    assert_eq!(work.report(&colleague, &[]).state(), expected, "{what}: a clone of the work tree");
}

#[test]
fn the_size_of_a_branch_is_the_same_in_a_clone() {
    for (what, file, content, is_allowed) in [
        ("an excluded folder", "docs/plan.md", lines("plan", 50), true),
        ("changed lines count twice", "old.txt", lines("old", 35) + &lines("new", 5), false),
    ] {
        agree(what, &Work::on("feature", SIZE).with(file, &content), is_allowed);
    }
}

#[test]
fn a_protected_branch_is_the_same_in_a_clone() {
    for (branch, is_allowed) in [("release/1.0", false), ("feature", true)] {
        agree(branch, &Work::on(branch, GUARD), is_allowed);
    }
}

#[test]
fn a_file_as_evidence_is_the_same_in_a_clone() {
    for (file, content, is_allowed) in
        [("docs/review.md", "LGTM\n", false), ("docs/review.md", "# Review\nLGTM\n", true)]
    {
        agree(&format!("{file}: {content:?}"), &Work::on("feature", REVIEW).with(file, content), is_allowed);
    }
}

#[test]
fn a_clone_without_the_base_says_no_and_the_command_it_names_mends_it() {
    for arguments in [&["--depth", "1"][..], &["--single-branch"]] {
        let work = Work::on("feature", SIZE).with("a.txt", "a\n").with("new.txt", &lines("new", 9));
        let clone = work.clone("clone", arguments);
        let report = work.report(&clone, &[]);
        assert_eq!(report.state(), "unknown", "{arguments:?}");
        assert!(report.why().contains("fetch-depth: 0"), "{}", report.why());
        work.fetch_as_told(&clone, &report);
        assert_eq!(work.report(&clone, &[]).state(), "open", "{arguments:?}");
    }
}

#[test]
fn what_the_manual_says_to_fetch_is_enough() {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("config/manual/ci.md");
    let manual = fs::read_to_string(manual).unwrap();
    let fetch = manual.split('`').find(|words| words.starts_with("git fetch ")).expect("a line to type");
    let work = Work::on("feature", SIZE).with("new.txt", &lines("new", 10));
    let clone = work.clone("clone", &["--single-branch"]);
    assert_eq!(work.report(&clone, &[]).state(), "unknown");
    work.types(&clone, fetch);
    assert_eq!(work.report(&clone, &[]).state(), "open");
}

#[test]
fn a_commit_without_a_branch_gets_its_branch_from_the_ci_system() {
    let work = Work::on("release/1.0", GUARD);
    let clone = work.clone("clone", &[]);
    let on_branch = work.ci(&clone, &["--json"]).env("GITHUB_HEAD_REF", "feature");
    assert_eq!(Report::of(on_branch).state(), "open", "HEAD knows better");
    work.desk.sandbox.git(&["-C", clone.to_str().unwrap(), "checkout", "--quiet", "--detach"]);
    let nobody = work.report(&clone, &[]);
    assert_eq!(nobody.state(), "unknown");
    assert!(nobody.why().contains("--branch") && nobody.not_judged().is_empty(), "{}", nobody.0);
    for (variable, branch, expected) in
        [("GITHUB_HEAD_REF", "feature", "met"), ("GIT_BRANCH", "origin/main", "open")]
    {
        let report = Report::of(work.ci(&clone, &["--json"]).env(variable, branch));
        assert_eq!((report.state(), &report.0["branch_from"]), (expected, &json!(variable)), "{variable}");
    }
}

#[test]
fn what_only_the_developers_machine_knows_is_listed_and_not_judged() {
    let work = Work::on(
        "feature",
        "requirements:\n  commit_plan: {enabled: true}\n  alone: {enabled: true, type: guard, guard_type: single_session}\n  \
         tests: {enabled: true, type: evidence, command: cargo test}\n  \
         notes: {enabled: true, type: evidence, command: make, file: old.txt, newer_than: HEAD, contains: [nowhere]}\n",
    );
    let clone = work.clone("clone", &[]);
    let report = work.report(&clone, &[]);
    let names: Vec<&str> = report.not_judged().iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["alone", "commit_plan", "notes", "notes", "tests"]);
    assert_eq!((report.state(), report.why()), ("open", "old.txt has no match of /nowhere/"));
    let text = work.ci(&clone, &[]).run().stdout_text();
    let listed: Vec<&str> = text.lines().filter(|line| line.starts_with("not judged in CI: ")).collect();
    assert_eq!(listed.len(), 1, "{text}");
    assert!(text.lines().next().unwrap().starts_with("open     notes  "), "{text}");
    assert!(text.contains("requirements.yaml:5)"), "where it is set: {text}");
}

#[test]
fn marks_and_exceptions_of_the_developer_do_not_count() {
    let work = Work::on("main", GUARD);
    let waived = work.desk.user("waive the_rule --note agreed");
    assert_eq!(waived.status, 0, "{}", waived.screen);
    assert!(work.is_allowed_locally());
    let here = Report::of(work.desk.claude(&["ci", "--json"]));
    assert_eq!(here.state(), "open", "what CI will say can be asked beforehand");
    assert_eq!(work.report(&work.clone("clone", &[]), &[]).state(), "open");
}

#[test]
fn a_warning_is_told_and_a_protected_branch_says_when_to_run_it() {
    let work = Work::on("feature", SIZE).with("new.txt", &lines("new", 5));
    let report = work.report(&work.clone("clone", &[]), &[]);
    assert!(report.list("notes")[0].contains("5 changed lines against origin/main, warned from 5 on"));
    let work = Work::on("main", GUARD);
    let report = work.report(&work.clone("clone", &[]), &[]);
    assert!(report.list("notes")[0].contains("pull requests"), "{}", report.0);
}

#[test]
fn a_gate_that_is_misspelt_is_not_passed_in_silence() {
    for (yaml, said) in [
        ("requirments:\n  x: {enabled: true}\n", "did you mean requirements?"),
        ("requirements:\n  x: {enabled: true, typ: guard}\n", "requirements.x.typ"),
        ("requirements:\n  x: {enabled: true, type: guard}\n", "guard_type"),
        ("requirements: [\n", "the file is skipped"),
    ] {
        let work = Work::on("feature", yaml);
        let clone = work.clone("clone", &[]);
        let report = work.report(&clone, &[]);
        assert_eq!(report.0["met"], false, "{yaml}");
        assert!(report.list("problems").iter().any(|problem| problem.contains(said)), "{}", report.0);
        let text = work.ci(&clone, &[]).run();
        text.assert_exit(1);
        assert!(text.stdout_text().contains(said), "{text}");
    }
}

#[test]
fn nothing_required_nothing_switched_on_and_no_repository_are_said() {
    let work = Work::on("feature", "version: \"1.0\"\n");
    let outcome = work.ci(&work.clone("clone", &[]), &[]).run();
    outcome.assert_exit(0);
    assert_eq!(outcome.stdout_text(), "nothing is required here\n");
    let off = Work::on("main", &format!("{GUARD}requirements-check: {{enabled: false}}\n"));
    assert!(off.is_allowed_locally());
    let report = off.report(&off.clone("clone", &[]), &[]);
    assert!(report.list("notes")[0].contains("switched off"), "{}", report.0);

    let folder = work.desk.sandbox.root().join("plain");
    fs::create_dir_all(&folder).unwrap();
    let outcome = work.ci(&folder, &[]).run();
    outcome.assert_exit(1);
    assert!(outcome.stdout_text().starts_with("there is no git repository here, so "), "{outcome}");
    for (yaml, expected) in [(SIZE, "unknown"), (GUARD, "unknown"), (REVIEW, "open")] {
        fs::create_dir_all(folder.join(".claude")).unwrap();
        fs::write(folder.join(".claude/requirements.yaml"), yaml).unwrap();
        let report = work.report(&folder, &[]);
        assert_eq!(report.state(), expected, "{yaml}");
        assert!(expected == "open" || report.why().contains("no git repository"), "{}", report.why());
    }
}

#[test]
fn it_judges_the_checkout_it_runs_in_and_writes_nothing() {
    let work = Work::on("feature", SIZE).with("new.txt", &lines("new", 20));
    work.desk.starts(&work.desk.session);
    let clone = work.clone("clone", &[]);
    let git = clone.to_str().unwrap();
    work.desk.sandbox.git(&["-C", git, "checkout", "--quiet", "-B", "small", "origin/main"]);
    fs::write(clone.join(".claude/requirements.yaml"), SIZE.replace("block: 10", "block: 30")).unwrap();
    let before = (crate::driver::tree(&clone), work.desk.state_names());
    let there = Report::of(work.desk.claude(&["ci", "--json"]).cwd(&clone));
    assert_eq!(there.why(), "2 changed lines against origin/main, limit 30");
    assert_eq!((crate::driver::tree(&clone), work.desk.state_names()), before);
    fs::create_dir_all(clone.join("deep/down")).unwrap();
    assert_eq!(work.report(&clone.join("deep/down"), &[]).why(), there.why());
    assert!(!fs::exists(work.desk.sandbox.root().join("empty-home/.claude")).unwrap());
}
