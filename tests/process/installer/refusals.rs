//! What the installer does not touch, and what it says where something is not as it should be.

use super::User;
use std::fs;
use std::path::Path;

const INSTALL: &str = "install --prebuilt PREBUILT --hooks rate-awareness --yes";

#[test]
fn what_cannot_be_read_for_certain_is_refused_with_its_place_before_anything_is_copied() {
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
    let drift = |user: &User| {
        let status = user.types("status --json").stdout_text();
        let status: serde_json::Value = serde_json::from_str(&status).unwrap();
        let hooks = status["hooks"].as_array().unwrap().clone();
        let hook = hooks.into_iter().find(|hook| hook["hook"] == "rate-awareness").unwrap();
        hook["drift"].to_string()
    };
    assert_eq!(drift(&user), "[]");

    let good = user.text();
    fs::write(user.settings(), good.replacen("\"args\": []", "\"args\": [], \"async\": true", 1)).unwrap();
    assert!(drift(&user).contains("in `async`"), "{}", drift(&user));
    user.types(INSTALL);
    assert_eq!(user.text(), good, "installing again puts it right");

    user.types("install --prebuilt PREBUILT --hooks rate-awareness --scope local --project PROJECT --yes");
    assert!(drift(&user).contains("where the two differ it runs twice"), "{}", drift(&user));
    user.types("uninstall --scope local --project PROJECT --yes");
    assert_eq!(drift(&user), "[]");

    fs::write(user.deployed("rate-awareness"), "patched").unwrap();
    assert!(drift(&user).contains("the file is not the one that was installed"), "{}", drift(&user));
}

#[test]
fn what_no_hook_owns_any_more_is_told_and_pruned_with_its_entries() {
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
fn what_is_no_regular_file_is_neither_waited_for_nor_replaced() {
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
