//! One look at the world around a call: where it acts, what is satisfied there, and what the rules at hand ask for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shared::hook::{Context, Remembered};
use shared::protocol::Event;
use shared::proved;
use shared::state::Store;

use super::{files, fingerprints, sizes};
use crate::call::Call;
use crate::change::Change;
use crate::git::{self, Answer, GitError, Taken, Worktree};
use crate::newcomers;
use crate::paths::above;
use crate::place::{Around, Here, Refusals, ask, is_writable};
use crate::registry::Registry;
use crate::rule::Rule;
use crate::satisfactions::{BranchMarks, Key};
use crate::settings::{Guard, Settings, Terms};
use crate::view::{Freshness, Reader, World};
use crate::wording;

/// One deadline for everything that is measured: before a tool call, and at any other event, which takes 1 s at most in all.
const BEFORE_CALL: Duration = Duration::from_millis(100);
const AT_LEISURE: Duration = Duration::from_millis(900);

/// Before a tool call a recount takes no longer.
const RECOUNT_BEFORE_CALL: Duration = Duration::from_millis(20);

pub struct Look<'a, 's> {
    pub(super) context: &'a Context<'s, Settings>,
    /// The facts so far.
    pub world: World,
    pub(super) session: Option<String>,
    pub(super) begun: Instant,
    /// None on a command line.
    pub deadline: Option<Instant>,
    /// The file the call names.
    pub(super) file: Option<PathBuf>,
    /// Files under some globs as they are now, taken once per call.
    pub(super) taken: RefCell<BTreeMap<Vec<String>, Result<Taken, GitError>>>,
}

impl<'a, 's> Look<'a, 's> {
    /// Around the session's directory.
    pub fn new(context: &'a Context<'s, Settings>) -> Self {
        Self::at(context, &Self::cwd(context))
    }

    /// Around a file or folder; around the session's directory if that is in no repository.
    pub(crate) fn at(context: &'a Context<'s, Settings>, place: &Path) -> Self {
        Self::since(Instant::now(), context, place)
    }

    /// Around another place, with the same deadline.
    pub(crate) fn elsewhere(&self, place: &Path) -> Self {
        Self::since(self.begun, self.context, place)
    }

    fn since(begun: Instant, context: &'a Context<'s, Settings>, place: &Path) -> Self {
        let state_dir = context.store.map(Store::dir);
        let (root, environment) = (context.places.root.as_deref(), &context.host.environment);
        let around = Around { state_dir, root, environment };
        let find = |place: &Path| Here::find(place, around, |place| ask_once(context, place, around));
        let cwd = Self::cwd(context);
        let own = (place != cwd).then(|| find(&cwd));
        let is_same = |own: &&Here| own.worktree.as_ref().is_some_and(|worktree| worktree.holds(place));
        let here = own.as_ref().filter(is_same).cloned().unwrap_or_else(|| find(place));
        let here = own.clone().filter(|_| here.worktree.is_none()).unwrap_or(here);
        let own_root = own.as_ref().unwrap_or(&here).root().map(Path::to_path_buf);
        let elsewhere = here.root().filter(|root| Some(*root) != own_root.as_deref()).map(Path::to_path_buf);
        let reader = Reader {
            req: context.host.own_command("req", context.places),
            mode: context.request.call.permission_mode,
            is_headless: environment.is_headless(),
            is_user: false,
            elsewhere,
        };
        let refusals = Refusals::new(context.places.state_dir.as_deref());
        let takes_marks = |folder: &Path| is_writable(folder) && !refusals.hold(folder, context.host.now());
        let can_satisfy = here.folder.as_ref().is_some_and(|folder| takes_marks(folder.dir()));
        let world = World {
            reader,
            cwd,
            root: root.map(Path::to_path_buf),
            entrypoint: environment.entrypoint.clone(),
            notes: here.trouble.iter().map(|why| wording::without_git(why)).collect(),
            can_satisfy,
            can_prove: can_satisfy && state_dir.is_some_and(is_writable),
            here,
            ..World::default()
        };
        let is_before = matches!(context.request.event, Event::PreToolUse(_));
        let mut look = Self {
            context,
            world,
            session: context.request.call.session_id.clone(),
            begun,
            deadline: Some(begun + if is_before { BEFORE_CALL } else { AT_LEISURE }),
            file: None,
            taken: RefCell::default(),
        };
        look.read_marks();
        look
    }

    /// The session's directory, links resolved as in the paths of work trees.
    pub(crate) fn cwd(context: &Context<'_, Settings>) -> PathBuf {
        let cwd = context.request.call.cwd.clone().or_else(|| context.places.root.clone());
        let cwd = cwd.or_else(|| context.host.cwd()).unwrap_or_default();
        cwd.canonicalize().unwrap_or(cwd)
    }

    /// The session has given no sign of life for a while.
    pub(crate) fn is_quiet(context: &Context<'_, Settings>) -> bool {
        let registry = context.store.zip(context.request.call.session_id.as_deref());
        registry
            .is_some_and(|(store, session)| Registry::new(store.dir()).is_quiet(session, context.host.now()))
    }

    pub(super) fn read_marks(&mut self) {
        let Some(folder) = self.world.here.folder.clone() else { return };
        let mut read = |key: &Key| match folder.read(key) {
            Ok(read) => {
                self.world.notes.extend(read.corrupt.iter().map(|file| wording::set_aside(file)));
                read.marks
            }
            Err(error) => {
                self.world.notes.push(format!("requirements-check: {error}"));
                BranchMarks::default()
            }
        };
        (self.world.branch, self.world.permanent) = (read(&self.world.here.key), read(&Key::Permanent));
    }

    /// Measures what these rules are judged by, locked rules first: a project's file may take all the time.
    pub fn measure(&mut self, rules: &[Rule<'_>]) {
        self.note_what_is_in_the_way(rules);
        let is_locked = |rule: &&Rule<'_>| rule.is_locked(self.context.locked);
        let (locked, others): (Vec<&Rule<'_>>, Vec<&Rule<'_>>) = rules.iter().partition(is_locked);
        for rule in locked.into_iter().chain(others) {
            let name = rule.name.to_owned();
            match &rule.set.terms {
                // What is checked out says nothing of another branch.
                Terms::Dynamic(_) | Terms::Evidence(_) if self.world.is_turned => {}
                Terms::Dynamic(dynamic) => {
                    let size = sizes::of(self, rule, dynamic);
                    self.world.sizes.extend(size.map(|size| (name, size)));
                }
                Terms::Guard(Guard::SingleSession) => self.look_for_others(),
                Terms::Evidence(_) => {
                    let freshness = fingerprints::compare(self, rule);
                    self.world.evidence.extend(freshness.map(|freshness| (name.clone(), freshness)));
                    let found = files::find(self, rule);
                    self.world.files.extend(found.map(|found| (name, found)));
                }
                Terms::Blocking(_) | Terms::Guard(_) | Terms::Off(_) => {}
            }
        }
    }

    /// The same before a call, with what a commit of it would take.
    pub(crate) fn measure_for(&mut self, rules: &[Rule<'_>], call: &Call) {
        self.file = call.file.as_ref().map(|file| self.world.cwd.join(file));
        self.measure(rules);
        let commits = call.commits_the_index();
        // Evidence that does not hold anyway needs no look at what is staged.
        for rule in rules.iter().filter(|_| commits) {
            if self.world.evidence.get(rule.name) != Some(&Freshness::Same) {
                continue;
            }
            let staged = fingerprints::staged_otherwise(self, rule);
            self.world.staged_otherwise.insert(rule.name.to_owned(), staged);
        }
    }

    /// The user reads why files cannot be compared; the size of a branch reports that itself.
    fn note_what_is_in_the_way(&mut self, rules: &[Rule<'_>]) {
        let compares =
            |rule: &Rule<'_>| rule.set.evidence().is_some_and(|evidence| !evidence.commands.is_empty());
        let worktree = self.world.here.worktree.as_ref().filter(|_| rules.iter().any(compares));
        if let Some(Err(error)) = worktree.map(Worktree::check_rules) {
            let note =
                format!("requirements-check: {error}; until then files are told apart by size and time");
            self.world.notes.push(note);
        }
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
        let is_harmless = call.file.is_none() && call.line.is_none() || call.only_reads();
        let Some(worktree) = self.world.here.worktree.clone().filter(|_| !is_harmless) else { return };
        let deadline = self.deadline;
        for rule in rules {
            let Some(dynamic) = rule.set.dynamic() else { continue };
            drop(sizes::count_anew(self, &worktree, rule, dynamic, deadline));
        }
    }

    /// The deadline for the files of evidence: the long one before a call, too, because a run whose files nobody looked at proves nothing.
    pub(super) fn deadline_of_files(&self) -> Option<Instant> {
        self.deadline.map(|_| self.begun + AT_LEISURE)
    }

    pub(super) fn deadline_of_recount(&self) -> Option<Instant> {
        let is_before = matches!(self.context.request.event, Event::PreToolUse(_));
        let soon = Instant::now() + RECOUNT_BEFORE_CALL;
        self.deadline.map(|deadline| if is_before { deadline.min(soon) } else { deadline })
    }

    /// Removes entries of sessions that ended long ago.
    pub(crate) fn sweep(&self) {
        if let Some(store) = self.context.store {
            Registry::new(store.dir()).sweep(self.context.host.now());
        }
    }

    /// A local file that git tracks is the team's; its owner wants to know.
    pub(crate) fn note_a_tracked_local_file(&mut self) {
        let folder = self.context.places.project_claude_dir.as_ref();
        let local = folder.map(|dir| dir.join("requirements.local.yaml")).filter(|file| file.is_file());
        let Some((local, worktree)) = local.zip(self.world.here.worktree.as_ref()) else { return };
        if git::is_tracked(worktree, &local) {
            self.world.notes.push(wording::tracked_local_file(&local));
        }
    }

    /// Notices that the user reads once, if that can be remembered: `req init` in a repository with a remote in which nothing is
    /// set up, and a version of Claude Code under which the hooks were not proved.
    pub(crate) fn look_for_notices(&mut self, source: &str) {
        let Some(store) = self.context.store.filter(|store| is_writable(store.dir())) else { return };
        if source == "startup"
            && let Some(common_dir) = self.of_a_newcomer(store)
        {
            self.world.once.push((wording::newcomer(), Change::ToldOfInit(common_dir)));
        }
        let agent = self.context.host.environment.agent.as_deref();
        let running = agent.and_then(proved::version_of_agent);
        let last = proved::read(store);
        if let Some(running) = running
            && let Some(before) = proved::untold_change(&last, &running)
        {
            self.world.once.push((wording::new_client(&running, before), Change::ToldOfClient(running)));
        }
    }

    fn of_a_newcomer(&self, store: &Store) -> Option<PathBuf> {
        let worktree = self.world.here.worktree.as_ref()?;
        let folder = self.context.places.project_claude_dir.as_ref()?;
        let files = ["requirements.yaml", "requirements.local.yaml"];
        let is_new = self.context.settings.requirements.is_empty()
            && !files.iter().any(|file| folder.join(file).exists())
            && git::remote(&worktree.common_dir).is_some()
            && !newcomers::is_told(store, &worktree.common_dir);
        is_new.then(|| worktree.common_dir.clone())
    }
}

/// What the `git` command said of a folder, kept for the session because asking is slow.
#[derive(Debug, Default, Serialize, Deserialize)]
struct AskedGit {
    folder: PathBuf,
    answer: Option<Answer>,
    error: String,
    /// Time of the reference table in nanoseconds; a switch of branches changes it.
    table: Option<u128>,
}

impl Remembered for AskedGit {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-git.json"))
    }
}

fn ask_once(context: &Context<'_, Settings>, place: &Path, around: Around<'_>) -> Result<Answer, GitError> {
    let folder = above(place).find(|folder| folder.join(".git").exists()).unwrap_or(place);
    let table = reference_table(folder);
    let earlier: AskedGit = context.peek();
    if earlier.folder == folder && earlier.table == table {
        return earlier.answer.ok_or(GitError::Other(earlier.error));
    }
    let answer = ask(folder, around);
    let error = answer.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let asked = AskedGit { folder: folder.to_path_buf(), answer: answer.clone().ok(), error, table };
    if let (Some(store), Some(session)) = (context.store, context.request.call.session_id.as_deref())
        && let Some(file) = store.session_file::<AskedGit>(session)
    {
        let _ = store.locked(&file, || store.save(&file, session, &asked));
    }
    answer
}

fn reference_table(folder: &Path) -> Option<u128> {
    let table = std::fs::metadata(folder.join(".git/reftable/tables.list")).ok()?;
    Some(table.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos())
}
