//! Whose settings: a project's own name nobody's home and tell who lacks a hook; the local ones are the user's.

use super::User;
use serde_json::{Value, json};
use std::fs;
use tests::payloads::Session;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

const PROJECT: &str =
    "install --prebuilt PREBUILT --hooks rate-awareness --scope project --project PROJECT --yes";
const LOCAL: &str =
    "install --prebuilt PREBUILT --hooks rate-awareness --scope local --project PROJECT --yes";

/// The one command registered on this event.
fn line(settings: &str, event: &str) -> String {
    let settings: Value = serde_json::from_str(settings).unwrap();
    settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

/// What the shell prints for the line in this world.
fn run(sandbox: &Sandbox, line: &str, input: &[u8]) -> String {
    let shell = Invocation::new("/bin/sh", sandbox).args(["-c", line]).stdin(input);
    let outcome =
        shell.env("CLAUDE_PROJECT_DIR", sandbox.project().display().to_string()).env("CLAUDECODE", "1").run();
    outcome.assert_exit(0);
    outcome.stdout_text()
}

#[test]
fn a_projects_settings_name_nobodys_home_and_come_back_as_they_were() {
    let user = User::new();
    let settings = user.sandbox.write(".claude/settings.json", "{\"model\":\"opus\"}");
    user.types(PROJECT);
    let installed = fs::read_to_string(&settings).unwrap();
    let home = user.sandbox.home().display().to_string();
    assert!(!installed.contains(&home) && installed.contains("$HOME"), "{installed}");
    assert_eq!(user.bytes(), None, "the user's own settings stay as they are");
    assert_eq!(
        user.sandbox.git(&["status", "--porcelain", "--untracked-files=all"]),
        "?? .claude/settings.json"
    );
    user.types(PROJECT);
    assert_eq!(fs::read_to_string(&settings).unwrap(), installed);
    user.types("uninstall --scope project --project PROJECT --yes");
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{\"model\":\"opus\"}");
    assert!(user.deployed("rate-awareness").exists(), "the binaries are the user's");
}

#[test]
fn the_line_of_a_project_is_the_hook_where_it_is_installed_and_a_notice_where_not() {
    let user = User::new();
    let folder = user.with_real("rate-awareness");
    user.types(&PROJECT.replace("PREBUILT", &folder));
    let settings = fs::read_to_string(user.sandbox.settings_path(Level::Project)).unwrap();
    let (call, start) = (line(&settings, "PreToolUse"), line(&settings, "SessionStart"));
    let session = Session::new(&user.sandbox);
    user.sandbox
        .requirements(Level::User, "rate-awareness: {global_default: {capacity: 1, refill_per_sec: 0}}\n");
    let input = session.pre_tool_use("Bash", json!({ "command": "ls" })).to_bytes();
    assert_eq!(run(&user.sandbox, &call, &input), "");
    let told = run(&user.sandbox, &call, &input);
    assert!(told.contains("systemMessage"), "the second call is past its bucket: {told:?}");
    assert_eq!(run(&user.sandbox, &start, b"{}"), "");

    let teammate = Sandbox::new();
    assert_eq!(run(&teammate, &call, &input), "");
    let told: Value = serde_json::from_str(&run(&teammate, &start, b"{}")).unwrap();
    let told = told["systemMessage"].as_str().unwrap();
    for way in ["./req hooks install --hooks rate-awareness;", "cargo xtask install --hooks rate-awareness"] {
        assert!(told.contains(way), "{told}");
    }
}

#[test]
fn a_hook_registered_for_all_projects_is_not_counted_twice_in_one() {
    let user = User::new();
    let folder = user.with_real("rate-awareness");
    user.types(&PROJECT.replace("PREBUILT", &folder));
    let call = line(&fs::read_to_string(user.sandbox.settings_path(Level::Project)).unwrap(), "PreToolUse");
    user.sandbox
        .requirements(Level::User, "rate-awareness: {global_default: {capacity: 1, refill_per_sec: 0}}\n");
    let input = Session::new(&user.sandbox).pre_tool_use("Bash", json!({ "command": "ls" })).to_bytes();
    let says = || !run(&user.sandbox, &call, &input).is_empty();
    // The first pays, the next two are past the bucket; the fourth, a repetition, would be told too.
    assert_eq!([says(), says(), says()], [false, true, true]);
    user.types(&format!("install --prebuilt {folder} --hooks rate-awareness --yes"));
    assert_eq!([says(), says(), says(), says()], [false; 4], "the user's own entry does the work");
}

#[test]
fn what_a_newer_version_of_a_teammate_registered_stays() {
    let user = User::new();
    user.types(PROJECT);
    let path = user.sandbox.settings_path(Level::Project);
    let newer = fs::read_to_string(&path).unwrap().replacen("rate-awareness", "future-gate", 3);
    fs::write(&path, &newer).unwrap();
    user.types(PROJECT);
    let after = fs::read_to_string(&path).unwrap();
    assert!(
        after.contains(": barbless future-gate;") && after.contains(": barbless rate-awareness;"),
        "{after}"
    );
    assert!(line(&after, "SessionStart").contains("for n in future-gate rate-awareness"), "{after}");
}

#[test]
fn a_local_registration_goes_with_the_installation_and_a_projects_stays() {
    let user = User::new();
    user.sandbox.write(".gitignore", ".claude/settings.local.json\n");
    let said = user.types(LOCAL).stderr_text();
    assert!(!said.contains("is not ignored by git"), "{said}");
    let local = user.sandbox.settings_path(Level::Local);
    assert!(fs::read_to_string(&local).unwrap().contains("\"args\": []"));
    user.types(PROJECT);
    let said = user.types("uninstall --yes").stderr_text();
    assert!(!local.exists(), "its paths lead nowhere any more");
    assert!(said.contains("settings.json is the team's and stays"), "{said}");
    assert!(user.sandbox.settings_path(Level::Project).exists());
}

#[test]
fn undoing_a_local_registration_is_remembered_when_everything_goes() {
    let user = User::new();
    user.types(LOCAL);
    user.types("disable rate-awareness --scope local --project PROJECT --yes");
    user.types("undo --scope local --project PROJECT --yes");
    assert!(user.sandbox.settings_path(Level::Local).exists());
    user.types("uninstall --yes");
    assert!(!user.sandbox.settings_path(Level::Local).exists());
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let user = User::with("{}");
    fs::create_dir_all(user.sandbox.project().join(".claude")).unwrap();
    std::os::unix::fs::symlink(user.settings(), user.sandbox.settings_path(Level::Project)).unwrap();
    let said = user.fails(PROJECT);
    assert!(said.contains("leads out of the project"), "{said}");
    // Nor one whose way out is only there once its folder is made.
    fs::remove_file(user.sandbox.settings_path(Level::Project)).unwrap();
    let out = "nope/../../../home/.claude/settings.json";
    std::os::unix::fs::symlink(out, user.sandbox.settings_path(Level::Project)).unwrap();
    let said = user.fails(PROJECT);
    assert!(said.contains("leads out of the project"), "{said}");
    assert_eq!(user.text(), "{}");
}

#[test]
fn a_home_is_no_project_and_a_project_needs_its_scope() {
    let user = User::new();
    let home = user.sandbox.home().display().to_string();
    let said = user.fails(&format!("install --prebuilt PREBUILT --scope project --project {home} --yes"));
    assert!(said.contains("not a project: use --scope user"), "{said}");
    let said = user.fails("install --prebuilt PREBUILT --project PROJECT --yes");
    assert!(said.contains("--project goes with --scope"), "{said}");
}
