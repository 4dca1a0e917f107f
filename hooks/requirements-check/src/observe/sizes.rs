//! A branch's size, kept between calls: counted at leisure and after calls that may have changed files, read before calls.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::Timestamp;
use shared::state::file_key;

use super::look::{Look, is_before};
use crate::git::{Size, SizeRequest, Worktree, count, stamp};
use crate::rule::Rule;
use crate::settings::{Dynamic, Glob};

/// Before a tool call a recount takes no longer.
const HURRY: Duration = Duration::from_millis(20);

/// The last count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    at: Timestamp,
    /// The commit that was checked out.
    stamp: String,
    count: Size,
}

impl Remembered for Kept {
    fn file_name(key: &str) -> Option<String> {
        Some(format!("{key}-size.json"))
    }
}

/// The size for a rule: the last count if it is young and of the same commit, else a new one, which is kept; always a new one
/// where the files may have changed. `None` without git.
pub(super) fn of(
    look: &mut Look<'_>,
    rule: &Rule<'_>,
    dynamic: &Dynamic,
    may_have_changed: bool,
) -> Option<Result<Size, String>> {
    if let Some(trouble) = &look.world.here.trouble {
        return Some(Err(trouble.clone()));
    }
    let worktree = look.world.here.worktree.clone()?;
    let (store, now) = (look.context.store, look.context.host.now());
    let stamp = stamp(&worktree, &look.world.here.key);
    // Another base and other files that do not count make another size.
    let exclude: Vec<&str> = dynamic.exclude.iter().map(Glob::as_str).collect();
    let key = file_key(&format!("{} {} {:?} {exclude:?}", worktree.root.display(), rule.name, dynamic.base));
    let kept = store.and_then(|store| store.read::<Kept>(&key)).filter(|kept| kept.stamp == stamp);
    // The first count may take all the time there is.
    let is_hurried = kept.is_some() && is_before(look.context);
    let deadline = look.deadline.map(|all| if is_hurried { all.min(Instant::now() + HURRY) } else { all });
    let ttl = Duration::from_secs(dynamic.cache_ttl.into());
    let is_young = |kept: &Kept| !may_have_changed && kept.at <= now && now.since(kept.at) < ttl;
    if let Some(young) = kept.as_ref().filter(|kept| is_young(kept)) {
        return Some(Ok(young.count.clone()));
    }
    let counted = counted(look, &worktree, rule, dynamic, deadline, kept);
    if let (Ok(count), Some(store)) = (&counted, store) {
        let kept = Kept { at: now, stamp, count: count.clone() };
        // A count that cannot be kept is made again.
        let _ = store.change(&key, |last| {
            *last = kept;
            true
        });
    }
    Some(counted)
}

fn counted(
    look: &mut Look<'_>,
    worktree: &Worktree,
    rule: &Rule<'_>,
    dynamic: &Dynamic,
    deadline: Option<Instant>,
    earlier: Option<Kept>,
) -> Result<Size, String> {
    let request = SizeRequest { base: dynamic.base.clone(), exclude: dynamic.exclude.clone() };
    let counted = count(worktree, request, deadline).map_err(|error| {
        let note = format!("requirements-check: the size for {} is not known: {error}", rule.name);
        look.world.notes.push(note);
        error.to_string()
    })?;
    let counted = no_less(counted, earlier.map(|kept| kept.count));
    let is_known = !counted.base.is_empty();
    is_known.then_some(counted).ok_or_else(|| "it could not be counted in time; repeat the call".to_owned())
}

/// A count that ran out of time is no less than the last one of the same commit.
fn no_less(counted: Size, earlier: Option<Size>) -> Size {
    match earlier {
        Some(earlier) if !counted.is_complete && earlier.lines > counted.lines => {
            Size { is_complete: false, ..earlier }
        }
        _ => counted,
    }
}

#[cfg(test)]
mod tests {
    use super::no_less;
    use crate::git::Size;

    #[test]
    fn a_count_that_ran_out_of_time_never_lowers_the_last_one() {
        let count = |lines, is_complete| Size { lines, is_complete, ..Size::default() };
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
