//! A branch's size, kept between calls: counted at leisure and after calls that may have changed files, read before calls.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::with_lock;

use super::look::{Look, cache_key};
use super::own::own;
use crate::git::{Count, SizeRequest, Worktree, baseless, count, stamp};
use crate::rule::Rule;
use crate::settings::{Dynamic, Glob};
use crate::view::Size;

/// The last count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    base: Option<String>,
    exclude: Vec<String>,
    at: Timestamp,
    /// What was out when it was made.
    stamp: String,
    count: Option<Count>,
}

impl Remembered for Kept {
    fn file_name(key: &str) -> Option<String> {
        Some(format!("{key}-size.json"))
    }
}

/// The size for a rule: the last count, where it is young, of what is out, and later than the last change of the file at
/// hand; else a new one. `None` without git, an error with why it is not known.
pub(super) fn of(
    look: &mut Look<'_, '_>,
    rule: &Rule<'_>,
    dynamic: &Dynamic,
    file: Option<&Path>,
    deadline: Option<Instant>,
) -> Option<Result<Size, String>> {
    if let Some(trouble) = &look.world.here.trouble {
        return Some(Err(trouble.clone()));
    }
    let worktree = look.world.here.worktree.clone()?;
    let ttl = Duration::from_secs(dynamic.cache_ttl.into());
    let now = look.context.host.now();
    let kept = read(look, &worktree, rule, dynamic).filter(|kept| kept.stamp == stamp(&worktree));
    // The first count may take all the time there is.
    let deadline = if kept.is_some() { deadline } else { look.deadline };
    match kept {
        Some(kept) if kept.at <= now && now.since(kept.at) < ttl && !is_newer(file, kept.at) => {
            kept.count.as_ref().map(size).map(Ok)
        }
        _ => Some(count_anew(look, &worktree, rule, dynamic, deadline)),
    }
}

/// Times of files are coarser than ours.
const COARSE: Duration = Duration::from_millis(20);

fn is_newer(file: Option<&Path>, at: Timestamp) -> bool {
    let changed = file.and_then(|file| std::fs::metadata(file).ok()?.modified().ok()).map(Timestamp::from);
    changed.is_some_and(|changed| changed.plus(COARSE) > at)
}

/// The size counted anew and to the end, with nothing kept; else why a clean clone does not tell it.
pub(super) fn afresh(look: &Look<'_, '_>, dynamic: &Dynamic) -> Result<Size, String> {
    let worktree = look.world.here.worktree.as_ref().ok_or_else(|| look.without_git())?;
    let said = |error: crate::git::GitError| error.to_string();
    if let Some(baseless) = baseless(worktree, dynamic.base.as_deref()).map_err(said)? {
        return Err(format!("{baseless}; or name another base with --base"));
    }
    count(worktree, request(look, dynamic), None).map(|count| size(&count)).map_err(said)
}

/// Counts everything, whatever is kept. One that had to end early says no less than the last one of the same commit.
pub(super) fn count_anew(
    look: &mut Look<'_, '_>,
    worktree: &Worktree,
    rule: &Rule<'_>,
    dynamic: &Dynamic,
    deadline: Option<Instant>,
) -> Result<Size, String> {
    let (at, stamp) = (look.context.host.now(), stamp(worktree));
    let counted = count(worktree, request(look, dynamic), deadline).map_err(|error| {
        let note = format!("requirements-check: the size for {} is not known: {error}", rule.name);
        look.world.notes.push(note);
        error.to_string()
    })?;
    let earlier =
        read(look, worktree, rule, dynamic).filter(|kept| kept.stamp == stamp).and_then(|kept| kept.count);
    let counted = match earlier {
        Some(earlier) if !counted.is_complete && earlier.lines > counted.lines => {
            Count { is_complete: false, ..earlier }
        }
        _ => counted,
    };
    if counted.base.is_empty() {
        return Err("it could not be counted in time; repeat the call".to_owned());
    }
    write(look, worktree, rule, dynamic, Kept { at, stamp, count: Some(counted.clone()), ..Kept::default() });
    Ok(size(&counted))
}

fn request(look: &Look<'_, '_>, dynamic: &Dynamic) -> SizeRequest {
    SizeRequest { base: dynamic.base.clone(), exclude: dynamic.exclude.clone(), own: own(look) }
}

fn size(count: &Count) -> Size {
    Size { lines: count.lines, base: count.base.clone(), is_complete: count.is_complete }
}

fn read(look: &Look<'_, '_>, worktree: &Worktree, rule: &Rule<'_>, dynamic: &Dynamic) -> Option<Kept> {
    let store = look.context.store?;
    let key = cache_key(&worktree.root, rule.name);
    let kept: Kept = store.read(&key)?;
    let is_same =
        kept.base == dynamic.base && kept.exclude.iter().eq(dynamic.exclude.iter().map(Glob::as_str));
    is_same.then_some(kept)
}

/// A count that cannot be kept is made again.
fn write(look: &Look<'_, '_>, worktree: &Worktree, rule: &Rule<'_>, dynamic: &Dynamic, kept: Kept) {
    let key = cache_key(&worktree.root, rule.name);
    let file = look.context.store.and_then(|store| Some((store, store.session_file::<Kept>(&key)?)));
    let Some((store, file)) = file else { return };
    let written = Kept {
        base: dynamic.base.clone(),
        exclude: dynamic.exclude.iter().map(|glob| glob.as_str().to_owned()).collect(),
        ..kept
    };
    let _ = with_lock(&file, Duration::ZERO, || store.save(&file, &key, &written));
}
