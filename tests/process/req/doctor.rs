//! `req doctor` as a process: its answers for people and programs, what it never runs, what it fixes, and the hooks it asks. The
//! rules of its checks are tables in `shared/installer/src/doctor`.

use crate::installer::User;
use crate::typed::{Typed, shell, typed};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tests::binaries;
use tests::payloads::Session;
use tests::process::Invocation;
use tests::sandbox::Level;

/// A hook that is installed and registered.
const WATCH: &str = "rate-awareness";

/// A gate that is installed and registered.
const GATE: &str = "requirements-check";

/// A user on whose machine scripts are installed in place of the hooks.
fn installed() -> User {
    let user = User::new();
    user.types("install --prebuilt PREBUILT --yes");
    user
}

impl User {
    fn path(&self) -> String {
        format!("{}:{}", self.home(".local/bin").display(), self.sandbox.env()["PATH"])
    }

    fn req(&self, words: &[&str]) -> Invocation {
        Invocation::new(binaries::path("req"), &self.sandbox)
            .args(words.iter().copied())
            .env("PATH", self.path())
            .unset("CLAUDE_HOOK_STATE_DIR")
            .deadline(Duration::from_secs(60))
    }

    /// What the user types in a terminal of their own.
    fn types_at_a_terminal(&self, words: &str) -> Typed {
        let (path, state) = (self.path(), self.home(".claude/hook-state").display().to_string());
        let variables = [("PATH", path.as_str()), ("CLAUDE_HOOK_STATE_DIR", state.as_str())];
        typed(&binaries::path("req"), &self.sandbox, &shell(), words, &variables)
    }

    /// The user's settings of Claude Code, changed.
    fn change(&self, change: impl FnOnce(&mut Value)) {
        let mut settings = read_json(&self.sandbox.settings_path(Level::User));
        change(&mut settings);
        self.sandbox.settings(Level::User, &settings);
    }

    /// What a program leaves that must not be started.
    fn trace(&self) -> PathBuf {
        self.sandbox.temporary_dir().join("trace")
    }

    #[track_caller]
    fn verdict(&self) -> Verdict {
        Verdict::of(self.req(&["doctor", "--json"]))
    }
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The doctor's report as data.
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

    /// The findings of one severity: file, line, key, what and what to do, in one line each.
    fn all(&self, severity: &str) -> Vec<String> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let said = |finding: &Value| ["file", "line", "key", "what", "next"].map(|key| text(&finding[key]));
        let sections = self.report["sections"].as_array().unwrap();
        let findings = sections.iter().flat_map(|section| section["findings"].as_array().unwrap());
        let is_it = |finding: &&Value| finding["severity"] == severity;
        findings.filter(is_it).map(|finding| said(finding).join(" | ")).collect()
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

#[test]
fn fresh_installation_is_clean_and_a_replaced_gate_is_broken() {
    let patient = installed();
    let verdict = patient.verdict();
    assert_eq!((verdict.all("broken"), verdict.all("warning")), (Vec::new(), Vec::new()));
    for hook in [WATCH, GATE] {
        verdict.assert("ok", &[hook, "as it was installed"]);
        verdict.assert("ok", &[hook, "answered PreToolUse with", "; starts in "]);
        verdict.assert("ok", &[hook, "waits for its first session"]);
    }
    let outcome = patient.req(&["doctor"]).run();
    outcome.assert_exit(0);
    let text = outcome.stdout_text();
    assert!(text.ends_with("\nEverything that is promised holds.\n"), "{text}");

    fs::remove_file(patient.deployed(GATE)).unwrap();
    std::os::unix::fs::symlink("/bin/true", patient.deployed(GATE)).unwrap();
    let outcome = patient.req(&["doctor"]).run();
    outcome.assert_exit(1);
    let text = outcome.stdout_text();
    for said in ["its bytes differ", "not the one that was built", "not everything that is promised holds."] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert_eq!(outcome.stderr_text(), "");
}

#[test]
fn report_without_an_installation_or_a_home() {
    let patient = User::new();
    let line = json!({ "type": "command", "command": format!(": barbless {GATE}; exit 0") });
    let hooks = json!({ "hooks": { "PreToolUse": [{ "hooks": [line] }] } });
    assert_eq!(patient.verdict().report["summary"], "Nothing is installed here, so nothing is promised.");
    patient.sandbox.settings(Level::Project, &hooks);
    let verdict = patient.verdict();
    verdict.assert("warning", &[GATE, "is not installed here, so it is silent", "req hooks install --hooks"]);
    let summary = verdict.report["summary"].as_str().unwrap();
    assert!(summary.starts_with("Everything that is promised holds, with "), "{summary}");
    let outcome = patient.req(&["doctor"]).unset("HOME").run();
    outcome.assert_exit(1);
    assert!(outcome.stderr_text().starts_with("req: HOME is not set"), "{outcome}");
}

#[test]
fn off_file_and_a_declined_status_line_are_named() {
    let patient = installed();
    patient.change(|settings| drop(settings.as_object_mut().unwrap().remove("statusLine")));
    fs::create_dir_all(patient.home(".claude/hook-state")).unwrap();
    fs::write(patient.home(".claude/hook-state/OFF"), "").unwrap();
    let verdict = patient.verdict();
    verdict
        .assert("warning", &["hook-state/OFF", "every hook is off while this file is there", "req resume"]);
    verdict.assert("note", &["credit-pacer: its status line is not set", "req hooks statusline"]);
    assert!(verdict.report["summary"].as_str().unwrap().ends_with(", with 1 warning."));
    assert_eq!(verdict.all("warning").iter().filter(|found| found.contains("switched off")).count(), 0);
}

#[test]
fn foreign_commands_are_never_run() {
    let patient = installed();
    let leaves_a_trace = format!("#!/bin/sh\ntouch '{}'\n", patient.trace().display());
    let [script, named_like_ours] = ["leave-a-trace".to_owned(), format!("bin/{GATE}")].map(|name| {
        let path = patient.sandbox.write(name, &leaves_a_trace);
        set_mode(&path, 0o755);
        path
    });
    let entries = json!([
        { "type": "command", "command": script },
        { "type": "command", "command": named_like_ours, "args": [] },
        { "type": "command", "command": "/gone/notify --now" },
    ]);
    patient.sandbox.settings(Level::Project, &json!({ "hooks": { "Stop": [{ "hooks": entries }] } }));
    for words in [&["doctor", "--json"][..], &["doctor", "--json", "--fix"]] {
        let verdict = Verdict::of(patient.req(words));
        verdict.assert("warning", &["hooks.Stop", "/gone/notify does not exist"]);
    }
    assert!(!patient.trace().exists(), "a foreign command was run");
}

/// A missing link, wrong entries, and one of somebody else's.
fn unwell() -> User {
    let patient = installed();
    fs::remove_file(patient.home(".local/bin").join(WATCH)).unwrap();
    patient.change(|settings| {
        settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true);
        settings["hooks"].as_object_mut().unwrap().remove("SessionEnd");
        settings["hooks"]["Notification"] =
            json!([{ "hooks": [{ "type": "command", "command": "/gone/x" }] }]);
    });
    patient
}

#[test]
fn fix_at_a_terminal_mends_everything_of_ours() {
    let patient = unwell();
    let typed = patient.types_at_a_terminal("doctor --fix");
    assert_eq!(typed.status, 0, "{}", typed.screen);
    for said in [
        "mended: linked rate-awareness into ~/.local/bin",
        "mended: the entries in ~/.claude/settings.json are as they should be",
        "/gone/x does not exist",
    ] {
        assert!(typed.screen.contains(said), "{said} in {}", typed.screen);
    }
    let verdict = patient.verdict();
    let left = verdict.all("warning");
    assert!(verdict.status == 0 && left.len() == 1 && left[0].contains("/gone/x"), "{left:?}");
    let before = fs::read(patient.sandbox.settings_path(Level::User)).unwrap();
    let verdict = Verdict::of(patient.req(&["doctor", "--fix", "--json"]));
    assert_eq!((verdict.status, &verdict.report["mended"]), (0, &json!([])), "a second time");
    assert_eq!(fs::read(patient.sandbox.settings_path(Level::User)).unwrap(), before);
}

#[test]
fn fix_in_claudes_shell_leaves_settings_alone() {
    let patient = unwell();
    let before = fs::read(patient.sandbox.settings_path(Level::User)).unwrap();
    let verdict = Verdict::of(patient.req(&["doctor", "--fix", "--json"]).env("CLAUDECODE", "1"));
    assert_eq!(verdict.status, 1);
    let mended = verdict.report["mended"].to_string();
    assert!(mended.contains("type: req doctor --fix") && mended.contains("mended: linked"), "{mended}");
    assert!(!mended.contains("entries in"), "{mended}");
    assert_eq!(fs::read(patient.sandbox.settings_path(Level::User)).unwrap(), before);
}

#[test]
fn changed_version_of_claude_code_is_reported_at_a_sessions_start_once_doctor_has_proved_another() {
    let user = User::new();
    user.types(&format!("install --prebuilt {} --hooks {GATE} --yes", user.with_real(GATE)));
    let session = Session::new(&user.sandbox);
    let told = |agent: &str| {
        let gate = Invocation::new(user.deployed(GATE), &user.sandbox)
            .unset("CLAUDE_HOOK_STATE_DIR")
            .env("CLAUDE_PROJECT_DIR", user.sandbox.project().display().to_string())
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("AI_AGENT", agent)
            .stdin(session.session_start("startup").to_bytes());
        let text = gate.run().answer().and_then(|answer| answer["systemMessage"].as_str().map(str::to_owned));
        text.filter(|text| text.contains("req doctor"))
    };
    assert_eq!(told("claude-code_2-1-330_harness"), None, "nothing was ever proved");
    let script = format!("#!/bin/sh\ntouch '{}'\n", user.trace().display());
    let program = user.sandbox.write_home(".local/share/claude/versions/2.1.329", script);
    set_mode(&program, 0o755);
    std::os::unix::fs::symlink(program, user.home(".local/bin/claude")).unwrap();
    user.verdict().assert("ok", &["Claude Code 2.1.329; all proofs passed"]);
    let text = told("claude-code_2-1-330_harness").unwrap();
    assert!(text.contains("2.1.330") && text.contains("2.1.329"), "{text}");
    assert_eq!(told("claude-code_2-1-330_harness"), None, "told already");
    assert!(!user.trace().exists(), "Claude Code was run");
}
