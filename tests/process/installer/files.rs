//! Bytes in, the same bytes out: each command and its opposite, on files as people have them; the status line, which the user
//! may have already; and the program that opens connections for a hook.

use super::User;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tests::small_programs;

/// Files people have: with a mark and CRLF, with foreign hooks where ours go, laid out by hand. The rules of editing are tables in
/// `shared/src/settings`.
const FILES: [&str; 3] = [
    "\u{feff}{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": { }\r\n}\r\n",
    r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"true"}]}],"SessionEnd":[]}}"#,
    "  {\"a\":[ ],\n\n\"hooks\"\t:\n{\"Stop\" : [{\"hooks\":[ {\"type\":\"prompt\",\"prompt\":\"x\"} ]}]}}  \n\n",
];

const ALL: &str = "install --prebuilt PREBUILT --all --allow-rules --yes";

#[test]
fn everything_installed_and_taken_away_leaves_the_same_bytes() {
    for before in FILES {
        let user = User::with(before);
        let said = user.types(ALL).stdout_text();
        assert!(said.contains("+++ ~/.claude/settings.json\n"), "the change is shown: {said}");
        let installed = user.bytes();
        assert_ne!(installed.as_deref(), Some(before.as_bytes()));
        user.types(ALL);
        assert_eq!(user.bytes(), installed, "a second time changes nothing: {before:?}");
        let said = user.types("uninstall --yes").stdout_text();
        assert!(said.contains(" the status line from ~/.claude/settings.json\n"), "{said}");
        assert_eq!(user.text(), before);
        assert_eq!(user.beside(), ["requirements.yaml", "settings.json"], "{before:?}");
        user.types("uninstall --yes");
        assert_eq!(user.text(), before);
    }
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
        let said = user.types("undo --yes").stdout_text();
        assert!(
            said.contains("before our last change; to take this back, type: cargo xtask undo\n"),
            "{said}"
        );
        user.types("sync --prebuilt PREBUILT");
        assert_eq!(user.bytes(), one, "{before:?}");
        user.types("disable rate-awareness --yes");
        assert_eq!(user.text(), before);
    }
}

#[test]
fn a_dry_run_shows_the_difference_and_touches_nothing() {
    let user = User::with("{\"model\": \"opus\"}\n");
    let said = user.types("install --all --dry-run --yes").stdout_text();
    for part in [
        "+++",
        "rate-awareness",
        "enabled: true",
        "would build the hooks and copy what differs to ~/.claude/hooks",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(user.text(), "{\"model\": \"opus\"}\n");
    assert_eq!(user.beside(), ["settings.json"]);
}

#[test]
fn at_the_end_the_doctor_has_the_last_word_and_a_second_time_changes_nothing() {
    let user = User::with("{}");
    let folder = user.with_real("requirements-check");
    let line = &format!("install --prebuilt {folder} --hooks requirements-check --yes");
    let said = user.types(line).stdout_text();
    let lines: Vec<&str> = said.lines().collect();
    let [.., verdict, next] = lines[..] else { panic!("{said}") };
    assert!(verdict.contains(" were checked: nothing is broken; "), "{said}");
    assert!(verdict.ends_with("req doctor tells all of it."), "{said}");
    assert!(next.starts_with("Next, in a project of yours: ") && next.ends_with("req init"), "{said}");
    let said = user.types(line).stdout_text();
    assert!(said.starts_with("everything is in its place already; nothing was changed\n"), "{said}");
    assert!(!said.contains("Next"), "{said}");

    // What is wrong with the user's settings is told, and no failure of the installation.
    user.sandbox.write_home(".claude/requirements.yaml", "no-such-section: {a: 1}\n");
    let said = user.types(line).stdout_text();
    assert_eq!(said.matches("no-such-section").count(), 1, "{said}");
    assert!(said.contains("  warning  ~/.claude/requirements.yaml:1: "), "{said}");
    assert!(said.contains("nothing is broken, with 1 warning; "), "{said}");
}

#[test]
fn commands_at_the_same_moment_lose_nothing_of_each_other() {
    let user = User::with("{\"model\": \"opus\"}\n");
    user.types("install --prebuilt PREBUILT --hooks rate-awareness --allow-rules --yes");
    for round in 0..2 {
        let at_once = |lines: [&str; 2]| {
            std::thread::scope(|scope| {
                lines
                    .map(|line| scope.spawn(|| user.types(line)))
                    .map(|thread| thread.join().map(drop).unwrap())
            });
        };
        at_once(["enable delegation-guard --prebuilt PREBUILT", "enable stop-momentum --prebuilt PREBUILT"]);
        for hook in ["rate-awareness", "delegation-guard", "stop-momentum"] {
            assert!(user.text().contains(&format!("hooks/{hook}\"")), "{hook} in round {round}");
        }
        at_once(["disable delegation-guard --yes", "disable stop-momentum --yes"]);
        assert!(
            !user.text().contains("delegation-guard") && !user.text().contains("stop-momentum"),
            "{round}"
        );
    }
    user.types("uninstall --yes");
    assert_eq!(user.text(), "{\"model\": \"opus\"}\n");
}

#[test]
fn a_home_that_was_moved_or_is_spelt_otherwise_is_still_freed_of_everything() {
    let user = User::with("{}\n");
    user.types(ALL);
    let (home, moved) = (user.sandbox.home(), user.sandbox.root().join("moved"));
    fs::rename(&home, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &home).unwrap();
    let at = |place: &std::path::Path, line: &str| {
        user.command(line).env("HOME", place.display().to_string()).run().assert_exit(0);
    };
    at(&moved, ALL);
    at(&home, ALL);
    at(&moved, "uninstall --yes");
    assert_eq!(fs::read_to_string(moved.join(".claude/settings.json")).unwrap(), "{}\n");
    assert!(!moved.join(".claude/hooks").exists());
    assert_eq!(fs::read_dir(moved.join(".local/bin")).unwrap().count(), 0);
}

#[test]
fn a_purge_takes_the_hooks_data_and_leaves_what_is_the_users() {
    let user = User::new();
    user.types(ALL);
    for path in ["hook-state/journal.jsonl", "hook-state/pause-recorder/registry.json"] {
        user.sandbox.write_home(format!(".claude/{path}"), "ours");
    }
    user.sandbox.write_home(".claude/CLAUDE.md", "mine");
    user.sandbox
        .write_home(".claude/requirements.schema.json", "{\"title\": \"Barbless: requirements.yaml\"}");
    let elsewhere = user.sandbox.state_dir();
    fs::write(elsewhere.join("journal.jsonl"), "{}").unwrap();
    let purge = user.command("uninstall --purge --yes");
    let said = purge.env("CLAUDE_HOOK_STATE_DIR", elsewhere.display().to_string()).run().stdout_text();
    for part in [
        "~/.claude/hook-state",
        ".git/requirements",
        ".claude/sessions",
        "was named by CLAUDE_HOOK_STATE_DIR and stays",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(elsewhere.join("journal.jsonl").exists());
    assert_eq!(user.beside(), ["CLAUDE.md"]);
    assert_eq!(user.types("uninstall --dry-run").stdout_text(), "there is nothing to remove\n");
}

const PACER: &str = "install --prebuilt PREBUILT --hooks credit-pacer --yes";

/// A status line as somebody has written it.
const MINE: &str = "{ \"model\": \"opus\",\r\n\t\"statusLine\": { \"padding\":0, \"type\" : \"command\", \"command\": \"mine --x 'a b'\" } }\r\n";

const OWN: &str = "# mine\nversion: \"1.0\"   # kept\n";

const CHAINED: &str = "credit-pacer:\n  statusline:\n    chain: \"mine --x 'a b'\"\n";

impl User {
    fn has_requirements(&self, text: &str) {
        self.sandbox.write_home(".claude/requirements.yaml", text);
    }

    fn requirements(&self) -> Option<String> {
        fs::read_to_string(self.home(".claude/requirements.yaml")).ok()
    }

    fn line(&self) -> Value {
        serde_json::from_str::<Value>(self.text().trim_start_matches('\u{feff}')).unwrap()["statusLine"]
            .clone()
    }

    fn ours(&self) -> String {
        format!("{} statusline", self.deployed("credit-pacer").display())
    }
}

#[test]
fn another_one_is_chained_when_asked_for_and_comes_back_to_the_byte() {
    for (own, away) in [(None, "uninstall --yes"), (Some(OWN), "undo --yes")] {
        let user = User::with(MINE);
        if let Some(text) = own {
            user.has_requirements(text);
        }
        let chained = Some(own.unwrap_or_default().to_owned() + CHAINED);
        let line = PACER.replace("--yes", "--statusline --yes");
        for _ in 0..2 {
            let said = user.types(&line).stdout_text();
            assert!(said.contains("\ncredit-pacer prints the status line, and yours below it\n"), "{said}");
            assert_eq!((&user.line()["command"], &user.line()["padding"]), (&user.ours().into(), &0.into()));
            assert_eq!(user.requirements(), chained, "once, whatever is typed again");
        }
        user.types(PACER);
        assert_eq!(user.line()["command"], user.ours(), "what is ours stays ours");
        let shown = user.types("uninstall --dry-run").stdout_text();
        for part in ["--- ~/.claude/settings.json\n", "+++ ~/.claude/requirements.yaml\n", "\n-    chain: "] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        user.types(away);
        assert_eq!((user.text().as_str(), user.requirements().as_deref()), (MINE, own), "{away}");
        if away.starts_with("undo") {
            user.types(away);
            assert_eq!((user.line()["command"].clone(), user.requirements()), (user.ours().into(), chained));
        }
    }
}

#[test]
fn the_program_that_opens_connections_comes_and_goes_with_the_hooks() {
    let user = User::with("{}");
    user.types(PACER);
    assert!(user.deployed("courier").is_file());
    assert!(!user.home(".local/bin/courier").exists(), "it is no command");
    let said = user.types("sync --prebuilt PREBUILT --prune");
    assert!(user.deployed("courier").is_file(), "it belongs to a hook: {said}");

    fs::write(user.deployed("courier"), "changed").unwrap();
    let said = user.types("status").stdout_text();
    assert!(said.contains("courier: the file is not the one that was installed"), "{said}");
    fs::copy(small_programs::folder().join("courier"), user.deployed("courier")).unwrap();
    user.types("uninstall --yes");
    assert!(!user.deployed("courier").exists());
}

/// A folder with every hook and the commands of theirs, and this as the courier.
fn folder_with(user: &User, courier: Option<&str>) -> PathBuf {
    let folder = user.sandbox.temporary_dir().join("archive");
    fs::create_dir(&folder).unwrap();
    small_programs::write_all(&folder);
    fs::remove_file(folder.join("courier")).unwrap();
    if let Some(text) = courier {
        fs::write(folder.join("courier"), text).unwrap();
    }
    folder
}

#[test]
fn installation_without_the_courier_says_what_does_not_work() {
    for (courier, why) in [(None, ""), (Some("#!/bin/sh\nexit 1\n"), "does not run on this machine")] {
        let user = User::with("{}");
        let folder = folder_with(&user, courier);
        let outcome = user.types(&PACER.replace("PREBUILT", &folder.display().to_string()));
        let noted = outcome.stderr_text();
        assert!(noted.contains(why), "{noted}");
        assert!(!user.deployed("courier").exists());
        for said in [outcome.stdout_text(), user.types("status").stdout_text()] {
            assert!(said.contains("courier is not installed, so credit-pacer, "), "{said}");
            assert!(said.contains("can open no connections; what needs none works"), "{said}");
        }
    }
}
