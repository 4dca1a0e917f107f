//! Whose marks a file holds, and what it is called.
//!
//! The original tool's names are kept (`feature/auth` is `feature-auth.json`), though several branches can have one
//! name there: the branch in the file is compared, and whoever finds it taken goes to a second name that is theirs alone.

use std::borrow::Cow;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use shared::state::MAX_NAME;

/// The labels of all but branches have a space, which no branch can have.
const ALL_BRANCHES: &str = "all branches";
const NO_GIT: &str = "no git";
const DETACHED: &str = "detached at ";

/// The one plain name that no branch gets.
const PERMANENT: &str = "permanent";

/// Whose marks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    /// Those of a branch, by its short name.
    Branch(String),
    /// Those of a detached HEAD, by its commit.
    Detached(String),
    /// Those of a project without git.
    NoGit,
    /// Those that hold on all branches.
    Permanent,
}

/// The two names a file can have; the same one where the first is not to be had.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Names {
    /// The original tool's. Others may have it. The lock of both files has this name.
    pub(super) plain: String,
    /// With a hash of the label.
    pub(super) own: String,
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

    pub(super) fn names(&self) -> Names {
        let plain = self.plain_name();
        let own = format!("{}.{}.json", head_of(&plain), hash_of(&self.label()));
        let is_reserved = matches!(self, Self::Branch(_)) && plain.eq_ignore_ascii_case(PERMANENT);
        let is_to_be_had = !is_reserved && !plain.is_empty() && plain.len() <= MAX_NAME;
        Names { plain: if is_to_be_had { format!("{plain}.json") } else { own.clone() }, own }
    }

    fn plain_name(&self) -> String {
        match self {
            Self::Branch(name) => name.chars().map(in_file_name).collect(),
            Self::Detached(commit) => format!("detached-{commit}").chars().map(in_file_name).collect(),
            Self::NoGit => "no-git".to_owned(),
            Self::Permanent => PERMANENT.to_owned(),
        }
    }
}

/// The original tool's rule. A dot is never left, so that the second name is nobody's first.
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
