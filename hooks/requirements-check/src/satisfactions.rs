//! The repository's record of what was satisfied: one file per branch in `<git common dir>/requirements`, and one for all
//! branches. A satisfaction, evidence, an approval and a waiver are one kind of record, see [`By`].
//!
//! [`Satisfactions`] is one such file as plain data: no clock, no disk. [`Folder`] reads and changes the files on disk. Reading takes
//! no lock, because a file is only ever replaced as a whole. A change is made to the file as it is inside the lock, names whose
//! satisfactions it is about, and is durable when it returns. A file without satisfactions is removed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::{Deserialize, Serialize};
use shared::digest;
use shared::host::Timestamp;
use shared::state::{
    KEEP_DAYS, LOCK_DEADLINE, LockError, MAX_NAME, ensure_folder, ensure_private, file_key, read_regular,
    remove_durable, with_lock, write_durable,
};

use crate::settings::Scope;

/// The labels of all but branches have a space, which no branch can have.
const ALL_BRANCHES: &str = "all branches";
const NO_GIT: &str = "no git";
const DETACHED: &str = "detached at ";

/// The satisfactions of one branch, or of all branches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Satisfactions {
    version: String,
    /// The owner, see [`Key::label`].
    branch: String,
    /// In seconds since the epoch.
    pub updated_at: i64,
    /// By name; each has a satisfaction at least.
    pub requirements: BTreeMap<String, Requirement>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Requirement {
    /// The satisfaction that counts for every session.
    pub everyone: Option<Satisfaction>,
    /// Satisfactions of single sessions, by full id.
    pub sessions: BTreeMap<String, Satisfaction>,
}

impl Satisfactions {
    pub(crate) fn none_of(key: &Key) -> Self {
        Self { branch: key.label(), ..Self::default() }
    }

    /// The satisfaction of `name`: the session's own or everyone's; under the scopes `branch` and `permanent` only everyone's.
    /// For `permanent` those of [`Key::Permanent`] are the ones to ask.
    pub fn find(&self, name: &str, scope: Scope, session: &str, now: Timestamp) -> Option<&Satisfaction> {
        let requirement = self.requirements.get(name)?;
        let own = requirement.sessions.get(session).filter(|_| scope.is_own());
        let holds = |found: &&Satisfaction| found.expires_at.is_none_or(|end| now.secs() < end);
        own.into_iter().chain(&requirement.everyone).find(holds)
    }

    /// Records `name` as satisfied for one session, by its full id, or for everyone, in place of the earlier satisfaction.
    pub fn set(&mut self, name: &str, session: Option<&str>, satisfaction: Satisfaction) {
        let requirement = self.requirements.entry(name.to_owned()).or_default();
        match session {
            Some(id) => drop(requirement.sessions.insert(id.to_owned(), satisfaction)),
            None => requirement.everyone = Some(satisfaction),
        }
    }

    /// Removes the session's satisfaction of `name`, or of everything, or everyone's; and nobody else's.
    pub fn clear(&mut self, name: Option<&str>, session: Option<&str>) {
        self.requirements.retain(|known, requirement| {
            match session {
                _ if name.is_some_and(|name| name != known) => {}
                Some(id) => drop(requirement.sessions.remove(id)),
                None => requirement.everyone = None,
            }
            *requirement != Requirement::default()
        });
    }

    /// Drops the satisfactions of sessions that are older than `keep_secs`: nobody clears up behind a session that ended.
    fn forget_sessions(&mut self, keep_secs: u64, now: Timestamp) {
        self.requirements.retain(|_, requirement| {
            requirement.sessions.retain(|_, satisfaction| satisfaction.age_secs(now) <= keep_secs);
            *requirement != Requirement::default()
        });
    }

    pub fn sessions(&self) -> BTreeSet<&str> {
        self.requirements.values().flat_map(|of| of.sessions.keys().map(String::as_str)).collect()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Satisfaction {
    /// In seconds since the epoch.
    pub satisfied_at: i64,
    pub satisfied_by: By,
    /// From when on it does not count any more, in seconds since the epoch; `None`: it stays.
    pub expires_at: Option<i64>,
    pub metadata: Metadata,
}

/// By whom or what something was satisfied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Claude, through `req satisfy` in its shell.
    #[default]
    Agent,
    /// The user, on a command line or in a prompt.
    User,
    Skill,
    Evidence,
    /// The user, for a while (`req approve`).
    Approval,
    /// The user, for a while and with a reason (`req waive`).
    Waiver,
}

impl fmt::Display for By {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The time to the microsecond: two satisfactions of one second are two satisfactions.
    at_us: Option<i64>,
    /// `CLAUDE_CODE_ENTRYPOINT` of the session.
    pub entrypoint: Option<String>,
    pub note: Option<String>,
    pub command: Option<String>,
    /// Digest of the files when the command started, and the time.
    pub fingerprint: Option<String>,
    /// The setting that asked for the command: the file may ask for something else by tomorrow.
    pub asked: Option<String>,
}

impl Satisfaction {
    /// Made now, to stay.
    pub fn new(satisfied_by: By, now: Timestamp) -> Self {
        let metadata = Metadata { at_us: Some(now.micros()), ..Metadata::default() };
        Self { satisfied_at: now.secs(), satisfied_by, metadata, ..Self::default() }
    }

    pub fn for_secs(self, secs: u64) -> Self {
        Self { expires_at: Some(self.satisfied_at.saturating_add_unsigned(secs)), ..self }
    }

    /// Tells this satisfaction from others of the same requirement.
    pub(crate) fn identity(&self) -> i64 {
        self.metadata.at_us.unwrap_or_else(|| self.satisfied_at.saturating_mul(1_000_000))
    }

    fn age_secs(&self, now: Timestamp) -> u64 {
        now.since(Timestamp::from_secs(self.satisfied_at)).as_secs()
    }

    /// It counts for a requirement whose satisfactions hold for `ttl_secs`; `None`: as long as they say themselves.
    pub(crate) fn is_fresh(&self, ttl_secs: Option<u64>, now: Timestamp) -> bool {
        ttl_secs.is_none_or(|ttl| self.age_secs(now) < ttl)
    }
}

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
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Branch(name) => name.clone(),
            Self::Detached(commit) => format!("{DETACHED}{commit}"),
            Self::NoGit => NO_GIT.to_owned(),
            Self::Permanent => ALL_BRANCHES.to_owned(),
        }
    }

    fn of_label(label: &str) -> Self {
        match (label, label.strip_prefix(DETACHED)) {
            (ALL_BRANCHES, _) => Self::Permanent,
            (NO_GIT, _) => Self::NoGit,
            (_, Some(commit)) => Self::Detached(commit.to_owned()),
            (branch, None) => Self::Branch(branch.to_owned()),
        }
    }

    /// As much of the name as leaves room for a hash and for endings that writers add.
    fn file_name(&self) -> String {
        let label = self.label();
        let name = label.replace(ALL_BRANCHES, "permanent").replace(DETACHED, "detached-");
        let slug = |char: char| match char {
            '/' | '\\' | ' ' => '-',
            char if char == '-' || char.is_alphanumeric() => char,
            // A dot is never left: behind it stands the hash.
            _ => '_',
        };
        let mut slug: String = name.chars().map(slug).collect();
        while slug.len() > MAX_NAME / 2 {
            slug.pop();
        }
        format!("{slug}.{}.json", digest::hex(label, 8))
    }
}

/// The last version reads no higher one. A program drops what it does not know.
const VERSION: &str = "3";
/// A larger file is damaged; ten thousand satisfactions fit.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The folder with the satisfactions of one repository, or of one project without git.
#[derive(Debug, Clone)]
pub struct Folder {
    dir: PathBuf,
    /// It lies in a repository, which must be there; the parents of one in the state folder may be made.
    is_of_repository: bool,
}

/// Why satisfactions are not read, or not changed: then they are as they were.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The content is none of ours, or what is there is no file: a link above all.
    #[error("{0} is damaged; what it held counts as not satisfied")]
    Damaged(PathBuf),
    #[error("{0} cannot be {1}; check its permissions")]
    File(PathBuf, &'static str),
}

impl Folder {
    /// That of a repository: `<git common dir>/requirements`.
    pub(crate) fn of_repository(common_dir: &Path) -> Self {
        Self { dir: common_dir.join("requirements"), is_of_repository: true }
    }

    /// That of a project without git, in the state folder.
    pub(crate) fn of_project(state_dir: &Path, root: &Path) -> Self {
        let dir = state_dir.join("requirements").join(file_key(&root.to_string_lossy()));
        Self { dir, is_of_repository: false }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The satisfactions as they are now, and a notice for the user where the file could not be read. A damaged one is set aside.
    pub(crate) fn read(&self, key: &Key) -> (Satisfactions, Option<String>) {
        let (found, failure) = self.load(key);
        (found, failure.map(|failure| format!("requirements-check: {failure}")))
    }

    fn load(&self, key: &Key) -> (Satisfactions, Option<Failure>) {
        use ErrorKind::{FileTooLarge, InvalidData, InvalidInput, NotFound, UnexpectedEof};
        let file = self.dir.join(key.file_name());
        let failure = match parse(&file).map_err(|error| error.kind()) {
            Ok(found) => return (found, None),
            Err(NotFound) => None,
            // No regular file (a link above all), or none of ours.
            Err(InvalidInput | FileTooLarge | InvalidData | UnexpectedEof) => {
                let aside = file.with_extension("json.corrupt");
                let moved = fs::rename(&file, &aside);
                Some(moved.map_or(Failure::File(file, "moved"), |()| Failure::Damaged(aside)))
            }
            Err(_) => Some(Failure::File(file, "read")),
        };
        (Satisfactions::none_of(key), failure)
    }

    /// Changes the satisfactions, and forgets those of sessions a month old. Where nothing changes, nothing is written.
    pub fn change(
        &self,
        key: &Key,
        now: Timestamp,
        change: impl FnOnce(&mut Satisfactions),
    ) -> Result<(), Failure> {
        let made = if self.is_of_repository { ensure_folder(&self.dir) } else { ensure_private(&self.dir) };
        made.map_err(|_| Failure::File(self.dir.clone(), "written"))?;
        let file = self.dir.join(key.file_name());
        with_lock(&file, LOCK_DEADLINE, || {
            let before = match self.load(key) {
                (before, None | Some(Failure::Damaged(_))) => before,
                (_, Some(failure)) => return Err(failure),
            };
            let mut after = before.clone();
            after.forget_sessions(KEEP_DAYS * 24 * 60 * 60, now);
            change(&mut after);
            if after == before {
                return Ok(());
            }
            (after.version, after.updated_at) = (VERSION.to_owned(), now.secs());
            let write = || match after.requirements.len() {
                0 => remove_durable(&file),
                _ => write_durable(&file, &serde_json::to_vec(&after)?),
            };
            write().map_err(|_| Failure::File(file.clone(), "written"))
        })?
    }

    /// The satisfactions by their keys, without files that are not ours or not where they belong.
    pub fn list(&self) -> BTreeMap<Key, Satisfactions> {
        let files = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let own = files.filter_map(|file| {
            let found = parse(&file.path()).ok()?;
            let key = Key::of_label(&found.branch);
            (file.file_name() == *key.file_name()).then_some((key, found))
        });
        own.collect()
    }
}

fn parse(file: &Path) -> io::Result<Satisfactions> {
    Ok(serde_json::from_slice(&read_regular(file, MAX_BYTES)?)?)
}

#[cfg(test)]
mod tests;
