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

/// The base, and the commit the work tree is compared with.
pub(super) struct Base {
    /// As people write it: `main`, `origin/main`, or `HEAD` where there is no base but the last commit.
    pub(super) name: String,
    /// The merge base with HEAD; `None` before the first commit.
    pub(super) from: Option<Oid>,
}

/// Finds the base. A configured one that does not exist is an error: measuring against another would mislead. Histories
/// without a common commit are measured from HEAD.
pub(super) fn choose(repo: &Repository, configured: Option<&str>) -> Result<Base, GitError> {
    let head = repo.head().and_then(|head| head.peel_to_commit()).ok().map(|commit| commit.id());
    let found = if head.is_some() { sought(repo, configured)? } else { None };
    let base = found.and_then(|(name, commit)| {
        let from = repo.merge_base(commit, head?).ok()?;
        let shown = name.strip_prefix("refs/").and_then(|name| name.split_once('/'));
        Some(Base { name: shown.map_or(name.as_str(), |(_, shown)| shown).to_owned(), from: Some(from) })
    });
    Ok(base.unwrap_or_else(|| Base { name: "HEAD".to_owned(), from: head }))
}

fn sought(repo: &Repository, configured: Option<&str>) -> Result<Option<(String, Oid)>, GitError> {
    let head = repo.head().ok().filter(Reference::is_branch);
    let branch = head.and_then(|head| head.name().ok().map(ToOwned::to_owned));
    let name = branch.as_deref().and_then(short);
    let upstream = || point(repo, repo.branch_upstream_name(branch.as_deref()?).ok()?.as_str().ok()?);
    let of_origin = || point(repo, &format!("refs/remotes/origin/{}", name?));
    if let Some(configured) = configured {
        // A branch of `origin` may have no local one.
        let base = point(repo, configured).or_else(|| point(repo, &format!("origin/{configured}")));
        let unknown = || GitError(format!("`{configured}` is no branch, tag or commit of this repository"));
        let base = base.ok_or_else(unknown)?;
        let is_current = branch.as_ref() == Some(&base.0);
        return Ok(if is_current { upstream().or_else(of_origin) } else { Some(base) });
    }
    let default = point(repo, "refs/remotes/origin/HEAD");
    let is_on_default = match &default {
        Some((default, _)) => name.is_some() && name == short(default),
        None => matches!(name, Some("main" | "master")),
    };
    if is_on_default {
        return Ok(upstream().or_else(of_origin));
    }
    let came_from = upstream().filter(|(upstream, _)| short(upstream) != name);
    let usual = ["heads/main", "heads/master", "remotes/origin/main", "remotes/origin/master"];
    let usual = || usual.iter().find_map(|name| point(repo, &format!("refs/{name}")));
    Ok(came_from.or(default).or_else(usual))
}

/// The branch of a reference without its folder and its remote.
fn short(reference: &str) -> Option<&str> {
    let of_remote = || reference.strip_prefix("refs/remotes/")?.split_once('/').map(|(_, branch)| branch);
    reference.strip_prefix("refs/heads/").or_else(of_remote)
}

/// The full name of a reference, else the name as it is written, and the commit, as git resolves the name.
fn point(repo: &Repository, name: &str) -> Option<(String, Oid)> {
    let (object, reference) = repo.revparse_ext(name).ok()?;
    let full = reference.and_then(|reference| Some(reference.name().ok()?.to_owned()));
    Some((full.unwrap_or_else(|| name.to_owned()), object.peel_to_commit().ok()?.id()))
}

#[cfg(test)]
mod tests;
