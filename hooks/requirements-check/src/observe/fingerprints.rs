//! What the files were when a command began, and whether they are still the same: kept by digest, compared in full.

use std::time::{Duration, Instant};

use globset::GlobSet;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::hook::Remembered;
use shared::state::with_lock;

use super::look::Look;
use super::own::own;
use crate::deadline::within;
use crate::evidence::{glob_set, paths_of};
use crate::git::{Fingerprint, GitError, Own, Taken, Worktree, differing, take, take_plain};
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
    let digest = digest(&now);
    let store = look.context.store?;
    let file = store.session_file::<Kept>(&digest)?;
    let saved =
        with_lock(&file, Duration::from_millis(200), || store.save(&file, &digest, &Kept(Some(now)))).ok()?;
    saved.ok().map(|()| digest)
}

/// Whether the files are those the rule's mark was set for; none where there is no mark.
pub(super) fn compare(look: &Look<'_, '_>, rule: &Rule<'_>) -> Option<Freshness> {
    let scope = look.world.here.scope(rule.set.scope);
    let marks = if scope == Scope::Permanent { &look.world.permanent } else { &look.world.branch };
    let session = look.session.as_deref().unwrap_or_default();
    let mark = marks.mark(rule.name, scope, session, look.context.host.now())?;
    let wanted = mark.metadata.fingerprint.as_ref().and_then(|digest| digest.as_str());
    let Some(wanted) = wanted else { return Some(Freshness::Unknown("its files were not noted".to_owned())) };
    Some(since(look, rule, wanted))
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
    if digest(&now) == wanted {
        return Freshness::Same;
    }
    let Some(store) = look.context.store else { return Freshness::Different(Vec::new()) };
    let then = store.read::<Kept>(wanted).and_then(|kept| kept.0);
    let has_tree = !now.tree.is_empty();
    let worktree = look.world.here.worktree.clone();
    let globs = paths_of(rule).to_vec();
    let differ =
        move |then: Fingerprint| differing(worktree.as_ref(), &then, &now, glob_set(&globs).as_ref()).ok();
    let files = then.and_then(|then| within(look.deadline_of_files(), move || differ(then))).flatten();
    match files {
        Some(files) if files.is_empty() && has_tree => Freshness::Same,
        files => Freshness::Different(files.unwrap_or_default()),
    }
}

/// The files of which another version is staged than the one that lies there.
pub(super) fn staged_otherwise(look: &Look<'_, '_>, rule: &Rule<'_>) -> Vec<String> {
    taken(look, rule, look.deadline_of_files()).map(|taken| taken.staged_otherwise).unwrap_or_default()
}

/// The rule's files as they are now, looked at once per call.
fn taken(look: &Look<'_, '_>, rule: &Rule<'_>, deadline: Option<Instant>) -> Result<Taken, GitError> {
    let key: Vec<String> = paths_of(rule).iter().map(|glob: &Glob| glob.as_str().to_owned()).collect();
    let mut all = look.taken.borrow_mut();
    all.entry(key).or_insert_with(|| take_in_time(look, rule, deadline)).clone()
}

fn take_in_time(look: &Look<'_, '_>, rule: &Rule<'_>, deadline: Option<Instant>) -> Result<Taken, GitError> {
    let (worktree, own) = (look.world.here.worktree.clone(), own(look));
    let root = look.world.top().map(ToOwned::to_owned);
    let globs = paths_of(rule).to_vec();
    let work = move || take_anywhere(worktree.as_ref(), root.as_deref(), glob_set(&globs).as_ref(), &own);
    let too_late = || {
        let millis = look.begun.elapsed().as_millis().max(1);
        Err(GitError::Other(format!("they could not be compared in the {millis} ms there are")))
    };
    within(deadline, work).unwrap_or_else(too_late)
}

/// With git by content; without it, or where libgit2 refuses the repository, by size and time.
fn take_anywhere(
    worktree: Option<&Worktree>,
    root: Option<&std::path::Path>,
    globs: Option<&GlobSet>,
    own: &Own,
) -> Result<Taken, GitError> {
    let by_time = |root| {
        take_plain(root, globs, own).map(|fingerprint| Taken { fingerprint, staged_otherwise: Vec::new() })
    };
    match (worktree.map(|worktree| take(worktree, globs, own)), root) {
        (Some(Ok(taken)), _) => Ok(taken),
        (Some(Err(error @ GitError::TooMany(_))), _) | (Some(Err(error)), None) => Err(error),
        (Some(Err(_)) | None, Some(root)) => by_time(root),
        (None, None) => Err(GitError::Other("there is no project folder".to_owned())),
    }
}

fn digest(fingerprint: &Fingerprint) -> String {
    let text = serde_json::to_vec(fingerprint).unwrap_or_default();
    Sha256::digest(text).iter().take(16).fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}
