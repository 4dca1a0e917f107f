//! The files when a command began, and now.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use shared::host::Timestamp;

use super::look::Look;
use crate::deadline::within;
use crate::evidence::{glob_set, paths_of};
use crate::git::{self, GitError, Taken, take, take_plain};
use crate::paths::real;
use crate::rule::Rule;
use crate::settings::Glob;
use crate::view::Freshness;

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
