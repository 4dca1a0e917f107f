//! The installer leaves some files alone and says why. A project's settings name nobody's home and come back as they were; the
//! local ones are the user's.

use super::User;
use std::fs;
use std::path::Path;
use tests::sandbox::Level;

const INSTALL: &str = "install --prebuilt PREBUILT --hooks rate-awareness --yes";

#[test]
fn ambiguous_settings_stop_the_installation_with_their_line_before_any_copy() {
    for (settings, place) in [
        ("{\n  \"a\": 1,\n  // mine\n}", "line 3, column 3: "),
        ("{\"hooks\": {},\n\"hooks\": {}}", "line 2, column 1: the key `hooks` stands here a second time"),
    ] {
        let user = User::with(settings);
        let said = user.fails(INSTALL);
        assert!(said.contains("settings.json") && said.contains(place), "{settings}: {said}");
        assert_eq!(user.text(), settings);
        assert_eq!(user.beside(), ["settings.json"], "nothing was copied");
    }
}

#[test]
fn status_tells_where_things_differ() {
    let user = User::new();
    user.types(INSTALL);
    let drift = || -> Vec<String> {
        let status: serde_json::Value =
            serde_json::from_str(&user.types("status --json").stdout_text()).unwrap();
        let hooks = status["hooks"].as_array().unwrap().iter();
        hooks.filter(|hook| hook["hook"] == "rate-awareness").map(|hook| hook["drift"].to_string()).collect()
    };
    assert_eq!(drift(), ["[]"]);
    let good = user.text();
    fs::write(user.settings(), good.replacen("\"args\": []", "\"args\": [], \"async\": true", 1)).unwrap();
    let found = drift();
    assert!(found[0].contains("in `async`"), "{found:?}");
    user.types(INSTALL);
    assert_eq!(user.text(), good, "installing again puts it right");
    fs::write(user.deployed("rate-awareness"), "patched").unwrap();
    let found = drift();
    assert!(found[0].contains("the file is not the one that was installed"), "{found:?}");
}

#[test]
fn program_without_a_hook_is_reported_and_pruned_with_its_entries() {
    let user = User::with("{\"model\": \"opus\"}");
    user.types("install --prebuilt PREBUILT --hooks rate-awareness,stop-momentum --yes");
    let rename = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, text.replace("stop-momentum", "old-gate")).unwrap();
    };
    // As an older version left it, whose hook has another name now.
    rename(&user.settings());
    rename(&user.home(".claude/hooks/manifest.json"));
    fs::rename(user.deployed("stop-momentum"), user.deployed("old-gate")).unwrap();

    let said = user.types("sync --prebuilt PREBUILT").stdout_text();
    assert!(said.contains("no hook of this version owns old-gate"), "{said}");
    assert!(user.text().contains("old-gate"));
    user.types("sync --prebuilt PREBUILT --prune");
    assert!(!user.deployed("old-gate").exists());
    assert!(!user.text().contains("old-gate") && user.text().contains("rate-awareness"), "{}", user.text());
}

#[test]
fn without_a_terminal_taking_away_needs_a_yes() {
    let user = User::new();
    user.types(INSTALL);
    let installed = user.bytes();
    for line in ["uninstall", "uninstall --purge", "disable rate-awareness", "undo"] {
        assert!(user.fails(line).contains("--yes"), "{line}");
        assert_eq!(user.bytes(), installed, "{line}");
    }
}

#[test]
fn irregular_file_is_neither_waited_for_nor_replaced() {
    for path in [
        ".claude/settings.json",
        ".claude/requirements.yaml",
        ".claude/hooks/rate-awareness",
        ".claude/hooks/manifest.json",
    ] {
        let user = User::new();
        fs::create_dir_all(user.home(".claude/hooks")).unwrap();
        crate::driver::make_pipe(&user.home(path));
        let said = user.fails(INSTALL);
        assert!(said.contains("is not a regular file"), "{path}: {said}");
    }
}

#[test]
fn one_file_that_cannot_be_read_keeps_nothing_else() {
    let user = User::new();
    user.types(INSTALL);
    user.types("install --prebuilt PREBUILT --hooks rate-awareness --scope local --project PROJECT --yes");
    user.sandbox.write(".claude/settings.local.json", "<<<<<<< mine\n");
    assert!(user.types("status").stdout_text().contains("settings.local.json:1: "));
    let said = user.fails("uninstall --yes");
    assert!(said.contains("settings.local.json, line 1"), "{said}");
    assert!(!user.deployed("rate-awareness").exists() && user.bytes().is_none());

    let user = User::new();
    user.types(INSTALL);
    user.sandbox.write_home(".claude/requirements.yaml", "a: [\n");
    let said = user.fails("disable rate-awareness --yes");
    assert!(said.contains("requirements.yaml"), "{said}");
    assert_eq!(user.bytes(), None, "it is no longer registered all the same");
}

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
