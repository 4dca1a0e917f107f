//! The entries of a project's own settings, which everybody shares who works on it: shell lines that name nobody's home, do nothing
//! where a hook is not installed, step back for the user's own entry, and report a missing hook once per session.

use client_settings::{Program, Registration, SHELL_MARK};

/// The name of the line that reports missing hooks.
pub(crate) const NOTICE: &str = "notice";

/// The user's own configuration folder, whoever runs the line.
const CONFIG_DIR: &str = r#""${CLAUDE_CONFIG_DIR:-$HOME/.claude}""#;

/// The line that starts a hook. Claude Code adds up the hooks of all levels, and a hook that runs twice counts twice: where the
/// user's own settings register it, the line does nothing.
pub(crate) fn hook_line(hook: &str) -> Program {
    let own = r#""$d/settings.json" "$CLAUDE_PROJECT_DIR/.claude/settings.local.json""#;
    Program::Shell(format!(
        r#"{SHELL_MARK}{hook}; d={CONFIG_DIR}; h="$d/hooks/{hook}"; [ -x "$h" ] || exit 0; grep -qsF '/hooks/{hook}"' {own} && exit 0; exec "$h""#
    ))
}

/// The entry that tells a teammate without these hooks, when a session begins.
pub(crate) fn notice(hooks: &[String]) -> Registration {
    let names = hooks.join(" ");
    // Inside single quotes in the line: no apostrophes.
    let way = "They stay silent for you. To install them, in an unpacked archive of Barbless: ./req hooks install --hooks";
    let or = "; or in its source tree: cargo xtask install --hooks";
    let line = format!(
        r#"{SHELL_MARK}{NOTICE}; m=; for n in {names}; do [ -x {CONFIG_DIR}/hooks/$n ] || m="$m,$n"; done; [ -z "$m" ] || printf '{{"systemMessage":"Barbless: this project uses hooks that you have not installed (%s). {way} %s{or} %s"}}' "${{m#,}}" "${{m#,}}" "${{m#,}}""#
    );
    Registration {
        event: "SessionStart".to_owned(),
        matcher: Some("startup|resume".to_owned()),
        program: Program::Shell(line),
        timeout_secs: Some(5.into()),
        status_message: None,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;

    use client_settings::Program;

    use super::{hook_line, notice};

    /// What the shell prints for the line in this home.
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
        assert_eq!(printed(&hook_line("a-gate"), home(&["a-gate"]).path()), "a-gate");
        assert_eq!(printed(&hook_line("a-gate"), home(&["b-watch"]).path()), "");
        assert_eq!(printed(&hook_line("a-gate"), Path::new("/nonexistent")), "");
    }

    #[test]
    fn a_registration_of_the_users_own_does_the_work_alone() {
        let home = home(&["a-gate"]);
        for own in [".claude/settings.json", "project/.claude/settings.local.json"] {
            let path = home.path().join(own);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, r#"{"command": "/home/me/.claude/hooks/a-gate"}"#).unwrap();
            assert_eq!(printed(&hook_line("a-gate"), home.path()), "", "{own}");
            fs::write(&path, r#"{"command": "/home/me/.claude/hooks/a-gate-2"}"#).unwrap();
            assert_eq!(printed(&hook_line("a-gate"), home.path()), "a-gate", "{own}");
        }
    }

    #[test]
    fn who_lacks_a_hook_is_told_which_and_what_to_do() {
        let notice = notice(&["a-gate".to_owned(), "b-watch".to_owned()]).program;
        assert_eq!(printed(&notice, home(&["a-gate", "b-watch"]).path()), "");
        let told = printed(&notice, home(&["b-watch"]).path());
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        let told = told["systemMessage"].as_str().unwrap();
        for said in ["(a-gate)", "./req hooks install --hooks a-gate;", "cargo xtask install --hooks a-gate"]
        {
            assert!(told.contains(said), "{told}");
        }
        let all = printed(&notice, Path::new("/nonexistent"));
        assert!(all.contains("--hooks a-gate,b-watch\"}"), "{all}");
    }
}
