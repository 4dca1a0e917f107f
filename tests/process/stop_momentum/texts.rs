//! What a block says: the guidance (built in, the user's or the project's), the token, and where its rule is set.

use crate::gate::{GUIDANCE, Gate, ON, WORDS, token};
use std::fs;
use tests::sandbox::{Level, Sandbox};

/// What a project's guide may have, in bytes.
const MAX_GUIDE_BYTES: usize = 64 * 1024;

const GUIDE: &str = ".claude/momentum-guide.md";

fn write_guide(sandbox: &Sandbox, bytes: usize) {
    sandbox.write(GUIDE, format!("GUIDE BEGINS {}", "x".repeat(bytes - "GUIDE BEGINS ".len())));
}

#[test]
fn the_reason_names_the_hook_the_rule_and_the_line_that_sets_it() {
    let gate = Gate::new("version: \"1.0\"\n# on\nstop-momentum:\n  enabled: true\n");
    let reason = gate.blocked(WORDS);
    assert!(reason.starts_with(GUIDANCE), "{reason}");
    assert!(reason.ends_with("(stop-momentum.enabled: ~/.claude/requirements.yaml:4)"), "{reason}");
}

#[test]
fn the_second_block_names_the_same_token_and_the_rule_that_insists() {
    let gate = Gate::new(ON);
    gate.sandbox.requirements(Level::Project, "stop-momentum:\n  enforce_ack: true\n");
    let first = token(&gate.blocked(WORDS));
    let reason = gate.blocked(WORDS);
    assert!(reason.ends_with("(stop-momentum.enforce_ack: .claude/requirements.yaml:2)"), "{reason}");
    assert_eq!(token(&reason), first);
    gate.passes(&format!("Done. {first}"));
}

/// Makes a guide of a project.
type MakesGuide = fn(&Sandbox);

#[test]
#[cfg(unix)]
fn a_guide_that_cannot_be_used_gives_way_to_the_built_in_text() {
    use std::os::unix::fs::symlink;
    let guides: [(&str, MakesGuide); 7] = [
        ("empty", |sandbox| drop(sandbox.write(GUIDE, ""))),
        ("blank", |sandbox| drop(sandbox.write(GUIDE, " \n\n"))),
        ("too long", |sandbox| write_guide(sandbox, MAX_GUIDE_BYTES + 1)),
        ("a folder", |sandbox| fs::create_dir_all(sandbox.project().join(GUIDE)).unwrap()),
        ("a pipe", |sandbox| {
            fs::create_dir_all(sandbox.project().join(".claude")).unwrap();
            crate::driver::make_pipe(&sandbox.project().join(GUIDE));
        }),
        ("linked out of the project", |sandbox| {
            fs::create_dir_all(sandbox.project().join(".claude")).unwrap();
            let secret = sandbox.write_home("secret.md", "PRIVATE KEY");
            symlink(secret, sandbox.project().join(GUIDE)).unwrap();
        }),
        ("in a linked folder", |sandbox| {
            sandbox.write_home("elsewhere/momentum-guide.md", "PRIVATE KEY");
            symlink(sandbox.home().join("elsewhere"), sandbox.project().join(".claude")).unwrap();
        }),
    ];
    for (what, make) in guides {
        let gate = Gate::new(ON);
        make(&gate.sandbox);
        let reason = gate.blocked(WORDS);
        assert!(reason.starts_with(GUIDANCE) && !reason.contains("PRIVATE"), "{what}: {reason}");
    }
    let gate = Gate::new(ON);
    write_guide(&gate.sandbox, MAX_GUIDE_BYTES);
    let reason = gate.blocked(WORDS);
    assert!(reason.starts_with("GUIDE BEGINS") && reason.contains("include the token ACK-"), "{reason}");
}
