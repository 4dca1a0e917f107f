//! What the files were when a command began, and whether they are still the same: kept by digest, compared in full.

use std::time::Duration;

use globset::GlobSet;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::hook::Remembered;
use shared::state::with_lock;

use super::look::Look;
use super::own::own;
use crate::evidence::paths;
use crate::git::{Fingerprint, GitError, differing, take, take_plain};
use crate::rule::Rule;
use crate::settings::Scope;
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
pub(super) fn keep(look: &Look<'_, '_>, rule: &Rule<'_>) -> Option<String> {
    let now = taken(look, paths(rule).as_ref()).ok()?;
    let digest = digest(&now);
    let store = look.seen.store?;
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
    let mark = marks.mark(rule.name, scope, session, look.seen.host.now())?;
    let wanted = mark.metadata.fingerprint.as_ref().and_then(|digest| digest.as_str());
    let Some(wanted) = wanted else { return Some(Freshness::Unknown("its files were not noted".to_owned())) };
    let globs = paths(rule);
    let now = match taken(look, globs.as_ref()) {
        Ok(now) => now,
        Err(error) => return Some(Freshness::Unknown(error.to_string())),
    };
    if digest(&now) == wanted {
        return Some(Freshness::Same);
    }
    let store = look.seen.store?;
    let then = store.session_file::<Kept>(wanted).and_then(|file| store.peek::<Kept>(&file, wanted)?.0);
    let worktree = look.world.here.worktree.as_ref();
    let files = then.and_then(|then| differing(worktree, &then, &now, globs.as_ref()).ok());
    Some(match files {
        Some(files) if files.is_empty() && !now.tree.is_empty() => Freshness::Same,
        files => Freshness::Different(files.unwrap_or_default()),
    })
}

/// With git by content; without it, or where libgit2 refuses the repository, by size and time.
fn taken(look: &Look<'_, '_>, globs: Option<&GlobSet>) -> Result<Fingerprint, GitError> {
    let own = own(look);
    let by_git = look.world.here.worktree.as_ref().map(|worktree| take(worktree, globs, &own));
    let root = look.world.here.root().or(look.world.root.as_deref());
    match (by_git, root) {
        (Some(Ok(taken)), _) => Ok(taken),
        (Some(Err(error @ GitError::TooMany(_))), _) | (Some(Err(error)), None) => Err(error),
        (Some(Err(_)) | None, Some(root)) => take_plain(root, globs, &own),
        (None, None) => Err(GitError::Other("there is no project folder".to_owned())),
    }
}

fn digest(fingerprint: &Fingerprint) -> String {
    let text = serde_json::to_vec(fingerprint).unwrap_or_default();
    Sha256::digest(text).iter().take(16).fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}
