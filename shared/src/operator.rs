//! The caller of a command, and which verbs belong to the user alone (disable, off, pause, waive, uninstall ...).
//!
//! A guard rail against a well-meaning agent, not a wall against a hostile process of the same user. It must never take
//! the environment's word for "this is the user": variables can be unset, ancestors and a terminal cannot be wished away.

mod ancestors;

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

/// A process, as far as it tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Process {
    /// The short name the system keeps.
    name: String,
    /// Command line, program first; empty if it cannot be read.
    command_line: Vec<String>,
}

pub fn standing(host: &Host) -> Standing {
    let (ancestors, has_terminal) = ancestors::look();
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

#[cfg(test)]
mod tests;
