//! A branch's size, kept between calls: before a call only the file it names is counted again, everything where HEAD or the
//! index changed, or where the last count is old.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use globset::GlobSet;
use serde::{Deserialize, Serialize};
use shared::config::Bounded;
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::with_lock;

use super::look::{Look, cache_key};
use super::own::own;
use crate::evidence::glob_set;
use crate::git::{Counts, GitError, SizeRequest, Worktree, baseless, recount, scan};
use crate::rule::Rule;
use crate::settings::Glob;
use crate::view::Size;

/// Everything is counted again after so many seconds.
const CACHE_TTL: u32 = 30;

/// With more changed files than this only the sum is kept.
const MAX_KEPT: usize = 2000;

/// Times of files are coarser than ours; what is older than this before a count was seen by it.
const SETTLED_MICROS: i64 = 20_000;

/// The last count.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    base: Option<String>,
    exclude: Vec<String>,
    at: Timestamp,
    counts: Option<Counts>,
    /// The files counted again since: what they were like then.
    again: BTreeMap<String, FileMark>,
}

/// Time of the last change in microseconds, and size in bytes; none where there is no file.
type FileMark = Option<(i64, u64)>;

impl Remembered for Kept {
    fn file_name(key: &str) -> Option<String> {
        Some(format!("{key}-size.json"))
    }
}

/// The size for a rule; `file` is counted again in any case. None where git has no answer.
pub(super) fn of(
    look: &mut Look<'_, '_>,
    rule: &Rule<'_>,
    file: Option<&Path>,
    deadline: Option<Instant>,
) -> Option<Size> {
    let worktree = look.world.here.worktree.clone()?;
    let kept = read(look, &worktree, rule);
    let now = look.seen.host.now();
    let ttl = Duration::from_secs(rule.set.cache_ttl.map_or(CACHE_TTL, Bounded::get).into());
    let Some(mut kept) = kept.filter(|kept| kept.counts.is_some()) else {
        return counted(look, rule, &worktree, deadline);
    };
    let is_young = kept.at <= now && now.since(kept.at) < ttl;
    let is_current = kept.counts.as_ref().is_some_and(|counts| counts.is_current(&worktree));
    if !(is_young && is_current) {
        let fresh = counted(look, rule, &worktree, deadline)?;
        // In a repository too large to be counted in time, what was counted at leisure knows more.
        let earlier = kept.counts.as_ref().filter(|_| is_current && !fresh.is_complete).map(size);
        return Some(earlier.filter(|earlier| earlier.lines > fresh.lines).unwrap_or(fresh));
    }
    if let Some(file) = file {
        let file = look.world.cwd.join(file);
        count_again(look, &worktree, rule, &mut kept, &file, deadline);
    }
    kept.counts.as_ref().map(size)
}

/// The size counted anew and to the end, with nothing kept; else why a clean clone does not tell it.
pub(super) fn afresh(look: &Look<'_, '_>, rule: &Rule<'_>) -> Result<Size, String> {
    let worktree = look.world.here.worktree.as_ref().ok_or_else(|| look.without_git())?;
    let said = |error: GitError| error.to_string();
    if let Some(baseless) = baseless(worktree, rule.set.base.as_deref()).map_err(said)? {
        return Err(format!("{baseless}; or name another base with --base"));
    }
    with_request(look, rule, |request| scan(worktree, request, None))
        .map(|counts| size(&counts))
        .map_err(said)
}

/// Counts one file again, unless it is as it was when it was counted: counting opens the repository.
fn count_again(
    look: &Look<'_, '_>,
    worktree: &Worktree,
    rule: &Rule<'_>,
    kept: &mut Kept,
    file: &Path,
    deadline: Option<Instant>,
) {
    let (name, mark) = (file.display().to_string(), mark_of(file));
    let is_known = match kept.again.get(&name) {
        Some(known) => *known == mark,
        None => mark.is_some_and(|(changed, _)| changed < kept.at.micros() - SETTLED_MICROS),
    };
    let Some(counts) = kept.counts.as_mut().filter(|_| !is_known) else { return };
    if with_request(look, rule, |request| recount(worktree, request, counts, file, deadline)).is_ok() {
        kept.again.insert(name, mark);
        write(look, worktree, rule, kept);
    }
}

/// Counts everything, whatever is kept.
pub(super) fn count_anew(look: &mut Look<'_, '_>, rule: &Rule<'_>, deadline: Option<Instant>) {
    let Some(worktree) = look.world.here.worktree.clone() else { return };
    drop(counted(look, rule, &worktree, deadline));
}

fn counted(
    look: &mut Look<'_, '_>,
    rule: &Rule<'_>,
    worktree: &Worktree,
    deadline: Option<Instant>,
) -> Option<Size> {
    let at = look.seen.host.now();
    match with_request(look, rule, |request| scan(worktree, request, deadline)) {
        Ok(counts) => {
            let size = size(&counts);
            if counts.complete && counts.files.len() <= MAX_KEPT {
                write(look, worktree, rule, &Kept { at, counts: Some(counts), ..Kept::default() });
            }
            Some(size)
        }
        Err(error) => {
            look.world
                .notes
                .push(format!("requirements-check: the size for {} is not known: {error}", rule.name));
            None
        }
    }
}

/// What is counted. Globs are compiled only where something is: it takes as long as everything else a call looks at.
fn with_request<T>(look: &Look<'_, '_>, rule: &Rule<'_>, count: impl FnOnce(&SizeRequest<'_>) -> T) -> T {
    let exclude = glob_set(&rule.set.exclude).unwrap_or_else(GlobSet::empty);
    let base = rule.set.base.as_deref();
    count(&SizeRequest { base, exclude: &exclude, own: &own(look), include_generated: false })
}

fn mark_of(file: &Path) -> FileMark {
    let metadata = std::fs::metadata(file).ok()?;
    Some((Timestamp::from(metadata.modified().ok()?).micros(), metadata.len()))
}

fn size(counts: &Counts) -> Size {
    Size { lines: counts.total(), base: counts.base.clone(), is_complete: counts.complete }
}

fn read(look: &Look<'_, '_>, worktree: &Worktree, rule: &Rule<'_>) -> Option<Kept> {
    let store = look.seen.store?;
    let key = cache_key(&worktree.root, rule.name);
    let kept: Kept = store.peek(&store.session_file::<Kept>(&key)?, &key)?;
    let is_same =
        kept.base == rule.set.base && kept.exclude.iter().eq(rule.set.exclude.iter().map(Glob::as_str));
    is_same.then_some(kept)
}

/// A count that cannot be kept is made again.
fn write(look: &Look<'_, '_>, worktree: &Worktree, rule: &Rule<'_>, kept: &Kept) {
    let key = cache_key(&worktree.root, rule.name);
    let file = look.seen.store.and_then(|store| Some((store, store.session_file::<Kept>(&key)?)));
    let Some((store, file)) = file else { return };
    let written = Kept {
        base: rule.set.base.clone(),
        exclude: rule.set.exclude.iter().map(|glob| glob.as_str().to_owned()).collect(),
        ..kept.clone()
    };
    let _ = with_lock(&file, Duration::ZERO, || store.save(&file, &key, &written));
}
