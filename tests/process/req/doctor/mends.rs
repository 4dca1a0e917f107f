//! `--fix`: what is safe is put right, the rest is listed; nothing of anybody else's is touched.

use super::{GATE, Patient, Verdict, WATCH};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tests::sandbox::Level;

/// Wrong in every way that can be mended, and one that cannot.
fn unwell() -> Patient {
    let patient = Patient::installed();
    fs::remove_file(patient.home(".local/bin").join(WATCH)).unwrap();
    let state = patient.home(".claude/hook-state");
    fs::create_dir_all(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(patient.deployed(GATE), fs::Permissions::from_mode(0o644)).unwrap();
    patient.change(|settings| {
        settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true);
        settings["hooks"].as_object_mut().unwrap().remove("SessionEnd");
        settings["hooks"]["Notification"] =
            json!([{ "hooks": [{ "type": "command", "command": "/gone/x" }] }]);
    });
    patient
}

#[test]
fn the_user_has_everything_mended_that_is_safe_and_the_rest_listed() {
    let patient = unwell();
    let before = patient.settings();
    let typed = patient.types("doctor --fix");
    assert_eq!(typed.status, 0, "{}", typed.screen);
    for said in [
        "mended: rate-awareness is linked into ~/.local/bin",
        "mended: ~/.claude/hooks/requirements-check may be started",
        "mended: the entries in ~/.claude/settings.json are as they should be",
        "/gone/x is not there",
    ] {
        assert!(typed.screen.contains(said), "{said} in {}", typed.screen);
    }
    let verdict = patient.verdict();
    assert_eq!(verdict.status, 0, "{:#}", verdict.report);
    let left = verdict.all("warning");
    assert!(left.len() == 1 && left[0].contains("/gone/x"), "{left:?}");
    let mode = fs::metadata(patient.home(".claude/hook-state")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(patient.settings()["hooks"]["Notification"], before["hooks"]["Notification"]);
    let backups = fs::read_dir(patient.home(".claude")).unwrap();
    let is_backup = |name: String| name.contains("barbless-backup");
    assert!(backups.map(|entry| entry.unwrap().file_name().into_string().unwrap()).any(is_backup));
}

#[test]
fn in_claudes_shell_settings_stay_and_the_user_is_told_what_to_type() {
    let patient = unwell();
    let before = fs::read(patient.sandbox.settings_path(Level::User)).unwrap();
    let command = patient.req(&["doctor", "--fix", "--json"]).env("CLAUDECODE", "1");
    let verdict = Verdict::of(command);
    assert_eq!(verdict.status, 1);
    let mended = verdict.report["mended"].to_string();
    assert!(mended.contains("type: req doctor --fix"), "{mended}");
    assert!(mended.contains("is linked into") && mended.contains("may be started"), "{mended}");
    assert!(!mended.contains("entries in"), "{mended}");
    assert_eq!(fs::read(patient.sandbox.settings_path(Level::User)).unwrap(), before);
}

#[test]
fn where_nothing_is_wrong_nothing_changes() {
    let patient = Patient::installed();
    let before = fs::read(patient.sandbox.settings_path(Level::User)).unwrap();
    let verdict = Verdict::of(patient.req(&["doctor", "--fix", "--json"]));
    assert_eq!((verdict.status, &verdict.report["mended"]), (0, &json!([])));
    assert_eq!(fs::read(patient.sandbox.settings_path(Level::User)).unwrap(), before);
}

#[test]
fn a_replaced_gate_is_not_made_runnable() {
    let patient = Patient::installed();
    fs::write(patient.deployed(GATE), "#!/bin/sh\n").unwrap();
    fs::set_permissions(patient.deployed(GATE), fs::Permissions::from_mode(0o644)).unwrap();
    let verdict = Verdict::of(patient.req(&["doctor", "--fix", "--json"]));
    verdict.assert("broken", &[GATE, "its bytes differ"]);
    let mode = fs::metadata(patient.deployed(GATE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0);
}

#[test]
fn an_outdated_hook_is_replaced_by_the_one_beside_the_running_program() {
    let patient = Patient::installed();
    let path = patient.home(".claude/hooks/manifest.json");
    let manifest = fs::read_to_string(&path).unwrap();
    let older = manifest.replacen("\"version\": \"", "\"version\": \"0.0.", 1);
    assert_ne!(older, manifest);
    fs::write(&path, older).unwrap();
    let inside = Verdict::of(patient.req(&["doctor", "--fix", "--json"]).env("CLAUDECODE", "1"));
    inside.assert("warning", &["is installed, this is"]);
    let typed = patient.types("doctor --fix");
    assert!(typed.screen.contains("mended: the hooks of"), "{}", typed.screen);
    assert_eq!(patient.verdict().all("warning"), [""; 0]);
}
