//! What a block says: the guidance (built in, the user's or the project's), the token, and where its rule is set.

use crate::gate::{GUIDANCE, Gate, INSISTS, ON, WORDS, token};
use std::fs;
use tests::sandbox::{Level, Sandbox};

/// What a project's guide may have, in bytes.
const MAX_GUIDE_BYTES: usize = 64 * 1024;

const GUIDE: &str = ".claude/momentum-guide.md";

fn write_guide(sandbox: &Sandbox, bytes: usize) {
    sandbox.write(GUIDE, format!("GUIDE BEGINS {}", "x".repeat(bytes - "GUIDE BEGINS ".len())));
}

#[cfg(unix)]
fn link_guide(sandbox: &Sandbox, to: &std::path::Path) {
    fs::create_dir_all(sandbox.project().join(".claude")).unwrap();
    std::os::unix::fs::symlink(to, sandbox.project().join(GUIDE)).unwrap();
}

/// The last line that names the token: the instruction that ends the story.
fn token_line(reason: &str) -> &str {
    reason.lines().find(|line| line.contains("ACK-")).expect("a line with the token")
}

#[test]
fn the_reason_names_the_hook_the_rule_and_the_line_that_sets_it() {
    let gate = Gate::new("version: \"1.0\"\n# on\nstop-momentum:\n  enabled: true\n");
    let reason = gate.blocked(WORDS);
    assert!(reason.starts_with(GUIDANCE), "{reason}");
    assert!(reason.ends_with("(stop-momentum.enabled: ~/.claude/requirements.yaml:4)"), "{reason}");
}

#[test]
fn the_second_block_names_the_rule_that_insists() {
    let gate = Gate::new(ON);
    gate.sandbox.requirements(Level::Project, "stop-momentum:\n  enforce_ack: true\n");
    gate.blocked(WORDS);
    let reason = gate.blocked(WORDS);
    assert!(reason.ends_with("(stop-momentum.enforce_ack: .claude/requirements.yaml:2)"), "{reason}");
}

#[test]
fn following_the_token_line_to_the_letter_lets_go() {
    let gate = Gate::new(INSISTS);
    let reason = gate.blocked(WORDS);
    assert!(token_line(&reason).contains(&format!("include the token {}", token(&reason))), "{reason}");
    gate.passes(&format!("The work is complete. {}", token(&reason)));
}

#[test]
fn the_projects_guide_replaces_the_guidance_and_the_token_line_stays() {
    let gate = Gate::new(ON);
    gate.sandbox.write(GUIDE, "Our own words.\nIn two lines.\n");
    let reason = gate.blocked(WORDS);
    assert!(reason.starts_with("Our own words.\nIn two lines."), "{reason}");
    assert!(!reason.contains(GUIDANCE) && token_line(&reason).contains("include the token"), "{reason}");
}

#[test]
fn a_guide_of_64_kib_is_used_and_a_longer_one_is_not() {
    for (bytes, used) in [(MAX_GUIDE_BYTES, true), (MAX_GUIDE_BYTES + 1, false)] {
        let gate = Gate::new(ON);
        write_guide(&gate.sandbox, bytes);
        let reason = gate.blocked(WORDS);
        assert_eq!(reason.starts_with("GUIDE BEGINS"), used, "{bytes} bytes");
        assert_eq!(reason.starts_with(GUIDANCE), !used, "{bytes} bytes");
    }
}

#[test]
#[cfg(unix)]
fn a_guide_that_links_out_of_the_project_is_not_used() {
    let gate = Gate::new(ON);
    let secret = gate.sandbox.write_home("secret.md", "PRIVATE KEY");
    link_guide(&gate.sandbox, &secret);
    let reason = gate.blocked(WORDS);
    assert!(reason.starts_with(GUIDANCE) && !reason.contains("PRIVATE"), "{reason}");
}

#[test]
#[cfg(unix)]
fn a_guide_in_a_linked_folder_outside_the_project_is_not_used() {
    let gate = Gate::new(ON);
    gate.sandbox.write_home("elsewhere/momentum-guide.md", "PRIVATE KEY");
    std::os::unix::fs::symlink(gate.sandbox.home().join("elsewhere"), gate.sandbox.project().join(".claude"))
        .unwrap();
    let reason = gate.blocked(WORDS);
    assert!(reason.starts_with(GUIDANCE) && !reason.contains("PRIVATE"), "{reason}");
}

#[test]
#[cfg(unix)]
fn a_guide_that_is_a_pipe_or_a_folder_holds_nobody_up() {
    let mut gate = Gate::new(INSISTS);
    let guide = gate.sandbox.project().join(GUIDE);
    fs::create_dir_all(&guide).unwrap();
    assert!(gate.blocked(WORDS).starts_with(GUIDANCE));
    fs::remove_dir(&guide).unwrap();
    gate.session.prompt_id = "another-turn".to_owned();
    crate::gate::worked(&gate.session);
    crate::driver::make_pipe(&guide);
    assert!(gate.blocked(WORDS).starts_with(GUIDANCE));
}

#[test]
fn the_users_own_text_is_named_from_the_home_the_configuration_folder_or_the_root() {
    for named in ["~/.claude/mine.md", "mine.md", "{home}/.claude/mine.md"] {
        let gate = Gate::unconfigured();
        gate.sandbox.write_home(".claude/mine.md", "My own words.");
        let named = named.replace("{home}", &gate.sandbox.home().display().to_string());
        gate.sandbox.requirements(
            Level::User,
            &format!("stop-momentum: {{enabled: true, message_file: \"{named}\"}}\n"),
        );
        let reason = gate.blocked(WORDS);
        assert!(reason.starts_with("My own words.") && reason.contains("ACK-"), "{named}: {reason}");
    }
}
