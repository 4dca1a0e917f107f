//! The binary's own command line: its verbs, its exit statuses (never 2, which in a hook means "block"), and who may
//! switch the hook off.

use crate::driver::is_block;
use crate::gate::{Gate, ON, WORDS};
use crate::typed::{PATIENCE, Typed, claude, shell};
use std::fs;
use std::path::Path;
use tests::binaries;
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox};
use tests::terminal::Terminal;

const USAGE: i32 = 64;

fn command(sandbox: &Sandbox, words: &[&str]) -> Outcome {
    Invocation::new(binaries::path("stop-momentum"), sandbox).args(words.iter().copied()).run()
}

#[track_caller]
fn says(sandbox: &Sandbox, words: &[&str]) -> String {
    let outcome = command(sandbox, words);
    outcome.assert_exit(0);
    assert_eq!(outcome.stderr_text(), "", "{words:?}");
    outcome.stdout_text().trim_end().to_owned()
}

#[test]
fn status_says_what_is_in_force_and_where_it_is_set() {
    let sandbox = Sandbox::new();
    assert_eq!(says(&sandbox, &["status"]), "stop-momentum: off, set by the defaults");
    sandbox.requirements(Level::User, "version: \"1.0\"\nstop-momentum:\n  enabled: true\n");
    assert_eq!(says(&sandbox, &["status"]), "stop-momentum: on, set by ~/.claude/requirements.yaml:3");
    sandbox.requirements(Level::Local, "stop-momentum: {enabled: false, unheard_of: 1}\n");
    let file = ".claude/requirements.local.yaml";
    let expected =
        format!("stop-momentum: off, set by {file}:1\n{file}:1: stop-momentum.unheard_of: no such key");
    assert_eq!(says(&sandbox, &["status"]), expected);
}

#[test]
fn help_and_version_go_well_and_wrong_usage_exits_with_64() {
    let sandbox = Sandbox::new();
    let help = says(&sandbox, &["help"]);
    assert!(help.contains("stop-momentum on|off|auto") && says(&sandbox, &["--help"]) == help, "{help}");
    assert_eq!(says(&sandbox, &["--version"]), format!("stop-momentum {}", env!("CARGO_PKG_VERSION")));
    for words in [&["statsu"][..], &[""], &["status", "--jsno"], &["off", "now"], &["help", "me"]] {
        let outcome = command(&sandbox, words);
        outcome.assert_exit(USAGE);
        assert_eq!(outcome.stdout_text(), "", "{words:?}");
        assert!(outcome.stderr_text().contains("stop-momentum help lists all"), "{words:?}: {outcome}");
    }
    let is_remembered = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name() != "heartbeat";
    assert!(!fs::read_dir(sandbox.state_dir()).unwrap().any(is_remembered), "and nothing is remembered");
}

#[test]
fn without_arguments_on_a_terminal_it_shows_its_help_and_exits_with_64() {
    let sandbox = Sandbox::new();
    let mut terminal =
        Terminal::start(&binaries::path("stop-momentum"), &[], &sandbox.env(), &sandbox.project());
    terminal.wait_for("stop-momentum status");
    assert_eq!(terminal.wait_for_exit(PATIENCE).code(), Some(64));
}

fn typed(sandbox: &Sandbox, program: &Path, words: &str, variables: &[(&str, &str)]) -> Typed {
    crate::typed::typed(&binaries::path("stop-momentum"), sandbox, program, words, variables)
}

#[test]
#[cfg(target_os = "linux")]
fn a_person_at_a_terminal_switches_it_off_for_good_or_for_a_session_and_gives_it_back() {
    let gate = Gate::new(ON);
    let typed = |words: &str| typed(&gate.sandbox, &shell(), words, &[]);
    let off = typed("off");
    assert_eq!(off.status, 0, "{}", off.screen);
    assert!(off.screen.contains("on again: stop-momentum auto"), "{}", off.screen);
    gate.passes(WORDS);
    assert_eq!(typed("auto").status, 0);
    assert_eq!(typed(&format!("off --session {}", gate.session.id)).status, 0);
    gate.passes(WORDS);
    let other = gate.session.clone().with_id("another-session");
    assert!(gate.ask(&other.stop(WORDS)).is_some_and(|answer| is_block(&answer)));
}

#[test]
#[cfg(target_os = "linux")]
fn inside_claudes_shell_on_is_allowed_and_off_and_auto_are_refused_with_the_line_to_type() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    let claude = claude(&gate.sandbox);
    for (program, variables) in [(&shell(), &[("CLAUDECODE", "1")][..]), (&claude, &[])] {
        let typed = |words| typed(&gate.sandbox, program, words, variables);
        for words in ["off", "auto"] {
            let refused = typed(words);
            assert_eq!(refused.status, 1, "{}", refused.screen);
            let line = format!("outside Claude Code, type: stop-momentum {words}");
            assert!(refused.screen.trim_end().ends_with(&line), "{}", refused.screen);
        }
        assert!(!gate.state("switches.json").exists());
        gate.blocked(WORDS);
        assert_eq!(typed("on").status, 0);
        fs::remove_file(gate.state("switches.json")).unwrap();
    }
}
