//! `req doctor` as a process: its answers for people and programs, what it never runs, and what it fixes. The rules of its checks are
//! tables in `shared/installer/src/doctor`.

use crate::installer::{User, write_script};
use crate::typed::{shell, typed};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
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
    fn doctor(&self, more: &[&str]) -> Invocation {
        self.req(&binaries::path("req"), "doctor").args(more.iter().copied())
    }

    /// A script that must not be started: it leaves a trace.
    fn leaves_a_trace(&self, path: PathBuf) -> PathBuf {
        write_script(&path, &format!("touch '{}'", self.trace().display()));
        path
    }

    fn trace(&self) -> PathBuf {
        self.sandbox.temporary_dir().join("trace")
    }
}

/// The report as data, and each finding in one line: severity, file, line, key, what and what to do.
struct Report {
    data: Value,
    lines: Vec<String>,
}

impl Report {
    #[track_caller]
    fn of(command: Invocation) -> Self {
        let outcome = command.run();
        let data: Value =
            serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"));
        assert_eq!(data["ok"], json!(outcome.status.code() == Some(0)), "{outcome}");
        let sections = data["sections"].as_array().unwrap();
        let findings = sections.iter().flat_map(|section| section["findings"].as_array().unwrap());
        let keys = ["severity", "file", "line", "key", "what", "next"];
        let line = |finding: &Value| keys.map(|key| finding[key].to_string().replace('"', "")).join(" | ");
        let lines = findings.map(line).collect();
        Self { data, lines }
    }

    /// Fails unless a finding has all of these words, the first of which is its severity.
    #[track_caller]
    fn has(&self, words: &[&str]) {
        let fits =
            |line: &&String| line.starts_with(words[0]) && words.iter().all(|word| line.contains(word));
        assert!(self.lines.iter().any(|line| fits(&line)), "{words:?} in {:#?}", self.lines);
    }

    fn wrong(&self) -> Vec<&String> {
        self.lines.iter().filter(|line| line.starts_with("warning") || line.starts_with("broken")).collect()
    }
}

#[test]
fn fresh_installation_is_clean_and_a_replaced_gate_is_broken() {
    let user = installed();
    let report = Report::of(user.doctor(&["--json"]));
    assert_eq!(report.wrong(), [""; 0]);
    for hook in [WATCH, GATE] {
        report.has(&["ok", hook, "as it was installed"]);
        report.has(&["ok", hook, "answered PreToolUse with", "; starts in "]);
        report.has(&["ok", hook, "waits for its first session"]);
    }
    let outcome = user.doctor(&[]).run();
    outcome.assert_exit(0);
    assert!(outcome.stdout_text().ends_with(" were checked: nothing is broken.\n"), "{outcome}");

    fs::remove_file(user.deployed(GATE)).unwrap();
    std::os::unix::fs::symlink("/bin/true", user.deployed(GATE)).unwrap();
    let outcome = user.doctor(&[]).run();
    outcome.assert_exit(1);
    let text = outcome.stdout_text();
    for said in ["its bytes differ", "not the one that was installed", " things are broken"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let nobody = User::new();
    let report = Report::of(nobody.doctor(&["--json"]));
    assert_eq!(report.data["summary"], "No hook is registered, so nothing is promised.");
    let outcome = nobody.doctor(&[]).unset("HOME").run();
    outcome.assert_exit(1);
    assert!(outcome.stderr_text().starts_with("req: HOME is not set"), "{outcome}");
}

#[test]
fn off_file_and_programs_of_others_that_are_gone_are_named_and_no_program_of_others_is_run() {
    let user = installed();
    user.sandbox.write_home(".claude/hook-state/OFF", "");
    let project = user.sandbox.project();
    let [script, named_like_ours] =
        ["leave-a-trace", &format!("bin/{GATE}")].map(|name| user.leaves_a_trace(project.join(name)));
    let entries = json!([
        { "type": "command", "command": script },
        { "type": "command", "command": named_like_ours, "args": [] },
        { "type": "command", "command": "/gone/notify --now" },
    ]);
    user.sandbox.settings(Level::Project, &json!({ "hooks": { "Stop": [{ "hooks": entries }] } }));
    for words in [&["--json"][..], &["--json", "--fix"]] {
        let report = Report::of(user.doctor(words));
        report.has(&["warning", "hooks.Stop", "/gone/notify does not exist"]);
        report.has(&[
            "warning",
            "hook-state/OFF",
            "every hook is off while this file is there",
            "req resume",
        ]);
        assert!(report.data["summary"].as_str().unwrap().ends_with(", with 2 warnings."));
    }
    assert!(!user.trace().exists(), "a foreign command was run");
}

#[test]
fn fix_mends_everything_of_ours_for_the_user_and_no_settings_for_claude() {
    let user = installed();
    let mut settings: Value = serde_json::from_str(&user.text()).unwrap();
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true);
    settings["hooks"].as_object_mut().unwrap().remove("SessionEnd");
    settings["hooks"]["Notification"] = json!([{ "hooks": [{ "type": "command", "command": "/gone/x" }] }]);
    user.sandbox.settings(Level::User, &settings);
    let before = user.text();
    let mended =
        Report::of(user.doctor(&["--fix", "--json"]).env("CLAUDECODE", "1")).data["mended"].to_string();
    assert!(mended.contains("type: req doctor --fix"), "{mended}");
    assert_eq!(user.text(), before);

    let (path, state) = (user.path(), user.home(".claude/hook-state").display().to_string());
    let variables = [("PATH", path.as_str()), ("CLAUDE_HOOK_STATE_DIR", state.as_str())];
    let typed = typed(&binaries::path("req"), &user.sandbox, &shell(), "doctor --fix", &variables);
    assert_eq!(typed.status, 0, "{}", typed.screen);
    let said = "mended: the entries in ~/.claude/settings.json are as they should be";
    assert!(typed.screen.contains(said), "{}", typed.screen);
    let before = user.text();
    let report = Report::of(user.doctor(&["--fix", "--json"]));
    assert!(report.wrong().len() == 1 && report.wrong()[0].contains("/gone/x"), "{:?}", report.wrong());
    assert_eq!((&report.data["mended"], user.text()), (&json!([]), before), "a second time");
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
    let program = user.leaves_a_trace(user.home(".local/share/claude/versions/2.1.329"));
    std::os::unix::fs::symlink(program, user.home(".local/bin/claude")).unwrap();
    Report::of(user.doctor(&["--json"])).has(&["ok", "Claude Code 2.1.329; all proofs passed"]);
    let text = told("claude-code_2-1-330_harness").unwrap();
    assert!(text.contains("2.1.330") && text.contains("2.1.329"), "{text}");
    assert_eq!(told("claude-code_2-1-330_harness"), None, "told already");
    assert!(!user.trace().exists(), "Claude Code was run");
}
