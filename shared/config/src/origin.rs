//! A layer, and where a value comes from.

use std::fmt;

/// The layers from the lowest to the highest; a later one wins.
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
    /// The word for people.
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
    /// The file, as a person reads it.
    pub file: String,
    /// The line, counted from 1; none of the defaults and of a switch.
    pub line: Option<usize>,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.layer, self.line) {
            (LayerKind::Defaults | LayerKind::Switch, _) | (_, None) => formatter.write_str(&self.file),
            (_, Some(line)) => write!(formatter, "{}:{line}", self.file),
        }
    }
}
