//! One look at the world around a call: where it acts, its marks, and what the rules at hand ask for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shared::hook::{Context, Remembered};
use shared::protocol::Event;
use shared::proved;
use shared::state::{Store, file_key};

use super::{files, fingerprints, sizes};
use crate::call::Call;
use crate::git::{self, Answer, GitError, Taken, Worktree};
use crate::newcomers;
use crate::paths::above;
use crate::place::{Around, Here, Refusals, ask, is_writable};
use crate::registry::Registry;
use crate::rule::Rule;
use crate::satisfactions::{Key, MarkFolder};
use crate::settings::{Dynamic, Guard, Kind, Settings, Terms};
use crate::view::{Freshness, NewClient, Reader, World};
use crate::wording;

/// Before a tool call everything together takes no longer, and counting a branch not even that.
const BEFORE_CALL: Duration = Duration::from_millis(100);
const COUNT_BEFORE_CALL: Duration = Duration::from_millis(20);

/// After a call, at a session's start, at a stop and for commands.
const AT_LEISURE: Duration = Duration::from_secs(1);

/// A look around.
pub struct Look<'a, 's> {
    pub(super) context: &'a Context<'s, Settings>,
    /// The facts, so far.
    pub world: World,
    /// Whose marks are meant, beside those of everybody.
    pub(super) session: Option<String>,
    pub(super) begun: Instant,
    /// For everything that is measured; none on a command line.
    pub deadline: Option<Instant>,
    /// The file the call names.
    file: Option<PathBuf>,
    /// The requirements that are judged by this look.
    pub(crate) judged: Vec<String>,
    /// The files under some paths, as they are now.
    pub(super) taken: RefCell<BTreeMap<Vec<String>, Result<Taken, GitError>>>,
}

/// What `git` said of a folder, once per session: it is slow.
#[derive(Debug, Default, Serialize, Deserialize)]
struct AskedGit {
    folder: PathBuf,
    answer: Option<Answer>,
    error: String,
    /// The reference table's time, in nanoseconds, where there is one: a switch of branches shows in it.
    table: Option<u128>,
}

impl Remembered for AskedGit {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-git.json"))
    }
}

impl<'a, 's> Look<'a, 's> {
    /// Around the session's directory.
    pub fn new(context: &'a Context<'s, Settings>) -> Self {
        let cwd = Self::cwd(context);
        Self::at(context, &cwd)
    }

    /// The session's directory, links resolved as those of work trees are.
    pub(crate) fn cwd(context: &Context<'_, Settings>) -> PathBuf {
        let cwd = context.request.call.cwd.clone().or_else(|| context.places.root.clone());
        let cwd = cwd.or_else(|| context.host.cwd()).unwrap_or_default();
        cwd.canonicalize().unwrap_or(cwd)
    }

    /// The session's last sign of life is a while ago, or there was none.
    pub(crate) fn is_quiet(context: &Context<'_, Settings>) -> bool {
        let (Some(store), Some(session)) = (context.store, context.request.call.session_id.as_deref()) else {
            return false;
        };
        Registry::new(store.dir()).is_quiet(session, context.host.now())
    }

    /// Around a file or folder. A file outside of any repository is looked at from the session's directory.
    pub(crate) fn at(context: &'a Context<'s, Settings>, place: &Path) -> Self {
        let around = Around {
            state_dir: context.store.map(shared::state::Store::dir),
            root: context.places.root.as_deref(),
            environment: &context.host.environment,
        };
        let find = |place: &Path| Here::find(place, around, |place| ask_once(context, place, around));
        let cwd = Self::cwd(context);
        let own = (place != cwd).then(|| find(&cwd));
        let here = match find(place) {
            here if here.worktree.is_some() || own.is_none() => here,
            here => own.clone().unwrap_or(here),
        };
        let own_root = own.as_ref().unwrap_or(&here).root().map(Path::to_path_buf);
        let elsewhere = here.root().filter(|root| Some(*root) != own_root.as_deref()).map(Path::to_path_buf);
        let reader = Reader {
            req: context.host.own_command("req", context.places),
            mode: context.request.call.permission_mode,
            is_headless: context.host.environment.is_headless(),
            is_user: false,
            elsewhere,
        };
        let begun = Instant::now();
        let patience =
            if matches!(context.request.event, Event::PreToolUse(_)) { BEFORE_CALL } else { AT_LEISURE };
        let mut look = Self {
            context,
            begun,
            deadline: Some(begun + patience),
            file: None,
            judged: Vec::new(),
            taken: RefCell::default(),
            session: context.request.call.session_id.clone(),
            world: World {
                reader,
                cwd,
                root: context.places.root.clone(),
                entrypoint: context.host.environment.entrypoint.clone(),
                ..World::default()
            },
        };
        look.world.notes.extend(here.trouble.iter().map(|why| wording::without_git(why)));
        let refusals = Refusals::new(context.places.state_dir.as_deref());
        let takes_marks = |folder: &Path| is_writable(folder) && !refusals.hold(folder, context.host.now());
        look.world.can_mark = here.folder.as_ref().is_some_and(|folder| takes_marks(folder.dir()));
        look.world.can_prove =
            look.world.can_mark && context.store.is_some_and(|store| is_writable(store.dir()));
        look.world.here = here;
        look.read_marks();
        look
    }

    fn read_marks(&mut self) {
        let Some(folder) = self.world.here.folder.clone() else { return };
        let mut read = |key: &Key| match folder.read(key) {
            Ok(read) => {
                self.world.notes.extend(read.corrupt.iter().map(|file| wording::set_aside(file)));
                read.marks
            }
            Err(error) => {
                self.world.notes.push(format!("requirements-check: {error}"));
                crate::satisfactions::BranchMarks::default()
            }
        };
        let branch = read(&self.world.here.key);
        let permanent = read(&Key::Permanent);
        self.world.branch = branch;
        self.world.permanent = permanent;
    }

    /// Looks at what these rules are judged by, first at those of locked ones: a project's file may take all the time.
    pub fn measure(&mut self, rules: &[Rule<'_>]) {
        self.note_what_is_in_the_way(rules);
        let is_locked = |rule: &&Rule<'_>| rule.is_locked(self.context.locked);
        let (locked, others): (Vec<&Rule<'_>>, Vec<&Rule<'_>>) = rules.iter().partition(is_locked);
        for rule in locked.into_iter().chain(others) {
            match &rule.set.terms {
                // What is checked out says nothing of another branch.
                Terms::Dynamic(_) | Terms::Evidence(_) if self.world.is_turned => {}
                Terms::Dynamic(dynamic) => self.look_at_size(rule, dynamic),
                Terms::Guard(Guard::SingleSession) => self.look_for_others(),
                Terms::Evidence(_) => self.look_at_evidence(rule),
                Terms::Blocking(_) | Terms::Guard(_) | Terms::Off(_) => {}
            }
        }
    }

    /// The same before a call, with what it would commit.
    pub(crate) fn measure_for(&mut self, rules: &[Rule<'_>], call: &Call) {
        self.file = call.file.as_ref().map(|file| self.world.cwd.join(file));
        self.measure(rules);
        let commits = call.commits_the_index();
        for rule in rules.iter().filter(|rule| rule.kind() == Kind::Evidence && commits) {
            let staged = fingerprints::staged_otherwise(self, rule);
            self.world.staged_otherwise.insert(rule.name.to_owned(), staged);
        }
    }

    /// The user hears why files cannot be looked at; the size of a branch says so by itself.
    fn note_what_is_in_the_way(&mut self, rules: &[Rule<'_>]) {
        let looks = rules
            .iter()
            .any(|rule| rule.set.evidence().is_some_and(|evidence| !evidence.commands.is_empty()));
        let checked = self.world.here.worktree.as_ref().filter(|_| looks).map(Worktree::check_rules);
        if let Some(Err(error)) = checked {
            let note =
                format!("requirements-check: {error}; until then files are told apart by size and time");
            self.world.notes.push(note);
        }
    }

    fn look_at_size(&mut self, rule: &Rule<'_>, dynamic: &Dynamic) {
        let file = self.file.clone();
        let is_before = matches!(self.context.request.event, Event::PreToolUse(_));
        let soon = Instant::now() + COUNT_BEFORE_CALL;
        let deadline = self.deadline.map(|deadline| if is_before { deadline.min(soon) } else { deadline });
        let name = rule.name.to_owned();
        match sizes::of(self, rule, dynamic, file.as_deref(), deadline) {
            Some(Ok(size)) => drop(self.world.sizes.insert(name, size)),
            Some(Err(why)) => drop(self.world.unmeasured.insert(name, why)),
            None => {}
        }
    }

    /// Looks at what a clean clone tells of a rule, however long that takes. Fails with what keeps it from being told.
    pub fn measure_afresh(&mut self, rule: &Rule<'_>) -> Result<(), String> {
        match &rule.set.terms {
            Terms::Dynamic(dynamic) => {
                let size = sizes::afresh(self, dynamic)?;
                self.world.sizes.insert(rule.name.to_owned(), size);
            }
            Terms::Evidence(_) => {
                let found = files::find(self, rule);
                self.world.files.extend(found.map(|found| (rule.name.to_owned(), found)));
            }
            Terms::Guard(_) | Terms::Blocking(_) | Terms::Off(_) => {}
        }
        Ok(())
    }

    /// Why there is no repository to look at.
    pub fn without_git(&self) -> String {
        let trouble = self.world.here.trouble.as_ref();
        trouble.map_or("there is no git repository here".to_owned(), |why| {
            format!("git could not be read: {why}")
        })
    }

    fn look_at_evidence(&mut self, rule: &Rule<'_>) {
        if let Some(freshness) = fingerprints::compare(self, rule) {
            self.world.evidence.insert(rule.name.to_owned(), freshness);
        }
        if let Some(found) = files::find(self, rule) {
            self.world.files.insert(rule.name.to_owned(), found);
        }
    }

    fn look_for_others(&mut self) {
        let (Some(store), Some(root)) = (self.context.store, &self.world.root) else { return };
        let own = self.session.as_deref();
        let live = Registry::new(store.dir()).live(root, self.context.host.now());
        let others = live.into_iter().filter(|entry| Some(entry.session.as_str()) != own);
        self.world.others = others.map(|entry| entry.session.chars().take(8).collect()).collect();
    }

    /// After a call that may have changed files: sizes are counted anew.
    pub(crate) fn recount(&mut self, rules: &[Rule<'_>], call: &Call) {
        let is_harmless = call.file.is_none() && call.line.is_none() || call.only_reads();
        let Some(worktree) = self.world.here.worktree.clone() else { return };
        for rule in rules.iter().filter(|_| !is_harmless) {
            let Some(dynamic) = rule.set.dynamic() else { continue };
            let deadline = self.deadline;
            drop(sizes::count_anew(self, &worktree, rule, dynamic, deadline));
        }
    }

    /// The files the evidence is about are others than those of the digest.
    pub(crate) fn has_changed_since(&self, rule: &Rule<'_>, digest: &str) -> bool {
        matches!(fingerprints::since(self, rule, digest), Freshness::Different(_))
    }

    /// The files the evidence is about, kept by their digest.
    pub(crate) fn keep_fingerprint(&self, rule: &Rule<'_>, is_run: bool) -> Option<String> {
        fingerprints::keep(self, rule, if is_run { self.deadline_of_files() } else { self.deadline })
    }

    /// Evidence is about files: a run whose files were not looked at proves nothing, so a busy machine or a large repository may
    /// take the time that other events have.
    pub(super) fn deadline_of_files(&self) -> Option<Instant> {
        self.deadline.map(|_| self.begun + AT_LEISURE)
    }

    /// The sessions a prefix on a command line may mean: those of the register, and those with marks here.
    pub fn know_sessions(&mut self) {
        let registered = self.context.store.map(|store| Registry::new(store.dir()).all()).unwrap_or_default();
        let root = self.world.root.as_deref();
        let mut known: Vec<String> = registered
            .into_iter()
            .filter(|entry| Some(entry.project.as_path()) == root)
            .map(|entry| entry.session)
            .chain(self.world.branch.sessions().into_iter().map(ToOwned::to_owned))
            .collect();
        known.sort();
        known.dedup();
        self.world.known_sessions = known;
        let live =
            |(store, root): (&Store, &Path)| Registry::new(store.dir()).live(root, self.context.host.now());
        self.world.live = self.context.store.zip(root).map(live).unwrap_or_default();
        self.see_their_branch();
    }

    /// The live sessions of a work tree are on the branch it has out now, whatever it was when they began.
    fn see_their_branch(&mut self) {
        let World { here, root, live, .. } = &mut self.world;
        let is_here = root.as_deref().is_some_and(|root| {
            here.root().is_some_and(|own| own == root || root.canonicalize().is_ok_and(|root| own == root))
        });
        if is_here {
            for entry in live {
                entry.branch = here.branch().map(ToOwned::to_owned);
            }
        }
    }

    /// The live session of this project, if there is but one.
    pub fn only_live_session(&self) -> Option<String> {
        match self.world.live.as_slice() {
            [only] => Some(only.session.clone()),
            _ => None,
        }
    }

    /// Whose marks there are, and which branches.
    pub fn know_branches(&mut self) {
        self.world.marked = self.world.here.folder.as_ref().map(MarkFolder::list).unwrap_or_default();
        self.world.heads = self.world.here.heads();
    }

    /// Looks for another session.
    pub fn look_for(&mut self, session: Option<String>) {
        self.session = session;
    }

    /// Looks at the marks of another branch.
    pub fn turn_to(&mut self, branch: Option<&str>) {
        if let Some(branch) = branch {
            let key = Key::Branch(branch.to_owned());
            self.world.is_turned = key != self.world.here.key;
            self.world.here.key = key;
            self.read_marks();
        }
    }

    /// A local file that git tracks is the team's in fact; whoever wrote it wants to know.
    pub(crate) fn note_a_tracked_local_file(&mut self) {
        let local =
            self.context.places.project_claude_dir.as_ref().map(|dir| dir.join("requirements.local.yaml"));
        let Some(local) = local.filter(|file| file.is_file()) else { return };
        if self.world.here.worktree.as_ref().is_some_and(|worktree| git::is_tracked(worktree, &local)) {
            self.world.notes.push(wording::tracked_local_file(&local));
        }
    }

    /// A repository in which nobody has set anything up: one with a remote, because what lies about without is most often a
    /// trial. Where it could not be remembered that the user was told, they are not.
    pub(crate) fn look_for_a_newcomer(&mut self) {
        let (Some(store), Some(worktree)) = (self.context.store, &self.world.here.worktree) else { return };
        let folder = self.context.places.project_claude_dir.as_ref();
        let files = ["requirements.yaml", "requirements.local.yaml"];
        let is_set_up = folder.is_none_or(|folder| files.iter().any(|file| folder.join(file).exists()));
        let common_dir = &worktree.common_dir;
        if !is_set_up
            && git::remote(common_dir).is_some()
            && is_writable(store.dir())
            && !newcomers::is_told(store, common_dir)
        {
            self.world.newcomer = Some(common_dir.clone());
        }
    }

    /// A client that has changed since everything was proved. Where it could not be remembered that the user was told, they
    /// are not.
    pub(crate) fn look_for_a_new_client(&mut self) {
        let agent = self.context.host.environment.agent.as_deref();
        let (Some(store), Some(running)) = (self.context.store, agent.and_then(proved::version_of_agent))
        else {
            return;
        };
        let last = proved::read(store);
        if let Some(before) = proved::untold_change(&last, &running)
            && is_writable(store.dir())
        {
            self.world.new_client = Some(NewClient { proved: before.to_owned(), running });
        }
    }

    /// Clears away what nobody needs any more.
    pub(crate) fn sweep(&self) {
        if let Some(store) = self.context.store {
            Registry::new(store.dir()).sweep(self.context.host.now());
        }
    }
}

/// Asks `git`, unless it has told this session already.
fn ask_once(context: &Context<'_, Settings>, place: &Path, around: Around<'_>) -> Result<Answer, GitError> {
    let folder = above(place).find(|folder| folder.join(".git").exists()).unwrap_or(place);
    let table = reference_table(folder);
    let earlier: AskedGit = context.peek();
    if earlier.folder == folder && earlier.table == table {
        return earlier.answer.ok_or(GitError::Other(earlier.error));
    }
    let answer = ask(folder, around);
    let asked = AskedGit {
        folder: folder.to_path_buf(),
        answer: answer.clone().ok(),
        error: answer.as_ref().err().map(ToString::to_string).unwrap_or_default(),
        table,
    };
    if let (Some(store), Some(session)) = (context.store, context.request.call.session_id.as_deref())
        && let Some(file) = store.session_file::<AskedGit>(session)
    {
        let _ = store.locked(&file, || store.save(&file, session, &asked));
    }
    answer
}

/// The time of the reference table, for repositories whose branches are kept in one.
fn reference_table(folder: &Path) -> Option<u128> {
    let table = std::fs::metadata(folder.join(".git/reftable/tables.list")).ok()?;
    let modified = table.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(modified.as_nanos())
}

/// The name of a cache file that belongs to a work tree, not to a session.
pub(super) fn cache_key(worktree: &Path, rule: &str) -> String {
    file_key(&format!("{} {rule}", worktree.display()))
}
