//! Mistakes in a configuration file: file, line, key and expectation. Never the value.

use std::fmt;

use crate::origin::LayerKind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub level: LayerKind,
    /// The file, as a person reads it.
    pub file: String,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// The key path, `stop-momentum.max_blocks`; empty for the whole file.
    pub key: String,
    pub fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The value is not what the key holds.
    Expected(String),
    /// No such key; the nearest known one, if one is near.
    UnknownKey(Option<String>),
    /// Only the global file may set it.
    GlobalOnly,
    /// The global file locks it.
    Locked,
    /// The key stands twice in its map.
    Repeated,
    /// The settings can be read and cannot work. The hook says why.
    Unworkable(String),
    /// The file is no YAML we read; why, without quoting it.
    Unreadable(&'static str),
    /// The project asks for a newer version.
    NeedsVersion {
        /// Required version.
        wanted: String,
        /// Version of this program.
        ours: &'static str,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(formatter, ":{line}")?;
        }
        formatter.write_str(": ")?;
        if !self.key.is_empty() {
            write!(formatter, "{}: ", self.key)?;
        }
        match &self.fault {
            Fault::Expected(what) => write!(formatter, "expected {what}; the level below counts"),
            Fault::UnknownKey(Some(near)) => write!(formatter, "no such key; did you mean {near}?"),
            Fault::UnknownKey(None) => formatter.write_str("no such key"),
            Fault::GlobalOnly => {
                formatter.write_str("counts only in your global requirements.yaml; ignored here")
            }
            Fault::Locked => formatter.write_str("is locked by your global requirements.yaml; ignored here"),
            Fault::Repeated => formatter.write_str("stands twice; the last one counts"),
            Fault::Unworkable(why) => formatter.write_str(why),
            Fault::Unreadable(why) => write!(formatter, "{why}; the file is skipped"),
            Fault::NeedsVersion { wanted, ours } => {
                write!(formatter, "the project asks for Barbless {wanted}, this is {ours}; update Barbless")
            }
        }
    }
}

/// Puts problems into the order in which they are met in the files: the lowest level first, from the top to the bottom of each.
pub fn sort_problems(problems: &mut [Problem]) {
    problems.sort_by_key(|problem| (problem.level, problem.line));
}

/// A problem with a whole file.
pub(crate) fn of_file(level: LayerKind, file: String, line: Option<usize>, fault: Fault) -> Problem {
    Problem { level, file, line, key: String::new(), fault }
}
