//! One thing gone wrong at a time.

use super::{GATE, Patient, Verdict, WATCH, make_executable};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tests::sandbox::Level;

/// A group with one entry of somebody else's.
fn foreign(command: &str) -> Value {
    json!({ "hooks": [{ "type": "command", "command": command }] })
}

#[test]
fn wrong_nesting() {
    let patient = Patient::installed();
    patient.change(|settings| {
        let groups = settings["hooks"]["PreToolUse"].as_array_mut().unwrap();
        groups.push(json!({ "type": "command", "command": "echo hi" }));
    });
    let verdict = patient.verdict();
    verdict.assert(
        "broken",
        &[
            "settings.json",
            "hooks.PreToolUse",
            "needs a list `hooks`",
            "no PreToolUse hook of this file runs",
        ],
    );
}

#[test]
fn an_event_that_is_no_list() {
    let patient = Patient::installed();
    patient.change(|settings| settings["hooks"]["PreCompact"] = foreign("echo hi"));
    patient.verdict().assert("broken", &["hooks.PreCompact", "needs a list of groups"]);
}

#[test]
fn an_unknown_event() {
    let patient = Patient::installed();
    patient.change(|settings| settings["hooks"]["PreTooluse"] = json!([foreign("echo hi")]));
    patient.verdict().assert("warning", &["hooks.PreTooluse", "never runs", "did you mean PreToolUse?"]);
}

#[test]
fn a_matcher_that_cannot_match() {
    let patient = Patient::installed();
    let settings = json!({ "hooks": { "SessionStart": [{ "matcher": "Bash", "hooks": [] }] } });
    patient.sandbox.settings(Level::Project, &settings);
    patient
        .verdict()
        .assert("warning", &["hooks.SessionStart, matcher `Bash`", "can never match", "startup"]);

    patient.change(|settings| settings["hooks"]["PreToolUse"][0]["matcher"] = json!("bash"));
    patient.verdict().assert("broken", &["hooks.PreToolUse, matcher `bash`", "it is Bash"]);
}

#[test]
fn a_stale_path_of_somebody_else() {
    let patient = Patient::installed();
    let settings = json!({ "hooks": { "Stop": [foreign("/gone/notify --now")] } });
    let file = patient.sandbox.settings(Level::Project, &settings);
    let verdict = patient.verdict();
    verdict.assert("warning", &[&file.display().to_string(), "/gone/notify is not there"]);
}

#[test]
fn a_path_of_ours_that_is_not_there() {
    let patient = Patient::installed();
    fs::remove_file(patient.deployed(WATCH)).unwrap();
    patient.verdict().assert("broken", &[WATCH, "the file is gone"]);
}

#[test]
fn a_path_of_ours_that_may_not_be_started() {
    let patient = Patient::installed();
    fs::set_permissions(patient.deployed(WATCH), fs::Permissions::from_mode(0o644)).unwrap();
    patient.verdict().assert("broken", &[WATCH, "may not be started"]);
}

#[test]
fn a_binary_that_does_not_run_on_this_machine() {
    let patient = Patient::installed_in_earnest();
    // For a processor that this one is not: the manifest vouches for it, and the system refuses to start it.
    let mut bytes = fs::read(patient.deployed(WATCH)).unwrap();
    bytes[18] = 0xF7;
    fs::write(patient.deployed(WATCH), &bytes).unwrap();
    vouch(&patient, WATCH);
    let verdict = patient.verdict();
    verdict.assert("ok", &[WATCH, "as it was installed"]);
    verdict.assert(
        "broken",
        &[WATCH, "does not run on this machine", "install what was built for this machine"],
    );
    assert!(!verdict.all("ok").iter().any(|ok| ok.contains(WATCH) && ok.contains("answered")));
}

/// The manifest takes the file that is there for the one that was installed.
fn vouch(patient: &Patient, hook: &str) {
    let path = patient.home(".claude/hooks/manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["files"][hook]["sha256"] = json!(sha256(&patient.deployed(hook)));
    fs::write(path, manifest.to_string()).unwrap();
}

fn sha256(path: &Path) -> String {
    let output = std::process::Command::new("sha256sum").arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

#[test]
fn a_gate_replaced_by_true() {
    let patient = Patient::installed();
    fs::remove_file(patient.deployed(GATE)).unwrap();
    fs::copy(fs::canonicalize("/bin/true").unwrap(), patient.deployed(GATE)).unwrap();
    let verdict = patient.verdict();
    verdict.assert("broken", &[GATE, "its bytes differ"]);
    verdict.assert("broken", &[GATE, "not the one that was built"]);
}

#[test]
fn a_gate_that_leads_to_true() {
    let patient = Patient::installed();
    fs::remove_file(patient.deployed(GATE)).unwrap();
    std::os::unix::fs::symlink("/bin/true", patient.deployed(GATE)).unwrap();
    patient.verdict().assert("broken", &[GATE, "its bytes differ"]);
}

#[test]
fn an_entry_of_ours_that_stops_nothing() {
    let patient = Patient::installed();
    patient.change(|settings| {
        settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true);
        settings["hooks"].as_object_mut().unwrap().remove("SessionEnd");
    });
    let verdict = patient.verdict();
    verdict.assert("broken", &["with `async`", "req hooks enable"]);
    verdict.assert("broken", &[GATE, "is not registered on SessionEnd"]);
}

#[test]
fn the_same_hook_in_a_plugin_and_in_settings() {
    let patient = Patient::installed();
    let plugin = ".claude/plugins/cache/box/barbless/0.1.0";
    let entry =
        json!({ "type": "command", "command": format!("${{CLAUDE_PLUGIN_ROOT}}/bin/{WATCH}"), "args": [] });
    let hooks = json!({ "hooks": { "PreToolUse": [{ "hooks": [entry] }] } });
    patient.sandbox.write_home(format!("{plugin}/hooks/hooks.json"), hooks.to_string());
    let binary = patient
        .sandbox
        .write_home(format!("{plugin}/bin/{WATCH}"), fs::read(patient.deployed(WATCH)).unwrap());
    make_executable(&binary);
    assert_eq!(patient.verdict().status, 0, "it is not switched on");
    patient.change(|settings| settings["enabledPlugins"] = json!({ "barbless@box": true }));
    let verdict = patient.verdict();
    verdict.assert("broken", &[WATCH, "~/.claude/settings.json", "hooks/hooks.json", "runs twice"]);
    verdict.assert("ok", &[WATCH, "(plugin)", "answered PreToolUse"]);
    let steps_back = hooks.to_string().replace(r#""args":[]"#, r#""args":["--plugin"]"#);
    patient.sandbox.write_home(format!("{plugin}/hooks/hooks.json"), steps_back);
    let verdict = patient.verdict();
    verdict.assert("note", &[WATCH, "~/.claude/settings.json", "hooks/hooks.json", "runs once"]);
    verdict.assert("ok", &[WATCH, "(plugin)", "answered PreToolUse"]);
    let status = patient.req(&["hooks", "status"]).run().stdout_text();
    let told = format!(
        "{WATCH}: registered in ~/.claude/settings.json and ~/{plugin}/hooks/hooks.json; the plugin's steps"
    );
    assert!(status.contains(&told) && status.contains("(user, plugin)"), "{status}");
}

#[test]
fn the_same_hook_in_two_settings_files() {
    let patient = Patient::installed();
    let own = patient.settings();
    patient.sandbox.settings(Level::Local, &json!({ "hooks": own["hooks"] }));
    patient
        .verdict()
        .assert("warning", &[WATCH, "~/.claude/settings.json", "settings.local.json", "one is enough"]);
}

#[test]
fn all_hooks_switched_off() {
    let patient = Patient::installed();
    patient.sandbox.settings(Level::Local, &json!({ "disableAllHooks": true }));
    patient.verdict().assert("broken", &["settings.local.json", "disableAllHooks", "runs no hook"]);
    patient.sandbox.settings(Level::Local, &json!({ "disableAllHooks": false }));
    patient.change(|settings| settings["disableAllHooks"] = json!(true));
    let verdict = patient.verdict();
    verdict.assert("note", &["~/.claude/settings.json", "overruled by", "settings.local.json"]);
    assert_eq!(verdict.status, 0);
}

#[test]
fn a_folder_that_is_not_trusted() {
    let patient = Patient::installed();
    let project = patient.sandbox.project().display().to_string();
    let record = |trusted: bool| {
        json!({ "projects": { &project: { "hasTrustDialogAccepted": trusted } } }).to_string()
    };
    patient.sandbox.write_home(".claude.json", record(false));
    patient.verdict().assert("warning", &[&project, "is not trusted yet"]);
    patient.sandbox.write_home(".claude.json", record(true));
    patient.verdict().assert("ok", &[&project, "is trusted"]);
}

#[test]
fn a_state_folder_that_cannot_be_written_to() {
    let patient = Patient::installed();
    let state = patient.home(".claude/hook-state");
    let _ = fs::remove_dir_all(&state);
    fs::write(&state, "no folder").unwrap();
    patient.verdict().assert("broken", &["~/.claude/hook-state", "cannot be written to"]);
}

#[test]
fn a_state_folder_that_is_everybodys() {
    let patient = Patient::installed();
    let state = patient.home(".claude/hook-state");
    fs::create_dir_all(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    patient.verdict().assert("broken", &["~/.claude/hook-state", "others may write to it"]);
}

#[test]
fn a_state_folder_that_a_repository_names() {
    let patient = Patient::installed();
    let env = json!({ "CLAUDE_HOOK_STATE_DIR": "/tmp/x", "ANTHROPIC_BASE_URL": "http://elsewhere", "RUST_LOG": "info" });
    patient.sandbox.settings(Level::Project, &json!({ "env": env }));
    let verdict = patient.verdict();
    verdict.assert(
        "broken",
        &["project/.claude/settings.json", "env.CLAUDE_HOOK_STATE_DIR", "a project says where"],
    );
    verdict.assert("warning", &["env.ANTHROPIC_BASE_URL", "another host"]);
    assert!(!verdict.report.to_string().contains("elsewhere\""), "no value is told");
    assert!(!verdict.report.to_string().contains("RUST_LOG"));
}

#[test]
fn configuration_with_a_fault() {
    let patient = Patient::installed_in_earnest();
    patient.sandbox.requirements(Level::Project, &format!("{WATCH}:\n  repet: 4\nunknown-section: {{}}\n"));
    let verdict = patient.verdict();
    verdict.assert("warning", &[".claude/requirements.yaml", "| 2 |", "repet", "did you mean"]);
    verdict.assert("warning", &[".claude/requirements.yaml", "unknown-section"]);
    assert_eq!(verdict.status, 0);
    for (yaml, said) in [
        ("requirements: {x: {enabled: true, type: blockign}}\n", "it is off"),
        ("requirements: {x: {enabled: true, type: guard, guard_type: branch}}\n", "it is off"),
        ("requirements: {x: {enabled: \"yes\"}}\n", "expected true or false"),
        ("requirments: {x: {enabled: true}}\n", "did you mean requirements?"),
        ("requirements: {x: {enabled: true, trigger_tools: [Edti]}}\n", "did you mean Edit?"),
    ] {
        patient.sandbox.requirements(Level::Project, yaml);
        patient.verdict().assert("broken", &[".claude/requirements.yaml", said]);
    }
    patient.sandbox.requirements(Level::Project, "requirements: [\n");
    patient.verdict().assert("broken", &[".claude/requirements.yaml", "the file is skipped"]);
}

#[test]
fn a_registered_hook_that_is_switched_off() {
    let patient = Patient::installed_in_earnest();
    patient.sandbox.requirements(Level::Local, &format!("{WATCH}: {{enabled: false}}\n"));
    let verdict = patient.verdict();
    verdict.assert("warning", &[WATCH, "switched off by", "requirements.local.yaml"]);
    let summary = format!("{WATCH} is off; but for that, everything that is promised holds, with 1 warning.");
    assert_eq!(verdict.report["summary"], summary);
    patient.sandbox.write_home(".claude/hook-state/OFF", "");
    let verdict = patient.verdict();
    verdict.assert("warning", &["~/.claude/hook-state/OFF", "every hook is off", "req resume"]);
    assert!(verdict.report["summary"].as_str().unwrap().starts_with("Every hook is off; "), "{verdict:?}");
    assert_eq!(verdict.status, 0, "the user's own pause breaks no promise");
}

#[test]
fn an_outdated_binary() {
    let patient = Patient::installed();
    let path = patient.home(".claude/hooks/manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["files"][WATCH]["version"] = json!("0.0.1");
    fs::write(path, manifest.to_string()).unwrap();
    patient.verdict().assert("warning", &[WATCH, "version 0.0.1 is installed"]);
}

#[test]
fn a_link_that_is_missing() {
    let patient = Patient::installed();
    fs::remove_file(patient.home(".local/bin").join(WATCH)).unwrap();
    patient.verdict().assert("warning", &[WATCH, "is not linked into ~/.local/bin"]);
}

#[test]
fn settings_that_cannot_be_read() {
    let patient = Patient::installed();
    fs::write(patient.sandbox.settings_path(Level::User), "{\n  \"hooks\": ,\n}").unwrap();
    patient.verdict().assert("broken", &["~/.claude/settings.json", "| 2 |", "reads nothing of it"]);
}

#[test]
fn a_hook_that_only_the_project_registers_and_nobody_has_installed() {
    let patient = Patient::bare();
    let line = format!(": barbless {GATE}; exit 0");
    let group = json!({ "hooks": [{ "type": "command", "command": line }] });
    patient.sandbox.settings(Level::Project, &json!({ "hooks": { "PreToolUse": [group] } }));
    let verdict = patient.verdict();
    verdict.assert("warning", &[GATE, "is not installed here, so it is silent", "req hooks install --hooks"]);
    assert_eq!(verdict.status, 0, "{:#}", verdict.report);
}

#[test]
fn a_setting_of_the_wrong_kind_beside_the_hooks() {
    let patient = Patient::installed();
    patient.change(|settings| settings["model"] = json!(1));
    patient
        .verdict()
        .assert("broken", &["settings.json", "`model` must be text", "takes no hook of this file"]);
}

#[test]
fn what_anybody_could_put_another_gate_into() {
    use std::os::unix::fs::PermissionsExt;
    let patient = Patient::installed();
    for path in [".claude", ".claude/hooks", ".claude/settings.json", &format!(".claude/hooks/{GATE}")] {
        let path = patient.home(path);
        let before = fs::metadata(&path).unwrap().permissions();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        let shown = format!("~/{}", path.strip_prefix(patient.home("")).unwrap().display());
        patient.verdict().assert("broken", &[&shown, "anybody may write to it", "chmod o-w"]);
        fs::set_permissions(&path, before).unwrap();
    }
    assert_eq!(patient.verdict().status, 0);
}

#[test]
fn settings_of_the_user_that_lead_the_hooks_elsewhere() {
    let patient = Patient::installed();
    patient.change(|settings| {
        settings["env"] = json!({ "CLAUDE_CONFIG_DIR": "/tmp/elsewhere", "HOME": patient.home("") });
    });
    let verdict = patient.verdict();
    verdict.assert("broken", &["~/.claude/settings.json", "env.CLAUDE_CONFIG_DIR", "elsewhere than req"]);
    assert!(!verdict.report.to_string().contains("env.HOME"), "{:#}", verdict.report);
}

#[test]
fn a_scratch_folder_in_a_repository_or_missing_changes_no_proof() {
    let patient = Patient::installed();
    patient.sandbox.requirements(Level::Project, &format!("{WATCH}: {{enabled: false}}\n"));
    let project = patient.sandbox.project();
    assert!(project.join(".git").exists());
    for folder in [project.join("tmp"), patient.home("gone")] {
        fs::create_dir_all(project.join("tmp")).unwrap();
        let temporary = folder.to_str().unwrap();
        let verdict = Verdict::of(patient.req(&["doctor", "--json"]).env("TMPDIR", temporary));
        verdict.assert("ok", &[WATCH, "answered PreToolUse with"]);
    }
}
