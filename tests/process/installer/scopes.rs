//! Whose settings: a project's own name nobody's home and tell who lacks a hook; the local ones are the user's.

use super::User;
use std::fs;
use tests::sandbox::Level;

const PROJECT: &str =
    "install --prebuilt PREBUILT --hooks rate-awareness --scope project --project PROJECT --yes";
const LOCAL: &str =
    "install --prebuilt PREBUILT --hooks rate-awareness --scope local --project PROJECT --yes";

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
    // A teammate's newer version has another hook.
    let newer = |name: &str| {
        format!(
            "{{\"model\":\"opus\",\"hooks\":{{\"Stop\":[{{\"hooks\":[{{\"type\":\"command\",\"command\":\": barbless {name}; true\"}}]}}]}}}}"
        )
    };
    fs::write(&settings, newer("future-gate")).unwrap();
    user.types(PROJECT);
    assert!(fs::read_to_string(&settings).unwrap().contains(": barbless future-gate; true"));
    fs::write(&settings, &installed).unwrap();
    user.types(PROJECT);
    assert_eq!(fs::read_to_string(&settings).unwrap(), installed);
    user.types("uninstall --scope project --project PROJECT --yes");
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{\"model\":\"opus\"}");
    assert!(user.deployed("rate-awareness").exists(), "the binaries are the user's");
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
