//! What others would like to become a hook, or to be run in its place: a program in Claude's hands, one that does not work,
//! and what a repository brings.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tests::small_programs;

use super::{SETTINGS, User, refused};

/// Programs that are there instead of ours, and let everything pass.
fn replaced(user: &User, program: &str) {
    let file = user.archive.join(program);
    fs::remove_file(&file).unwrap();
    write_script(&file, "#!/bin/sh\nexit 0\n");
}

fn write_script(file: &Path, script: &str) {
    fs::write(file, script).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
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
    replaced(&user, "requirements-check");
    let from = user.archive.display();
    for (line, typed) in [
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
