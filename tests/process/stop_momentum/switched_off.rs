//! Every way to silence the gate works at once, and nothing a repository could set alone does.

use crate::driver::{documented, is_block};
use crate::gate::{Gate, ON, WORDS};
use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tests::process::Invocation;
use tests::sandbox::Level;

fn blocks(gate: &Gate, hook: Invocation) -> bool {
    let outcome = hook.stdin(gate.session.stop(WORDS).to_bytes()).run();
    documented(&outcome).is_some_and(|answer| is_block(&answer))
}

fn epoch_secs() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

#[test]
fn a_registered_hook_is_silent_until_it_is_enabled() {
    Gate::unconfigured().passes(WORDS);
    Gate::new("version: \"1.0\"\n").passes(WORDS);
    Gate::new("stop-momentum: {enabled: false}\n").passes(WORDS);
}

#[test]
fn nobody_is_held_up_where_nobody_watches_unless_the_section_opts_in() {
    let headless = |gate: &Gate| gate.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    let gate = Gate::new(ON);
    assert!(!blocks(&gate, headless(&gate)));
    gate.sandbox.requirements(Level::User, "stop-momentum: {enabled: true, headless: true}\n");
    assert!(blocks(&gate, headless(&gate)));
}

#[test]
fn the_off_file_silences_everything_before_anything_is_written() {
    let gate = Gate::new(ON);
    for end in [String::new(), format!("{}\n", epoch_secs() + 600), "until further notice".to_owned()] {
        fs::write(gate.state("OFF"), &end).unwrap();
        gate.passes(WORDS);
        assert_eq!(gate.state_names().into_iter().collect::<Vec<_>>(), ["OFF"], "{end:?}");
    }
}

#[test]
fn the_master_switch_of_each_file_silences_the_gate() {
    for level in [Level::User, Level::Project, Level::Local] {
        let gate = Gate::new(ON);
        let own = if level == Level::User { ON } else { "" };
        gate.sandbox.requirements(level, &format!("enabled: false\n{own}"));
        gate.passes(WORDS);
    }
}

#[test]
fn the_nonce_of_a_judge_counts_only_with_its_fresh_file() {
    let gate = Gate::new(ON);
    let judged = || gate.hook().env("BARBLESS_NONCE", "a-nonce");
    assert!(blocks(&gate, judged()), "a variable alone switches nothing off");
    let gate = Gate::new(ON);
    let judged = || gate.hook().env("BARBLESS_NONCE", "a-nonce");
    fs::create_dir(gate.state("nonce")).unwrap();
    let file = fs::File::create(gate.state("nonce/a-nonce")).unwrap();
    assert!(!blocks(&gate, judged()));
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    assert!(blocks(&gate, judged()), "an old file guards nothing");
}

#[test]
fn a_nonce_cannot_point_at_another_file() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    fs::create_dir(gate.state("nonce")).unwrap();
    fs::write(gate.state("fresh"), "").unwrap();
    for nonce in ["../fresh", ".", "..", "../nonce", "/", "../../home/.gitconfig"] {
        assert!(blocks(&gate, gate.hook().env("BARBLESS_NONCE", nonce)), "{nonce}");
    }
}
