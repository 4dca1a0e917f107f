//! Which files are source code, and which of them core code. Pure.

use crate::settings::Settings;

/// What a file is to the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Source code.
    Plain,
    /// Source code that wants a test.
    Core,
}

/// What the file at `path` (from the project's root, with `/`) is; `None`: it is not looked at.
pub(crate) fn kind(_path: &str, _settings: &Settings) -> Option<Kind> {
    None
}
