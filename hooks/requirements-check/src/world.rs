//! A work tree in which a call acts: its branch, the satisfactions there, the measures taken there (`observe` measures), and the
//! view that requirements have of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use shared::hook::Context;
use shared::host::{Clock, Environment, Host, Places, Timestamp, ancestors};
use shared::protocol::{Event, Mode};
use shared::state::{Store, file_key};
use shared::switches::Position;
use shared::text::{age, quoted};

use crate::RequirementsCheck;
use crate::git::{Size, Taken, Worktree, ask_git};
use crate::rule::Rule;
use crate::satisfactions::{By, Folder, Key, Satisfaction, Satisfactions};
use crate::settings::{Scope, Settings, Stop};
use crate::state::{State, modified};

/// A folder that took no satisfaction is tried again after this time.
const TRY_AGAIN: Duration = Duration::from_secs(10 * 60);

#[derive(Debug, Default)]
pub struct World {
    /// The owner of the satisfactions that count.
    pub key: Key,
    /// The work tree; none without git.
    pub worktree: Option<Worktree>,
    /// The folder of the satisfactions; none where nothing can be remembered.
    pub folder: Option<Folder>,
    /// Why git, which is there, could not be read.
    pub problem: Option<String>,
    /// The satisfactions of the branch.
    pub branch: Satisfactions,
    /// Satisfactions on all branches, approvals and waivers.
    pub permanent: Satisfactions,
    /// A satisfaction can be kept.
    pub can_satisfy: bool,
    /// Evidence can be kept, which needs the state folder as well.
    pub can_prove: bool,
    /// The names of the requirements that the call needs here.
    pub(crate) judged: Vec<String>,
    /// Per dynamic requirement the size, or why it is not known.
    pub sizes: BTreeMap<String, Result<Size, String>>,
    /// Per evidence requirement whether the files are those the command passed on.
    pub evidence: BTreeMap<String, Freshness>,
    /// Per evidence requirement whether its file is as it must be, else what it lacks.
    pub files: BTreeMap<String, Result<(), String>>,
    /// Other live sessions on this project, as people read them.
    pub others: Vec<String>,
    /// The session's directory.
    pub cwd: PathBuf,
    /// The work tree in which a command must run, if that is not the session's.
    pub elsewhere: Option<PathBuf>,
    pub session: Option<String>,
    pub mode: Option<Mode>,
    /// The user reads, not Claude.
    pub is_user: bool,
    pub environment: Environment,
    pub places: Places,
    /// At a stop the user's own file on stops, and its locks, where a project's file has a say: it does not loosen what is locked.
    pub(crate) own_stop: Option<(Stop, Vec<String>)>,
    /// Notices for the user.
    pub notes: Vec<String>,
    pub(crate) deadlines: Deadlines,
    /// The files under some globs as they are now.
    pub(crate) taken: BTreeMap<Vec<String>, Result<Taken, String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    Same,
    /// A commit would take another version of these files than the one in the work tree, which is the same.
    StagedOtherwise(Vec<String>),
    /// The files that differ, as far as they are known.
    Different(Vec<String>),
    Unknown(String),
}

/// One deadline for everything that is measured; none where nobody waits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Deadlines {
    pub(crate) all: Option<Instant>,
    /// For the files of evidence the long one before a call, too: a run whose files nobody looked at proves nothing.
    pub(crate) of_files: Option<Instant>,
    /// For sizes that were counted before.
    pub(crate) of_recounts: Option<Instant>,
}

impl Deadlines {
    /// In all, an event takes 1 s at most. A typed `req` is waited for 10 s.
    fn of(event: &Event) -> Self {
        let begun = Instant::now();
        let [all, of_files, of_recounts] = match event {
            Event::Other(_) => [8_000; 3],
            Event::PreToolUse(_) => [100, 900, 20],
            _ => [900; 3],
        }
        .map(|millis| Some(begun + Duration::from_millis(millis)));
        Self { all, of_files, of_recounts }
    }
}

impl World {
    /// Around the session's directory.
    pub fn new(context: &Context<'_, Settings>) -> Self {
        let cwd = cwd(context);
        Self::at(context, &cwd, &cwd)
    }

    /// Around a file or folder, by a path without links; around `cwd`, the session's directory, if that is in no repository.
    pub(crate) fn at(context: &Context<'_, Settings>, cwd: &Path, place: &Path) -> Self {
        let there = Self::find(context, place);
        // Between the place and the top of its work tree lies no other one.
        let is_own =
            place.starts_with(cwd) && there.worktree_root().is_some_and(|root| cwd.starts_with(root));
        let own = (!is_own).then(|| Self::find(context, cwd));
        let (found, elsewhere) = match own {
            Some(own) if there.worktree.is_none() || there.worktree == own.worktree => (own, None),
            Some(_) => {
                let root = there.worktree_root().map(Path::to_path_buf);
                (there, root)
            }
            None => (there, None),
        };
        let takes = |folder: &Folder| {
            let failed = failure_of(context.places, folder).and_then(|file| modified(&file));
            let is_past = |at| context.host.now().since(at) >= TRY_AGAIN;
            is_writable(folder.dir()) && failed.is_none_or(is_past)
        };
        let can_satisfy = found.folder.as_ref().is_some_and(takes);
        let without_git = |why| {
            format!(
                "requirements-check: git could not be read ({why}), so satisfactions count for a session only, on no branch"
            )
        };
        let mut world = Self {
            can_satisfy,
            can_prove: can_satisfy && context.store.map(Store::dir).is_some_and(is_writable),
            cwd: cwd.to_owned(),
            elsewhere,
            session: context.request.call.session_id.clone(),
            mode: context.request.call.permission_mode,
            environment: context.host.environment.clone(),
            places: context.places.clone(),
            notes: found.problem.iter().map(without_git).collect(),
            deadlines: Deadlines::of(&context.request.event),
            own_stop: own_stop(context),
            ..found
        };
        world.read_satisfactions();
        world
    }

    /// The work tree of a file or folder, which need not exist, by a path without links. The `git` command answers for what cannot
    /// be read by hand.
    fn find(context: &Context<'_, Settings>, path: &Path) -> Self {
        let read = Worktree::find(path).or_else(|_| {
            let folder = ancestors(path).find(|ancestor| ancestor.is_dir()).unwrap_or(path);
            ask_git(folder, &context.host.environment).map(Some)
        });
        if let Ok(Some((worktree, key))) = read {
            let folder = Some(Folder::of_repository(&worktree.common_dir));
            return Self { key, worktree: Some(worktree), folder, ..Self::default() };
        }
        let folder = context.store.map(Store::dir).zip(context.places.root.as_deref());
        let folder = folder.map(|(state, root)| Folder::of_project(state, root));
        Self { folder, problem: read.err().map(|error| error.to_string()), ..Self::default() }
    }

    pub fn read_satisfactions(&mut self) {
        let Some(folder) = &self.folder else { return };
        let mut read = |key: &Key| {
            let (satisfactions, note) = folder.read(key);
            self.notes.extend(note);
            satisfactions
        };
        (self.branch, self.permanent) = (read(&self.key), read(&Key::Permanent));
    }

    pub fn satisfaction(&self, rule: &Rule<'_>, session: &str, now: Timestamp) -> Option<&Satisfaction> {
        let scope = self.scope(rule.set.scope);
        let kept = if scope == Scope::Permanent { &self.permanent } else { &self.branch };
        kept.find(rule.name, scope, session, now)
    }

    /// The scope a satisfaction has here: without git there is no branch and no repository, only sessions.
    pub fn scope(&self, set: Scope) -> Scope {
        match (&self.key, set) {
            (Key::NoGit, Scope::Branch | Scope::Permanent) => Scope::Session,
            _ => set,
        }
    }

    /// The name under which a session remembers the last run of an evidence requirement here.
    pub(crate) fn run_of(&self, name: &str) -> String {
        let there = self.elsewhere.as_ref().map(|root| format!(" in {}", root.display()));
        name.to_owned() + there.as_deref().unwrap_or_default()
    }

    pub fn branch(&self) -> Option<&str> {
        match &self.key {
            Key::Branch(name) => Some(name),
            _ => None,
        }
    }

    pub fn worktree_root(&self) -> Option<&Path> {
        self.worktree.as_ref().map(|worktree| worktree.root.as_path())
    }

    /// Root of the work tree, else of the project.
    pub(crate) fn top(&self) -> Option<&Path> {
        self.worktree_root().or(self.places.root.as_deref())
    }

    /// The place in words: `main`, `commit 1a2b3c4d`, `this project (no git)`.
    pub fn shown(&self) -> String {
        match &self.key {
            Key::Branch(name) => name.clone(),
            Key::Detached(commit) => format!("commit {}", &commit[..commit.len().min(8)]),
            Key::NoGit | Key::Permanent => "this project (no git)".to_owned(),
        }
    }

    /// The place with its preposition: `on main`, `in this project (no git)`.
    pub fn on(&self) -> String {
        let word = if matches!(self.key, Key::NoGit | Key::Permanent) { "in" } else { "on" };
        format!("{word} {}", self.shown())
    }

    /// How `req` is called in a shell here: the bare name, or the quoted path. It is looked up when a text needs it: that takes
    /// more system calls than a call that is allowed may cost.
    pub fn req(&self) -> String {
        let (started, environment) = (Timestamp::default(), self.environment.clone());
        Host { started, clock: Clock::System, environment }.own_command("req", &self.places)
    }
}

/// The place as the requirements see it at one moment. The hook and the command line `req` judge by the same view.
pub struct View<'a> {
    /// None on a command line outside of any session.
    pub session: Option<&'a str>,
    pub call: Option<&'a str>,
    pub state: &'a State,
    pub world: &'a World,
    pub now: Timestamp,
}

impl View<'_> {
    pub fn scope(&self, rule: &Rule<'_>) -> Scope {
        self.world.scope(rule.set.scope)
    }

    /// The satisfaction of the requirement, too old or not.
    pub fn satisfaction(&self, rule: &Rule<'_>) -> Option<&Satisfaction> {
        self.world.satisfaction(rule, self.session.unwrap_or_default(), self.now)
    }

    /// An approval or waiver that holds, in words.
    pub fn exception(&self, rule: &Rule<'_>) -> Option<String> {
        let session = self.session.unwrap_or_default();
        let found = self.world.permanent.find(rule.name, Scope::Session, session, self.now)?;
        let word = match found.satisfied_by {
            By::Approval => "approved",
            By::Waiver => "waived",
            _ => return None,
        };
        let note = found.metadata.note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
        Some(format!("{word} for {} more{note}", age(found.expires_at? - self.now.secs())))
    }

    /// The sentence that asks the user for something only the user can do.
    pub(crate) fn asks_user(&self, verb: &str, why: &str) -> String {
        let (world, there) = (self.world, self.change_directory());
        match (&world.elsewhere, world.environment.is_headless()) {
            _ if world.is_user => format!("type ({why}): {there}req {verb}"),
            (None, false) => format!("ask the user to type this as a prompt ({why}): req {verb}"),
            _ => format!("a person can type this in a terminal of their own ({why}): {there}req {verb}"),
        }
    }

    /// `cd <there> && `, if a command must run in another work tree.
    pub(crate) fn change_directory(&self) -> String {
        let elsewhere = self.world.elsewhere.as_ref();
        elsewhere.map(|root| format!("cd {} && ", quoted(&root.display().to_string()))).unwrap_or_default()
    }
}

fn own_stop(context: &Context<'_, Settings>) -> Option<(Stop, Vec<String>)> {
    if context.locked.is_empty() || !matches!(context.request.event, Event::Stop(_)) {
        return None;
    }
    let own = context.own_settings::<RequirementsCheck>(Position::Auto)?;
    Some((own.hooks.stop, context.locked.to_vec()))
}

/// The session's directory, links resolved as in the paths of work trees.
pub(crate) fn cwd(context: &Context<'_, Settings>) -> PathBuf {
    let cwd = context.request.call.cwd.clone().or_else(|| context.places.root.clone());
    let cwd = cwd.or_else(|| context.host.cwd()).unwrap_or_default();
    cwd.canonicalize().unwrap_or(cwd)
}

/// The empty file that remembers that this folder took no satisfaction, as on a full disk.
pub(crate) fn failure_of(places: &Places, folder: &Folder) -> Option<PathBuf> {
    let name = file_key(&folder.dir().to_string_lossy());
    places.state_dir.as_deref().map(|dir| dir.join("unmarkable").join(name))
}

/// The folder can be written to, or made where it is not there yet: the hook does not ask for what cannot be kept, or it would
/// deny the same call for ever.
pub(crate) fn is_writable(folder: &Path) -> bool {
    let existing = ancestors(folder).find_map(|folder| Some((folder, folder.metadata().ok()?)));
    #[cfg(unix)]
    let may_write = |folder| rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok();
    // Whether it could be written to shows when it is.
    #[cfg(not(unix))]
    let may_write = |_folder: &Path| true;
    existing.is_some_and(|(folder, metadata)| metadata.is_dir() && may_write(folder))
}
