//! The objects of evidence: the files of its command when that began and now, and a file that must be there.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use shared::config::{Refused, read_text};
use shared::host::Timestamp;

use super::look::Look;
use crate::deadline::within;
use crate::evidence::paths_of;
use crate::git::{self, GitError, Taken, take, take_plain};
use crate::paths::{files_below, real};
use crate::rule::Rule;
use crate::settings::{Age, File, Glob, glob_set};
use crate::view::Freshness;

/// Bytes of a file that is searched.
const MAX_BYTES: u64 = 1024 * 1024;

/// Times of files are coarser than ours.
const COARSE: Duration = Duration::from_millis(20);

/// The digest of the files as they are now, and the time: `9f86d081884c7d65@1795300000000000`.
pub(super) fn note(look: &Look<'_>, rule: &Rule<'_>, deadline: Option<Instant>) -> Option<String> {
    let now = look.context.host.now();
    taken(look, rule, deadline).ok().map(|taken| format!("{}@{}", taken.digest, now.micros()))
}

/// Whether the files are those the command passed on; `None` where none has passed.
pub(super) fn compare(look: &Look<'_>, rule: &Rule<'_>) -> Option<Freshness> {
    let found = look.world.find(rule, look.session.as_deref(), look.context.host.now())?;
    Some(match &found.metadata.fingerprint {
        Some(noted) => since(look, rule, noted),
        None => Freshness::Unknown("its files were not noted".to_owned()),
    })
}

/// The files are known to differ from those that were noted.
pub(super) fn has_changed(look: &Look<'_>, rule: &Rule<'_>, noted: &str) -> bool {
    matches!(since(look, rule, noted), Freshness::Different(_))
}

/// How the files differ from those that were noted. Those are named that were changed since and are not committed.
fn since(look: &Look<'_>, rule: &Rule<'_>, noted: &str) -> Freshness {
    let (digest, at) = noted.split_once('@').unwrap_or((noted, ""));
    let at = Timestamp::from_micros(at.parse().unwrap_or(i64::MAX)).minus(COARSE);
    match taken(look, rule, look.deadline_of_files()) {
        Ok(now) if now.digest == digest => Freshness::Same,
        Ok(now) => {
            let changed = now.changed.into_iter().filter(|(_, changed)| *changed >= at);
            Freshness::Different(changed.map(|(name, _)| name).collect())
        }
        Err(error) => Freshness::Unknown(error.to_string()),
    }
}

/// The rule's files whose staged version is not the one in the work tree, but for those that are `staged_now`, by the call itself.
pub(super) fn staged_otherwise(look: &Look<'_>, rule: &Rule<'_>, staged_now: &[PathBuf]) -> Vec<String> {
    let (worktree, globs) = (look.world.here.worktree.clone(), glob_set(paths_of(rule)));
    let work = move || git::staged_otherwise(&worktree?, globs.as_ref()).ok();
    let mut files = within(look.deadline_of_files(), work).flatten().unwrap_or_default();
    let root = real(look.world.top().unwrap_or(&look.world.cwd));
    files.retain(|file| !staged_now.iter().any(|path| root.join(file).starts_with(path)));
    files
}

/// The rule's files as they are now, looked at once per call: with git by content; without it, or where libgit2 rejects the
/// repository, by size and time.
fn taken(look: &Look<'_>, rule: &Rule<'_>, deadline: Option<Instant>) -> Result<Taken, GitError> {
    let key: Vec<String> = paths_of(rule).iter().map(Glob::as_str).map(ToOwned::to_owned).collect();
    let take = || {
        let (worktree, globs) = (look.world.here.worktree.clone(), glob_set(paths_of(rule)));
        let root = look.world.top().map(ToOwned::to_owned);
        let work = move || {
            let error = match worktree.map(|worktree| take(&worktree, globs.as_ref())) {
                Some(Err(error @ GitError::Other(_))) => error,
                Some(taken) => return taken,
                None => GitError::Other("there is no project folder".to_owned()),
            };
            take_plain(&root.ok_or(error)?, globs.as_ref())
        };
        within(deadline, work).unwrap_or_else(|| {
            let millis = look.begun.elapsed().as_millis().max(1);
            Err(GitError::Other(format!("they could not be compared in the {millis} ms there are")))
        })
    };
    look.taken.borrow_mut().entry(key).or_insert_with(take).clone()
}

/// Whether the requirement's file is as it must be, else what it lacks; none where it asks for none.
pub(super) fn find(look: &Look<'_>, rule: &Rule<'_>) -> Option<Result<(), String>> {
    let wanted = rule.set.evidence()?.file.clone()?;
    let late = format!("{} could not be looked for in time", wanted.glob.as_str());
    let (root, now) = (look.world.top()?.to_owned(), look.context.host.now());
    let lacks = within(look.deadline, move || lacking(&root, &wanted, now)).unwrap_or(Some(late));
    Some(lacks.map_or(Ok(()), Err))
}

/// The time a file must be newer than.
fn newer_than(root: &Path, than: Age, now: Timestamp) -> Option<Timestamp> {
    match than {
        Age::Ago(span) => Some(now.minus(span)),
        Age::Head => {
            let commit = git2::Repository::open(root).ok()?.head().ok()?.peel_to_commit().ok()?.time();
            Some(Timestamp::from_secs(commit.seconds()))
        }
    }
}

/// `None` if one of the files that the glob means lacks nothing, else the lack of the first one.
fn lacking(root: &Path, wanted: &File, now: Timestamp) -> Option<String> {
    let since = wanted.newer_than.and_then(|than| newer_than(root, than, now));
    let mut first = None;
    for file in meant(root, wanted) {
        let lacks = lacks(root, &file, wanted, since)?;
        first.get_or_insert(lacks);
    }
    Some(first.unwrap_or_else(|| format!("there is no file {}", wanted.glob.as_str())))
}

fn meant(root: &Path, wanted: &File) -> Vec<PathBuf> {
    let literal = root.join(wanted.glob.as_str());
    if literal.is_file() {
        return vec![literal];
    }
    let Some(glob) = wanted.glob.over_paths().map(|glob| glob.compile_matcher()) else { return Vec::new() };
    let (files, _) = files_below(root, |_| false);
    files.into_iter().filter(|file| glob.is_match(file)).map(|file| root.join(file)).collect()
}

fn lacks(root: &Path, file: &Path, wanted: &File, since: Option<Timestamp>) -> Option<String> {
    let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let text = match read_text(file, Some(root), MAX_BYTES) {
        Ok(text) => text,
        Err(Refused::NotThere) => return Some(format!("there is no file {shown}")),
        Err(Refused::Because(why)) => return Some(format!("{shown}: {why}")),
    };
    let changed = fs::metadata(file).and_then(|metadata| metadata.modified());
    let changed = Timestamp::from(changed.unwrap_or(SystemTime::UNIX_EPOCH));
    if since.is_some_and(|since| changed <= since) {
        return Some(format!("{shown} is not newer than asked"));
    }
    let missing = wanted.contains.iter().find(|pattern| !pattern.is_in(&text))?;
    Some(format!("{shown} has no match of /{}/", missing.text))
}

#[cfg(test)]
mod tests;
