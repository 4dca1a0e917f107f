//! `req doctor` as a process: its answers for people and programs, what it never runs, what it fixes, and the hooks it asks. The
//! rules of its checks are tables in `shared/installer/src/doctor`.

use super::installed::{User, set_mode, write_script};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tests::payloads::Session;
use tests::process::Invocation;
use tests::sandbox::Level;

/// A hook that is installed and registered.
const WATCH: &str = "rate-awareness";

/// A gate that is installed and registered.
const GATE: &str = "requirements-check";

impl User {
    fn is_healthy() -> Self {
        Self::installed("credit-pacer,rate-awareness,requirements-check,pause-recorder")
    }

    fn doctor(&self, words: &str) -> Invocation {
        self.req(&self.deployed(), &format!("doctor {words}"))
    }

    #[track_caller]
    fn report(&self) -> Value {
        report_of(self.doctor("--json"))
    }

    /// A program that must not be started leaves this.
    fn trace(&self) -> PathBuf {
        self.sandbox.temporary_dir().join("trace")
    }

    fn leaves_a_trace(&self, file: PathBuf) -> PathBuf {
        write_script(&file, &format!("touch '{}'", self.trace().display()));
        file
    }

    /// Puts Claude Code of this version where the shell would start it.
    fn has_client(&self, version: &str) {
        let program = self.leaves_a_trace(self.home(&format!(".local/share/claude/versions/{version}")));
        let link = self.home(".local/bin/claude");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(program, link).unwrap();
    }
}

/// The doctor's report; its `ok` is the exit status.
#[track_caller]
fn report_of(command: Invocation) -> Value {
    let outcome = command.run();
    let report: Value = serde_json::from_slice(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome}"));
    assert_eq!(report["ok"], json!(outcome.status.success()), "{outcome}");
    report
}

/// Fails unless there is a finding of this severity whose words contain all of these.
#[track_caller]
fn has(report: &Value, severity: &str, words: &[&str]) {
    let sections = report["sections"].as_array().unwrap();
    let mut findings = sections.iter().flat_map(|section| section["findings"].as_array().unwrap());
    let is_it = |finding: &Value| {
        let text = finding.to_string();
        finding["severity"] == severity && words.iter().all(|word| text.contains(word))
    };
    assert!(findings.any(is_it), "{severity} {words:?} in {report:#}");
}

#[test]
fn fresh_installation_is_clean_and_a_replaced_gate_is_broken() {
    let nobody = User::new();
    let report = report_of(nobody.req(&nobody.unpacked(), "doctor --json"));
    assert_eq!(report["summary"], "Nothing is installed here, so nothing is promised.");
    let user = User::is_healthy();
    let report = user.report();
    for hook in [WATCH, GATE] {
        has(&report, "ok", &[hook, "as it was installed"]);
        has(&report, "ok", &[hook, "answered PreToolUse with", " ms"]);
    }
    let outcome = user.doctor("").run();
    outcome.assert_exit(0);
    assert!(outcome.stdout_text().contains("\nEverything that is promised holds"), "{outcome}");
    fs::remove_file(user.hook(GATE)).unwrap();
    std::os::unix::fs::symlink("/bin/true", user.hook(GATE)).unwrap();
    let outcome = user.doctor("").run();
    outcome.assert_exit(1);
    let text = outcome.stdout_text();
    assert!(
        text.contains("its bytes differ") && text.contains("not everything that is promised holds."),
        "{text}"
    );
    let outcome = user.doctor("").unset("HOME").run();
    outcome.assert_exit(1);
    assert!(outcome.stderr_text().starts_with("req: HOME is not set"), "{outcome}");
}

#[test]
fn foreign_commands_are_counted_and_never_run() {
    let user = User::is_healthy();
    let [script, named_like_ours] = ["leave-a-trace", &format!("bin/{GATE}")]
        .map(|name| user.leaves_a_trace(user.sandbox.project().join(name)));
    let entries = json!([
        { "type": "command", "command": script },
        { "type": "command", "command": named_like_ours, "args": [] },
        { "type": "command", "command": "/gone/notify --now" },
    ]);
    user.sandbox.settings(Level::Project, &json!({ "hooks": { "Stop": [{ "hooks": entries }] } }));
    for words in ["--json", "--json --fix"] {
        let report = report_of(user.doctor(words));
        has(&report, "ok", &["project/.claude/settings.json", "3 entries of others, not run"]);
        has(&report, "warning", &["hooks.Stop", "/gone/notify does not exist"]);
    }
    assert!(!user.trace().exists(), "a foreign command was run");
}

#[test]
fn fix_mends_everything_of_ours_for_the_user_and_neither_settings_nor_a_replaced_gate_for_claude() {
    let user = User::is_healthy();
    fs::remove_file(user.home(".local/bin").join(WATCH)).unwrap();
    let state = user.home(".claude/hook-state");
    fs::create_dir_all(&state).unwrap();
    set_mode(&state, 0o777);
    let program = fs::read(user.hook(WATCH)).unwrap();
    fs::write(user.hook(WATCH), "#!/bin/sh\n").unwrap();
    set_mode(&user.hook(WATCH), 0o644);
    let mut settings: Value = serde_json::from_str(&user.settings()).unwrap();
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true);
    user.sandbox.settings(Level::User, &settings);

    let before = user.settings();
    let report = report_of(user.doctor("--fix --json").env("CLAUDECODE", "1"));
    let mended = report["mended"].to_string();
    assert!(mended.contains("type: req doctor --fix") && !mended.contains("entries in"), "{mended}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((&report["ok"], user.settings(), mode(&user.hook(WATCH))), (&json!(false), before, 0o644));

    fs::write(user.hook(WATCH), program).unwrap();
    let typed = user.types("doctor --fix");
    assert_eq!(typed.status, 0, "{}", typed.screen);
    for said in
        ["rate-awareness may be started", "the entries in ~/.claude/settings.json are as they should be"]
    {
        assert!(typed.screen.contains(said), "{said} in {}", typed.screen);
    }
    let report = report_of(user.doctor("--fix --json"));
    assert_eq!((&report["ok"], &report["mended"], mode(&state)), (&json!(true), &json!([]), 0o700));
}

#[test]
fn changed_version_of_claude_code_is_reported_at_a_sessions_start_until_doctor_has_proved_it() {
    let user = User::new();
    user.has_real(GATE);
    user.installs(GATE);
    let session = Session::new(&user.sandbox);
    let told = |agent: &str| {
        let gate = Invocation::new(user.hook(GATE), &user.sandbox)
            .unset("CLAUDE_HOOK_STATE_DIR")
            .env("CLAUDE_PROJECT_DIR", user.sandbox.project().display().to_string())
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("AI_AGENT", agent)
            .stdin(session.session_start("startup").to_bytes());
        let text = gate.run().answer().and_then(|answer| answer["systemMessage"].as_str().map(str::to_owned));
        text.filter(|text| text.contains("req doctor"))
    };
    assert_eq!(told("claude-code_2-1-330_harness"), None, "nothing was ever proved");
    user.has_client("2.1.329");
    has(&user.report(), "ok", &["Claude Code 2.1.329; all proofs passed"]);
    let text = told("claude-code_2-1-330_harness").unwrap();
    assert!(text.contains("2.1.330") && text.contains("2.1.329"), "{text}");
    assert_eq!(told("claude-code_2-1-330_harness"), None, "told already");
    user.has_client("2.1.330");
    has(&user.report(), "warning", &["2.1.330 now, and was 2.1.329", "passed again"]);
    has(&user.report(), "ok", &["Claude Code 2.1.330; all proofs passed"]);
    assert!(!user.trace().exists(), "Claude Code was run");
}
