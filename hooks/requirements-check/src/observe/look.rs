//! The request context: where a call acts, what is satisfied there, and what the rules at hand ask for. Each datum is looked at
//! once, and only where a rule asks for it, under one deadline for all of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use shared::protocol::Event;
use shared::state::Store;

use super::{HookContext, evidence, sizes};
use crate::call::Call;
use crate::git::{GitError, Taken, baseless};
use crate::paths::real;
use crate::place::{Here, Noted, is_writable};
use crate::registry::Registry;
use crate::rule::Rule;
use crate::satisfactions::{Key, Satisfactions};
use crate::settings::{Dynamic, Guard, Terms};
use crate::view::{Freshness, World};

/// One deadline for everything that is measured: before a tool call, and at any other event, which takes 1 s at most in all.
const BEFORE_CALL: Duration = Duration::from_millis(100);
const AT_LEISURE: Duration = Duration::from_millis(900);

/// A folder that took no satisfaction is tried again after this time.
const TRY_AGAIN: Duration = Duration::from_secs(10 * 60);

pub struct Look<'a> {
    pub(super) context: &'a HookContext<'a>,
    /// What was found so far.
    pub world: World,
    pub session: Option<String>,
    pub(super) begun: Instant,
    /// None on a command line.
    pub deadline: Option<Instant>,
    /// Files under some globs as they are now.
    pub(super) taken: RefCell<BTreeMap<Vec<String>, Result<Taken, GitError>>>,
}

impl<'a> Look<'a> {
    /// Around the session's directory.
    pub fn new(context: &'a HookContext<'a>) -> Self {
        let cwd = Self::cwd(context);
        Self::at(context, Instant::now(), &cwd, &cwd)
    }

    /// Around a file or folder, by a path without links; around `cwd`, the session's directory, if that is in no repository.
    pub(super) fn at(context: &'a HookContext<'a>, begun: Instant, cwd: &Path, place: &Path) -> Self {
        let own = Here::find(cwd, context);
        let is_own = place == cwd || own.worktree.as_ref().is_some_and(|worktree| worktree.holds(place));
        let there = (!is_own).then(|| Here::find(place, context)).filter(|there| there.worktree.is_some());
        let elsewhere = there.as_ref().and_then(Here::root).filter(|root| Some(*root) != own.root());
        let elsewhere = elsewhere.map(Path::to_path_buf);
        let here = there.unwrap_or(own);
        let takes = |folder: &Path| {
            let failed = Noted::unwritable(context.places.state_dir.as_deref(), folder).since();
            is_writable(folder) && failed.is_none_or(|last| context.host.now().since(last) >= TRY_AGAIN)
        };
        let can_satisfy = here.folder.as_ref().is_some_and(|folder| takes(folder.dir()));
        let without_git = |why| {
            format!(
                "requirements-check: git could not be read ({why}), so satisfactions count for a session only, on no branch"
            )
        };
        let notes = here.trouble.iter().map(without_git).collect();
        let world = World {
            mode: context.request.call.permission_mode,
            elsewhere,
            programs: Some(Box::new((context.host.clone(), context.places.clone()))),
            cwd: cwd.to_owned(),
            root: context.places.root.clone(),
            entrypoint: context.host.environment.entrypoint.clone(),
            notes,
            can_satisfy,
            can_prove: can_satisfy && context.store.map(Store::dir).is_some_and(is_writable),
            here,
            ..World::default()
        };
        let mut look = Self {
            context,
            world,
            session: context.request.call.session_id.clone(),
            begun,
            deadline: Some(begun + if is_before(context) { BEFORE_CALL } else { AT_LEISURE }),
            taken: RefCell::default(),
        };
        look.read_satisfactions();
        look
    }

    /// The session's directory, links resolved as in the paths of work trees.
    pub(crate) fn cwd(context: &HookContext<'_>) -> PathBuf {
        let cwd = context.request.call.cwd.clone().or_else(|| context.places.root.clone());
        let cwd = cwd.or_else(|| context.host.cwd()).unwrap_or_default();
        cwd.canonicalize().unwrap_or(cwd)
    }

    pub fn read_satisfactions(&mut self) {
        let Some(folder) = self.world.here.folder.clone() else { return };
        let mut read = |key: &Key| match folder.read(key) {
            Ok((satisfactions, corrupt)) => {
                self.world.notes.extend(corrupt.map(|file| {
                    format!(
                        "requirements-check: a file of satisfactions was damaged and is now {}; what it held counts as not satisfied",
                        file.display()
                    )
                }));
                satisfactions
            }
            Err(error) => {
                self.world.notes.push(format!("requirements-check: {error}"));
                Satisfactions::default()
            }
        };
        (self.world.branch, self.world.permanent) = (read(&self.world.here.key), read(&Key::Permanent));
    }

    /// Measures what these rules are judged by, locked rules first: a project's file may take all the time.
    pub fn measure(&mut self, rules: &[Rule<'_>]) {
        let mut rules = rules.to_vec();
        rules.sort_by_key(|rule| !rule.is_locked(self.context.locked));
        // Once for all rules: it reads a file for each live session.
        if rules.iter().any(|rule| matches!(rule.set.terms, Terms::Guard(Guard::SingleSession))) {
            self.look_for_others();
        }
        for rule in &rules {
            let name = rule.name.to_owned();
            match &rule.set.terms {
                Terms::Dynamic(dynamic) => {
                    let size = sizes::of(self, rule, dynamic, false);
                    self.world.sizes.extend(size.map(|size| (name, size)));
                }
                Terms::Evidence(_) => {
                    let freshness = evidence::compare(self, rule);
                    self.world.evidence.extend(freshness.map(|freshness| (name.clone(), freshness)));
                    let found = evidence::find(self, rule);
                    self.world.files.extend(found.map(|found| (name, found)));
                }
                Terms::Blocking(_) | Terms::Guard(_) | Terms::Off(_) => {}
            }
        }
    }

    /// The same before a call, with what a commit of it would take.
    pub(crate) fn measure_for(&mut self, rules: &[Rule<'_>], call: &Call) {
        self.measure(rules);
        let Some(staged) = call.staged_for_commit(&self.world.cwd) else { return };
        let staged: Vec<PathBuf> = staged.iter().map(|path| real(path)).collect();
        // Evidence that does not hold anyway needs no look at what is staged.
        let holds = |rule: &&Rule<'_>| self.world.evidence.get(rule.name) == Some(&Freshness::Same);
        let holding = rules.iter().filter(holds);
        self.world.staged_otherwise = holding
            .map(|rule| (rule.name.to_owned(), evidence::staged_otherwise(self, rule, &staged)))
            .collect();
    }

    /// Why sizes are smaller in this clone than they are, and what fetches the rest; none if they are not, and without git.
    pub fn baseless(&self, dynamic: &Dynamic) -> Result<Option<String>, String> {
        let worktree = self.world.here.worktree.as_ref();
        let why = worktree.map(|worktree| baseless(worktree, dynamic.base.as_deref())).transpose();
        why.map(Option::flatten).map_err(|error| error.to_string())
    }

    fn look_for_others(&mut self) {
        let (Some(store), Some(root)) = (self.context.store, &self.world.root) else { return };
        let own = self.session.as_deref();
        let live = Registry::new(store.dir()).live(root, self.context.host.now());
        let others = live.into_iter().filter(|entry| Some(entry.session.as_str()) != own);
        self.world.others = others.map(|entry| entry.session.chars().take(8).collect()).collect();
    }

    /// Counts sizes anew after a call that may have changed files.
    pub(crate) fn recount(&mut self, rules: &[Rule<'_>], call: &Call) {
        if call.file.is_none() && call.line.is_none() || call.only_reads() {
            return;
        }
        for rule in rules {
            if let Some(dynamic) = rule.set.dynamic() {
                drop(sizes::of(self, rule, dynamic, true));
            }
        }
    }

    /// The deadline for the files of evidence: the long one before a call, too, because a run whose files nobody looked at proves nothing.
    pub(super) fn deadline_of_files(&self) -> Option<Instant> {
        self.deadline.map(|_| self.begun + AT_LEISURE)
    }
}

pub(super) fn is_before(context: &HookContext<'_>) -> bool {
    matches!(context.request.event, Event::PreToolUse(_))
}
