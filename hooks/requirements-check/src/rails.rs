//! Calls that would go around the user: that change the files by which a locked requirement, or one that only the user
//! may satisfy, is kept, or that pretend to be the user. A guard rail against a well-meaning agent, not a wall against a
//! hostile one: what a script does inside, or what a link by another name leads to, is not seen, nor what a
//! here-document feeds to an interpreter.
//!
//! A function of the call, the folders and the settings. `kept::Disk` is all it sees of the file system, and it asks that
//! only about paths whose names make them suspect.

mod arrival;
mod command;
mod disguise;
mod kept;
mod line;
mod repeat;
mod script;
mod sweep;
mod touch;
mod word;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::call::Call;
use crate::settings::{SatisfiedBy, Settings};
use kept::{Disk, How, Keep, Kept, Machine};
use word::Place;

/// Tools that name a file and only read it.
const READERS: [&str; 6] = ["Read", "Glob", "Grep", "LS", "LSP", "NotebookRead"];

/// A call that would go around the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Breach {
    /// The key path of the requirement that is locked or the user's alone.
    pub(crate) rule: String,
    why: Why,
    what: What,
}

/// Why a requirement is the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// The global file locks it.
    Locked,
    /// Only the user may satisfy it.
    UsersAlone,
}

/// What the call would do.
#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    /// Change, replace or remove something, or the folder it lies in.
    Change(Kept, PathBuf),
    /// Run code in which this name stands.
    Name(String),
    /// Run a line that is no line to us, in which such a name stands.
    Unreadable,
    /// Change a variable by which our commands know where they run.
    Variable(String),
    /// Run one of the user's commands through this program, out of Claude's sight.
    Detach(String),
    /// Run this hook as the client does, with an event that somebody made up.
    Pretend(String),
    /// Give another session a prompt that is one of the user's commands.
    Prompt,
}

/// Where what the rails protect lies, as absolute paths.
#[derive(Debug, Clone)]
pub(crate) struct Guarded<'a> {
    /// The user's configuration folder, usually `~/.claude`.
    pub(crate) config_dir: Option<&'a Path>,
    /// The project's top folder.
    pub(crate) root: Option<&'a Path>,
    /// Folders of state.
    pub(crate) state_dirs: Vec<&'a Path>,
    /// The git folder that all work trees share; marks lie in `requirements` there.
    pub(crate) common_dir: Option<&'a Path>,
    /// What `~` stands for.
    pub(crate) home: Option<&'a Path>,
    /// Where the call is made.
    pub(crate) cwd: &'a Path,
}

/// The first requirement, by name, for whose sake the rails are up: locked by the global file, or the user's alone to
/// satisfy. `locked` are key paths as [`shared::config::Section`] has them.
pub(crate) fn in_force(settings: &Settings, locked: &[String]) -> Option<(String, Why)> {
    let enabled = settings.requirements.iter().filter(|(_, set)| set.enabled);
    enabled.into_iter().find_map(|(name, set)| {
        let rule = format!("requirements.{name}");
        let why = if locked.iter().any(|path| locks(path, &rule)) {
            Why::Locked
        } else if set.satisfied_by == SatisfiedBy::User {
            Why::UsersAlone
        } else {
            return None;
        };
        Some((rule, why))
    })
}

/// `path` is the rule, all rules, everything, or a key of the rule.
fn locks(path: &str, rule: &str) -> bool {
    path.is_empty()
        || path == "requirements"
        || path.strip_prefix(rule).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What the call would do around the user, if it would. `rule` and `why` are what [`in_force`] found.
pub(crate) fn breach(call: &Call, guarded: &Guarded<'_>, rule: &str, why: Why) -> Option<Breach> {
    breach_on(&Machine, call, guarded).map(|what| Breach { rule: rule.to_owned(), why, what })
}

/// There is something in the call to look at: most calls only read.
pub(crate) fn may_breach(call: &Call) -> bool {
    file_to_change(call).is_some() || call.line.is_some()
}

fn file_to_change(call: &Call) -> Option<&PathBuf> {
    call.file.as_ref().filter(|_| !READERS.contains(&call.tool.as_str()))
}

fn breach_on(disk: &dyn Disk, call: &Call, guarded: &Guarded<'_>) -> Option<What> {
    let keep = Keep::new(guarded, disk);
    file_to_change(call)
        .and_then(|file| keep.within(&Place::At(guarded.cwd.join(file)), How::Itself))
        .or_else(|| call.line.as_ref().and_then(|line| line::breach(line, call.tool == "PowerShell", &keep)))
}

impl Breach {
    /// What is to be done instead.
    pub(crate) const INSTEAD: &'static str =
        "ask the user to do it in a terminal of their own, outside Claude Code";

    /// The refusal, for Claude.
    pub(crate) fn words(&self) -> String {
        let (rule, what) = (&self.rule, &self.what);
        let why = match self.why {
            Why::Locked => "is locked by the user's global requirements.yaml",
            Why::UsersAlone => "is for the user alone to satisfy",
        };
        format!(
            "requirements-check: this call would {what}. That is for the user to decide while {rule} is in force, which {why}. \
             Leave it as it is; if it has to be done, {}.",
            Self::INSTEAD
        )
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Change(kept, path) => write!(f, "change {} ({kept})", path.display()),
            Self::Name(name) => write!(f, "run code that names {name} and may change it"),
            Self::Unreadable => f.write_str(
                "run a line that cannot be read and names files of requirements, settings or state",
            ),
            Self::Variable(name) => {
                write!(f, "change {name}, by which Barbless's commands know where they run")
            }
            Self::Detach(program) => write!(f, "run one of the user's own commands through {program}"),
            Self::Pretend(hook) => {
                write!(f, "run the hook {hook} as Claude Code does, without a command for it to carry out")
            }
            Self::Prompt => {
                f.write_str("submit one of the user's own commands as a prompt of another session")
            }
        }
    }
}

#[cfg(test)]
mod tests;
