//! Callers, as a table of facts, and what the lines of the process table tell.

use super::{Process, Standing, judge, ps_fields};

#[test]
fn below_claude_a_terminal_and_a_clean_environment_do_not_help() {
    for (name, line, expected) in [
        ("2.1.329", "/home/me/.local/share/claude/versions/2.1.329", Standing::InsideClaude),
        ("MainThread", "/home/me/.local/bin/claude", Standing::InsideClaude),
        ("node", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js -p", Standing::InsideClaude),
        ("node", "/usr/bin/node --no-warnings /usr/local/bin/claude", Standing::InsideClaude),
        ("claude.exe", "", Standing::InsideClaude),
        ("less", "less /repo/@anthropic-ai/claude-code/cli.js", Standing::Operator),
        ("node", "node server.js claude", Standing::Operator),
        ("claude-monitor", "claude-monitor", Standing::Operator),
    ] {
        let command_line = line.split_whitespace().map(str::to_owned).collect();
        let process = Process { name: name.to_owned(), command_line, ..Process::default() };
        let found = judge(&[Process::default(), process, Process::default()], true, false);
        assert_eq!(found, expected, "{name} {line}");
    }
    assert_eq!(judge(&[], true, true), Standing::InsideClaude, "the environment makes it stricter");
    assert_eq!(judge(&[], false, false), Standing::NoTerminal);
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_with_spaces_and_brackets_does_not_shift_the_fields() {
    use super::{read, stat_fields};
    assert_eq!(stat_fields("12 (a) b (c) S 34 12 12 34816 -1"), Some(("a) b (c".to_owned(), 34, 34816)));
    assert_eq!(stat_fields("12 a S 34"), None);
    let own = read(std::process::id()).expect("this process has a line of its own");
    assert!(own.parent > 0 && !own.command_line.is_empty());
}

#[test]
fn a_line_of_ps_tells_parent_terminal_and_words() {
    let row = ps_fields("34 ttys003 /usr/local/bin/claude --continue").unwrap();
    assert_eq!((row.parent, row.has_terminal), (34, true));
    assert_eq!(row.command_line, ["/usr/local/bin/claude", "--continue"]);
    assert!(!ps_fields("1 ?? /sbin/launchd").unwrap().has_terminal);
}
