//! The status line, which the user may have already, and the program that opens connections for a hook.

use super::User;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tests::small_programs;

const INSTALL: &str = "install --prebuilt PREBUILT --hooks credit-pacer --yes";

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
        let line = INSTALL.replace("--yes", "--statusline --yes");
        for _ in 0..2 {
            let said = user.types(&line).stdout_text();
            assert!(said.contains("\ncredit-pacer prints the status line, and yours below it\n"), "{said}");
            assert_eq!((&user.line()["command"], &user.line()["padding"]), (&user.ours().into(), &0.into()));
            assert_eq!(user.requirements(), chained, "once, whatever is typed again");
        }
        user.types(INSTALL);
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
    user.types(INSTALL);
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
fn without_it_the_hooks_are_installed_and_it_is_said_what_does_not_work() {
    for (courier, why) in [(None, ""), (Some("#!/bin/sh\nexit 1\n"), "does not run on this machine")] {
        let user = User::with("{}");
        let folder = folder_with(&user, courier);
        let outcome = user.types(&INSTALL.replace("PREBUILT", &folder.display().to_string()));
        let noted = outcome.stderr_text();
        assert!(noted.contains(why), "{noted}");
        assert!(!user.deployed("courier").exists());
        for said in [outcome.stdout_text(), user.types("status").stdout_text()] {
            assert!(said.contains("courier is not installed, so credit-pacer, "), "{said}");
            assert!(said.contains("can open no connections; what needs none works"), "{said}");
        }
    }
}
