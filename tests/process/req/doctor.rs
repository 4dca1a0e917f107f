//! `req doctor` as a process: its answers for people and programs, what it never runs, what it fixes, and the hooks it asks. The
//! rules of its checks are tables in `shared/installer/src/doctor`.

use super::installed::{User, write_script};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
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
        has(&report, "ok", &[hook, "answered PreToolUse with", "; starts in "]);
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
fn foreign_commands_are_never_run() {
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
        has(&report, "warning", &["hooks.Stop", "/gone/notify does not exist"]);
    }
    assert!(!user.trace().exists(), "a foreign command was run");
}

#[test]
fn fix_mends_everything_of_ours_for_the_user_and_no_settings_for_claude() {
    let user = User::is_healthy();
    let mut settings: Value = serde_json::from_str(&user.settings()).unwrap();
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true);
    user.sandbox.settings(Level::User, &settings);
    let link = user.home(".local/bin").join(WATCH);
    fs::remove_file(&link).unwrap();

    let before = user.settings();
    let report = report_of(user.doctor("--fix --json").env("CLAUDECODE", "1"));
    let mended = report["mended"].to_string();
    assert!(mended.contains("type: req doctor --fix") && mended.contains("mended: linked"), "{mended}");
    assert_eq!((&report["ok"], user.settings(), link.exists()), (&json!(false), before, true));

    let typed = user.types("doctor --fix");
    let said = "mended: the entries in ~/.claude/settings.json are as they should be";
    assert!(typed.status == 0 && typed.screen.contains(said), "{}", typed.screen);
    let report = report_of(user.doctor("--fix --json"));
    assert_eq!((&report["ok"], &report["mended"]), (&json!(true), &json!([])), "a second time");
}

#[test]
fn changed_version_of_claude_code_is_reported_at_a_sessions_start_once_doctor_has_proved_another() {
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
    let program = user.leaves_a_trace(user.home(".local/share/claude/versions/2.1.329"));
    std::os::unix::fs::symlink(program, user.home(".local/bin/claude")).unwrap();
    has(&user.report(), "ok", &["Claude Code 2.1.329; all proofs passed"]);
    let text = told("claude-code_2-1-330_harness").unwrap();
    assert!(text.contains("2.1.330") && text.contains("2.1.329"), "{text}");
    assert_eq!(told("claude-code_2-1-330_harness"), None, "told already");
    assert!(!user.trace().exists(), "Claude Code was run");
}
