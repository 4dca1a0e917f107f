//! A file of satisfactions, as text.

use serde::{Deserialize, Serialize};

use super::BranchMarks;

/// What is written. Raised when a field is added, because an older writer would drop it.
const VERSION: u32 = 2;

/// What a file turned out to be.
#[derive(Debug, PartialEq)]
pub(super) enum Parsed {
    /// Marks.
    Marks(BranchMarks),
    /// Of a newer version: not ours to change. Its marks, if they are written as ours are.
    Newer(Option<BranchMarks>),
    /// Nothing that can be read.
    Damaged,
}

#[derive(Deserialize)]
struct VersionOnly {
    version: String,
}

#[derive(Serialize, Deserialize)]
struct Versioned<M> {
    version: String,
    #[serde(flatten)]
    marks: M,
}

/// Reads a file.
pub(super) fn parse(bytes: &[u8]) -> Parsed {
    match serde_json::from_slice::<Versioned<BranchMarks>>(bytes) {
        Ok(file) if is_newer(&file.version) => Parsed::Newer(Some(file.marks)),
        Ok(file) => Parsed::Marks(file.marks),
        Err(_) if serde_json::from_slice(bytes).is_ok_and(|only: VersionOnly| is_newer(&only.version)) => {
            Parsed::Newer(None)
        }
        Err(_) => Parsed::Damaged,
    }
}

/// A version that is no number is not a newer one.
fn is_newer(version: &str) -> bool {
    version.parse::<u32>().is_ok_and(|version| version > VERSION)
}

/// What is written for these marks.
///
/// # Errors
/// Never in practice: every part of it can be put into words.
pub(super) fn to_bytes(marks: &BranchMarks) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Versioned { version: VERSION.to_string(), marks })
}
