//! `req doctor`: what it catches on a machine where things have gone wrong, one by one; what it never does; what it
//! mends.

mod catches;
mod client;
mod mends;
mod registrations;

use crate::typed::{Typed, shell, typed};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};
use tests::small_programs;

/// A hook that is installed and registered.
const WATCH: &str = "rate-awareness";

/// A gate that is installed and registered.
const GATE: &str = "requirements-check";

/// A user on whose machine the hooks are installed.
struct Patient {
    sandbox: Sandbox,
}

impl Patient {
    /// Freshly installed: scripts in place of the hooks.
    #[track_caller]
    fn installed() -> Self {
        Self::installed_from(small_programs::folder())
    }

    /// Freshly installed, with the hooks themselves.
    #[track_caller]
    fn installed_in_earnest() -> Self {
        Self::installed_from(&binaries::folder())
    }

    #[track_caller]
    fn installed_from(folder: &Path) -> Self {
        let patient = Self::bare();
        let folder = folder.display().to_string();
        let outcome = patient.req(&["hooks", "install", "--yes", "--from", &folder]).run();
        outcome.assert_exit(0);
        patient
    }

    /// Nothing is installed.
    fn bare() -> Self {
        Self { sandbox: Sandbox::new() }
    }

    fn req(&self, words: &[&str]) -> Invocation {
        let path = format!("{}:{}", self.home(".local/bin").display(), self.sandbox.env()["PATH"]);
        Invocation::new(binaries::path("req"), &self.sandbox)
            .args(words.iter().copied())
            .env("PATH", path)
            .unset("CLAUDE_HOOK_STATE_DIR")
            .deadline(Duration::from_secs(60))
    }

    /// What the user types in a terminal of their own.
    fn types(&self, words: &str) -> Typed {
        let path = format!("{}:{}", self.home(".local/bin").display(), self.sandbox.env()["PATH"]);
        let state = self.home(".claude/hook-state").display().to_string();
        let variables = [("PATH", path.as_str()), ("CLAUDE_HOOK_STATE_DIR", state.as_str())];
        typed(&binaries::path("req"), &self.sandbox, &shell(), words, &variables)
    }

    fn home(&self, path: &str) -> PathBuf {
        self.sandbox.home().join(path)
    }

    fn deployed(&self, hook: &str) -> PathBuf {
        self.home(".claude/hooks").join(hook)
    }

    /// The user's settings of the client.
    fn settings(&self) -> Value {
        serde_json::from_slice(&fs::read(self.sandbox.settings_path(Level::User)).unwrap()).unwrap()
    }

    /// The user's settings, changed.
    fn change(&self, change: impl FnOnce(&mut Value)) {
        let mut settings = self.settings();
        change(&mut settings);
        self.sandbox.settings(Level::User, &settings);
    }

    #[track_caller]
    fn verdict(&self) -> Verdict {
        Verdict::of(self.req(&["doctor", "--json"]))
    }
}

/// What the doctor says, as data.
#[derive(Debug)]
struct Verdict {
    status: i32,
    report: Value,
}

impl Verdict {
    #[track_caller]
    fn of(command: Invocation) -> Self {
        let outcome = command.run();
        let report =
            serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"));
        let verdict = Self { status: outcome.status.code().unwrap(), report };
        assert_eq!(verdict.report["ok"], json!(verdict.status == 0), "{outcome}");
        assert_eq!(verdict.report["version"], 1);
        verdict
    }

    /// The findings of one severity, as they read.
    fn all(&self, severity: &str) -> Vec<String> {
        let sections = self.report["sections"].as_array().unwrap();
        let findings = sections.iter().flat_map(|section| section["findings"].as_array().unwrap());
        let is_it = |finding: &&Value| finding["severity"] == severity;
        findings.filter(is_it).map(said).collect()
    }

    /// Fails unless there is such a finding, whose words contain all of these.
    #[track_caller]
    fn assert(&self, severity: &str, words: &[&str]) {
        let all = self.all(severity);
        let has = |finding: &&String| words.iter().all(|word| finding.contains(word));
        assert!(all.iter().any(|finding| has(&finding)), "{severity} {words:?} in {:#}", self.report);
        assert_eq!(self.status, i32::from(!self.all("broken").is_empty()), "{:#}", self.report);
    }
}

/// File, line, key, what and what to do, in one line.
fn said(finding: &Value) -> String {
    let text = |key: &str| match &finding[key] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    ["file", "line", "key", "what", "next"].map(text).join(" | ")
}

#[test]
fn a_fresh_installation_is_clean() {
    let patient = Patient::installed();
    let verdict = patient.verdict();
    assert_eq!(verdict.status, 0, "{:#}", verdict.report);
    assert_eq!(verdict.all("broken"), [""; 0]);
    assert_eq!(verdict.all("warning"), [""; 0]);
    // Before the first session nothing is known of the client, nor of credits.
    let notes = verdict.all("note");
    let is_of_a_session =
        |note: &String| note.contains("Claude Code") || note.contains("the next session brings one");
    assert!(notes.iter().all(is_of_a_session), "{notes:?}");
    assert_eq!(verdict.report["summary"], "Everything that is promised holds.");
    for hook in [WATCH, GATE] {
        verdict.assert("ok", &[hook, "as it was installed"]);
        verdict.assert("ok", &[hook, "answered PreToolUse with"]);
        verdict.assert("ok", &[hook, "waits for its first session"]);
        verdict.assert("ok", &[hook, "starts in", "ms"]);
    }
}

#[test]
fn for_people_each_check_is_a_line_and_the_last_one_is_the_verdict() {
    let patient = Patient::installed();
    let outcome = patient.req(&["doctor"]).run();
    outcome.assert_exit(0);
    let text = outcome.stdout_text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.last(), Some(&"Everything that is promised holds."));
    for line in &lines[..lines.len() - 1] {
        let is_heading = line.starts_with(char::is_uppercase);
        let is_finding =
            ["  ok       ", "  note     ", "           "].iter().any(|start| line.starts_with(start));
        assert!(is_heading || is_finding, "{line}");
    }
    fs::write(patient.deployed(WATCH), "#!/bin/sh\n").unwrap();
    let outcome = patient.req(&["doctor"]).run();
    outcome.assert_exit(1);
    assert!(outcome.stdout_text().contains("\n  broken   "), "{outcome}");
    assert!(
        outcome.stdout_text().trim_end().ends_with("not everything that is promised holds."),
        "{outcome}"
    );
    assert_eq!(outcome.stderr_text(), "");
}

#[test]
fn without_anything_installed_it_says_so() {
    let verdict = Patient::bare().verdict();
    assert_eq!(verdict.status, 0);
    verdict.assert("note", &["no hook is installed", "req hooks install"]);
    verdict.assert("note", &["no hook of ours is registered"]);
    assert_eq!(verdict.report["summary"], "Nothing is installed here, so nothing is promised.");
}

#[test]
fn without_a_home_it_says_what_is_missing() {
    let patient = Patient::bare();
    let outcome = patient.req(&["doctor"]).unset("HOME").run();
    outcome.assert_exit(1);
    assert!(outcome.stderr_text().starts_with("req: HOME is not set"), "{outcome}");
}

#[test]
fn foreign_commands_are_counted_and_never_run() {
    let patient = Patient::installed();
    let trace = patient.sandbox.temporary_dir().join("trace");
    let script = patient.sandbox.write("leave-a-trace", format!("#!/bin/sh\ntouch '{}'\n", trace.display()));
    make_executable(&script);
    let group = |entry: Value| json!({ "hooks": [entry] });
    let shell = json!({ "type": "command", "command": script });
    let exec = json!({ "type": "command", "command": script, "args": [] });
    let named_like_ours = patient.sandbox.write(format!("bin/{GATE}"), fs::read(&script).unwrap());
    make_executable(&named_like_ours);
    let disguised = json!({ "type": "command", "command": named_like_ours, "args": [] });
    for level in [Level::Project, Level::Local] {
        let event = json!([group(shell.clone()), group(exec.clone()), group(disguised.clone())]);
        patient.sandbox.settings(level, &json!({ "hooks": { "PreToolUse": event } }));
    }
    let verdict = patient.verdict();
    verdict.assert("ok", &["project/.claude/settings.json", "2 entries of others, not run"]);
    verdict.assert("ok", &["settings.local.json", "2 entries of others, not run"]);
    verdict.assert("warning", &["project/.claude/settings.json", GATE, "something else; it was not run"]);
    verdict.assert("broken", &["settings.local.json", GATE, "something else; it was not run"]);
    Verdict::of(patient.req(&["doctor", "--json", "--fix"]));
    assert!(!trace.exists(), "a foreign command was run");
}

fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
