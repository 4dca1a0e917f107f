//! The signs of unfinished work for `only_when: unfinished`, in the transcript and in the last message. Pure.

use std::fmt;

use transcript::{Finished, Line, Progress, ToolUse, finished, tasks};

/// A command with one of these words proves something about the code.
const PROVING_WORDS: &str = "build check ci clippy compile e2e jest lint make mypy nextest pytest rspec spec test tests tox tsc verify vitest";

/// A last message with one of these announces more work.
const ANNOUNCEMENTS: &str = "next, i'll|next i'll|next, i will|i'll now|i will now|now i'll|now i will|let me now|i'll continue|i will continue|\
    i'll proceed|i will proceed|still to do|still need to|remaining steps|remaining work|todo:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sign {
    OpenTasks(usize),
    LastCommandFailed,
    /// No command that proves anything has passed since an edit.
    UnprovenEdits,
    AnnouncedWork,
}

impl fmt::Display for Sign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OpenTasks(1) => "1 task is open",
            Self::OpenTasks(count) => return write!(formatter, "{count} tasks are open"),
            Self::LastCommandFailed => "the last command failed",
            Self::UnprovenEdits => "files were edited and no build, check or test has passed since",
            Self::AnnouncedWork => "your last message announces more work",
        })
    }
}

pub(crate) fn signs(lines: &[Line], last_message: &str) -> Vec<Sign> {
    let turn_start = lines.iter().rposition(Line::is_prompt).map_or(0, |prompt| prompt + 1);
    let commands = Commands::of(&lines[turn_start..]);
    let open = tasks(lines).iter().filter(|task| task.progress != Progress::Completed).count();
    let lowered = last_message.to_lowercase().replace('’', "'");
    let announces = ANNOUNCEMENTS.split('|').any(|words| lowered.contains(words));
    let signs = [
        (open > 0, Sign::OpenTasks(open)),
        (commands.last_failed, Sign::LastCommandFailed),
        (commands.unproven_edits, Sign::UnprovenEdits),
        (announces, Sign::AnnouncedWork),
    ];
    signs.into_iter().filter(|(is_there, _)| *is_there).map(|(_, sign)| sign).collect()
}

/// The open ends of the turn's tool calls.
#[derive(Default)]
struct Commands {
    last_failed: bool,
    unproven_edits: bool,
}

impl Commands {
    fn of(lines: &[Line]) -> Self {
        let mut commands = Self::default();
        for Finished { call, is_error, .. } in finished(lines) {
            if let Some(call) = call {
                commands.ended(call, is_error);
            }
        }
        commands
    }

    fn ended(&mut self, call: &ToolUse, failed: bool) {
        match call.name.as_str() {
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" if !failed => self.unproven_edits = true,
            "Bash" | "PowerShell" => {
                self.last_failed = failed;
                if !failed && proves_something(&call.input) {
                    self.unproven_edits = false;
                }
            }
            _ => {}
        }
    }
}

fn proves_something(input: &str) -> bool {
    let input: serde_json::Value = serde_json::from_str(input).unwrap_or_default();
    let command = input["command"].as_str().unwrap_or_default().to_lowercase();
    let mut words = command.split(|char: char| !char.is_alphanumeric());
    words.any(|word| PROVING_WORDS.split(' ').any(|proving| proving == word))
}

#[cfg(test)]
mod tests;
