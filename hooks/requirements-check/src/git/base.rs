//! Which branch the size of the current one is measured against.
//!
//! In this order: what the settings name; the branch's upstream; the remote's default branch (`origin/HEAD`); `main`,
//! `master`; `origin/main`, `origin/master`. Two things are particular:
//!
//! - An upstream of the same name (`origin/feature` of `feature`) is where the branch is pushed to, not where it came
//!   from: measuring against it would hide everything pushed. It counts only for the base branch itself.
//! - On the base branch itself (it is the base, or of the same name as the remote's default) what counts is what its
//!   upstream lacks; without one, only what is not committed: the base is `HEAD`.
//!
//! A remote that is a work tree on this machine has no default branch: its HEAD is what somebody works on.

use std::fmt;
use std::path::Path;

use git2::{Commit, ErrorCode, Oid, Repository};

use super::GitError;

/// The name shown where there is no base but the last commit.
const HEAD: &str = "HEAD";
const DEFAULTS: [&str; 2] = ["main", "master"];

/// The base, and the commit the work tree is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Base {
    /// As people write it: `main`, `origin/main`, or `HEAD`.
    pub(super) name: String,
    /// Its full name, where it is a reference.
    pub(super) reference: Option<String>,
    /// The merge base with HEAD; `None` before the first commit.
    pub(super) from: Option<Oid>,
}

/// Finds the base. An error only for a configured one that does not exist: measuring against another would mislead.
pub(super) fn choose(repo: &Repository, configured: Option<&str>) -> Result<Base, GitError> {
    let branch = Current::of(repo);
    let Some(head) = branch.commit.clone() else {
        return Ok(Base { name: HEAD.to_owned(), reference: None, from: None });
    };
    Ok(measured(repo, &head, sought(repo, configured, &branch)?))
}

/// Measured here, the branch would be smaller than it is: this clone lacks its base, or what leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Baseless {
    lacks: Lack,
    is_shallow: bool,
    has_origin: bool,
}

/// What a clone may lack.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lack {
    /// Any branch that could be the base.
    Branch,
    /// The one that is configured.
    Named(String),
    /// The commits back to where HEAD left it.
    Way(String),
}

/// What is missing, and the command that fetches it.
impl fmt::Display for Baseless {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.lacks {
            Lack::Branch => formatter.write_str("the branch to compare with is not in this clone")?,
            Lack::Named(name) => write!(formatter, "`{name}` is no branch, tag or commit of this clone")?,
            Lack::Way(name) => write!(formatter, "where this left {name} is not in this clone")?,
        }
        let depth = if self.is_shallow { " --unshallow" } else { "" };
        if self.has_origin {
            let branches = "'+refs/heads/*:refs/remotes/origin/*'";
            write!(
                formatter,
                "; fetch it: git fetch{depth} origin {branches} (in GitHub Actions: fetch-depth: 0)"
            )?;
        }
        Ok(())
    }
}

/// What keeps the branch from being measured as in a whole clone; `None` if nothing does.
pub(super) fn baseless(repo: &Repository, configured: Option<&str>) -> Result<Option<Baseless>, GitError> {
    let branch = Current::of(repo);
    let Some(head) = &branch.commit else { return Ok(None) };
    let is_shallow = repo.is_shallow();
    let lacks = match sought(repo, configured, &branch) {
        Err(GitError::NoBase(name)) => Lack::Named(name),
        Err(error) => return Err(error),
        // Without an upstream, the base itself has nothing to be measured against anywhere.
        Ok(None) if configured.is_some() || branch.is_default(remote_default(repo).as_ref()) => {
            return Ok(None);
        }
        Ok(None) => Lack::Branch,
        Ok(Some(base)) if is_shallow && repo.merge_base(base.commit, head.id()).is_err() => {
            Lack::Way(base.name)
        }
        Ok(Some(_)) => return Ok(None),
    };
    Ok(Some(Baseless { lacks, is_shallow, has_origin: repo.find_remote("origin").is_ok() }))
}

fn sought(
    repo: &Repository,
    configured: Option<&str>,
    branch: &Current<'_>,
) -> Result<Option<Point>, GitError> {
    match configured {
        Some(name) => configured_base(repo, name, branch),
        None => Ok(guessed_base(repo, branch)),
    }
}

/// A named point of history.
struct Point {
    name: String,
    reference: Option<String>,
    commit: Oid,
}

/// The branch that is checked out, if any, and its commit, if any.
struct Current<'repo> {
    reference: Option<String>,
    commit: Option<Commit<'repo>>,
}

impl<'repo> Current<'repo> {
    fn of(repo: &'repo Repository) -> Self {
        let head = repo.head().ok();
        let reference =
            head.as_ref().filter(|head| head.is_branch()).and_then(|head| Some(head.name().ok()?.to_owned()));
        Self { reference, commit: head.and_then(|head| head.peel_to_commit().ok()) }
    }

    fn name(&self) -> Option<&str> {
        self.reference.as_deref()?.strip_prefix("refs/heads/")
    }

    /// It is the branch that others are measured against.
    fn is_default(&self, default: Option<&Point>) -> bool {
        self.name().is_some_and(|name| match default {
            Some(default) => short(default.reference.as_deref()) == Some(name),
            None => DEFAULTS.contains(&name),
        })
    }

    fn upstream(&self, repo: &Repository) -> Option<Point> {
        let name = repo.branch_upstream_name(self.reference.as_deref()?).ok()?;
        point(repo, name.as_str().ok()?)
    }
}

fn configured_base(repo: &Repository, name: &str, branch: &Current<'_>) -> Result<Option<Point>, GitError> {
    let base = named(repo, name)?.ok_or_else(|| GitError::NoBase(name.to_owned()))?;
    let is_current = base.reference.is_some() && base.reference == branch.reference;
    Ok(if is_current { branch.upstream(repo) } else { Some(base) })
}

fn guessed_base(repo: &Repository, branch: &Current<'_>) -> Option<Point> {
    let upstream = branch.upstream(repo);
    let default = remote_default(repo);
    if branch.is_default(default.as_ref()) {
        let pushed_to = || branch.name().and_then(|name| point(repo, &format!("refs/remotes/origin/{name}")));
        return upstream.or_else(pushed_to);
    }
    let came_from = upstream.filter(|upstream| short(upstream.reference.as_deref()) != branch.name());
    came_from.or(default).or_else(|| first_default(repo, branch))
}

fn remote_default(repo: &Repository) -> Option<Point> {
    if is_work_tree(repo) {
        return None;
    }
    let head = repo.find_reference("refs/remotes/origin/HEAD").ok()?;
    point(repo, head.symbolic_target().ok()??)
}

/// `origin` is a folder on this machine in which somebody works.
fn is_work_tree(repo: &Repository) -> bool {
    let Ok(origin) = repo.find_remote("origin") else { return false };
    let folder = origin.url().map(|url| url.strip_prefix("file://").unwrap_or(url).to_owned());
    folder.is_ok_and(|folder| Path::new(&folder).is_absolute() && Path::new(&folder).join(".git").exists())
}

fn first_default(repo: &Repository, branch: &Current<'_>) -> Option<Point> {
    let candidates = ["refs/heads/", "refs/remotes/origin/"]
        .iter()
        .flat_map(|folder| DEFAULTS.iter().map(move |name| format!("{folder}{name}")));
    candidates.filter(|name| Some(name) != branch.reference.as_ref()).find_map(|name| point(repo, &name))
}

/// The branch of a reference without its folder and its remote.
fn short(reference: Option<&str>) -> Option<&str> {
    let reference = reference?;
    let of_remote = || reference.strip_prefix("refs/remotes/")?.split_once('/').map(|(_, branch)| branch);
    reference.strip_prefix("refs/heads/").or_else(of_remote)
}

fn point(repo: &Repository, reference: &str) -> Option<Point> {
    let commit = repo.find_reference(reference).ok()?.peel_to_commit().ok()?.id();
    let folders = ["refs/heads/", "refs/remotes/", "refs/tags/"];
    let name = folders.iter().find_map(|folder| reference.strip_prefix(folder)).unwrap_or(reference);
    Some(Point { name: name.to_owned(), reference: Some(reference.to_owned()), commit })
}

/// A branch, a remote's branch, a tag, a branch of `origin` that has no local one, or whatever else git takes for a commit.
fn named(repo: &Repository, name: &str) -> Result<Option<Point>, GitError> {
    let folders = ["refs/heads/", "refs/remotes/", "refs/tags/", "refs/remotes/origin/", ""];
    if let Some(found) = folders.iter().find_map(|folder| point(repo, &format!("{folder}{name}"))) {
        return Ok(Some(found));
    }
    match repo.revparse_single(name).and_then(|object| object.peel_to_commit()) {
        Ok(commit) => Ok(Some(Point { name: name.to_owned(), reference: None, commit: commit.id() })),
        Err(error) if matches!(error.code(), ErrorCode::Owner) => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// Histories without a common commit are measured from HEAD: the whole tree is nobody's branch size.
fn measured(repo: &Repository, head: &Commit<'_>, base: Option<Point>) -> Base {
    let shared = base.and_then(|base| Some((repo.merge_base(base.commit, head.id()).ok()?, base)));
    match shared {
        Some((from, base)) => Base { name: base.name, reference: base.reference, from: Some(from) },
        None => Base { name: HEAD.to_owned(), reference: None, from: Some(head.id()) },
    }
}

#[cfg(test)]
mod tests;
