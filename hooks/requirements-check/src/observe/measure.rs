//! Measures a place: sizes, the files of evidence, other sessions. Each datum is looked at once, and only where a rule asks for
//! it, under one deadline for all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use shared::config::{Refused, read_text};
use shared::host::{Timestamp, real};
use shared::state::file_key;

use super::HookContext;
use crate::call::Call;
use crate::deadline::within;
use crate::evidence::paths_of;
use crate::git::{self, Size, Taken, files_below, take, take_plain};
use crate::rule::Rule;
use crate::settings::{Age, Dynamic, File, Glob, Guard, Terms, glob_set};
use crate::state::{Registry, modified};
use crate::world::{Deadlines, Freshness, World};

/// Bytes of a file that is searched.
const MAX_BYTES: u64 = 1024 * 1024;

impl World {
    /// Measures what these rules are judged by, locked rules first: a project's file may take all the time.
    pub fn measure(&mut self, context: &HookContext<'_>, rules: &[Rule<'_>]) {
        let mut rules = rules.to_vec();
        rules.sort_by_key(|rule| !rule.is_locked(context.locked));
        for rule in &rules {
            let name = || rule.name.to_owned();
            match &rule.set.terms {
                Terms::Guard(Guard::SingleSession) => self.others = self.other_sessions(context),
                Terms::Dynamic(_) => {
                    let size = self.size(context, rule, false);
                    self.sizes.extend(size.map(|size| (name(), size)));
                }
                Terms::Evidence(evidence) => {
                    let freshness = self.freshness(context, rule);
                    self.evidence.extend(freshness.map(|freshness| (name(), freshness)));
                    let file = evidence.file.as_ref().and_then(|wanted| self.file(context, wanted));
                    self.files.extend(file.map(|file| (name(), file)));
                }
                Terms::Blocking(_) | Terms::Guard(_) | Terms::Off(_) => {}
            }
        }
    }

    /// The same before a call that needs some of these rules here, with what a commit of it would take.
    pub(super) fn measure_for(&mut self, context: &HookContext<'_>, rules: &[Rule<'_>], call: &Call) {
        let is_judged = |rule: &&Rule<'_>| self.judged.iter().any(|name| name == rule.name);
        let rules: Vec<Rule<'_>> = rules.iter().filter(is_judged).copied().collect();
        self.measure(context, &rules);
        let (Some(staged), Some(worktree)) = (call.staged_for_commit(&self.cwd), &self.worktree) else {
            return;
        };
        let staged: Vec<PathBuf> = staged.iter().map(|path| real(path)).collect();
        for rule in rules {
            // Evidence that does not hold anyway needs no look at what is staged.
            if self.evidence.get(rule.name) != Some(&Freshness::Same) {
                continue;
            }
            let (worktree, globs, staged) = (worktree.clone(), glob_set(paths_of(&rule)), staged.clone());
            let work = move || {
                let mut files = git::staged_otherwise(&worktree, globs.as_ref()).unwrap_or_default();
                files.retain(|file| !staged.iter().any(|path| worktree.root.join(file).starts_with(path)));
                files
            };
            let freshness = match within(self.deadlines.of_files, work) {
                Some(files) if files.is_empty() => continue,
                Some(files) => Freshness::StagedOtherwise(files),
                None => Freshness::Unknown("what is staged could not be compared in time".to_owned()),
            };
            self.evidence.insert(rule.name.to_owned(), freshness);
        }
    }

    fn other_sessions(&self, context: &HookContext<'_>) -> Vec<String> {
        let (Some(store), Some(root)) = (context.store, &self.places.root) else { return Vec::new() };
        let live = Registry::new(store.dir()).live(root, context.host.now());
        let others = live.into_iter().filter(|entry| Some(&entry.session) != self.session.as_ref());
        others.map(|entry| entry.session.chars().take(8).collect()).collect()
    }

    /// The size for a rule: the last count on the branch if it is young, else a new one, which is kept; always a new one where the
    /// files may have changed. `None` without git, or for another rule.
    pub(super) fn size(
        &self,
        context: &HookContext<'_>,
        rule: &Rule<'_>,
        may_have_changed: bool,
    ) -> Option<Result<Size, String>> {
        let dynamic = rule.set.dynamic()?;
        let Some(worktree) = self.worktree.clone() else { return self.problem.clone().map(Err) };
        let (now, root, branch) = (context.host.now(), worktree.root.display(), self.key.label());
        // Another base and other files that do not count make another size.
        let Dynamic { base, exclude, .. } = dynamic;
        let key = file_key(&format!("{root} {branch} {} {base:?} {exclude:?}", rule.name));
        let last = context.store.and_then(|store| store.read::<Size>(&key));
        let counted = context.store.and_then(|store| modified(&store.session_file::<Size>(&key)?));
        let ttl = Duration::from_secs(dynamic.cache_ttl.into());
        let is_young = counted.is_some_and(|counted| counted <= now && now.since(counted) < ttl);
        if is_young && !may_have_changed && last.is_some() {
            return last.map(Ok);
        }
        let Deadlines { all, of_recounts, .. } = self.deadlines;
        let deadline = if last.is_some() { of_recounts } else { all };
        let count = match git::measure(worktree, base.clone(), exclude, deadline) {
            Ok(count) => no_less(count, last),
            Err(error) => return Some(Err(error.to_string())),
        };
        if count.base.is_empty() {
            return Some(Err("it could not be counted in time; repeat the call".to_owned()));
        }
        // A count that cannot be kept is made again.
        let _ = context.store.map(|store| {
            store.change(&key, |last: &mut Size| {
                last.clone_from(&count);
                true
            })
        });
        Some(Ok(count))
    }

    /// Whether the files are those the command passed on; `None` where none has passed.
    fn freshness(&mut self, context: &HookContext<'_>, rule: &Rule<'_>) -> Option<Freshness> {
        let session = self.session.as_deref().unwrap_or_default();
        let found = self.satisfaction(rule, session, context.host.now())?;
        let noted = found.metadata.fingerprint.clone()?;
        Some(self.since(rule, &noted))
    }

    /// How the files differ from those that were noted. Those are named that were changed since and are not committed.
    pub(super) fn since(&mut self, rule: &Rule<'_>, noted: &str) -> Freshness {
        let (digest, at) = noted.split_once('@').unwrap_or((noted, ""));
        let at = Timestamp::from_micros(at.parse().unwrap_or(i64::MAX));
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
        let root = self.top().unwrap_or(&self.cwd).to_owned();
        let work = move || {
            let by_content = worktree.and_then(|worktree| take(&worktree, globs.as_ref()).ok());
            by_content.unwrap_or_else(|| take_plain(&root, globs.as_ref()))
        };
        let late = "they could not be compared in time; narrow `paths` or ignore what is generated";
        let taken = within(deadline, work).ok_or_else(|| late.to_owned());
        self.taken.insert(key, taken.clone());
        taken
    }

    /// Whether the requirement's file is as it must be, else what it lacks; `None` without a project.
    fn file(&self, context: &HookContext<'_>, wanted: &File) -> Option<Result<(), String>> {
        let late = format!("{} could not be looked for in time", wanted.glob.as_str());
        let (root, wanted, now) = (self.top()?.to_owned(), wanted.clone(), context.host.now());
        Some(within(self.deadlines.all, move || look_for(&root, &wanted, now)).unwrap_or(Err(late)))
    }
}

/// A count that ran out of time is no less than the last one of the same branch.
fn no_less(counted: Size, earlier: Option<Size>) -> Size {
    let more = earlier.filter(|earlier| !counted.is_complete && earlier.lines > counted.lines);
    more.map_or(counted, |more| Size { is_complete: false, ..more })
}

/// One of the files that the glob means is as it must be; else what the first one lacks.
fn look_for(root: &Path, wanted: &File, now: Timestamp) -> Result<(), String> {
    let since = wanted.newer_than.and_then(|than| match than {
        Age::Ago(span) => Some(now.minus(span)),
        Age::Head => git::time_of_head(root),
    });
    let mut looked_at = meant(root, wanted).into_iter().map(|file| look_at(root, &file, wanted, since));
    let first = looked_at.next().unwrap_or_else(|| Err(format!("there is no file {}", wanted.glob.as_str())));
    first.or_else(|why| looked_at.find(Result::is_ok).unwrap_or(Err(why)))
}

/// The files that the glob means, by their paths from the root.
fn meant(root: &Path, wanted: &File) -> Vec<PathBuf> {
    if wanted.glob.is_literal() {
        return vec![wanted.glob.as_str().into()];
    }
    let Some(globs) = glob_set(std::slice::from_ref(&wanted.glob)) else { return Vec::new() };
    files_below(root).into_iter().filter(|file| globs.is_match(file)).collect()
}

fn look_at(root: &Path, file: &Path, wanted: &File, since: Option<Timestamp>) -> Result<(), String> {
    let (shown, file) = (file.display(), root.join(file));
    let text = match read_text(&file, Some(root), MAX_BYTES) {
        Ok(text) => text,
        Err(Refused::NotThere) => return Err(format!("there is no file {shown}")),
        Err(Refused::Because(why)) => return Err(format!("{shown}: {why}")),
    };
    let changed = fs::metadata(&file).and_then(|metadata| metadata.modified()).map(Timestamp::from);
    if since.is_some_and(|since| changed.is_ok_and(|changed| changed <= since)) {
        return Err(format!("{shown} is not newer than asked"));
    }
    let missing = wanted.contains.iter().find(|pattern| !pattern.is_in(&text));
    missing.map_or(Ok(()), |pattern| Err(format!("{shown} has no match of /{}/", pattern.text)))
}

#[cfg(test)]
mod tests;
