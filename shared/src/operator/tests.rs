//! Callers, as a table of facts. No test looks at a process of the machine.

use super::{Caller, Facts, Process, Standing, judge, refusal};

fn process(name: &str, command_line: &[&str]) -> Process {
    Process {
        name: name.to_owned(),
        command_line: command_line.iter().map(|word| (*word).to_owned()).collect(),
    }
}

fn below(ancestor: Process) -> Facts {
    let shell = process("bash", &["-bash"]);
    Facts { ancestors: vec![shell.clone(), ancestor, shell], has_terminal: true, claudecode: false }
}

#[test]
fn a_terminal_without_claude_above_it_is_the_operators() {
    assert_eq!(judge(&below(process("sshd", &["sshd: me"]))), Standing::Operator);
}

#[test]
fn below_claude_a_terminal_and_a_clean_environment_do_not_help() {
    for claude in [
        process("claude", &["claude", "--continue"]),
        process("2.1.329", &["/home/me/.local/share/claude/versions/2.1.329"]),
        process("MainThread", &["/home/me/.local/bin/claude"]),
        process("node", &["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "-p"]),
        process("node", &["/usr/bin/node", "--no-warnings", "/usr/local/bin/claude"]),
        process("claude.exe", &[]),
    ] {
        assert_eq!(judge(&below(claude.clone())), Standing::InsideClaude, "{claude:?}");
    }
}

#[test]
fn a_program_that_only_speaks_of_claude_is_not_claude() {
    for other in [
        process("vim", &["vim", "claude"]),
        process("less", &["less", "/repo/@anthropic-ai/claude-code/cli.js"]),
        process("node", &["node", "server.js", "claude"]),
        process("claude-monitor", &["claude-monitor"]),
    ] {
        assert_eq!(judge(&below(other.clone())), Standing::Operator, "{other:?}");
    }
}

#[test]
fn the_environment_makes_it_stricter_never_looser() {
    let facts = Facts { claudecode: true, has_terminal: true, ancestors: Vec::new() };
    assert_eq!(judge(&facts), Standing::InsideClaude);
    assert_eq!(judge(&Facts { claudecode: false, has_terminal: false, ..facts }), Standing::NoTerminal);
}

#[test]
fn the_refusal_gives_the_line_to_type() {
    assert!(refusal("cargo xtask undo").ends_with(": cargo xtask undo"));
}

#[test]
fn in_claudes_shell_the_prompt_is_the_nearer_place_to_type_it() {
    for (caller, as_prompt, is_told) in [
        (Caller::Shell(Standing::InsideClaude), true, true),
        (Caller::Shell(Standing::InsideClaude), false, false),
        (Caller::Shell(Standing::NoTerminal), true, false),
        (Caller::Untyped, true, false),
    ] {
        let told = caller.refusal("req pause", as_prompt);
        assert_eq!(told.contains("; or, as a prompt of this session, type: "), is_told, "{caller:?} {told}");
        assert_eq!(told.starts_with("nobody typed this prompt"), caller == Caller::Untyped, "{told}");
        assert!(told.ends_with("type: req pause"), "{told}");
    }
}
