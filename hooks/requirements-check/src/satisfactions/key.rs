//! Whose satisfactions a file holds, and what it is called: the branch as a file can have it, and a hash of its name.

use std::borrow::Cow;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use shared::state::MAX_NAME;

/// The labels of all but branches have a space, which no branch can have.
const ALL_BRANCHES: &str = "all branches";
const NO_GIT: &str = "no git";
const DETACHED: &str = "detached at ";

/// Whose satisfactions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// Those of a branch, by its short name.
    Branch(String),
    /// Those of a detached HEAD, by its commit.
    Detached(String),
    /// Those of a project without git.
    NoGit,
    /// Those that hold on all branches.
    Permanent,
}

impl Key {
    /// What stands in the file as `branch`.
    #[must_use]
    pub(crate) fn label(&self) -> Cow<'_, str> {
        match self {
            Self::Branch(name) => Cow::Borrowed(name),
            Self::Detached(commit) => Cow::Owned(format!("{DETACHED}{commit}")),
            Self::NoGit => Cow::Borrowed(NO_GIT),
            Self::Permanent => Cow::Borrowed(ALL_BRANCHES),
        }
    }

    /// Whose label this is.
    #[must_use]
    pub(crate) fn of_label(label: &str) -> Self {
        match label {
            ALL_BRANCHES => Self::Permanent,
            NO_GIT => Self::NoGit,
            other => match other.strip_prefix(DETACHED) {
                Some(commit) => Self::Detached(commit.to_owned()),
                None => Self::Branch(other.to_owned()),
            },
        }
    }

    /// What the file is called.
    pub(super) fn file_name(&self) -> String {
        let name = match self {
            Self::Branch(name) => name.clone(),
            Self::Detached(commit) => format!("detached-{commit}"),
            Self::NoGit => "no-git".to_owned(),
            Self::Permanent => "permanent".to_owned(),
        };
        let slug: String = name.chars().map(in_file_name).collect();
        format!("{}.{}.json", head_of(&slug), hash_of(&self.label()))
    }
}

/// A dot is never left: behind it stands the hash.
fn in_file_name(char: char) -> char {
    match char {
        '/' | '\\' => '-',
        '-' | '_' => char,
        other if other.is_alphanumeric() => other,
        _ => '_',
    }
}

/// As much of a name as leaves room for a hash and what is put after it.
fn head_of(name: &str) -> &str {
    let end = name
        .char_indices()
        .map(|(start, char)| start + char.len_utf8())
        .take_while(|end| *end <= MAX_NAME / 2);
    &name[..end.last().unwrap_or_default()]
}

fn hash_of(label: &str) -> String {
    let digest = Sha256::digest(label.as_bytes());
    digest.iter().take(8).fold(String::new(), |mut hash, byte| {
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

#[cfg(test)]
mod tests;
