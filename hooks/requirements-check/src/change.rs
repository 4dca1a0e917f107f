//! What a decision changes beside the session's own memory: satisfactions of the repository, and the register of live sessions.

pub mod audit;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use shared::hook::Effect;
use shared::host::{Places, Timestamp};
use shared::proved;
use shared::state::LOCK_DEADLINE;
use shared::switches::Turn;

use crate::known_folders::KnownFolders;
use crate::place::Here;
use crate::registry::{Entry, Registry};
use crate::satisfactions::{Failure, Holder, Key, Satisfaction, Satisfactions};
use crate::settings::Scope;

#[derive(Debug, Clone)]
pub enum Change {
    /// A requirement is satisfied.
    Set(Target, Box<Satisfaction>),
    /// Satisfactions go; nobody else's.
    Clear(Target),
    /// The session begins here.
    Register(Box<Entry>),
    /// The session gives a sign of life.
    Alive(Box<Entry>),
    /// The session is gone.
    Forget(String),
    /// Satisfactions nobody needs any more go: those of these branches, and session satisfactions that are a month old.
    Prune(Box<Leftovers>),
    /// A switch is turned.
    Turn(Turn),
    /// The user of the repository has been told of `req init`, by its folder.
    ToldOfInit(PathBuf),
    /// The user has been told that the client is this version now.
    ToldOfClient(String),
}

/// Satisfactions nobody needs any more.
#[derive(Debug, Clone)]
pub struct Leftovers {
    /// The repository.
    pub here: Here,
    /// Whose branch is gone.
    pub gone: BTreeSet<Key>,
}

/// One satisfaction, or all of a holder.
#[derive(Debug, Clone)]
pub struct Target {
    /// The repository.
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

    /// Changes the satisfactions as they are now.
    fn change(
        &self,
        now: Timestamp,
        patience: Duration,
        unwritable: &KnownFolders,
        change: impl FnOnce(&mut Satisfactions),
    ) -> Result<(), String> {
        let Some(folder) = self.here.folder.clone() else {
            return Err(
                "requirements-check: there is no folder to keep satisfactions in; set HOME".to_owned()
            );
        };
        // A damaged file has been set aside and told when it was read.
        let folder = folder.patient(patience);
        match folder.change(&self.key, now, change) {
            Ok(()) => {
                unwritable.forget(folder.dir());
                Ok(())
            }
            Err(error) => {
                if !matches!(error, Failure::Lock(_)) {
                    let _ = unwritable.remember(folder.dir());
                }
                Err(format!("requirements-check: {error}"))
            }
        }
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
        self.carry_out_within(LOCK_DEADLINE, places, now)
    }
}

impl Change {
    /// Carries it out for a command line.
    pub fn carry_out_patiently(self, places: &Places, now: Timestamp) -> Result<(), String> {
        self.carry_out_within(PATIENCE, places, now)
    }

    fn carry_out_within(self, patience: Duration, places: &Places, now: Timestamp) -> Result<(), String> {
        let registry = places.state_dir.as_deref().map(Registry::new);
        let unwritable = KnownFolders::unwritable(places.state_dir.as_deref());
        match self {
            Self::Set(target, satisfaction) => {
                let exception = audit::exception(&target, &satisfaction);
                let name = target.name.as_deref().unwrap_or_default();
                target.change(now, patience, &unwritable, |kept| {
                    kept.set(name, target.scope, target.holder(), *satisfaction);
                })?;
                if let Some(exception) = exception {
                    exception.write(places, now);
                }
                Ok(())
            }
            Self::Clear(target) => target.change(now, patience, &unwritable, |kept| {
                kept.clear(target.name.as_deref(), target.holder());
            }),
            Self::Prune(leftovers) => prune(&leftovers, now),
            // Who is live matters to a guard alone, and the next sign of life tries again.
            Self::Register(entry) => {
                if let Some(registry) = registry {
                    registry.register(&entry, now);
                }
                Ok(())
            }
            Self::Alive(entry) => {
                if let Some(registry) = registry.filter(|registry| !registry.touch(&entry.session, now)) {
                    registry.register(&entry, now);
                }
                Ok(())
            }
            Self::Turn(turn) => turn.carry_out(places, now),
            Self::ToldOfInit(common_dir) => {
                KnownFolders::told_of_init(places.state_dir.as_deref()).remember(&common_dir)
            }
            Self::ToldOfClient(version) => {
                if let Some(store) = places.open_store() {
                    proved::tell(&store, &version);
                }
                Ok(())
            }
            Self::Forget(session) => {
                if let Some(registry) = registry {
                    registry.forget(&session);
                }
                Ok(())
            }
        }
    }
}

/// A branch that is back meanwhile keeps its satisfactions.
fn prune(leftovers: &Leftovers, now: Timestamp) -> Result<(), String> {
    let Leftovers { here, gone } = leftovers;
    let Some(folder) = &here.folder else { return Ok(()) };
    let is_back = |key: &Key| here.heads().is_none_or(|heads| heads.contains(key));
    let pruned = folder.prune(now, |key| !gone.contains(key) || is_back(key));
    pruned.map_err(|error| format!("requirements-check: {error}"))
}
