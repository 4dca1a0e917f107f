//! The owner of the satisfactions in a file, and the file's name: a slug of the branch, and a hash of its name.

use std::borrow::Cow;

use shared::digest;
use shared::state::MAX_NAME;

/// The labels of all but branches have a space, which no branch can have.
const ALL_BRANCHES: &str = "all branches";
const NO_GIT: &str = "no git";
const DETACHED: &str = "detached at ";

/// The owner of satisfactions.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// A branch by its short name (`feature/auth`), also one without a commit yet.
    Branch(String),
    /// A detached HEAD by its commit.
    Detached(String),
    /// A project without git.
    #[default]
    NoGit,
    /// All branches of the repository.
    Permanent,
}

impl Key {
    /// The value of `branch` in the file.
    pub(crate) fn label(&self) -> Cow<'_, str> {
        match self {
            Self::Branch(name) => Cow::Borrowed(name),
            Self::Detached(commit) => Cow::Owned(format!("{DETACHED}{commit}")),
            Self::NoGit => Cow::Borrowed(NO_GIT),
            Self::Permanent => Cow::Borrowed(ALL_BRANCHES),
        }
    }

    pub(crate) fn of_label(label: &str) -> Self {
        match (label, label.strip_prefix(DETACHED)) {
            (ALL_BRANCHES, _) => Self::Permanent,
            (NO_GIT, _) => Self::NoGit,
            (_, Some(commit)) => Self::Detached(commit.to_owned()),
            (branch, None) => Self::Branch(branch.to_owned()),
        }
    }

    /// As much of the name as leaves room for a hash and for endings that writers add.
    pub(super) fn file_name(&self) -> String {
        let name = match self {
            Self::Branch(name) => name.clone(),
            Self::Detached(commit) => format!("detached-{commit}"),
            Self::NoGit => "no-git".to_owned(),
            Self::Permanent => "permanent".to_owned(),
        };
        let slug = |char: char| match char {
            '/' | '\\' => '-',
            '-' | '_' => char,
            other if other.is_alphanumeric() => other,
            // A dot is never left: behind it stands the hash.
            _ => '_',
        };
        let mut slug: String = name.chars().map(slug).collect();
        while slug.len() > MAX_NAME / 2 {
            slug.pop();
        }
        format!("{slug}.{}.json", digest::hex(self.label().as_bytes(), 8))
    }
}

#[cfg(test)]
mod tests;
