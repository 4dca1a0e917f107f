//! Names, and the lines of a project's settings in a shell.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use client_settings::Program;

use crate::catalog::Catalog;

use super::{find, notice, shared_line};

/// The shell's output for the line in this home.
fn printed(program: &Program, home: &Path) -> String {
    let Program::Shell(line) = program else { panic!("a shell line") };
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", line]).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home);
    let output = shell.env("CLAUDE_PROJECT_DIR", home.join("project")).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A home in which this hook says its name.
fn home(hooks: &[&str]) -> tempfile::TempDir {
    let scratch = tempfile::Builder::new().prefix("a home ").tempdir().unwrap();
    fs::create_dir_all(scratch.path().join(".claude/hooks")).unwrap();
    for hook in hooks {
        let path = scratch.path().join(".claude/hooks").join(hook);
        fs::write(&path, format!("#!/bin/sh\nprintf %s {hook}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    scratch
}

#[test]
fn a_hook_runs_where_it_is_installed_and_is_silent_where_not() {
    assert_eq!(printed(&shared_line("a-gate"), home(&["a-gate"]).path()), "a-gate");
    assert_eq!(printed(&shared_line("a-gate"), home(&["b-watch"]).path()), "");
    assert_eq!(printed(&shared_line("a-gate"), Path::new("/nonexistent")), "");
}

#[test]
fn a_registration_of_the_users_own_does_the_work_alone() {
    let home = home(&["a-gate"]);
    for own in [".claude/settings.json", "project/.claude/settings.local.json"] {
        let path = home.path().join(own);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, r#"{"command": "/home/me/.claude/hooks/a-gate"}"#).unwrap();
        assert_eq!(printed(&shared_line("a-gate"), home.path()), "", "{own}");
        fs::write(&path, r#"{"command": "/home/me/.claude/hooks/a-gate-2"}"#).unwrap();
        assert_eq!(printed(&shared_line("a-gate"), home.path()), "a-gate", "{own}");
    }
}

#[test]
fn missing_hook_is_named_with_the_next_step() {
    let notice = notice(&["a-gate".to_owned(), "b-watch".to_owned()]).program;
    assert_eq!(printed(&notice, home(&["a-gate", "b-watch"]).path()), "");
    let told = printed(&notice, home(&["b-watch"]).path());
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let told = told["systemMessage"].as_str().unwrap();
    for said in ["(a-gate)", "./req hooks install --hooks a-gate;", "cargo xtask install --hooks a-gate"] {
        assert!(told.contains(said), "{told}");
    }
    let all = printed(&notice, Path::new("/nonexistent"));
    assert!(all.contains("--hooks a-gate,b-watch\"}"), "{all}");
}

#[test]
fn unknown_name_is_answered_with_the_nearest() {
    let catalog = Catalog::built_in().unwrap();
    let name = &catalog.hooks[0].name;
    let error = find(catalog, &name[..name.len() - 1]).unwrap_err().to_string();
    assert!(error.ends_with(&format!("did you mean {name}?")), "{error}");
    assert!(find(catalog, "zzz").unwrap_err().to_string().contains("there are: "));
}
