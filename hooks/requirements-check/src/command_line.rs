//! Understands the line of a Bash or `PowerShell` call: its simple commands, where each runs, what it writes, and
//! whether its exit status is the line's. Text in, data out; every line has an answer, if only that it cannot be read.
//!
//! The grammar is bash's, read by hand in one pass: a line comes from outside and decides whether a gate closes, so
//! nothing may panic on it, loop on it or read it differently than a shell. What is no line to bash, `PowerShell`'s own
//! syntax for one, is searched as raw text. Not seen: aliases, scripts, make targets, what a variable stands for, and
//! scripts fed to a shell through a here-document or a pipe.

mod grammar;
mod pattern;
mod prefix;
mod reader;
mod reading;
mod shell;
mod word;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use secrets::masked;

use crate::view::quoted;

pub use pattern::Pattern;
pub(crate) use pattern::names_repository;

/// Longer lines are not read.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// How deep constructs may stand in each other; a script in a script takes three levels, so eight of these.
const MAX_DEPTH: usize = 24;

/// A line, as far as it is understood.
#[derive(Debug)]
pub struct Line {
    /// Its simple commands in the order they are written, those inside others too; `None`: it cannot be read.
    pub commands: Option<Vec<Simple>>,
    /// As it was given.
    pub(crate) text: String,
    /// The commands of the masked line, where something in it is masked; none where they do not pair with `commands`.
    masked: Option<Vec<Simple>>,
}

/// Reads `line` as a shell would.
pub fn parse(line: &str) -> Line {
    let commands = commands_of(line);
    let masked = match masked(line) {
        Cow::Borrowed(same) if same == line => None,
        masked => Some(commands_of(&masked).unwrap_or_default()),
    };
    let pairs =
        |masked: &Vec<Simple>| commands.as_ref().is_some_and(|commands| commands.len() == masked.len());
    let masked = masked.map(|masked| if pairs(&masked) { masked } else { Vec::new() });
    Line { commands, text: line.to_owned(), masked }
}

fn commands_of(line: &str) -> Option<Vec<Simple>> {
    let readable = line.len() <= MAX_LINE_BYTES && !line.contains('\0');
    readable.then(|| reader::commands(line, MAX_DEPTH).ok()).flatten()
}

/// One program with its arguments.
#[derive(Clone, Debug, Default)]
pub struct Simple {
    /// The program and its arguments with quotes removed; an expansion stands as it is written. Empty where there are
    /// only assignments, or redirections of a whole construct.
    pub words: Vec<String>,
    /// What stands before the program, quotes removed: assignments, and programs that run another one (`env`, `sudo`,
    /// `timeout` ...) with their options.
    pub(crate) prefix: Vec<String>,
    /// The files its redirections write to, quotes removed.
    pub(crate) writes: Vec<String>,
    /// The files its redirections read from.
    pub(crate) reads: Vec<String>,
    /// The command as written, prefix included, redirections left out.
    pub(crate) text: String,
    /// Why the line may succeed though this command failed; `None`: its exit status decides the line's.
    pub(crate) hidden: Option<Hidden>,
    /// Where it runs, as seen from the directory of the call.
    pub(crate) directory: Directory,
    /// Its arguments that may be options only the shell knows, as written: `$ARGS`.
    pub(crate) unknown_options: Vec<String>,
    /// It is a shell or `eval`, and all it runs are commands of the line, too.
    runs_script: bool,
    /// Where in `text` the program begins, in bytes.
    begins_at: usize,
    /// The parts of `text` in quotes, in bytes.
    quoted: Vec<Range<usize>>,
}

/// Where a command runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Directory {
    /// Where the call does.
    #[default]
    Start,
    /// In this one, absolute or seen from where the call does.
    Changed(PathBuf),
    /// It depends on something that is not in the line.
    Unknown,
}

/// Why the exit status of a command does not decide the line's; displayed as words for a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// It stands before a `|` without `pipefail`.
    Pipe,
    /// Its chain contains `||`.
    Or,
    /// Another command follows after `;` or a line end.
    FollowedBy,
    /// `!` turns it round.
    Negated,
    /// `&` does not wait for it.
    Background,
    /// It stands in `if`, a loop, `case` or a function.
    Compound,
    /// It stands in `$(..)`, backquotes or `<(..)`.
    Substitution,
    /// `exit`, `return`, `exec` or `trap` stands before it.
    AfterExit,
    /// The script it stands in is put together from variables.
    Expansion,
    /// A program before it may not run it, or not here.
    Wrapper,
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pipe => "a pipe passes on the exit status of its last command only",
            Self::Or => "`||` hides a failure",
            Self::FollowedBy => "the command after it decides the exit status",
            Self::Negated => "`!` turns the exit status round",
            Self::Background => "`&` does not wait for the exit status",
            Self::Compound => "inside `if`, a loop or a function it may run never or often",
            Self::Substitution => "the exit status of a substitution is not passed on",
            Self::AfterExit => {
                "`exit`, `exec` or `trap` before it may keep it from running, or change the exit status"
            }
            Self::Expansion => "the script it stands in depends on variables",
            Self::Wrapper => "the program before it may not have run it",
        })
    }
}

/// Whether a text names what it says, with nothing for the shell to put in its place.
fn is_plain(text: &str) -> bool {
    !text.starts_with('~') && !text.contains(['$', '`', '*', '?', '[', '{', '\0'])
}

/// Stands for a command of which nothing may be shown.
const MASK: &str = "[masked]";

impl Simple {
    fn masked() -> Self {
        Self { text: MASK.to_owned(), ..Self::default() }
    }

    /// Nothing of it may be shown.
    pub(crate) fn is_masked(&self) -> bool {
        self.words.is_empty() && self.text == MASK
    }
}

impl Line {
    /// Spells folders out that begin with `~`; without a home folder they are unknown.
    pub(crate) fn resolve_home(&mut self, home: Option<&Path>) {
        for command in [&mut self.commands, &mut self.masked].into_iter().flatten().flatten() {
            if let Directory::Changed(folder) = &command.directory
                && let Ok(rest) = folder.strip_prefix("~")
            {
                command.directory =
                    home.map_or(Directory::Unknown, |home| Directory::Changed(home.join(rest)));
            }
        }
    }

    /// A command as it may be kept and shown. It is read from the masked line: a secret may span several commands, and a part
    /// of a secret looks like none.
    pub(crate) fn shown(&self, index: usize) -> Simple {
        let commands = self.masked.as_ref().or(self.commands.as_ref());
        commands.and_then(|commands| commands.get(index)).cloned().unwrap_or_else(Simple::masked)
    }

    /// Whether a command of the line matches. Where it cannot be read: whether the pattern's words are in it in their
    /// order, as whole words, or the expression anywhere.
    pub(crate) fn may_contain(&self, pattern: &Pattern) -> bool {
        match &self.commands {
            Some(_) => !pattern.matches(self).is_empty(),
            None => pattern.is_in_text(&self.text),
        }
    }

    /// The line to type so that `simple` counts: into its directory, and then the command alone.
    pub(crate) fn line_to_type(simple: &Simple) -> String {
        match &simple.directory {
            Directory::Changed(directory) => {
                format!("cd {} && {}", typed(directory), simple.text)
            }
            Directory::Start | Directory::Unknown => simple.text.clone(),
        }
    }
}

/// A folder as one types it; one that begins with a dash is no option.
fn typed(folder: &Path) -> String {
    let folder = folder.to_string_lossy();
    quoted(&if folder.starts_with('-') { format!("./{folder}") } else { folder.into_owned() })
}

#[cfg(test)]
mod tests;
