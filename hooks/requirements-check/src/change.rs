//! Changes that a decision makes beside the session's own state: satisfactions of the repository, and the registry of live sessions.

use std::path::{Path, PathBuf};
use std::{fs, io};

use shared::hook::Effect;
use shared::host::{Places, Timestamp};
use shared::state::{ensure_private, write_private};
use shared::switches::Turn;

use crate::satisfactions::{Failure, Folder, Key, Satisfaction};
use crate::settings::Scope;
use crate::state::{Entry, Registry};
use crate::world::{World, failure_of};

#[derive(Debug, Clone)]
pub enum Change {
    Set(Target, Box<Satisfaction>),
    Clear(Target),
    Alive(Box<Entry>),
    Forget(String),
    Turn(Turn),
    /// The user has read a notice: the empty file that remembers it.
    Reported(PathBuf),
}

/// One satisfaction, or all of a holder.
#[derive(Debug, Clone)]
pub struct Target {
    /// The folder it is kept in; `None` where no folder can be written.
    pub folder: Option<Folder>,
    /// The owner: a branch, or all branches.
    pub key: Key,
    /// The requirement; `None`: all of the owner's.
    pub name: Option<String>,
    /// The session it counts for; `None`: every session.
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
}

impl From<Turn> for Change {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

impl Effect for Change {
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        // Only a guard reads the registry, and the next event writes it again.
        let note = |change: &dyn Fn(&Registry)| {
            places.state_dir.as_deref().map(Registry::new).iter().for_each(change);
            Ok(())
        };
        let (Target { folder, key, name, session }, satisfaction) = match self {
            Self::Set(target, satisfaction) => (target, Some(*satisfaction)),
            Self::Clear(target) => (target, None),
            Self::Alive(entry) => return note(&|registry| registry.note(&entry)),
            Self::Forget(session) => return note(&|registry| registry.forget(&session)),
            Self::Turn(turn) => return turn.carry_out(places, now),
            Self::Reported(file) => {
                return write_empty(&file).map_err(|error| format!("{}: {error}", file.display()));
            }
        };
        let folder = folder.ok_or("requirements-check: no folder can keep satisfactions; set HOME")?;
        let (name, session) = (name.as_deref(), session.as_deref());
        // Reading has already set a damaged file aside and reported it.
        let changed = folder.change(&key, now, |kept| match satisfaction {
            Some(satisfaction) => kept.set(name.unwrap_or_default(), session, satisfaction),
            None => kept.clear(name, session),
        });
        if let Some(failure) = failure_of(places, &folder) {
            let _ = match &changed {
                Ok(()) => fs::remove_file(&failure),
                Err(Failure::Lock(_)) => Ok(()),
                Err(_) => write_empty(&failure),
            };
        }
        changed.map_err(|error| format!("requirements-check: {error}"))
    }
}

fn write_empty(file: &Path) -> io::Result<()> {
    ensure_private(file.parent().unwrap_or(file))?;
    write_private(file, b"")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use shared::hook::Effect as _;
    use shared::host::{Places, Timestamp};

    use super::{Change, Target};
    use crate::satisfactions::{By, Folder, Key, Satisfaction};
    use crate::world::failure_of;

    #[test]
    fn folder_that_takes_no_satisfaction_is_remembered_until_it_does() {
        let scratch = tempfile::tempdir().unwrap();
        let places = Places { state_dir: Some(scratch.path().join("state")), ..Places::default() };
        let folder = Folder::of_repository(scratch.path());
        let now = Timestamp::from_secs(1_800_000_000);
        let set = || {
            let (folder, name) = (Some(folder.clone()), Some("plan".to_owned()));
            let target = Target { folder, key: Key::NoGit, name, session: None };
            let change = Change::Set(target, Box::new(Satisfaction::new(By::User, now)));
            change.carry_out(&places, now)
        };
        let failure = failure_of(&places, &folder).unwrap();
        set().unwrap();
        assert!(!failure.exists());
        let file = fs::read_dir(folder.dir()).unwrap().flatten().map(|file| file.path());
        let file = file.filter(|file| file.extension().is_some_and(|end| end == "json")).last().unwrap();
        fs::remove_file(&file).unwrap();
        // The sibling that is written first.
        let sibling = file.with_extension("json.tmp");
        fs::create_dir(&sibling).unwrap();
        set().unwrap_err();
        assert!(failure.exists());
        fs::remove_dir(&sibling).unwrap();
        set().unwrap();
        assert!(!failure.exists());
    }
}
