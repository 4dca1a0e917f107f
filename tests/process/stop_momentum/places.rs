//! Which folders count: the project from any of its sub-directories, the state folder the environment names if it may
//! be believed.

use crate::driver::{documented, names, notice};
use crate::gate::{Gate, ON, WORDS, reason};
use std::fs;
use std::path::Path;
use tests::process::Invocation;
use tests::sandbox::Level;

const TEAM: &str = "version: \"1.0\"\nstop-momentum:\n  enabled: true\n";

/// The reason of a block with the token taken out.
#[track_caller]
fn said(gate: &Gate, hook: Invocation, cwd: &Path) -> String {
    let stop = gate.session.stop(WORDS).with("cwd", cwd.display().to_string());
    let reason = reason(documented(&hook.cwd(cwd).stdin(stop.to_bytes()).run()).as_ref());
    reason.replace(&crate::gate::token(&reason), "TOKEN")
}

#[test]
fn a_sub_directory_gives_the_same_answer_as_the_top() {
    let gate = || {
        let gate = Gate::unconfigured();
        gate.sandbox.requirements(Level::Project, TEAM);
        gate.sandbox.write("src/deep/file", "");
        gate.sandbox.write(".claude/momentum-guide.md", "The team's words.");
        gate
    };
    let (top, below, nowhere) = (gate(), gate(), gate());
    let deep = |gate: &Gate| gate.sandbox.project().join("src/deep");
    let first = said(&top, top.hook(), &top.sandbox.project());
    assert!(first.starts_with("The team's words."), "{first}");
    assert!(first.ends_with("(stop-momentum.enabled: .claude/requirements.yaml:3)"), "{first}");
    let hook = below.hook().env("CLAUDE_PROJECT_DIR", deep(&below).display().to_string());
    assert_eq!(said(&below, hook, &deep(&below)), first);
    let hook = nowhere.hook().unset("CLAUDE_PROJECT_DIR");
    assert_eq!(said(&nowhere, hook, &deep(&nowhere)), first);
}

#[test]
fn without_the_variable_state_lies_below_the_configuration_folder_and_is_private() {
    let gate = Gate::new(ON);
    let hook = gate.hook().unset("CLAUDE_HOOK_STATE_DIR");
    said(&gate, hook, &gate.sandbox.project());
    let state = gate.sandbox.home().join(".claude/hook-state");
    assert!(names(&state).contains(&format!("stop-ack-{}", gate.session.id)));
    assert!(names(&gate.sandbox.state_dir()).is_empty());
    assert_private(&state);
}

#[cfg(unix)]
fn assert_private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700);
    for name in names(folder) {
        let path = folder.join(name);
        assert_eq!(mode(&path) & 0o077, 0, "{} is for others too", path.display());
    }
}

#[cfg(not(unix))]
fn assert_private(_folder: &Path) {}

#[test]
fn a_state_folder_inside_the_project_is_not_used_and_told_once() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    let inside = gate.sandbox.project().join("state");
    let hook = || gate.hook().env("CLAUDE_HOOK_STATE_DIR", inside.display().to_string());
    let stop = gate.session.stop(WORDS).to_bytes();
    let notices: Vec<String> =
        (0..3).map(|_| notice(documented(&hook().stdin(&stop).run()).as_ref())).collect();
    assert!(
        notices[0].contains("CLAUDE_HOOK_STATE_DIR") && notices[0].contains("inside the project"),
        "{notices:?}"
    );
    assert_eq!(notices[1..], ["", ""]);
    assert!(!inside.exists());
    assert!(gate.sandbox.home().join(".claude/hook-state").is_dir());
}

#[test]
#[cfg(unix)]
fn a_state_folder_that_leads_into_the_project_or_is_open_to_others_is_not_used() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    let inside = gate.sandbox.project().join("inside");
    fs::create_dir(&inside).unwrap();
    let link = gate.sandbox.temporary_dir().join("link");
    symlink(&inside, &link).unwrap();
    let open = gate.sandbox.temporary_dir().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    for (folder, why) in [(link, "inside the project"), (open, "others may write")] {
        let hook = gate.hook().env("CLAUDE_HOOK_STATE_DIR", folder.display().to_string());
        let answer = documented(&hook.stdin(gate.session.stop(WORDS).to_bytes()).run());
        assert!(notice(answer.as_ref()).contains(why), "{}: {answer:?}", folder.display());
        assert!(names(&folder).is_empty(), "{}", folder.display());
    }
}
