//! Bytes in, the same bytes out: each command and its opposite, on files as people have them.

use super::User;
use std::fs;

/// Files people have: every layout, foreign hooks where ours go, things that are nearly ours.
const FILES: [&str; 9] = [
    "",
    "{}",
    "{ }\n",
    "\u{feff}{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": { }\r\n}\r\n",
    r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"true"}]}],"SessionEnd":[]}}"#,
    "{\n    \"model\": 1,\n    \"model\": 2,\n    \"env\": { \"A\": \"\\ud83d\", \"B\": \"\\u00fc\" }\n}",
    "{\"permissions\": {\"allow\": [\"Bash(ls *)\", \"Bash(rate-awareness status*)\"]}, \"n\": 1.50e+3}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/rate-awareness\", \"args\": []}]}\n    ]\n  },\n  \"statusLine\": {\"type\": \"command\", \"command\": \"mine\"}\n}\n",
    "  {\"a\":[ ],\n\n\"hooks\"\t:\n{\"Stop\" : [{\"hooks\":[ {\"type\":\"prompt\",\"prompt\":\"x\"} ]}]}}  \n\n",
];

const ALL: &str = "install --prebuilt PREBUILT --all --allow-rules --yes";

#[test]
fn everything_installed_and_taken_away_leaves_the_same_bytes() {
    for before in FILES {
        let user = User::with(before);
        user.types(ALL);
        let installed = user.bytes();
        assert_ne!(installed.as_deref(), Some(before.as_bytes()));
        user.types(ALL);
        assert_eq!(user.bytes(), installed, "a second time changes nothing: {before:?}");
        user.types("uninstall --yes");
        assert_eq!(user.text(), before);
        assert_eq!(user.beside(), ["hook-state", "requirements.yaml", "settings.json"], "{before:?}");
        user.types("uninstall --yes");
        assert_eq!(user.text(), before);
    }
}

#[test]
fn where_there_was_no_file_there_is_none_again() {
    let user = User::new();
    user.types(ALL);
    user.types("uninstall --yes --purge");
    assert_eq!(user.beside(), [""; 0], "and --purge leaves nothing of ours");
}

#[test]
fn disabling_enabling_and_undoing_are_each_others_opposites() {
    for before in FILES {
        let user = User::with(before);
        user.types("install --prebuilt PREBUILT --hooks rate-awareness --yes");
        let one = user.bytes();
        user.types("enable stop-momentum --prebuilt PREBUILT");
        let two = user.bytes();
        user.types("disable stop-momentum --yes");
        assert_eq!(user.bytes(), one, "{before:?}");
        user.types("undo --yes");
        assert_eq!(user.bytes(), two, "{before:?}");
        user.types("undo --yes");
        assert_eq!(user.bytes(), one, "{before:?}");
        user.types("sync --prebuilt PREBUILT");
        assert_eq!(user.bytes(), one, "{before:?}");
        user.types("disable rate-awareness --yes");
        assert_eq!(user.text(), before);
    }
}

#[test]
fn undo_keeps_what_the_user_has_changed_since() {
    let user = User::with("{\n  \"model\": \"opus\"\n}\n");
    user.types("install --prebuilt PREBUILT --yes");
    let edited = user.text().replace("opus", "sonnet");
    fs::write(user.settings(), &edited).unwrap();
    user.types("undo --yes");
    assert_eq!(user.text(), "{\n  \"model\": \"sonnet\"\n}\n");
    user.types("undo --yes");
    assert_eq!(user.text(), edited);
}

#[test]
fn the_users_own_rule_stays_and_ours_goes() {
    let rule = "Bash(rate-awareness status*)";
    let user = User::with("{}");
    user.types("install --prebuilt PREBUILT --yes");
    assert!(!user.text().contains(rule), "a rule is never added unasked");
    user.types("install --prebuilt PREBUILT --allow-rules --yes");
    assert!(user.text().contains(rule));
    user.types("disable rate-awareness --yes");
    assert_eq!(user.text(), "{}");

    let own = format!("{{\"permissions\": {{\"allow\": [\"{rule}\"]}}}}");
    let user = User::with(&own);
    user.types(ALL);
    assert_eq!(user.text().matches(rule).count(), 1);
    user.types("uninstall --yes");
    assert_eq!(user.text(), own);
}

#[test]
fn a_dry_run_shows_the_difference_and_touches_nothing() {
    let user = User::with("{\"model\": \"opus\"}\n");
    let said = user.types("install --prebuilt PREBUILT --all --dry-run --yes").stdout_text();
    assert!(
        said.contains("+++") && said.contains("rate-awareness") && said.contains("enabled: true"),
        "{said}"
    );
    assert_eq!(user.text(), "{\"model\": \"opus\"}\n");
    assert_eq!(user.beside(), ["settings.json"]);
}

#[cfg(unix)]
#[test]
fn a_linked_settings_file_stays_a_link() {
    let user = User::new();
    user.sandbox.write_home("dotfiles/settings.json", "{\"model\": \"opus\"}");
    std::os::unix::fs::symlink("../dotfiles/settings.json", user.settings()).unwrap();
    user.types(ALL);
    assert!(fs::read_to_string(user.home("dotfiles/settings.json")).unwrap().contains("rate-awareness"));
    user.types("uninstall --yes --purge");
    assert!(user.settings().is_symlink());
    assert_eq!(user.text(), "{\"model\": \"opus\"}");
}
