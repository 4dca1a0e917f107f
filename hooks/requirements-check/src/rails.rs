//! Calls that would go around the user, while a requirement is locked or the user's alone to satisfy. A call is denied
//! when it edits one of our configuration or state files, when its input names one, or when a shell line that does not
//! plainly read names one of them or one of our variables. A guard rail against a well-meaning agent, not a wall against a
//! hostile one: a script, a name put together of parts, and git commands that name no file (`git stash -a`) are not seen.

mod kept;
mod line;

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::call::Call;
use crate::settings::{SatisfiedBy, Settings};
use kept::{Kept, kept};

/// Tools that name a file and only read it.
const READERS: [&str; 6] = ["Read", "Glob", "Grep", "LS", "LSP", "NotebookRead"];

/// A longer text is no path, in bytes.
const MAX_PATH: usize = 4096;

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
pub(crate) fn locks(path: &str, rule: &str) -> bool {
    path.is_empty()
        || path == "requirements"
        || path.strip_prefix(rule).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What the call would do around the user, if it would. `rule` and `why` are what [`in_force`] found.
pub(crate) fn breach(
    call: &Call,
    input: &str,
    guarded: &Guarded<'_>,
    rule: &str,
    why: Why,
) -> Option<Breach> {
    what(call, input, guarded).map(|what| Breach { rule: rule.to_owned(), why, what })
}

/// There is something in the call to look at.
pub(crate) fn may_breach(call: &Call) -> bool {
    let name = call.tool.rsplit("__").next().unwrap_or_default();
    !READERS.contains(&call.tool.as_str()) && !name.starts_with("read") && !name.starts_with("list")
}

fn what(call: &Call, input: &str, guarded: &Guarded<'_>) -> Option<What> {
    if let Some(line) = &call.line {
        return line::breach(line, call.tool == "PowerShell", guarded);
    }
    let changed = |file: PathBuf| {
        let file = guarded.cwd.join(file);
        kept(&file, guarded).map(|kept| What::Change(kept, crate::place::flat(&file)))
    };
    match &call.file {
        Some(file) => changed(file.clone()),
        None => paths(&serde_json::from_str(input).unwrap_or_default()).into_iter().find_map(changed),
    }
}

/// The texts of an input that may be paths.
fn paths(input: &Value) -> Vec<PathBuf> {
    match input {
        Value::String(text) if text.len() <= MAX_PATH && text.contains(['/', '\\']) => {
            vec![PathBuf::from(text.strip_prefix("file://").unwrap_or(text))]
        }
        Value::Array(all) => all.iter().flat_map(paths).collect(),
        Value::Object(all) => all.values().flat_map(paths).collect(),
        _ => Vec::new(),
    }
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
        }
    }
}

#[cfg(test)]
mod tests;
