//! `req hooks`: installing from an unpacked archive, without a source tree; and what must not become a hook: a program in
//! Claude's hands, one that does not work, and what a repository brings.

use crate::installer::{User, write_script};
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::PathBuf;
use tests::process::Outcome;
use tests::small_programs;

/// A settings.json as somebody has written it.
const SETTINGS: &str = "{ \"model\": \"opus\",\r\n\t\"hooks\": { } }\r\n";

/// A user with an unpacked archive: the real `req`, small scripts in place of the hooks.
fn user() -> User {
    let user = User::with(SETTINGS);
    user.with_real(&format!("req{EXE_SUFFIX}"));
    user
}

/// With these hooks.
#[track_caller]
fn with_hooks(hooks: &str) -> User {
    let user = user();
    user.installs(hooks);
    user
}

impl User {
    #[track_caller]
    fn installs(&self, hooks: &str) {
        self.req(&self.unpacked(), &format!("hooks install --hooks {hooks} --yes")).run().assert_exit(0);
    }

    /// The `req` of the archive.
    fn unpacked(&self) -> PathBuf {
        self.archive().join(format!("req{EXE_SUFFIX}"))
    }

    /// The `req` in the user's path.
    fn in_the_path(&self) -> PathBuf {
        self.home(&format!(".local/bin/req{EXE_SUFFIX}"))
    }
}

#[track_caller]
fn refused(outcome: &Outcome) -> String {
    outcome.assert_exit(1);
    let said = outcome.stderr_text();
    assert!(said.lines().any(|line| line.starts_with("req: ")), "{said}");
    // Whoever has no source tree has no cargo.
    assert!(!said.contains("cargo") && !said.contains("xtask"), "{said}");
    said
}

#[test]
fn from_an_unpacked_archive_hooks_are_installed_switched_and_taken_away_to_the_byte() {
    let user = with_hooks("rate-awareness,requirements-check");
    let req = user.unpacked();
    let installed = user.text();
    assert!(
        installed.contains("requirements-check") && installed.contains("\"model\": \"opus\""),
        "{installed}"
    );
    for line in ["disable rate-awareness --yes", "enable rate-awareness"] {
        user.req(&req, &format!("hooks {line}")).run().assert_exit(0);
        assert_eq!(user.text() == installed, line.starts_with("enable"), "{line}");
    }
    user.req(&req, "hooks uninstall --yes").run().assert_exit(0);
    assert_eq!(user.text(), SETTINGS);
    assert!(!user.in_the_path().exists(), "and no command of ours is left in the path");
}

#[test]
fn hints_can_be_typed_and_name_what_is_missing() {
    let user = with_hooks("rate-awareness");
    let said = |line: &str| user.req(&user.unpacked(), line).run().stdout_text();
    let dry = said("hooks install --hooks rate-awareness --dry-run");
    assert!(dry.contains("would copy ") && !dry.contains("would link"), "{dry}");
    let again = user.req(&user.unpacked(), "hooks install --hooks rate-awareness --yes");
    let again = again.env("PATH", "/usr/bin:/bin").run().stdout_text();
    for line in ["disable rate-awareness", "enable tempo-stop"] {
        assert!(again.contains(&format!("  req hooks {line}")), "{line}: {again}");
    }
    said("hooks undo --yes");
    assert!(said("hooks status").ends_with("\nno hook is registered; req hooks install\n"));
    assert!(said("doctor").contains("\nNo hook is registered, so nothing is promised."));
    let kept = said("hooks uninstall --yes");
    let line = "(in the unpacked archive: ./req hooks uninstall --purge)\n";
    assert!(kept.ends_with(line), "{kept}");
}

#[test]
fn in_claudes_shell_no_other_programs_become_hooks_and_nothing_is_allowed_or_taken() {
    let user = user();
    let claude = |line: &str| user.req(&user.unpacked(), line).env("CLAUDECODE", "1").run();
    let said = refused(&claude("hooks install --yes"));
    assert!(said.contains("type: req hooks install --from /"), "{said}");
    assert_eq!(user.text(), SETTINGS);

    user.installs("rate-awareness,requirements-check");
    let claude = |line: &str| user.req(&user.in_the_path(), line).env("CLAUDECODE", "1").run();
    let gate = user.deployed("requirements-check");
    let (settings, bytes) = (user.text(), fs::read(&gate).unwrap());
    // A gate that allows everything.
    write_script(&user.archive().join("requirements-check"), "exit 0");
    let from = user.archive().display().to_string();
    for (line, typed) in [
        ("uninstall --purge --yes".to_owned(), "req hooks uninstall --purge"),
        ("disable rate-awareness --yes".to_owned(), "req hooks disable rate-awareness"),
        (format!("enable rate-awareness --from {from}"), "install --hooks rate-awareness --from /"),
        (format!("install --yes --from {from}"), "type: req hooks install --from /"),
        ("install --hooks tempo-stop --yes".to_owned(), "type: req hooks install --hooks tempo-stop"),
        ("install --yes --allow-rules".to_owned(), "type: req hooks install --allow-rules"),
    ] {
        let said = refused(&claude(&format!("hooks {line}")));
        assert!(said.contains("for the user to decide") && said.contains(typed), "{line}: {said}");
        assert_eq!((user.text(), fs::read(&gate).unwrap()), (settings.clone(), bytes.clone()), "{line}");
    }
    // What is installed may be registered, and put back.
    fs::remove_file(&gate).unwrap();
    let program = small_programs::folder().join("requirements-check");
    fs::copy(program, user.archive().join("requirements-check")).unwrap();
    claude(&format!("hooks enable stop-momentum --from {from}")).assert_exit(0);
    assert!(user.text().contains("stop-momentum"));
    assert_eq!(fs::read(&gate).unwrap(), bytes);
}

#[test]
fn a_gate_that_works_is_not_replaced_by_one_that_does_not() {
    let user = with_hooks("requirements-check");
    let before = fs::read(user.deployed("requirements-check")).unwrap();
    write_script(&user.archive().join("requirements-check"), "exit 0");
    let line = format!("hooks install --yes --from {}", user.archive().display());
    let said = refused(&user.req(&user.in_the_path(), &line).run());
    assert!(said.contains("does not do what it promises on this machine, and nothing was copied"), "{said}");
    assert_eq!(fs::read(user.deployed("requirements-check")).unwrap(), before);
}

#[test]
fn change_of_settings_runs_nothing_of_the_repository() {
    let user = with_hooks("rate-awareness,stop-momentum");
    let (project, ran) = (user.sandbox.project(), user.sandbox.temporary_dir().join("ran"));
    let script = project.join("git");
    write_script(&script, &format!("echo \"$0\" >>{}", ran.display()));
    user.sandbox.git(&["config", "core.fsmonitor", &script.display().to_string()]);
    let line = format!("hooks enable stop-momentum --scope local --project {}", project.display());
    let path = format!(".:{}:{}", project.display(), user.path());
    user.req(&user.in_the_path(), &line).cwd(&project).env("PATH", path).run().assert_exit(0);
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).unwrap_or_default());
    assert!(project.join(".claude/requirements.local.yaml").is_file());
    let ignored = fs::read_to_string(project.join(".gitignore")).unwrap();
    assert!(ignored.contains(".claude/requirements.local.yaml"), "{ignored}");
}

#[test]
fn a_configuration_folder_inside_the_project_is_neither_believed_nor_run() {
    let user = with_hooks("requirements-check");
    // A repository that brings an installation of its own.
    let brought = user.sandbox.project().join(".claude");
    fs::create_dir_all(brought.join("hooks")).unwrap();
    for file in fs::read_dir(user.home(".claude/hooks")).unwrap().map(|file| file.unwrap()) {
        fs::copy(file.path(), brought.join("hooks").join(file.file_name())).unwrap();
    }
    for line in ["hooks status", "hooks install --yes", "hooks enable requirements-check"] {
        for named in [brought.display().to_string(), ".claude".to_owned()] {
            let command = user.req(&user.unpacked(), line).cwd(user.sandbox.project());
            let said = refused(&command.env("CLAUDE_CONFIG_DIR", &named).run());
            assert!(
                said.contains("CLAUDE_CONFIG_DIR") && said.contains("inside the project"),
                "{line}: {said}"
            );
        }
    }
}
