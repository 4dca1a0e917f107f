//! `req hooks`: installing from an unpacked archive, without a source tree; and what must not become a hook: a program in
//! Claude's hands, one that does not work, and what a repository brings.

use serde_json::Value;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox};
use tests::small_programs;

/// A settings.json as somebody has written it.
const SETTINGS: &str = "{ \"model\": \"opus\",\r\n\t\"hooks\": { } }\r\n";

/// A user with an unpacked archive: every program in one folder, as it comes.
struct User {
    sandbox: Sandbox,
    archive: PathBuf,
}

impl User {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        fs::write(sandbox.settings_path(Level::User), SETTINGS).unwrap();
        let archive = sandbox.temporary_dir().join("archive");
        small_programs::write_all_but("req", &archive);
        Self { sandbox, archive }
    }

    /// `req hooks ...` out of that folder.
    fn command(&self, program: &Path, line: &str) -> Invocation {
        let words = ["hooks"].into_iter().chain(line.split_whitespace());
        Invocation::new(program, &self.sandbox)
            .args(words)
            .unset("CLAUDE_HOOK_STATE_DIR")
            .deadline(Duration::from_secs(60))
    }

    /// The `req` of the archive.
    fn unpacked(&self) -> PathBuf {
        self.archive.join(format!("req{EXE_SUFFIX}"))
    }

    /// The `req` in the user's path.
    fn deployed(&self) -> PathBuf {
        self.sandbox.home().join(format!(".local/bin/req{EXE_SUFFIX}"))
    }

    /// What it does; fails unless it ends with 0.
    #[track_caller]
    fn types(&self, program: &Path, line: &str) -> Outcome {
        let outcome = self.command(program, line).run();
        outcome.assert_exit(0);
        outcome
    }

    /// A program in place of ours that allows everything.
    fn replaces(&self, program: &str) {
        let file = self.archive.join(program);
        fs::remove_file(&file).unwrap();
        write_script(&file, "#!/bin/sh\nexit 0\n");
    }

    fn settings(&self) -> String {
        fs::read_to_string(self.sandbox.settings_path(Level::User)).unwrap()
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

fn write_script(file: &Path, script: &str) {
    fs::write(file, script).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn from_an_unpacked_archive_hooks_are_installed_switched_and_taken_away_to_the_byte() {
    let user = User::new();
    let req = user.unpacked();
    user.types(&req, "install --hooks rate-awareness,requirements-check --yes");
    let installed = user.settings();
    assert!(
        installed.contains("requirements-check") && installed.contains("\"model\": \"opus\""),
        "{installed}"
    );
    let status: Value = serde_json::from_str(&user.types(&req, "status --json").stdout_text()).unwrap();
    let status =
        status["hooks"].as_array().unwrap().iter().find(|one| one["hook"] == "rate-awareness").unwrap();
    assert_eq!((&status["deployed"], &status["enabled"]), (&true.into(), &true.into()), "{status}");

    user.types(&req, "disable rate-awareness --yes");
    user.types(&req, "enable rate-awareness");
    assert_eq!(user.settings(), installed);
    user.types(&req, "uninstall --yes");
    assert_eq!(user.settings(), SETTINGS);
    assert!(!user.deployed().exists(), "and no command of ours is left in the path");
}

#[test]
fn in_claudes_shell_no_other_programs_become_hooks_and_nothing_is_allowed_or_taken() {
    let user = User::new();
    let claude = |req: &Path, line: &str| user.command(req, line).env("CLAUDECODE", "1").run();
    let said = refused(&claude(&user.unpacked(), "install --yes"));
    assert!(said.contains("type: req hooks install --from /"), "{said}");
    assert_eq!(user.settings(), SETTINGS);
    assert!(!user.sandbox.home().join(".claude/hooks").exists());

    user.types(&user.unpacked(), "install --hooks rate-awareness,requirements-check --yes");
    let req = user.deployed();
    let gate = user.sandbox.home().join(".claude/hooks/requirements-check");
    let (settings, bytes) = (user.settings(), fs::read(&gate).unwrap());
    user.replaces("requirements-check");
    let from = user.archive.display();
    for (line, typed) in [
        ("uninstall --purge --yes".to_owned(), "req hooks uninstall --purge"),
        ("disable rate-awareness --yes".to_owned(), "req hooks disable rate-awareness"),
        (format!("enable rate-awareness --from {from}"), "install --hooks rate-awareness --from /"),
        (format!("install --yes --from {from}"), "type: req hooks install --from /"),
        ("install --hooks tempo-stop --yes".to_owned(), "type: req hooks install --hooks tempo-stop"),
        ("install --yes --allow-rules".to_owned(), "type: req hooks install --allow-rules"),
    ] {
        let said = refused(&claude(&req, &line));
        assert!(said.contains("for the user to decide") && said.contains(typed), "{line}: {said}");
        assert_eq!(user.settings(), settings, "{line}");
        assert_eq!(fs::read(&gate).unwrap(), bytes, "{line}");
    }
    // What is installed may be registered, and put back.
    fs::remove_file(&gate).unwrap();
    fs::copy(small_programs::folder().join("requirements-check"), user.archive.join("requirements-check"))
        .unwrap();
    claude(&req, &format!("enable stop-momentum --from {from}")).assert_exit(0);
    assert!(user.settings().contains("stop-momentum"));
    assert_eq!(fs::read(&gate).unwrap(), bytes);
}

#[test]
fn a_gate_that_works_is_not_replaced_by_one_that_does_not() {
    let user = User::new();
    user.types(&user.unpacked(), "install --hooks requirements-check --yes");
    let before = user.types(&user.deployed(), "status --json").stdout_text();
    user.replaces("requirements-check");
    let line = format!("install --yes --from {}", user.archive.display());
    let said = refused(&user.command(&user.deployed(), &line).run());
    assert!(said.contains("does not do what it promises on this machine, and nothing was copied"), "{said}");
    assert_eq!(user.types(&user.deployed(), "status --json").stdout_text(), before);
}

#[test]
fn nothing_of_a_repository_is_run_when_its_settings_are_changed() {
    let user = User::new();
    user.types(&user.unpacked(), "install --hooks rate-awareness --yes");
    let ran = user.sandbox.temporary_dir().join("ran");
    let script = user.sandbox.write("git", "");
    write_script(&script, &format!("#!/bin/sh\necho \"$0\" >>{}\n", ran.display()));
    user.sandbox.git(&["config", "core.fsmonitor", &script.display().to_string()]);
    let project = user.sandbox.project();
    let line = format!("enable rate-awareness --scope local --project {}", project.display());
    let path = format!(".:{}:{}", project.display(), user.sandbox.env()["PATH"]);
    let outcome = user.command(&user.deployed(), &line).cwd(&project).env("PATH", path).run();
    outcome.assert_exit(0);
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).unwrap_or_default());
}

#[test]
fn a_configuration_folder_inside_the_project_is_neither_believed_nor_run() {
    let user = User::new();
    user.types(&user.unpacked(), "install --hooks requirements-check --yes");
    // A repository that brings an installation of its own.
    let (own, brought) = (user.sandbox.home().join(".claude"), user.sandbox.project().join(".claude"));
    fs::create_dir_all(brought.join("hooks")).unwrap();
    for file in fs::read_dir(own.join("hooks")).unwrap().map(|file| file.unwrap()) {
        fs::copy(file.path(), brought.join("hooks").join(file.file_name())).unwrap();
    }
    for line in ["status", "install --yes", "enable requirements-check"] {
        for named in [brought.display().to_string(), ".claude".to_owned()] {
            let command = user.command(&user.unpacked(), line).cwd(user.sandbox.project());
            let said = refused(&command.env("CLAUDE_CONFIG_DIR", &named).run());
            assert!(
                said.contains("CLAUDE_CONFIG_DIR") && said.contains("inside the project"),
                "{line}: {said}"
            );
        }
    }
}
