//! A file of marks, as text. The names are the original tool's; `ttl` and `metadata` always stand there, as it
//! documents.
//!
//! Its own files differ from what it documents: no `ttl`, `triggered` beside or instead of `satisfied`, fractions of
//! seconds. They are read, and lose on the next change what has no meaning here.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};

use super::{BranchMarks, By, Mark, Metadata, Requirement};
use crate::settings::Scope;

/// What is written. Raised when a field is added, because an older writer would drop it.
const VERSION: &str = "1.0";

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

#[derive(Deserialize)]
struct ReadFile {
    #[serde(default)]
    version: Option<String>,
    branch: String,
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    created_at: Secs,
    #[serde(default)]
    updated_at: Secs,
    requirements: BTreeMap<String, ReadRequirement>,
}

#[derive(Deserialize)]
struct ReadRequirement {
    #[serde(default, deserialize_with = "scope")]
    scope: Scope,
    #[serde(default)]
    sessions: Option<BTreeMap<String, ReadMark>>,
    #[serde(flatten)]
    everyone: ReadMark,
}

#[derive(Deserialize)]
struct ReadMark {
    #[serde(default)]
    satisfied: bool,
    #[serde(default)]
    satisfied_at: Secs,
    #[serde(default)]
    satisfied_by: Option<By>,
    #[serde(default)]
    ttl: Secs,
    #[serde(default)]
    expires_at: Secs,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Serialize)]
struct WrittenFile<'a> {
    version: &'static str,
    branch: &'a str,
    project: &'a str,
    created_at: i64,
    updated_at: i64,
    requirements: BTreeMap<&'a str, WrittenRequirement<'a>>,
}

#[derive(Serialize)]
struct WrittenRequirement<'a> {
    scope: &'static str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    everyone: Option<WrittenMark<'a>>,
    sessions: BTreeMap<&'a str, WrittenMark<'a>>,
}

#[derive(Serialize)]
struct WrittenMark<'a> {
    satisfied: bool,
    satisfied_at: i64,
    satisfied_by: &'a By,
    ttl: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<i64>,
    metadata: &'a Metadata,
}

/// Whole seconds, whatever number stands there; `None` for `null`.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(from = "Option<Number>")]
struct Secs(Option<i64>);

impl From<Option<Number>> for Secs {
    /// Downwards, so that a mark never holds longer than was meant.
    fn from(number: Option<Number>) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a cast of a float ends at the bounds, which is what is wanted"
        )]
        let whole = |number: &Number| number.as_f64().map(|secs| secs.floor() as i64);
        Self(number.and_then(|number| number.as_i64().or_else(|| whole(&number))))
    }
}

/// Reads a file.
pub(super) fn parse(bytes: &[u8]) -> Parsed {
    match serde_json::from_slice::<ReadFile>(bytes) {
        Ok(file) if is_newer(file.version.as_deref().unwrap_or(VERSION)) => Parsed::Newer(Some(file.into())),
        Ok(file) => Parsed::Marks(file.into()),
        Err(_) if serde_json::from_slice(bytes).is_ok_and(|only: VersionOnly| is_newer(&only.version)) => {
            Parsed::Newer(None)
        }
        Err(_) => Parsed::Damaged,
    }
}

/// What is written for these marks.
///
/// # Errors
/// Never in practice: every part of it can be put into words.
pub(super) fn to_bytes(marks: &BranchMarks) -> serde_json::Result<Vec<u8>> {
    let requirements =
        marks.requirements.iter().map(|(name, requirement)| (name.as_str(), requirement.into()));
    serde_json::to_vec(&WrittenFile {
        version: VERSION,
        branch: &marks.branch,
        project: &marks.project,
        created_at: marks.created_at,
        updated_at: marks.updated_at,
        requirements: requirements.collect(),
    })
}

/// A version that is no version is not a newer one.
fn is_newer(version: &str) -> bool {
    let parsed = |text: &str| -> Option<(u64, u64)> {
        let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    parsed(version) > parsed(VERSION)
}

/// A scope this code does not know decides nothing: the configured one does.
fn scope<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Scope, D::Error> {
    let word = Value::deserialize(deserializer)?;
    let known = [Scope::Session, Scope::Branch, Scope::Permanent, Scope::SingleUse];
    Ok(known.into_iter().find(|scope| word.as_str() == Some(scope_word(*scope))).unwrap_or_default())
}

const fn scope_word(scope: Scope) -> &'static str {
    match scope {
        Scope::Session => "session",
        Scope::Branch => "branch",
        Scope::Permanent => "permanent",
        Scope::SingleUse => "single_use",
    }
}

impl From<ReadFile> for BranchMarks {
    fn from(file: ReadFile) -> Self {
        let mut marks = Self {
            branch: file.branch,
            project: file.project.unwrap_or_default(),
            created_at: file.created_at.0.unwrap_or_default(),
            updated_at: file.updated_at.0.unwrap_or_default(),
            requirements: file.requirements.into_iter().map(|(name, read)| (name, read.into())).collect(),
        };
        marks.drop_empty();
        marks
    }
}

impl From<ReadRequirement> for Requirement {
    fn from(read: ReadRequirement) -> Self {
        let sessions = read.sessions.unwrap_or_default().into_iter();
        let sessions = sessions.filter_map(|(id, mark)| Some((id, mark.satisfied()?)));
        Self { scope: read.scope, everyone: read.everyone.satisfied(), sessions: sessions.collect() }
    }
}

impl ReadMark {
    /// `None` for what was only triggered.
    fn satisfied(self) -> Option<Mark> {
        let satisfied_at = self.satisfied_at.0.unwrap_or_default();
        let after_ttl = self.ttl.0.map(|ttl| satisfied_at.saturating_add(ttl));
        self.satisfied.then(|| Mark {
            satisfied_at,
            satisfied_by: self.satisfied_by.unwrap_or_default(),
            expires_at: self.expires_at.0.or(after_ttl),
            metadata: self.metadata,
        })
    }
}

impl<'a> From<&'a Requirement> for WrittenRequirement<'a> {
    fn from(requirement: &'a Requirement) -> Self {
        let sessions = requirement.sessions.iter().map(|(id, mark)| (id.as_str(), mark.into()));
        Self {
            scope: scope_word(requirement.scope),
            everyone: requirement.everyone.as_ref().map(Into::into),
            sessions: sessions.collect(),
        }
    }
}

impl<'a> From<&'a Mark> for WrittenMark<'a> {
    fn from(mark: &'a Mark) -> Self {
        Self {
            satisfied: true,
            satisfied_at: mark.satisfied_at,
            satisfied_by: &mark.satisfied_by,
            ttl: mark.expires_at.map(|end| end.saturating_sub(mark.satisfied_at)),
            expires_at: mark.expires_at,
            metadata: &mark.metadata,
        }
    }
}
