//! What a tool call would do to a file, and the diff of it. Pure: the file as it stands is handed in.

use shared::protocol::ToolCall;

/// What a tool call is about to do to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The file, as the call names it.
    pub(crate) file: String,
    /// What becomes of it.
    pub(crate) kind: Kind,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is written anew, whether or not there was one.
    Whole(String),
    /// Pieces of it are replaced, one after the other.
    Pieces(Vec<Piece>),
}

/// A piece that is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) all: bool,
}

/// A file before and after; where the old text is not in the file, the pieces alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Versions {
    /// `None`: there was no file.
    pub(crate) before: Option<String>,
    /// As it would be.
    pub(crate) after: String,
    /// The texts are pieces of the file, not the whole of it: it could not be read, or the old text is not in it.
    pub(crate) is_fragment: bool,
}

/// Reads the input of Write, Edit, MultiEdit, NotebookEdit; `None`: another tool, or an input that cannot be read.
pub(crate) fn read(_call: &ToolCall) -> Option<Change> {
    None
}

/// The file before and after, `there` being its text now.
pub(crate) fn versions(_change: &Change, _there: Option<&str>) -> Versions {
    Versions::default()
}

/// A unified diff with 15 lines around each change, under a head that says whether the file is new, changed or a fragment.
pub(crate) fn diff(_path: &str, _versions: &Versions) -> String {
    String::new()
}

/// In a few words, what it does: "3 lines added to login()", for a draft of a declaration.
pub(crate) fn in_words(_path: &str, _versions: &Versions) -> String {
    String::new()
}
