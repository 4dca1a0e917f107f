//! Fingerprints of the files when a command began: kept by digest, compared in full.

use std::time::Instant;

use globset::GlobSet;
use serde::{Deserialize, Serialize};
use shared::digest;
use shared::hook::Remembered;

use super::look::Look;
use crate::deadline::within;
use crate::evidence::{glob_set, paths_of};
use crate::git::{Fingerprint, GitError, Taken, differing, take, take_plain};
use crate::rule::Rule;
use crate::settings::{Glob, Scope};
use crate::view::Freshness;

/// A fingerprint under its digest.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept(Option<Fingerprint>);

impl Remembered for Kept {
    fn file_name(digest: &str) -> Option<String> {
        Some(format!("{digest}-files.json"))
    }
}

/// Takes the files as they are now and keeps them; their digest.
pub(super) fn keep(look: &Look<'_, '_>, rule: &Rule<'_>, deadline: Option<Instant>) -> Option<String> {
    let now = taken(look, rule, deadline).ok()?.fingerprint;
    let digest = digest_of(&now);
    look.keep(&digest, &Kept(Some(now))).map(|()| digest)
}

/// Whether the files are those the command passed on; `None` where none has passed.
pub(super) fn compare(look: &Look<'_, '_>, rule: &Rule<'_>) -> Option<Freshness> {
    let scope = look.world.here.scope(rule.set.scope);
    let kept = if scope == Scope::Permanent { &look.world.permanent } else { &look.world.branch };
    let session = look.session.as_deref().unwrap_or_default();
    let found = kept.find(rule.name, scope, session, look.context.host.now())?;
    let wanted = found.metadata.fingerprint.as_ref().and_then(|digest| digest.as_str());
    Some(match wanted {
        Some(wanted) => since(look, rule, wanted),
        None => Freshness::Unknown("its files were not noted".to_owned()),
    })
}

/// The files are known to differ from those of a digest.
pub(super) fn has_changed(look: &Look<'_, '_>, rule: &Rule<'_>, digest: &str) -> bool {
    matches!(since(look, rule, digest), Freshness::Different(_))
}

/// How the files differ from those of a digest.
fn since(look: &Look<'_, '_>, rule: &Rule<'_>, wanted: &str) -> Freshness {
    let now = match taken(look, rule, look.deadline_of_files()) {
        Ok(taken) => taken.fingerprint,
        Err(error) => return Freshness::Unknown(error.to_string()),
    };
    if digest_of(&now) == wanted {
        return Freshness::Same;
    }
    let then = look.context.store.and_then(|store| store.read::<Kept>(wanted)?.0);
    let (worktree, globs, has_tree) =
        (look.world.here.worktree.clone(), globs_of(rule), !now.tree.is_empty());
    let work = move || differing(worktree.as_ref(), &then?, &now, globs.as_ref()).ok();
    match within(look.deadline_of_files(), work).flatten() {
        Some(files) if files.is_empty() && has_tree => Freshness::Same,
        files => Freshness::Different(files.unwrap_or_default()),
    }
}

pub(super) fn staged_otherwise(look: &Look<'_, '_>, rule: &Rule<'_>) -> Vec<String> {
    taken(look, rule, look.deadline_of_files()).map(|taken| taken.staged_otherwise).unwrap_or_default()
}

fn globs_of(rule: &Rule<'_>) -> Option<GlobSet> {
    glob_set(paths_of(rule))
}

/// The rule's files as they are now, looked at once per call: with git by content; without it, or where libgit2 rejects the
/// repository, by size and time.
fn taken(look: &Look<'_, '_>, rule: &Rule<'_>, deadline: Option<Instant>) -> Result<Taken, GitError> {
    let key: Vec<String> = paths_of(rule).iter().map(Glob::as_str).map(ToOwned::to_owned).collect();
    let take = || {
        let (worktree, own, globs) = (look.world.here.worktree.clone(), look.own(), globs_of(rule));
        let root = look.world.top().map(ToOwned::to_owned);
        let work = move || {
            let error = match worktree.map(|worktree| take(&worktree, globs.as_ref(), &own)) {
                Some(Err(error @ GitError::Other(_))) => error,
                Some(taken) => return taken,
                None => GitError::Other("there is no project folder".to_owned()),
            };
            let fingerprint = take_plain(&root.ok_or(error)?, globs.as_ref(), &own)?;
            Ok(Taken { fingerprint, ..Taken::default() })
        };
        within(deadline, work).unwrap_or_else(|| {
            let millis = look.begun.elapsed().as_millis().max(1);
            Err(GitError::Other(format!("they could not be compared in the {millis} ms there are")))
        })
    };
    look.taken.borrow_mut().entry(key).or_insert_with(take).clone()
}

fn digest_of(fingerprint: &Fingerprint) -> String {
    digest::hex(serde_json::to_vec(fingerprint).unwrap_or_default(), 16)
}
