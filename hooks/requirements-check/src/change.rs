//! What a decision changes beside the session's own memory: satisfactions of the repository, and the register of live sessions.

use std::path::PathBuf;
use std::time::Duration;

use shared::hook::Effect;
use shared::host::{Places, Timestamp};
use shared::proved;
use shared::state::{LOCK_DEADLINE, ensure_private, write_private};
use shared::switches::Turn;

use crate::place::World;
use crate::registry::{Entry, Registry};
use crate::satisfactions::{Folder, Key, Satisfaction, Satisfactions};
use crate::settings::Scope;

#[derive(Debug, Clone)]
pub enum Change {
    Set(Target, Box<Satisfaction>),
    /// Satisfactions go; nobody else's.
    Clear(Target),
    Alive(Box<Entry>),
    Forget(String),
    Turn(Turn),
    /// The user of a repository has been told of `req init`: the file that remembers it.
    ToldOfInit(PathBuf),
    /// The user has been told that the client is this version now.
    ToldOfClient(String),
}

/// One satisfaction, or all of a holder.
#[derive(Debug, Clone)]
pub struct Target {
    /// The place it is kept in; none where nothing can be.
    pub folder: Option<Folder>,
    /// Whose satisfactions: the branch's, or those of all branches.
    pub key: Key,
    /// Which requirement; none: all of the holder's.
    pub name: Option<String>,
    /// For which session; none: for every session.
    pub session: Option<String>,
}

impl Target {
    /// The requirement's satisfaction in its own scope, for this session.
    pub fn new(world: &World, name: &str, scope: Scope, session: Option<&str>) -> Self {
        let scope = world.scope(scope);
        let key = if scope == Scope::Permanent { Key::Permanent } else { world.key.clone() };
        let session = session.filter(|_| scope.is_own()).map(ToOwned::to_owned);
        Self { folder: world.folder.clone(), key, name: Some(name.to_owned()), session }
    }

    /// Changes the satisfactions as they are now.
    fn keep(
        &self,
        patience: Duration,
        now: Timestamp,
        change: impl FnOnce(&mut Satisfactions, Option<&str>),
    ) -> Result<(), String> {
        let folder = self.folder.as_ref();
        let folder =
            folder.ok_or("requirements-check: there is no folder to keep satisfactions in; set HOME")?;
        // A damaged file has been set aside and told when it was read.
        let changed = folder.change(&self.key, now, patience, |kept| change(kept, self.session.as_deref()));
        changed.map_err(|error| format!("requirements-check: {error}"))
    }
}

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
    /// Waits so long for satisfactions that others are changing.
    pub fn carry_out_within(self, patience: Duration, places: &Places, now: Timestamp) -> Result<(), String> {
        // Who is live matters to a guard alone, and the next sign of life tries again.
        let note = |change: &dyn Fn(&Registry)| {
            places.state_dir.as_deref().map(Registry::new).iter().for_each(change);
            Ok(())
        };
        match self {
            Self::Set(target, satisfaction) => target.keep(patience, now, |kept, session| {
                kept.set(target.name.as_deref().unwrap_or_default(), session, *satisfaction);
            }),
            Self::Clear(target) => {
                target.keep(patience, now, |kept, session| kept.clear(target.name.as_deref(), session))
            }
            Self::Alive(entry) => note(&|registry| registry.note(&entry)),
            Self::Forget(session) => note(&|registry| registry.forget(&session)),
            Self::Turn(turn) => turn.carry_out(places, now),
            Self::ToldOfInit(file) => {
                let folder = ensure_private(file.parent().unwrap_or(&file));
                let written = folder.and_then(|()| write_private(&file, b""));
                written.map_err(|error| format!("{}: {error}", file.display()))
            }
            Self::ToldOfClient(version) => {
                places.open_store().iter().for_each(|store| proved::tell(store, &version));
                Ok(())
            }
        }
    }
}
