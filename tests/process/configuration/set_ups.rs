//! Which files count: any one of them alone is enough, the home is no project, and what is no ordinary file inside the
//! project is skipped without a wait.

use crate::driver::{documented, is_block, notice};
use crate::gate::{Gate, INSISTS, ON, WORDS, reason};
use std::fs;
use tests::sandbox::Level;

#[test]
fn any_one_file_alone_is_enough() {
    for level in [Level::User, Level::Project, Level::Local] {
        let gate = Gate::unconfigured();
        gate.sandbox.requirements(level, ON);
        let answer = gate.stop(WORDS);
        reason(answer.as_ref());
        assert_eq!(notice(answer.as_ref()), "", "{level:?}");
    }
}

#[test]
fn a_project_that_does_not_inherit_starts_from_the_defaults() {
    let gate = Gate::new("stop-momentum: {enabled: true, enforce_ack: true}\n");
    gate.sandbox.requirements(Level::Project, "inherit: false\n");
    gate.passes(WORDS);
    gate.sandbox.requirements(Level::Project, "inherit: false\nstop-momentum: {enabled: true}\n");
    assert_eq!(gate.blocks_in_a_row(), 1);
}

#[test]
fn the_home_is_no_project() {
    let gate = Gate::new(INSISTS);
    gate.sandbox.write_home(".claude/requirements.local.yaml", "stop-momentum: {max_blocks: 1}\n");
    gate.sandbox.write_home(".claude/momentum-guide.md", "Not a project's.");
    let home = gate.sandbox.home().display().to_string();
    let stop = gate.session.stop(WORDS).with("cwd", home.as_str()).to_bytes();
    let run = || documented(&gate.hook().env("CLAUDE_PROJECT_DIR", home.as_str()).stdin(&stop).run());
    let answer = run();
    assert!(!reason(answer.as_ref()).contains("Not a project's."), "{answer:?}");
    assert!(!reason(answer.as_ref()).contains("local"), "{answer:?}");
    let blocks = 1 + (0..8).take_while(|_| run().is_some_and(|answer| is_block(&answer))).count();
    assert_eq!(blocks, 3);
}

#[test]
#[cfg(unix)]
fn a_project_whose_folder_links_to_the_users_own_is_no_project() {
    let gate = Gate::new("stop-momentum: {enabled: true, message_file: mine.md}\n");
    gate.sandbox.write_home(".claude/mine.md", "My own words.");
    std::os::unix::fs::symlink(gate.sandbox.home().join(".claude"), gate.sandbox.project().join(".claude"))
        .unwrap();
    let answer = gate.stop(WORDS);
    assert!(reason(answer.as_ref()).starts_with("My own words."), "{answer:?}");
    assert_eq!(notice(answer.as_ref()), "");
}

/// Something that is no ordinary file in place of the file of each level: it is skipped and told, and nobody waits.
#[track_caller]
fn is_skipped(put: impl Fn(&Gate, &std::path::Path), why: &str) {
    for level in [Level::Project, Level::Local] {
        let gate = Gate::new(INSISTS);
        let path = gate.sandbox.requirements_path(level);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        put(&gate, &path);
        let answer = gate.stop(WORDS);
        let text = notice(answer.as_ref());
        let shown = path.strip_prefix(gate.sandbox.project()).unwrap().display();
        assert!(text.contains(&format!("{shown}: {why}; the file is skipped")), "{level:?}: {text}");
        assert!(!text.contains("PRIVATE"), "{text}");
        assert_eq!(1 + gate.blocks_in_a_row(), 3, "{level:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_pipe_in_place_of_a_file_is_skipped_without_a_wait() {
    is_skipped(|_, path| crate::driver::make_pipe(path), "not a regular file");
}

#[test]
#[cfg(unix)]
fn a_link_out_of_the_project_is_not_followed() {
    let secret =
        |gate: &Gate| gate.sandbox.write_home("secret.yaml", "stop-momentum: {enabled: false}\nPRIVATE: 1\n");
    is_skipped(
        |gate, path| std::os::unix::fs::symlink(secret(gate), path).unwrap(),
        "leads out of the project",
    );
    is_skipped(|_, path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(), "leads out of the project");
}

#[test]
#[cfg(unix)]
fn a_pipe_in_place_of_the_global_file_is_told_and_holds_nobody_up() {
    let gate = Gate::unconfigured();
    gate.sandbox.requirements(Level::Project, ON);
    crate::driver::make_pipe(&gate.sandbox.requirements_path(Level::User));
    let answer = gate.stop(WORDS);
    assert!(
        notice(answer.as_ref()).contains("~/.claude/requirements.yaml: not a regular file"),
        "{answer:?}"
    );
    reason(answer.as_ref());
}
