//! `req doctor` as a process: its answers for people and programs, what it never runs, what it fixes, and the hooks it asks. The
//! rules of its checks are tables in `shared/installer/src/doctor`.

use crate::typed::{Typed, shell, typed};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tests::binaries;
use tests::payloads::Session;
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
    /// Installs the programs of this folder.
    #[track_caller]
    fn installed(sandbox: Sandbox, folder: &Path, words: &str) -> Self {
        let patient = Self { sandbox };
        let line = format!("hooks install {words} --from {}", folder.display());
        patient.req(&line.split(' ').collect::<Vec<_>>()).run().assert_exit(0);
        patient
    }

    /// Installs scripts in place of the hooks.
    #[track_caller]
    fn new() -> Self {
        Self::installed(Sandbox::new(), small_programs::folder(), "--yes")
    }

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

    /// The user types this in a terminal of their own.
    fn types(&self, words: &str) -> Typed {
        let (path, state) = (self.path(), self.home(".claude/hook-state").display().to_string());
        let variables = [("PATH", path.as_str()), ("CLAUDE_HOOK_STATE_DIR", state.as_str())];
        typed(&binaries::path("req"), &self.sandbox, &shell(), words, &variables)
    }

    fn home(&self, path: &str) -> PathBuf {
        self.sandbox.home().join(path)
    }

    fn deployed(&self, hook: &str) -> PathBuf {
        self.home(".claude/hooks").join(hook)
    }

    fn settings(&self) -> Vec<u8> {
        fs::read(self.sandbox.settings_path(Level::User)).unwrap()
    }

    /// A script that must not be started: it leaves a trace.
    fn leaves_a_trace(&self, path: PathBuf) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\ntouch '{}'\n", self.trace().display())).unwrap();
        set_mode(&path, 0o755);
        path
    }

    fn trace(&self) -> PathBuf {
        self.sandbox.temporary_dir().join("trace")
    }

    /// Puts Claude Code of this version where the shell would start it.
    fn has_client(&self, version: &str) {
        let program = self.leaves_a_trace(self.home(&format!(".local/share/claude/versions/{version}")));
        let link = self.home(".local/bin/claude");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(program, link).unwrap();
    }

    #[track_caller]
    fn verdict(&self) -> Verdict {
        Verdict::of(self.req(&["doctor", "--json"]))
    }
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
        let report: Value = serde_json::from_slice(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome}"));
        let status = outcome.status.code().unwrap();
        assert_eq!(report["ok"], json!(status == 0), "{outcome}");
        Self { status, report }
    }

    /// The findings of one severity, each as its JSON.
    fn all(&self, severity: &str) -> Vec<String> {
        let sections = self.report["sections"].as_array().unwrap();
        let findings = sections.iter().flat_map(|section| section["findings"].as_array().unwrap());
        findings.filter(|finding| finding["severity"] == severity).map(ToString::to_string).collect()
    }

    /// Fails unless there is such a finding, whose words contain all of these.
    #[track_caller]
    fn assert(&self, severity: &str, words: &[&str]) {
        let has = |finding: &String| words.iter().all(|word| finding.contains(word));
        assert!(self.all(severity).iter().any(has), "{severity} {words:?} in {:#}", self.report);
    }
}

#[test]
fn fresh_installation_is_clean_and_a_replaced_gate_is_broken() {
    let patient = Patient::new();
    let verdict = patient.verdict();
    assert_eq!((verdict.all("broken"), verdict.all("warning")), (Vec::new(), Vec::new()));
    for hook in [WATCH, GATE] {
        verdict.assert("ok", &[hook, "as it was installed"]);
        verdict.assert("ok", &[hook, "answered PreToolUse with", " ms"]);
    }
    let outcome = patient.req(&["doctor"]).run();
    outcome.assert_exit(0);
    assert!(outcome.stdout_text().ends_with("\nEverything that is promised holds.\n"), "{outcome}");
    fs::remove_file(patient.deployed(GATE)).unwrap();
    std::os::unix::fs::symlink("/bin/true", patient.deployed(GATE)).unwrap();
    let outcome = patient.req(&["doctor"]).run();
    outcome.assert_exit(1);
    let text = outcome.stdout_text();
    assert!(
        text.contains("its bytes differ") && text.contains("not everything that is promised holds."),
        "{text}"
    );
    let nobody = Patient { sandbox: Sandbox::new() };
    assert_eq!(nobody.verdict().report["summary"], "Nothing is installed here, so nothing is promised.");
    let outcome = nobody.req(&["doctor"]).unset("HOME").run();
    outcome.assert_exit(1);
    assert!(outcome.stderr_text().starts_with("req: HOME is not set"), "{outcome}");
}

#[test]
fn foreign_commands_are_counted_and_never_run() {
    let patient = Patient::new();
    let project = patient.sandbox.project();
    let [script, named_like_ours] =
        ["leave-a-trace", &format!("bin/{GATE}")].map(|name| patient.leaves_a_trace(project.join(name)));
    let entries = json!([
        { "type": "command", "command": script },
        { "type": "command", "command": named_like_ours, "args": [] },
        { "type": "command", "command": "/gone/notify --now" },
    ]);
    patient.sandbox.settings(Level::Project, &json!({ "hooks": { "Stop": [{ "hooks": entries }] } }));
    for words in [&["doctor", "--json"][..], &["doctor", "--json", "--fix"]] {
        let verdict = Verdict::of(patient.req(words));
        verdict.assert("ok", &["project/.claude/settings.json", "3 entries of others, not run"]);
        verdict.assert("warning", &["hooks.Stop", "/gone/notify does not exist"]);
    }
    assert!(!patient.trace().exists(), "a foreign command was run");
}

#[test]
fn fix_mends_everything_of_ours_for_the_user_and_neither_settings_nor_a_replaced_gate_for_claude() {
    let patient = Patient::new();
    fs::remove_file(patient.home(".local/bin").join(WATCH)).unwrap();
    let state = patient.home(".claude/hook-state");
    fs::create_dir_all(&state).unwrap();
    set_mode(&state, 0o777);
    let program = fs::read(patient.deployed(WATCH)).unwrap();
    fs::write(patient.deployed(WATCH), "#!/bin/sh\n").unwrap();
    set_mode(&patient.deployed(WATCH), 0o644);
    let mut settings: Value = serde_json::from_slice(&patient.settings()).unwrap();
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true);
    settings["hooks"]["Notification"] = json!([{ "hooks": [{ "type": "command", "command": "/gone/x" }] }]);
    patient.sandbox.settings(Level::User, &settings);

    let before = patient.settings();
    let verdict = Verdict::of(patient.req(&["doctor", "--fix", "--json"]).env("CLAUDECODE", "1"));
    let mended = verdict.report["mended"].to_string();
    assert!(mended.contains("type: req doctor --fix") && !mended.contains("entries in"), "{mended}");
    assert_eq!(patient.settings(), before);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((verdict.status, mode(&patient.deployed(WATCH))), (1, 0o644));

    fs::write(patient.deployed(WATCH), program).unwrap();
    let typed = patient.types("doctor --fix");
    assert_eq!(typed.status, 0, "{}", typed.screen);
    for said in
        ["rate-awareness may be started", "the entries in ~/.claude/settings.json are as they should be"]
    {
        assert!(typed.screen.contains(said), "{said} in {}", typed.screen);
    }
    let verdict = Verdict::of(patient.req(&["doctor", "--fix", "--json"]));
    let left = verdict.all("warning");
    assert!(verdict.status == 0 && left.len() == 1 && left[0].contains("/gone/x"), "{left:?}");
    assert_eq!((&verdict.report["mended"], mode(&state)), (&json!([]), 0o700), "a second time");
}

#[test]
fn changed_version_of_claude_code_is_reported_at_a_sessions_start_until_doctor_has_proved_it() {
    let sandbox = Sandbox::new();
    let folder = sandbox.temporary_dir().join("archive");
    small_programs::write_all_but(GATE, &folder);
    let patient = Patient::installed(sandbox, &folder, &format!("--hooks {GATE} --yes"));
    let session = Session::new(&patient.sandbox);
    let told = |agent: &str| {
        let gate = Invocation::new(patient.deployed(GATE), &patient.sandbox)
            .unset("CLAUDE_HOOK_STATE_DIR")
            .env("CLAUDE_PROJECT_DIR", patient.sandbox.project().display().to_string())
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("AI_AGENT", agent)
            .stdin(session.session_start("startup").to_bytes());
        let text = gate.run().answer().and_then(|answer| answer["systemMessage"].as_str().map(str::to_owned));
        text.filter(|text| text.contains("req doctor"))
    };
    assert_eq!(told("claude-code_2-1-330_harness"), None, "nothing was ever proved");
    patient.has_client("2.1.329");
    patient.verdict().assert("ok", &["Claude Code 2.1.329; all proofs passed"]);
    let text = told("claude-code_2-1-330_harness").unwrap();
    assert!(text.contains("2.1.330") && text.contains("2.1.329"), "{text}");
    assert_eq!(told("claude-code_2-1-330_harness"), None, "told already");
    patient.has_client("2.1.330");
    patient.verdict().assert("warning", &["2.1.330 now, and was 2.1.329", "passed again"]);
    patient.verdict().assert("ok", &["Claude Code 2.1.330; all proofs passed"]);
    assert!(!patient.trace().exists(), "Claude Code was run");
}
