//! Reading what stands above this process: `/proc` on Linux, `ps` on other Unix systems, nothing elsewhere.
//! It reports; it does not judge. What cannot be read ends the list.

use super::Process;

/// Deeper is a loop, or nothing a person started.
const MAX_DEPTH: usize = 64;

/// One line of the system's process table.
struct Row {
    parent: u32,
    has_terminal: bool,
    process: Process,
}

/// The ancestors, nearest first, and whether this process has a controlling terminal.
pub(super) fn look() -> (Vec<Process>, bool) {
    let Some(own) = read(std::process::id()) else { return (Vec::new(), false) };
    let mut ancestors = Vec::new();
    let mut next = own.parent;
    while next > 1 && ancestors.len() < MAX_DEPTH {
        let Some(row) = read(next) else { break };
        ancestors.push(row.process);
        next = row.parent;
    }
    (ancestors, own.has_terminal)
}

#[cfg(target_os = "linux")]
fn read(pid: u32) -> Option<Row> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let (name, parent, terminal) = stat_fields(&String::from_utf8_lossy(&stat))?;
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
    let command_line = line.filter(|word| !word.is_empty()).collect();
    Some(Row { parent, has_terminal: terminal != 0, process: Process { name, command_line } })
}

/// Name, parent and terminal of `pid (name) state ppid pgrp session tty ...`; the name may hold spaces and brackets.
#[cfg(target_os = "linux")]
fn stat_fields(stat: &str) -> Option<(String, u32, i64)> {
    let (open, close) = (stat.find('(')?, stat.rfind(')')?);
    let name = stat.get(open + 1..close)?.to_owned();
    let mut fields = stat.get(close + 1..)?.split_ascii_whitespace().skip(1);
    let parent = fields.next()?.parse().ok()?;
    let terminal = fields.nth(2)?.parse().ok()?;
    Some((name, parent, terminal))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn read(pid: u32) -> Option<Row> {
    let mut ps = std::process::Command::new("/bin/ps");
    ps.args(["-o", "ppid=,tty=,command=", "-p", &pid.to_string()]);
    let output = ps.stdin(std::process::Stdio::null()).output().ok()?;
    ps_fields(String::from_utf8_lossy(&output.stdout).trim())
}

/// Parent, terminal and command line of one line of `ps`, which separates words by spaces and quotes nothing.
#[cfg(any(test, all(unix, not(target_os = "linux"))))]
fn ps_fields(line: &str) -> Option<Row> {
    let mut words = line.split_ascii_whitespace();
    let parent = words.next()?.parse().ok()?;
    let has_terminal = !words.next()?.starts_with('?');
    let command_line: Vec<String> = words.map(str::to_owned).collect();
    let name = command_line.first().cloned().unwrap_or_default();
    Some(Row { parent, has_terminal, process: Process { name, command_line } })
}

/// Nothing to climb; a console counts as a terminal.
#[cfg(not(unix))]
fn read(_pid: u32) -> Option<Row> {
    use std::io::IsTerminal;
    let has_terminal = std::io::stdin().is_terminal();
    Some(Row { parent: 0, has_terminal, process: Process::default() })
}

#[cfg(test)]
mod tests {
    use super::ps_fields;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_name_with_spaces_and_brackets_does_not_shift_the_fields() {
        use super::{read, stat_fields};
        assert_eq!(stat_fields("12 (a) b (c) S 34 12 12 34816 -1"), Some(("a) b (c".to_owned(), 34, 34816)));
        assert_eq!(stat_fields("12 a S 34"), None);
        let own = read(std::process::id()).expect("this process has a line of its own");
        assert!(own.parent > 0 && !own.process.command_line.is_empty());
    }

    #[test]
    fn a_line_of_ps_tells_parent_terminal_and_words() {
        let row = ps_fields("34 ttys003 /usr/local/bin/claude --continue").unwrap();
        assert_eq!((row.parent, row.has_terminal), (34, true));
        assert_eq!(row.process.command_line, ["/usr/local/bin/claude", "--continue"]);
        assert!(!ps_fields("1 ?? /sbin/launchd").unwrap().has_terminal);
    }
}
