//! Facts that commands alone ask for: the sessions, branches and records of a project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use requirements_check::place::World;
use requirements_check::satisfactions::{Key, Satisfactions};
use requirements_check::state::{Entry, Registry};
use shared::host::Timestamp;
use shared::state::Store;

/// Fewer characters of an id are not looked up.
const MIN_PREFIX: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Sessions that a prefix may mean: those of the registry, and those with satisfactions here.
    pub(crate) sessions: Vec<String>,
    pub(crate) live: Vec<Entry>,
    /// The satisfactions of every branch, and of all branches.
    pub(crate) recorded: BTreeMap<Key, Satisfactions>,
    /// Branches that exist or are checked out; none if unknown.
    pub(crate) heads: Option<BTreeSet<Key>>,
    /// Configuration files that could not be read, and why.
    pub(crate) skipped: Vec<String>,
    /// The branch that is asked about is not the one that is checked out.
    pub(crate) is_turned: bool,
}

impl Known {
    pub(crate) fn of(world: &World, store: Option<&Store>, now: Timestamp) -> Self {
        let root = world.places.root.as_deref();
        let registry = store.map(|store| Registry::new(store.dir()));
        let registered = registry.as_ref().map(Registry::all).unwrap_or_default();
        let of_project = registered.into_iter().filter(|entry| Some(entry.project.as_path()) == root);
        let mut sessions: BTreeSet<String> = of_project.map(|entry| entry.session).collect();
        sessions.extend(world.branch.sessions().into_iter().map(ToOwned::to_owned));
        let live = registry.zip(root).map(|(registry, root)| registry.live(root, now));
        let mut live = live.unwrap_or_default();
        // They are on the branch that is checked out now, whichever it was when they began.
        let is_here = |root: &Path| {
            world
                .worktree_root()
                .is_some_and(|own| own == root || root.canonicalize().is_ok_and(|root| own == root))
        };
        for entry in live.iter_mut().filter(|_| root.is_some_and(is_here)) {
            entry.branch = world.branch().map(ToOwned::to_owned);
        }
        Self { sessions: sessions.into_iter().collect(), live, ..Self::default() }
    }

    /// The session that `named` begins, else `own`.
    pub(crate) fn session(&self, named: Option<&str>, own: Option<&str>) -> Result<Option<String>, String> {
        let Some(prefix) = named else { return Ok(own.map(ToOwned::to_owned)) };
        let known = self.sessions.iter().map(String::as_str).chain(own);
        resolved(prefix, known).map(Some).map_err(|error| format!("req: {error}"))
    }

    /// The live sessions, each with as much of its id as `--session` needs.
    pub(crate) fn live_names(&self) -> Vec<String> {
        self.live.iter().map(|entry| self.name(&entry.session)).collect()
    }

    /// As much of a live session's id as `--session` needs.
    pub(crate) fn name(&self, session: &str) -> String {
        let short: String = session.chars().take(MIN_PREFIX).collect();
        let alike = self.live.iter().filter(|entry| entry.session.starts_with(&short)).count();
        if alike > 1 { session.to_owned() } else { short }
    }
}

/// The full id that `prefix` stands for among those `known`, or why none is meant. A full id stands for itself though others
/// begin with it.
fn resolved<'a>(prefix: &str, known: impl Iterator<Item = &'a str>) -> Result<String, String> {
    const HOW: &str = "list the sessions with `req sessions`";
    let matching: BTreeSet<&str> = known.filter(|id| id.starts_with(prefix)).collect();
    if matching.contains(prefix) {
        return Ok(prefix.to_owned());
    }
    if prefix.chars().count() < MIN_PREFIX {
        return Err(format!("a session is named by at least {MIN_PREFIX} characters of its id; {HOW}"));
    }
    let matching: Vec<&str> = matching.into_iter().collect();
    match matching.as_slice() {
        [only] => Ok((*only).to_owned()),
        [] => Err(format!("no session's id begins with {prefix}; {HOW}")),
        several => {
            Err(format!("several sessions begin with {prefix}: {}; give more of the id", several.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::resolved;

    #[test]
    fn session_is_named_by_enough_of_its_id() {
        const KNOWN: [&str; 5] = ["bf41c52e-72c4", "bf41c52e-9999", "0a41c52e-72c4", "0a41c52e", "s1"];
        for (prefix, expected) in [
            ("0a41c52e", Ok("0a41c52e")),
            ("0a41c52e-7", Ok("0a41c52e-72c4")),
            ("bf41c52e-7", Ok("bf41c52e-72c4")),
            ("s1", Ok("s1")),
            ("bf41c52e", Err("several sessions begin with bf41c52e: bf41c52e-72c4, bf41c52e-9999;")),
            ("bf41c52e-0", Err("no session's id begins with bf41c52e-0;")),
            ("", Err("at least 8")),
            ("0a41c52", Err("at least 8")),
        ] {
            match (resolved(prefix, KNOWN.into_iter().chain(KNOWN)), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(why), Err(expected)) => assert!(why.contains(expected), "{why}"),
                other => panic!("{prefix}: {other:?}"),
            }
        }
    }
}
