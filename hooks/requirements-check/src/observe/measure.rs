//! Measures a place: sizes, the files of evidence, other sessions. Each datum is looked at once, and only where a rule asks for
//! it, under one deadline for all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shared::config::{Refused, read_text};
use shared::hook::Remembered;
use shared::host::{Timestamp, real};
use shared::protocol::Event;
use shared::state::file_key;

use super::HookContext;
use crate::call::Call;
use crate::deadline::within;
use crate::evidence::paths_of;
use crate::git::{self, Size, Taken, changes, files_below, stamp, take, take_plain};
use crate::place::{Freshness, World};
use crate::rule::Rule;
use crate::settings::{Age, Dynamic, File, Glob, Guard, Kind, Terms, glob_set};
use crate::state::Registry;

/// Before a tool call a recount of the size takes no longer.
const HURRY: Duration = Duration::from_millis(20);

/// Times of files are coarser than ours.
const COARSE: Duration = Duration::from_millis(20);

/// Bytes of a file that is searched.
const MAX_BYTES: u64 = 1024 * 1024;

/// The last count of a branch's size: made at leisure and after calls that may have changed files, read before calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Counted {
    at: Timestamp,
    /// The commit that was checked out.
    stamp: String,
    count: Size,
}

impl Remembered for Counted {
    const FILE: &'static str = "*-size.json";
}

impl World {
    /// Measures what these rules are judged by, locked rules first: a project's file may take all the time.
    pub fn measure(&mut self, context: &HookContext<'_>, rules: &[Rule<'_>]) {
        let mut rules = rules.to_vec();
        rules.sort_by_key(|rule| !rule.is_locked(context.locked));
        // Once for all rules: it reads a file for each live session.
        if rules.iter().any(|rule| matches!(rule.set.terms, Terms::Guard(Guard::SingleSession))) {
            self.others = self.other_sessions(context).unwrap_or_default();
        }
        for rule in &rules {
            let name = rule.name.to_owned();
            if let Some(dynamic) = rule.set.dynamic() {
                let size = self.size(context, rule, dynamic, false);
                self.sizes.extend(size.map(|size| (name.clone(), size)));
            }
            if rule.kind() == Kind::Evidence {
                let freshness = self.freshness(context, rule);
                self.evidence.extend(freshness.map(|freshness| (name.clone(), freshness)));
                let file = self.file(context, rule);
                self.files.extend(file.map(|file| (name, file)));
            }
        }
    }

    /// The same before a call, with what a commit of it would take.
    pub(super) fn measure_for(&mut self, context: &HookContext<'_>, rules: &[Rule<'_>], call: &Call) {
        self.measure(context, rules);
        let Some(staged) = call.staged_for_commit(&self.cwd) else { return };
        let staged: Vec<PathBuf> = staged.iter().map(|path| real(path)).collect();
        for rule in rules {
            // Evidence that does not hold anyway needs no look at what is staged.
            if self.evidence.get(rule.name) == Some(&Freshness::Same) {
                let files = self.staged_otherwise(rule, &staged);
                if !files.is_empty() {
                    self.evidence.insert(rule.name.to_owned(), Freshness::StagedOtherwise(files));
                }
            }
        }
    }

    /// Counts sizes anew after a call that may have changed files.
    pub(super) fn recount(&mut self, context: &HookContext<'_>, rules: &[Rule<'_>], call: &Call) {
        if call.file.is_none() && call.line.is_none() || call.only_reads() {
            return;
        }
        for rule in rules {
            if let Some(dynamic) = rule.set.dynamic() {
                drop(self.size(context, rule, dynamic, true));
            }
        }
    }

    fn other_sessions(&self, context: &HookContext<'_>) -> Option<Vec<String>> {
        let live = Registry::new(context.store?.dir()).live(self.places.root.as_ref()?, context.host.now());
        let others = live.into_iter().filter(|entry| Some(&entry.session) != self.session.as_ref());
        Some(others.map(|entry| entry.session.chars().take(8).collect()).collect())
    }

    /// The size for a rule: the last count if it is young and of the same commit, else a new one, which is kept; always a new one
    /// where the files may have changed. `None` without git.
    fn size(
        &mut self,
        context: &HookContext<'_>,
        rule: &Rule<'_>,
        dynamic: &Dynamic,
        may_have_changed: bool,
    ) -> Option<Result<Size, String>> {
        let Some(worktree) = self.worktree.clone() else { return self.trouble.clone().map(Err) };
        let (at, stamp) = (context.host.now(), stamp(&worktree, &self.key));
        // Another base and other files that do not count make another size.
        let exclude: Vec<&str> = dynamic.exclude.iter().map(Glob::as_str).collect();
        let (root, base) = (worktree.root.display(), &dynamic.base);
        let key = file_key(&format!("{root} {} {base:?} {exclude:?}", rule.name));
        let last = context.store.and_then(|store| store.read::<Counted>(&key));
        let last = last.filter(|last| last.stamp == stamp);
        let ttl = Duration::from_secs(dynamic.cache_ttl.into());
        let is_young = |last: &Counted| !may_have_changed && last.at <= at && at.since(last.at) < ttl;
        if let Some(young) = last.as_ref().filter(|last| is_young(last)) {
            return Some(Ok(young.count.clone()));
        }
        // The first count may take all the time there is.
        let is_hurried = last.is_some() && matches!(context.request.event, Event::PreToolUse(_));
        let deadline = self.deadlines.all;
        let deadline = deadline.map(|all| if is_hurried { all.min(Instant::now() + HURRY) } else { all });
        let compare = || changes(worktree, base.clone(), deadline).map_err(|error| error.to_string());
        let count = match self.changes.entry(base.clone()).or_insert_with(compare) {
            Ok(changes) => no_less(changes.size(&dynamic.exclude), last.map(|last| last.count)),
            Err(error) => return Some(Err(error.clone())),
        };
        if count.base.is_empty() {
            return Some(Err("it could not be counted in time; repeat the call".to_owned()));
        }
        // A count that cannot be kept is made again.
        let _ = context.store.map(|store| {
            store.change(&key, |last| {
                *last = Counted { at, stamp, count: count.clone() };
                true
            })
        });
        Some(Ok(count))
    }

    /// Whether the files are those the command passed on; `None` where none has passed.
    fn freshness(&mut self, context: &HookContext<'_>, rule: &Rule<'_>) -> Option<Freshness> {
        let found = self.satisfaction(rule, self.session.as_deref(), context.host.now())?;
        Some(match found.metadata.fingerprint.clone() {
            Some(noted) => self.since(rule, &noted),
            None => Freshness::Unknown("its files were not noted".to_owned()),
        })
    }

    /// How the files differ from those that were noted. Those are named that were changed since and are not committed.
    pub(super) fn since(&mut self, rule: &Rule<'_>, noted: &str) -> Freshness {
        let (digest, at) = noted.split_once('@').unwrap_or((noted, ""));
        let at = Timestamp::from_micros(at.parse().unwrap_or(i64::MAX)).minus(COARSE);
        match self.taken(rule, self.deadlines.of_files) {
            Ok(now) if now.digest == digest => Freshness::Same,
            Ok(now) => {
                let changed = now.changed.into_iter().filter(|(_, changed)| *changed >= at);
                Freshness::Different(changed.map(|(name, _)| name).collect())
            }
            Err(error) => Freshness::Unknown(error),
        }
    }

    /// The rule's files as they are now, looked at once per call: with git by content; without it, or where libgit2 rejects the
    /// repository, by size and time.
    pub(super) fn taken(&mut self, rule: &Rule<'_>, deadline: Option<Instant>) -> Result<Taken, String> {
        let key: Vec<String> = paths_of(rule).iter().map(Glob::as_str).map(ToOwned::to_owned).collect();
        if let Some(taken) = self.taken.get(&key) {
            return taken.clone();
        }
        let (worktree, globs) = (self.worktree.clone(), glob_set(paths_of(rule)));
        let root = self.top().map(ToOwned::to_owned);
        let work = move || {
            let by_content = worktree.and_then(|worktree| take(&worktree, globs.as_ref()).ok());
            by_content.or_else(|| Some(take_plain(&root?, globs.as_ref())))
        };
        let taken =
            match within(deadline, work) {
                Some(taken) => taken.ok_or_else(|| "there is no project folder".to_owned()),
                None => Err("they could not be compared in time; narrow `paths` or ignore what is generated"
                    .to_owned()),
            };
        self.taken.insert(key, taken.clone());
        taken
    }

    /// The rule's files whose staged version is not the one in the work tree, but for those that are `staged_now`, by the call itself.
    fn staged_otherwise(&self, rule: &Rule<'_>, staged_now: &[PathBuf]) -> Vec<String> {
        let (worktree, globs) = (self.worktree.clone(), glob_set(paths_of(rule)));
        let work = move || git::staged_otherwise(&worktree?, globs.as_ref()).ok();
        let mut files = within(self.deadlines.of_files, work).flatten().unwrap_or_default();
        let root = real(self.top().unwrap_or(&self.cwd));
        files.retain(|file| !staged_now.iter().any(|path| root.join(file).starts_with(path)));
        files
    }

    /// Whether the requirement's file is as it must be, else what it lacks; none where it asks for none.
    fn file(&self, context: &HookContext<'_>, rule: &Rule<'_>) -> Option<Result<(), String>> {
        let wanted = rule.set.evidence()?.file.clone()?;
        let late = format!("{} could not be looked for in time", wanted.glob.as_str());
        let (root, now) = (self.top()?.to_owned(), context.host.now());
        let lacks = within(self.deadlines.all, move || lacking(&root, &wanted, now)).unwrap_or(Some(late));
        Some(lacks.map_or(Ok(()), Err))
    }
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

/// `None` if one of the files that the glob means lacks nothing, else the lack of the first one.
fn lacking(root: &Path, wanted: &File, now: Timestamp) -> Option<String> {
    let since = wanted.newer_than.and_then(|than| match than {
        Age::Ago(span) => Some(now.minus(span)),
        Age::Head => git::time_of_head(root),
    });
    let mut first = None;
    for file in meant(root, wanted) {
        let lacks = lacks(root, &file, wanted, since)?;
        first.get_or_insert(lacks);
    }
    Some(first.unwrap_or_else(|| format!("there is no file {}", wanted.glob.as_str())))
}

fn meant(root: &Path, wanted: &File) -> Vec<PathBuf> {
    let literal = root.join(wanted.glob.as_str());
    if literal.is_file() || wanted.glob.is_literal() {
        return vec![literal];
    }
    let Some(glob) = wanted.glob.over_paths().map(|glob| glob.compile_matcher()) else { return Vec::new() };
    let files = files_below(root).into_iter().filter(|file| glob.is_match(file));
    files.map(|file| root.join(file)).collect()
}

fn lacks(root: &Path, file: &Path, wanted: &File, since: Option<Timestamp>) -> Option<String> {
    let shown = file.strip_prefix(root).unwrap_or(file).display();
    let text = match read_text(file, Some(root), MAX_BYTES) {
        Ok(text) => text,
        Err(Refused::NotThere) => return Some(format!("there is no file {shown}")),
        Err(Refused::Because(why)) => return Some(format!("{shown}: {why}")),
    };
    let changed = fs::metadata(file).and_then(|metadata| metadata.modified()).map(Timestamp::from);
    if since.is_some_and(|since| changed.is_ok_and(|changed| changed <= since)) {
        return Some(format!("{shown} is not newer than asked"));
    }
    let missing = wanted.contains.iter().find(|pattern| !pattern.is_in(&text))?;
    Some(format!("{shown} has no match of /{}/", missing.text))
}

#[cfg(test)]
mod tests;
