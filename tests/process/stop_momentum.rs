//! stop-momentum through real processes: a block and the way out of it, which guide is believed, which state folder is used,
//! and who is left alone. The rules are tables beside its `decide`; what the run loop promises is in `robustness`.

use crate::driver::{documented, is_block, names, notice};
use crate::gate::{GUIDANCE, Gate, INSISTS, ON, WORDS, token, worked};
use std::fs;
use std::path::Path;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};
use tests::transcripts::Transcript;

/// The longest guide of a project, in bytes.
const MAX_GUIDE_BYTES: usize = 64 * 1024;

const GUIDE: &str = ".claude/momentum-guide.md";

fn blocks(gate: &Gate, hook: Invocation) -> bool {
    let outcome = hook.stdin(gate.session.stop(WORDS).to_bytes()).run();
    documented(&outcome).is_some_and(|answer| is_block(&answer))
}

#[test]
fn a_stop_is_blocked_until_the_token_is_said_and_each_block_names_its_rule() {
    let gate = Gate::new("version: \"1.0\"\n# on\nstop-momentum:\n  enabled: true\n");
    gate.sandbox.requirements(Level::Project, "stop-momentum:\n  enforce_ack: true\n");
    let reason = gate.blocked(WORDS);
    assert!(reason.starts_with(GUIDANCE), "{reason}");
    assert!(reason.ends_with("(stop-momentum.enabled: ~/.claude/requirements.yaml:4)"), "{reason}");
    let shown = token(&reason);
    let reason = gate.blocked(WORDS);
    assert!(reason.ends_with("(stop-momentum.enforce_ack: .claude/requirements.yaml:2)"), "{reason}");
    assert_eq!(token(&reason), shown);
    gate.passes(&format!("Everything is done: {shown}."));
    assert!(!gate.token_file().exists());
    assert!(gate.journal().contains("acknowledged"), "{}", gate.journal());
}

#[test]
fn words_alone_and_scripts_and_a_hook_that_nobody_enabled_are_left_alone() {
    let gate = Gate::new(INSISTS);
    Transcript::of(&gate.session).prompt("what is a hook?").text("A barbed or barbless one.").write();
    gate.passes(WORDS);
    worked(&gate.session);
    assert!(!blocks(&gate, gate.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")));
    Gate::unconfigured().passes(WORDS);
}

#[test]
fn the_nonce_of_a_judge_counts_only_with_its_fresh_file_and_points_at_no_other() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    fs::create_dir(gate.state("nonce")).unwrap();
    fs::write(gate.state("fresh"), "").unwrap();
    for nonce in ["a-nonce", "../fresh", ".", "..", "/"] {
        assert!(blocks(&gate, gate.hook().env("BARBLESS_NONCE", nonce)), "{nonce}");
    }
    fs::write(gate.state("nonce/a-nonce"), "").unwrap();
    assert!(!blocks(&gate, gate.hook().env("BARBLESS_NONCE", "a-nonce")));
}

#[test]
fn without_the_variable_state_lies_below_the_configuration_folder_and_is_private() {
    let gate = Gate::new(ON);
    assert!(blocks(&gate, gate.hook().unset("CLAUDE_HOOK_STATE_DIR")));
    let state = gate.sandbox.home().join(".claude/hook-state");
    assert!(names(&state).contains(&format!("stop-ack-{}", gate.session.id)));
    assert!(names(&gate.sandbox.state_dir()).is_empty());
    assert_private(&state);
}

fn assert_private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700);
    for name in names(folder) {
        let path = folder.join(name);
        assert_eq!(mode(&path) & 0o077, 0, "{} is for others too", path.display());
    }
}

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

/// Makes a guide of a project.
type MakesGuide = fn(&Sandbox);

#[test]
fn a_guide_is_said_and_one_that_cannot_be_used_gives_way_to_the_built_in_text() {
    let guides: [(&str, MakesGuide); 4] = [
        ("blank", |sandbox| drop(sandbox.write(GUIDE, " \n\n"))),
        ("too long", |sandbox| drop(sandbox.write(GUIDE, "x".repeat(MAX_GUIDE_BYTES + 1)))),
        ("a pipe", |sandbox| {
            fs::create_dir_all(sandbox.project().join(".claude")).unwrap();
            crate::driver::make_pipe(&sandbox.project().join(GUIDE));
        }),
        ("linked out of the project", |sandbox| {
            sandbox.write_home("elsewhere/momentum-guide.md", "PRIVATE KEY");
            std::os::unix::fs::symlink(sandbox.home().join("elsewhere"), sandbox.project().join(".claude"))
                .unwrap();
        }),
    ];
    for (what, make) in guides {
        let gate = Gate::new(ON);
        make(&gate.sandbox);
        let reason = gate.blocked(WORDS);
        assert!(reason.starts_with(GUIDANCE) && !reason.contains("PRIVATE"), "{what}: {reason}");
    }
    let gate = Gate::new(ON);
    gate.sandbox.write(GUIDE, "The team's words.");
    assert!(gate.blocked(WORDS).starts_with("The team's words.\n\n"));
}
