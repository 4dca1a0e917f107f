//! The caller of a command, and which verbs belong to the user alone (disable, off, pause, waive, uninstall ...).
//!
//! A guard rail against a well-meaning agent, not a wall against a hostile process of the same user. It must never take
//! the environment's word for "this is the user": variables can be unset, ancestors and a terminal cannot be wished away.

use crate::host::Host;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// A person at a terminal of their own.
    Operator,
    /// A command of Claude's shell, or of something Claude started.
    InsideClaude,
    /// Nobody at a terminal: a script, a service, a detached process.
    NoTerminal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Shell(Standing),
    Typed,
    /// A prompt of a script, a schedule, or a notice.
    Untyped,
}

impl Caller {
    /// The caller is the user, as far as a program can see. Nobody else may loosen anything.
    pub fn is_operator(self) -> bool {
        matches!(self, Self::Typed | Self::Shell(Standing::Operator))
    }

    /// Text of a denial; `line` is the command for the user. Inside Claude's shell the user sits at the prompt, which is nearer
    /// than another terminal: `as_prompt` says that a prompt can hold the line too.
    pub fn refusal(self, line: &str, as_prompt: bool) -> String {
        self.refusal_because("this is for the user to decide", line, as_prompt)
    }

    /// The same for this reason.
    pub fn refusal_because(self, why: &str, line: &str, as_prompt: bool) -> String {
        let refusal = format!("{why}; in a terminal of your own, outside Claude Code, type: {line}");
        match self {
            Self::Untyped => {
                format!("nobody typed this prompt, or Claude has scheduled the same; {refusal}")
            }
            Self::Shell(Standing::NoTerminal) => format!("this command has no terminal; {refusal}"),
            Self::Shell(Standing::InsideClaude) if as_prompt => {
                format!("{refusal}; or, as a prompt of this session, type: {line}")
            }
            Self::Typed | Self::Shell(_) => refusal,
        }
    }
}

/// A process, as far as the system's table tells.
#[derive(Default)]
struct Process {
    /// The short name the system keeps.
    name: String,
    parent: u32,
    has_terminal: bool,
    /// Command line, program first; empty if it cannot be read.
    command_line: Vec<String>,
}

pub fn standing(host: &Host) -> Standing {
    let (ancestors, has_terminal) = ancestors();
    judge(&ancestors, has_terminal, host.environment.inside_claude)
}

/// Position of a caller by the processes above it and its terminal; `CLAUDECODE` can only make the answer stricter.
fn judge(ancestors: &[Process], has_terminal: bool, claudecode: bool) -> Standing {
    if claudecode || ancestors.iter().any(Process::is_claude) {
        Standing::InsideClaude
    } else if has_terminal {
        Standing::Operator
    } else {
        Standing::NoTerminal
    }
}

/// Text of a denial; `line` is the command for the user.
pub fn refusal(line: &str) -> String {
    Caller::Shell(Standing::Operator).refusal(line, false)
}

impl Process {
    /// It is Claude Code: the native program, whatever link it was started by, or its script under a JavaScript runtime.
    fn is_claude(&self) -> bool {
        let runs = |argument: Option<&String>| argument.is_some_and(|path| is_client_program(path));
        let script = || {
            let mut arguments = self.command_line.iter().skip(1);
            arguments.find(|argument| !argument.starts_with('-'))
        };
        file_name(&self.name) == "claude"
            || runs(self.command_line.first())
            || (self.command_line.first().is_some_and(|path| is_javascript(path)) && runs(script()))
    }
}

/// `claude`, `.../claude/versions/2.1.329`, `.../@anthropic-ai/claude-code/cli.js`.
fn is_client_program(path: &str) -> bool {
    let path = path.replace('\\', "/");
    file_name(&path) == "claude"
        || path.contains("/claude/versions/")
        || path.contains("@anthropic-ai/claude-code")
}

fn is_javascript(path: &str) -> bool {
    matches!(file_name(path), "node" | "bun" | "deno")
}

/// The last part of a path, without what Windows appends to programs.
fn file_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Deeper is a loop, or nothing a person started.
const MAX_DEPTH: usize = 64;

/// The ancestors, nearest first, and whether this process has a controlling terminal.
fn ancestors() -> (Vec<Process>, bool) {
    let Some(own) = read(std::process::id()) else { return (Vec::new(), false) };
    let mut ancestors = Vec::new();
    let mut next = own.parent;
    while next > 1 && ancestors.len() < MAX_DEPTH {
        let Some(process) = read(next) else { break };
        next = process.parent;
        ancestors.push(process);
    }
    (ancestors, own.has_terminal)
}

#[cfg(target_os = "linux")]
fn read(pid: u32) -> Option<Process> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let (name, parent, terminal) = stat_fields(&String::from_utf8_lossy(&stat))?;
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
    let command_line = line.filter(|word| !word.is_empty()).collect();
    Some(Process { name, parent, has_terminal: terminal != 0, command_line })
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
fn read(pid: u32) -> Option<Process> {
    let mut ps = std::process::Command::new("/bin/ps");
    ps.args(["-o", "ppid=,tty=,command=", "-p", &pid.to_string()]);
    let output = ps.stdin(std::process::Stdio::null()).output().ok()?;
    ps_fields(String::from_utf8_lossy(&output.stdout).trim())
}

/// Parent, terminal and command line of one line of `ps`, which separates words by spaces and quotes nothing.
#[cfg(any(test, all(unix, not(target_os = "linux"))))]
fn ps_fields(line: &str) -> Option<Process> {
    let mut words = line.split_ascii_whitespace();
    let parent = words.next()?.parse().ok()?;
    let has_terminal = !words.next()?.starts_with('?');
    let command_line: Vec<String> = words.map(str::to_owned).collect();
    let name = command_line.first().cloned().unwrap_or_default();
    Some(Process { name, parent, has_terminal, command_line })
}

/// No parents to walk; a console counts as a terminal.
#[cfg(not(unix))]
fn read(_pid: u32) -> Option<Process> {
    use std::io::IsTerminal;
    Some(Process { has_terminal: std::io::stdin().is_terminal(), ..Process::default() })
}

#[cfg(test)]
mod tests;
