//! Looks of the command line `req` alone.

use super::Look;
use crate::git::baseless;
use crate::registry::Registry;
use crate::rule::Rule;
use crate::satisfactions::{Folder, Key};
use crate::view::World;

impl Look<'_, '_> {
    /// Measures what a clean clone tells of a rule, without a deadline.
    ///
    /// # Errors
    /// Says what keeps it from being measured.
    pub fn measure_afresh(&mut self, rule: &Rule<'_>) -> Result<(), String> {
        if let Some(dynamic) = rule.set.dynamic() {
            let worktree = self.world.here.worktree.as_ref().ok_or_else(|| self.without_git())?;
            let baseless = baseless(worktree, dynamic.base.as_deref()).map_err(|error| error.to_string())?;
            if let Some(why) = baseless {
                return Err(format!("{why}; or name another base with --base"));
            }
        }
        self.deadline = None;
        self.measure(&[*rule]);
        self.world.sizes.get(rule.name).map_or(Ok(()), |size| size.as_ref().map(drop).map_err(Clone::clone))
    }

    pub fn without_git(&self) -> String {
        let trouble = self.world.here.trouble.as_ref();
        trouble.map_or("there is no git repository here".to_owned(), |why| {
            format!("git could not be read: {why}")
        })
    }

    /// Finds the sessions a prefix may mean: those of the registry, and those with satisfactions here.
    pub fn know_sessions(&mut self) {
        let World { here, root, branch, known_sessions, live, .. } = &mut self.world;
        let registry = self.context.store.map(|store| Registry::new(store.dir()));
        let registered = registry.as_ref().map(Registry::all).unwrap_or_default();
        let of_project = registered.into_iter().filter(|entry| Some(&entry.project) == root.as_ref());
        *known_sessions = of_project.map(|entry| entry.session).collect();
        known_sessions.extend(branch.sessions().into_iter().map(ToOwned::to_owned));
        known_sessions.sort();
        known_sessions.dedup();
        let Some((registry, root)) = registry.zip(root.as_deref()) else { return };
        *live = registry.live(root, self.context.host.now());
        // They are on the branch that is checked out now, whichever it was when they began.
        if here.root().is_some_and(|own| own == root || root.canonicalize().is_ok_and(|root| own == root)) {
            for entry in live {
                entry.branch = here.branch().map(ToOwned::to_owned);
            }
        }
    }

    /// The live session of this project, if there is exactly one.
    pub fn only_live_session(&self) -> Option<String> {
        match self.world.live.as_slice() {
            [only] => Some(only.session.clone()),
            _ => None,
        }
    }

    /// Finds the holders of satisfactions, and the branches.
    pub fn know_branches(&mut self) {
        self.world.recorded = self.world.here.folder.as_ref().map(Folder::list).unwrap_or_default();
        self.world.heads = self.world.here.heads();
    }

    pub fn look_for(&mut self, session: Option<String>) {
        self.session = session;
    }

    /// Looks at the satisfactions of another branch.
    pub fn turn_to(&mut self, branch: Option<&str>) {
        if let Some(branch) = branch {
            let key = Key::Branch(branch.to_owned());
            self.world.is_turned = key != self.world.here.key;
            self.world.here.key = key;
            self.read_satisfactions();
        }
    }
}
