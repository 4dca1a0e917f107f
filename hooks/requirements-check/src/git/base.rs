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

/// The base, and the commit the work tree is compared with.
pub(super) struct Base {
    /// As people write it: `main`, `origin/main`, or `HEAD` where there is no base but the last commit.
    pub(super) name: String,
    /// The merge base with HEAD; `None` before the first commit.
    pub(super) from: Option<Oid>,
}

/// A commit by the full name of its reference, else by the name in the settings.
struct Point {
    name: String,
    commit: Oid,
}

/// The branch that is out, its upstream, and the remote's default.
struct Known {
    branch: Option<String>,
    upstream: Option<Point>,
    default: Option<Point>,
}

/// Finds the base. A configured one that does not exist is an error: measuring against another would mislead. Histories
/// without a common commit are measured from HEAD.
pub(super) fn choose(repo: &Repository, configured: Option<&str>) -> Result<Base, GitError> {
    let head = head(repo);
    let no_base = |name| GitError(format!("`{name}` is no branch, tag or commit of this repository"));
    let sought = if head.is_some() { sought(repo, configured).map_err(no_base)? } else { None };
    let base = sought.zip(head).and_then(|(base, head)| {
        let from = repo.merge_base(base.commit, head).ok()?;
        Some(Base { name: base.shown().to_owned(), from: Some(from) })
    });
    Ok(base.unwrap_or_else(|| Base { name: "HEAD".to_owned(), from: head }))
}

/// Why the branch would be smaller in this clone than it is, and the command that fetches what is missing; `None` if nothing
/// is.
pub(crate) fn baseless(worktree: &Worktree, configured: Option<&str>) -> Result<Option<String>, GitError> {
    let repo = worktree.open()?;
    let (Some(head), is_shallow) = (head(&repo), repo.is_shallow()) else { return Ok(None) };
    let lacks = match sought(&repo, configured) {
        Err(name) => format!("`{name}` is no branch, tag or commit of this clone"),
        Ok(Some(base)) if is_shallow && repo.merge_base(base.commit, head).is_err() => {
            format!("where this left {} is not in this clone", base.shown())
        }
        // Without an upstream, the base itself has nothing to be measured against anywhere.
        Ok(None) if configured.is_none() && !Known::of(&repo).is_on_default() => {
            "the branch to compare with is not in this clone".to_owned()
        }
        Ok(_) => return Ok(None),
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
    let is_current = known.branch.as_ref() == Some(&base.name);
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
        let name = self.branch.as_deref().and_then(short);
        match &self.default {
            Some(default) => name.is_some() && name == short(&default.name),
            None => matches!(name, Some("main" | "master")),
        }
    }

    fn guessed(self, repo: &Repository) -> Option<Point> {
        let name = self.branch.as_deref().and_then(short);
        if self.is_on_default() {
            return self.upstream.or_else(|| point(repo, &format!("refs/remotes/origin/{}", name?)));
        }
        let came_from = self.upstream.filter(|upstream| short(&upstream.name) != name);
        let usual = ["heads/main", "heads/master", "remotes/origin/main", "remotes/origin/master"];
        let usual = || usual.iter().find_map(|name| point(repo, &format!("refs/{name}")));
        came_from.or(self.default).or_else(usual)
    }
}

impl Point {
    fn shown(&self) -> &str {
        let folders = ["refs/heads/", "refs/remotes/", "refs/tags/"];
        folders.iter().find_map(|folder| self.name.strip_prefix(folder)).unwrap_or(&self.name)
    }
}

/// The branch of a reference without its folder and its remote.
fn short(reference: &str) -> Option<&str> {
    let of_remote = || reference.strip_prefix("refs/remotes/")?.split_once('/').map(|(_, branch)| branch);
    reference.strip_prefix("refs/heads/").or_else(of_remote)
}

fn point(repo: &Repository, reference: &str) -> Option<Point> {
    let commit = repo.find_reference(reference).ok()?.peel_to_commit().ok()?.id();
    Some(Point { name: reference.to_owned(), commit })
}

/// What git takes for a commit, else a branch of `origin` that has no local one.
fn named(repo: &Repository, name: &str) -> Option<Point> {
    let found = |name: &str| point(repo, repo.resolve_reference_from_short_name(name).ok()?.name().ok()?);
    found(name).or_else(|| found(&format!("origin/{name}"))).or_else(|| {
        let commit = repo.revparse_single(name).ok()?.peel_to_commit().ok()?.id();
        Some(Point { name: name.to_owned(), commit })
    })
}

#[cfg(test)]
mod tests;
