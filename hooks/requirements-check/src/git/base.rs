//! Which branch the size of the current one is measured against.
//!
//! In this order: what the settings name; the branch's upstream; the remote's default branch (`origin/HEAD`); `main`,
//! `master`; `origin/main`, `origin/master`. Two things are particular:
//!
//! - An upstream of the same name (`origin/feature` of `feature`) is where the branch is pushed to, not where it came
//!   from: measuring against it would hide everything pushed. It counts only for the base branch itself.
//! - On the base branch itself (it is the base, or of the same name as the remote's default) what counts is what its
//!   upstream lacks; without one, only what is not committed: the base is `HEAD`.

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
    let reference = match configured {
        Some(name) => configured_base(repo, name, &branch)?,
        None => guessed_base(repo, &branch),
    };
    Ok(measured(repo, &head, reference))
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
    let on_base = branch.name().is_some_and(|name| match &default {
        Some(default) => short(default.reference.as_deref()) == Some(name),
        None => DEFAULTS.contains(&name),
    });
    if on_base {
        let pushed_to = || branch.name().and_then(|name| point(repo, &format!("refs/remotes/origin/{name}")));
        return upstream.or_else(pushed_to);
    }
    let came_from = upstream.filter(|upstream| short(upstream.reference.as_deref()) != branch.name());
    came_from.or(default).or_else(|| first_default(repo, branch))
}

fn remote_default(repo: &Repository) -> Option<Point> {
    let head = repo.find_reference("refs/remotes/origin/HEAD").ok()?;
    point(repo, head.symbolic_target().ok()??)
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
