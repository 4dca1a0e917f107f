//! Layers, the provenance of a value, and mistakes in a file: file, line, key and expectation, never the value.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerKind {
    /// Compiled in.
    Defaults,
    /// `~/.claude/requirements.yaml`: the user's own, for every project.
    Global,
    /// `<root>/.claude/requirements.yaml`: the team's, in git.
    Project,
    /// `<root>/.claude/requirements.local.yaml`: the user's own, for this project.
    Local,
    /// A typed switch: no file, and the highest of all.
    Switch,
}

impl LayerKind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Defaults => "default",
            Self::Global => "global",
            Self::Project => "project",
            Self::Local => "local",
            Self::Switch => "switch",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub layer: LayerKind,
    pub file: String,
    /// The line, counted from 1; none of the defaults and of a switch.
    pub line: Option<usize>,
}

impl Origin {
    /// `.claude/requirements.yaml:4 (project)`; the place of the defaults and of a switch is its layer.
    pub fn with_layer(&self) -> String {
        match self.layer {
            LayerKind::Defaults | LayerKind::Switch => self.to_string(),
            layer => format!("{self} ({})", layer.word()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}", self.file),
            None => formatter.write_str(&self.file),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub at: Origin,
    /// The key path, `stop-momentum.max_blocks`; empty for the whole file.
    pub key: String,
    pub fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Expected(String),
    /// No such key; the nearest known one, if one is near.
    UnknownKey(Option<String>),
    GlobalOnly,
    Locked,
    Repeated,
    /// The settings can be read and cannot work; the hook's reason.
    Unworkable(String),
    /// The file is no YAML we read; the reason, without quoting it.
    Unreadable(String),
    NeedsVersion {
        wanted: String,
        ours: &'static str,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.at)?;
        if !self.key.is_empty() {
            write!(formatter, "{}: ", self.key)?;
        }
        self.fault.fmt(formatter)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expected(what) => write!(formatter, "expected {what}; the level below counts"),
            Self::UnknownKey(Some(near)) => write!(formatter, "no such key; did you mean {near}?"),
            Self::UnknownKey(None) => formatter.write_str("no such key"),
            Self::GlobalOnly => {
                formatter.write_str("counts only in your global requirements.yaml; ignored here")
            }
            Self::Locked => formatter.write_str("is locked by your global requirements.yaml; ignored here"),
            Self::Repeated => formatter.write_str("stands twice; the last one counts"),
            Self::Unworkable(why) => formatter.write_str(why),
            Self::Unreadable(why) => write!(formatter, "{why}; the file is skipped"),
            Self::NeedsVersion { wanted, ours } => {
                write!(formatter, "the project asks for Barbless {wanted}, this is {ours}; update Barbless")
            }
        }
    }
}

pub fn sort_problems(problems: &mut [Problem]) {
    problems.sort_by_key(|problem| (problem.at.layer, problem.at.line));
}

/// Maximum number of reported problems per file: whoever made the mistakes knows after these.
const MAX_PER_FILE: usize = 20;

/// Adds a problem. False: its file has reached the bound.
pub(crate) fn add(problems: &mut Vec<Problem>, problem: Problem) -> bool {
    let has_room = problems.iter().filter(|known| known.at.file == problem.at.file).count() < MAX_PER_FILE;
    problems.extend(has_room.then_some(problem));
    has_room
}
