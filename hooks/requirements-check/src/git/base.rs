//! The base: the branch that the size of the current one is measured against.
//!
//! The first of these that exists: the base of the settings, the branch's upstream, the remote's default branch
//! (`origin/HEAD`), `main`, `master`, `origin/main`, `origin/master`. Two things are particular:
//!
//! - An upstream of the same name (`origin/feature` of `feature`) is where the branch is pushed to, not where it came
//!   from: measuring against it would hide everything pushed. It counts only for the base branch itself.
//! - On the base branch itself (it is the base, or of the same name as the remote's default) what counts is what its
//!   upstream lacks; without one, only what is not committed: the base is `HEAD`.

use git2::{Oid, Reference, Repository};

use super::GitError;
use super::worktree::Worktree;

const DEFAULTS: [&str; 2] = ["main", "master"];

/// The base, and the commit the work tree is compared with.
pub(super) struct Base {
    /// As people write it: `main`, `origin/main`, or `HEAD` where there is no base but the last commit.
    pub(super) name: String,
    /// The merge base with HEAD; `None` before the first commit.
    pub(super) from: Option<Oid>,
}

/// A named point of history.
struct Point {
    name: String,
    /// The full name, if it is a reference.
    reference: Option<String>,
    commit: Oid,
}

/// The branch that is out, if any, its upstream, and the remote's default.
struct Known {
    branch: Option<String>,
    upstream: Option<Point>,
    default: Option<Point>,
}

/// Finds the base. A configured one that does not exist is an error: measuring against another would mislead. Histories
/// without a common commit are measured from HEAD.
pub(super) fn choose(repo: &Repository, configured: Option<&str>) -> Result<Base, GitError> {
    let head = head(repo);
    let no_base = |name| GitError::Other(format!("`{name}` is no branch, tag or commit of this repository"));
    let sought = if head.is_some() { sought(repo, configured).map_err(no_base)? } else { None };
    let shared =
        sought.zip(head).and_then(|(base, head)| Some((base.name, repo.merge_base(base.commit, head).ok()?)));
    Ok(match shared {
        Some((name, from)) => Base { name, from: Some(from) },
        None => Base { name: "HEAD".to_owned(), from: head },
    })
}

/// Why the branch would be smaller in this clone than it is, and the command that fetches what is missing; `None` if nothing
/// is.
pub(crate) fn baseless(worktree: &Worktree, configured: Option<&str>) -> Result<Option<String>, GitError> {
    let repo = worktree.open()?;
    let (Some(head), is_shallow) = (head(&repo), repo.is_shallow()) else { return Ok(None) };
    let lacks = match sought(&repo, configured) {
        Err(name) => format!("`{name}` is no branch, tag or commit of this clone"),
        // Without an upstream, the base itself has nothing to be measured against anywhere.
        Ok(None) if configured.is_some() || Known::of(&repo).is_on_default() => return Ok(None),
        Ok(None) => "the branch to compare with is not in this clone".to_owned(),
        Ok(Some(base)) if is_shallow && repo.merge_base(base.commit, head).is_err() => {
            format!("where this left {} is not in this clone", base.name)
        }
        Ok(Some(_)) => return Ok(None),
    };
    if repo.find_remote("origin").is_err() {
        return Ok(Some(lacks));
    }
    let depth = if is_shallow { " --unshallow" } else { "" };
    let fetch = format!("git fetch{depth} origin '+refs/heads/*:refs/remotes/origin/*'");
    Ok(Some(format!("{lacks}; fetch it: {fetch} (in GitHub Actions: fetch-depth: 0)")))
}

fn head(repo: &Repository) -> Option<Oid> {
    Some(repo.head().ok()?.peel_to_commit().ok()?.id())
}

/// The base; the error is the configured name that does not exist.
fn sought(repo: &Repository, configured: Option<&str>) -> Result<Option<Point>, String> {
    let known = Known::of(repo);
    let Some(name) = configured else { return Ok(known.guessed(repo)) };
    let base = named(repo, name).ok_or_else(|| name.to_owned())?;
    let is_current = base.reference.is_some() && base.reference == known.branch;
    Ok(if is_current { known.upstream } else { Some(base) })
}

impl Known {
    fn of(repo: &Repository) -> Self {
        let head = repo.head().ok().filter(Reference::is_branch);
        let branch = head.and_then(|head| head.name().ok().map(ToOwned::to_owned));
        let upstream = branch.as_deref().and_then(|branch| repo.branch_upstream_name(branch).ok());
        let upstream = upstream.and_then(|name| point(repo, name.as_str().ok()?));
        let default = repo.find_reference("refs/remotes/origin/HEAD").ok();
        let default = default.and_then(|head| point(repo, head.symbolic_target().ok()??));
        Self { branch, upstream, default }
    }

    /// The branch is the one that others are measured against.
    fn is_on_default(&self) -> bool {
        let name = short(self.branch.as_deref());
        match &self.default {
            Some(default) => name.is_some() && name == short(default.reference.as_deref()),
            None => name.is_some_and(|name| DEFAULTS.contains(&name)),
        }
    }

    fn guessed(self, repo: &Repository) -> Option<Point> {
        let name = short(self.branch.as_deref());
        if self.is_on_default() {
            return self.upstream.or_else(|| point(repo, &format!("refs/remotes/origin/{}", name?)));
        }
        let came_from = self.upstream.filter(|upstream| short(upstream.reference.as_deref()) != name);
        let usual = |folder| DEFAULTS.map(|name| format!("{folder}{name}"));
        let mut usual = ["refs/heads/", "refs/remotes/origin/"].into_iter().flat_map(usual);
        came_from.or(self.default).or_else(|| {
            usual.find_map(|name| point(repo, &name).filter(|_| self.branch.as_ref() != Some(&name)))
        })
    }
}

/// The branch of a reference without its folder and its remote.
fn short(reference: Option<&str>) -> Option<&str> {
    let reference = reference?;
    let of_remote = || reference.strip_prefix("refs/remotes/")?.split_once('/').map(|(_, branch)| branch);
    reference.strip_prefix("refs/heads/").or_else(of_remote)
}

fn point(repo: &Repository, reference: &str) -> Option<Point> {
    of_reference(&repo.find_reference(reference).ok()?)
}

fn of_reference(reference: &Reference<'_>) -> Option<Point> {
    let commit = reference.peel_to_commit().ok()?.id();
    let name = reference.shorthand().ok()?.to_owned();
    Some(Point { name, reference: Some(reference.name().ok()?.to_owned()), commit })
}

/// What git takes for a commit, else a branch of `origin` that has no local one.
fn named(repo: &Repository, name: &str) -> Option<Point> {
    let found = |name: &str| of_reference(&repo.resolve_reference_from_short_name(name).ok()?);
    found(name).or_else(|| found(&format!("origin/{name}"))).or_else(|| {
        let commit = repo.revparse_single(name).ok()?.peel_to_commit().ok()?.id();
        Some(Point { name: name.to_owned(), reference: None, commit })
    })
}

#[cfg(test)]
mod tests;
