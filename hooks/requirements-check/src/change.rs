//! What a decision changes beside the session's own memory: satisfactions of the repository, and the register of live sessions.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use shared::hook::{Effect, Hook as _};
use shared::host::{Places, Timestamp};
use shared::journal::{self, Record};
use shared::proved;
use shared::state::LOCK_DEADLINE;
use shared::switches::Turn;

use crate::RequirementsCheck;
use crate::known_folders::KnownFolders;
use crate::place::Here;
use crate::registry::{Entry, Registry};
use crate::satisfactions::{By, Failure, Holder, Key, Satisfaction, Satisfactions};
use crate::settings::Scope;

#[derive(Debug, Clone)]
pub enum Change {
    Set(Target, Box<Satisfaction>),
    /// Satisfactions go; nobody else's.
    Clear(Target),
    Register(Box<Entry>),
    Alive(Box<Entry>),
    Forget(String),
    /// Satisfactions nobody needs any more go: those of these branches, and session satisfactions that are a month old.
    Prune(Box<Leftovers>),
    Turn(Turn),
    /// The user of the repository has been told of `req init`, by its folder.
    ToldOfInit(PathBuf),
    /// The user has been told that the client is this version now.
    ToldOfClient(String),
}

#[derive(Debug, Clone)]
pub struct Leftovers {
    pub here: Here,
    pub gone: BTreeSet<Key>,
}

/// One satisfaction, or all of a holder.
#[derive(Debug, Clone)]
pub struct Target {
    pub here: Here,
    /// Whose satisfactions: the branch's, or those of all branches.
    pub key: Key,
    /// Which requirement; none: all of the holder's.
    pub name: Option<String>,
    pub scope: Scope,
    /// For which session; none: for every session.
    pub session: Option<String>,
}

impl Target {
    /// The requirement's satisfaction in its own scope, for this session.
    pub fn new(here: &Here, name: &str, scope: Scope, session: Option<&str>) -> Self {
        let scope = here.scope(scope);
        let key = if scope == Scope::Permanent { Key::Permanent } else { here.key.clone() };
        let is_own = matches!(scope, Scope::Session | Scope::SingleUse);
        let session = session.filter(|_| is_own).map(ToOwned::to_owned);
        Self { here: here.clone(), key, name: Some(name.to_owned()), scope, session }
    }

    fn holder(&self) -> Holder<'_> {
        self.session.as_deref().map_or(Holder::Everyone, Holder::Session)
    }
}

/// So long a command waits for satisfactions that others are changing: no tool call waits for it.
const PATIENCE: Duration = Duration::from_secs(5);

impl From<Turn> for Change {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

impl Effect for Change {
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        Carrying { places, now, patience: LOCK_DEADLINE }.carry_out(self)
    }
}

impl Change {
    pub fn carry_out_patiently(self, places: &Places, now: Timestamp) -> Result<(), String> {
        Carrying { places, now, patience: PATIENCE }.carry_out(self)
    }
}

/// Where and when changes are carried out.
struct Carrying<'a> {
    places: &'a Places,
    now: Timestamp,
    patience: Duration,
}

impl Carrying<'_> {
    fn carry_out(&self, change: Change) -> Result<(), String> {
        let (places, now) = (self.places, self.now);
        match change {
            Change::Set(target, satisfaction) => return self.set(&target, *satisfaction),
            Change::Clear(target) => {
                return self.keep(&target, |kept| kept.clear(target.name.as_deref(), target.holder()));
            }
            Change::Prune(leftovers) => return prune(&leftovers, now),
            Change::Turn(turn) => return turn.carry_out(places, now),
            Change::ToldOfInit(common_dir) => {
                return KnownFolders::told_of_init(places.state_dir.as_deref()).remember(&common_dir);
            }
            Change::ToldOfClient(version) => {
                if let Some(store) = places.open_store() {
                    proved::tell(&store, &version);
                }
            }
            // Who is live matters to a guard alone, and the next sign of life tries again.
            Change::Register(_) | Change::Alive(_) | Change::Forget(_) => {
                let Some(registry) = places.state_dir.as_deref().map(Registry::new) else { return Ok(()) };
                match change {
                    Change::Forget(session) => registry.forget(&session),
                    Change::Alive(entry) if registry.touch(&entry.session, now) => {}
                    Change::Alive(entry) | Change::Register(entry) => registry.register(&entry, now),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// An approval or a waiver is noted; any other satisfaction tightens.
    fn set(&self, target: &Target, satisfaction: Satisfaction) -> Result<(), String> {
        let what = match satisfaction.satisfied_by {
            By::Approval => Some("approve"),
            By::Waiver => Some("waive"),
            _ => None,
        };
        let note = satisfaction.metadata.note.clone();
        let name = target.name.as_deref().unwrap_or_default();
        self.keep(target, |kept| kept.set(name, target.scope, target.holder(), satisfaction))?;
        if let Some(what) = what {
            let rule = Some(format!("requirements.{name}"));
            let session = target.session.clone();
            write(
                self.places,
                self.now,
                what,
                true,
                Record { rule, session, text: note, ..Record::default() },
            );
        }
        Ok(())
    }

    /// Changes the satisfactions as they are now.
    fn keep(&self, target: &Target, change: impl FnOnce(&mut Satisfactions)) -> Result<(), String> {
        let folder = target.here.folder.clone();
        let folder = folder
            .ok_or("requirements-check: there is no folder to keep satisfactions in; set HOME")?
            .patient(self.patience);
        let unwritable = KnownFolders::unwritable(self.places.state_dir.as_deref());
        // A damaged file has been set aside and told when it was read.
        let changed = folder.change(&target.key, self.now, change);
        match &changed {
            Ok(()) => unwritable.forget(folder.dir()),
            Err(Failure::Lock(_)) => {}
            Err(_) => drop(unwritable.remember(folder.dir())),
        }
        changed.map_err(|error| format!("requirements-check: {error}"))
    }
}

/// A branch that is back meanwhile keeps its satisfactions.
fn prune(Leftovers { here, gone }: &Leftovers, now: Timestamp) -> Result<(), String> {
    let Some(folder) = &here.folder else { return Ok(()) };
    let is_back = |key: &Key| here.heads().is_none_or(|heads| heads.contains(key));
    let pruned = folder.prune(now, |key| !gone.contains(key) || is_back(key));
    pruned.map_err(|error| format!("requirements-check: {error}"))
}

/// A line of the journal about something the user did that loosens: `req log` shows it beside what the hooks did.
pub fn audit(places: &Places, now: Timestamp, what: &'static str, is_here: bool, text: &str) {
    let text = Some(text).filter(|text| !text.is_empty()).map(str::to_owned);
    write(places, now, what, is_here, Record { text, ..Record::default() });
}

fn write(places: &Places, now: Timestamp, what: &str, is_here: bool, record: Record) {
    let Some(store) = places.open_store() else { return };
    let project = places.root.as_deref().filter(|_| is_here).map(journal::project_name);
    let (hook, what) = (RequirementsCheck::NAME.to_owned(), what.to_owned());
    journal::write(&store, now, Record { hook, what, project, ..record });
}
