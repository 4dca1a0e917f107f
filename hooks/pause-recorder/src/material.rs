//! What a snapshot is made from beside the record: the repository, the session's task list and its edits. Only looked for
//! when a record ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::host::Host;

use crate::git::{self, GitContext};
use crate::snapshot::Todos;

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Material {
    /// The repository.
    pub git: GitContext,
    /// The session's task list, as far as its transcript tells.
    pub todos: Todos,
    /// Files that were written or edited in the session, as its transcript names them, in the order of their first change.
    pub files: Vec<PathBuf>,
}

/// Looks for all of it. `None`: the repository did not answer within `patience`.
#[must_use]
pub fn gather(host: &Host, root: &Path, transcript: Option<&Path>, patience: Duration) -> Option<Material> {
    git::look(host, root, patience).map(|git| with(git, transcript))
}

/// With what the repository has said.
#[must_use]
pub fn with(git: GitContext, transcript: Option<&Path>) -> Material {
    let (todos, files) = transcript.map(of_transcript).unwrap_or_default();
    Material { git, todos, files }
}

fn of_transcript(_transcript: &Path) -> (Todos, Vec<PathBuf>) {
    (Todos::default(), Vec::new())
}
