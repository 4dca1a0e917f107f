//! A branch's size, kept between calls: counted at leisure and after calls that may have changed files, read before calls.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::{file_key, with_lock};

use super::look::Look;
use super::own::own;
use crate::git::{Count, GitError, SizeRequest, Worktree, baseless, count, stamp};
use crate::rule::Rule;
use crate::settings::{Dynamic, Glob};
use crate::view::Size;

/// Times of files are coarser than ours.
const COARSE: Duration = Duration::from_millis(20);

/// The last count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    base: Option<String>,
    exclude: Vec<String>,
    at: Timestamp,
    /// The commit that was checked out.
    stamp: String,
    count: Option<Count>,
}

impl Remembered for Kept {
    fn file_name(key: &str) -> Option<String> {
        Some(format!("{key}-size.json"))
    }
}

/// The size for a rule: the last count if it is young, of the same commit, and later than the last change of the call's
/// file; else a new one. `None` without git.
pub(super) fn of(
    look: &mut Look<'_, '_>,
    rule: &Rule<'_>,
    dynamic: &Dynamic,
) -> Option<Result<Size, String>> {
    if let Some(trouble) = &look.world.here.trouble {
        return Some(Err(trouble.clone()));
    }
    let worktree = look.world.here.worktree.clone()?;
    let ttl = Duration::from_secs(dynamic.cache_ttl.into());
    let now = look.context.host.now();
    let kept = read(look, &worktree, rule, dynamic).filter(|kept| kept.stamp == stamp(&worktree));
    // The first count may take all the time there is.
    let deadline = if kept.is_some() { look.deadline_of_recount() } else { look.deadline };
    match kept {
        Some(kept)
            if kept.at <= now && now.since(kept.at) < ttl && !is_newer(look.file.as_deref(), kept.at) =>
        {
            kept.count.as_ref().map(size).map(Ok)
        }
        _ => Some(count_anew(look, &worktree, rule, dynamic, deadline)),
    }
}

fn is_newer(file: Option<&Path>, at: Timestamp) -> bool {
    let changed = file.and_then(|file| std::fs::metadata(file).ok()?.modified().ok()).map(Timestamp::from);
    changed.is_some_and(|changed| changed.plus(COARSE) > at)
}

/// The size counted to the end, with nothing kept; else why a clean clone does not tell it.
pub(super) fn afresh(look: &Look<'_, '_>, dynamic: &Dynamic) -> Result<Size, String> {
    let worktree = look.world.here.worktree.as_ref().ok_or_else(|| look.without_git())?;
    let said = |error: GitError| error.to_string();
    if let Some(baseless) = baseless(worktree, dynamic.base.as_deref()).map_err(said)? {
        return Err(format!("{baseless}; or name another base with --base"));
    }
    count(worktree, request(look, dynamic), None).map(|count| size(&count)).map_err(said)
}

/// Counts everything and keeps it.
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
    let earlier = read(look, worktree, rule, dynamic).filter(|kept| kept.stamp == stamp);
    let counted = no_less(counted, earlier.and_then(|kept| kept.count));
    if counted.base.is_empty() {
        return Err("it could not be counted in time; repeat the call".to_owned());
    }
    let kept = Kept {
        base: dynamic.base.clone(),
        exclude: dynamic.exclude.iter().map(|glob| glob.as_str().to_owned()).collect(),
        at,
        stamp,
        count: Some(counted.clone()),
    };
    keep(look, worktree, rule, &kept);
    Ok(size(&counted))
}

/// A count that ran out of time is no less than the last one of the same commit.
fn no_less(counted: Count, earlier: Option<Count>) -> Count {
    match earlier {
        Some(earlier) if !counted.is_complete && earlier.lines > counted.lines => {
            Count { is_complete: false, ..earlier }
        }
        _ => counted,
    }
}

fn request(look: &Look<'_, '_>, dynamic: &Dynamic) -> SizeRequest {
    SizeRequest { base: dynamic.base.clone(), exclude: dynamic.exclude.clone(), own: own(look) }
}

fn size(count: &Count) -> Size {
    Size { lines: count.lines, base: count.base.clone(), is_complete: count.is_complete }
}

fn cache_key(worktree: &Worktree, rule: &Rule<'_>) -> String {
    file_key(&format!("{} {}", worktree.root.display(), rule.name))
}

fn read(look: &Look<'_, '_>, worktree: &Worktree, rule: &Rule<'_>, dynamic: &Dynamic) -> Option<Kept> {
    let (store, key) = (look.context.store?, cache_key(worktree, rule));
    let kept: Kept = store.read(&key)?;
    let is_same =
        kept.base == dynamic.base && kept.exclude.iter().eq(dynamic.exclude.iter().map(Glob::as_str));
    is_same.then_some(kept)
}

/// A count that cannot be kept is made again.
fn keep(look: &Look<'_, '_>, worktree: &Worktree, rule: &Rule<'_>, kept: &Kept) {
    let key = cache_key(worktree, rule);
    let file = look.context.store.and_then(|store| Some((store, store.session_file::<Kept>(&key)?)));
    let Some((store, file)) = file else { return };
    let _ = with_lock(&file, Duration::ZERO, || store.save(&file, &key, kept));
}

#[cfg(test)]
mod tests {
    use super::no_less;
    use crate::git::Count;

    #[test]
    fn a_count_that_ran_out_of_time_never_lowers_the_last_one() {
        let count = |lines, is_complete| Count { lines, is_complete, ..Count::default() };
        for (now, earlier, expected) in [
            (count(10, false), Some(count(2_102, true)), count(2_102, false)),
            (count(10, false), None, count(10, false)),
            (count(3_000, false), Some(count(2_102, true)), count(3_000, false)),
            (count(10, true), Some(count(2_102, true)), count(10, true)),
        ] {
            assert_eq!(no_less(now, earlier), expected);
        }
    }
}
