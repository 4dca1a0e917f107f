//! What a session's start looks at beside the requirements: notices for the user, and old entries of the registry.

use std::path::PathBuf;

use shared::proved;
use shared::state::Store;

use super::Look;
use crate::change::Change;
use crate::known_folders::KnownFolders;
use crate::place::is_writable;
use crate::registry::Registry;
use crate::{git, wording};

impl Look<'_, '_> {
    pub(super) fn look_for_start(&mut self, source: &str) {
        self.note_tracked_local_file();
        let Some(store) = self.context.store else { return };
        Registry::new(store.dir()).sweep(self.context.host.now());
        // What was told once must be remembered, or it would be told each time.
        if is_writable(store.dir()) {
            let newcomer = (source == "startup").then(|| self.of_a_newcomer(store)).flatten();
            self.world.once.extend(newcomer.map(|folder| (wording::newcomer(), Change::ToldOfInit(folder))));
            self.note_new_client(store);
        }
    }

    /// A local file that git tracks is the team's; its owner wants to know.
    fn note_tracked_local_file(&mut self) {
        let folder = self.context.places.project_claude_dir.as_ref();
        let local = folder.map(|dir| dir.join("requirements.local.yaml")).filter(|file| file.is_file());
        let Some((local, worktree)) = local.zip(self.world.here.worktree.as_ref()) else { return };
        if git::is_tracked(worktree, &local) {
            self.world.notes.push(wording::tracked_local_file(&local));
        }
    }

    /// A version of Claude Code under which the hooks were not proved.
    fn note_new_client(&mut self, store: &Store) {
        let agent = self.context.host.environment.agent.as_deref();
        let Some(running) = agent.and_then(proved::version_of_agent) else { return };
        if let Some(before) = proved::untold_change(&proved::read(store), &running) {
            self.world.once.push((wording::new_client(&running, before), Change::ToldOfClient(running)));
        }
    }

    /// A repository with a remote in which nothing is set up, and whose user has not read of `req init`.
    fn of_a_newcomer(&self, store: &Store) -> Option<PathBuf> {
        let common_dir = &self.world.here.worktree.as_ref()?.common_dir;
        let folder = self.context.places.project_claude_dir.as_ref()?;
        let files = ["requirements.yaml", "requirements.local.yaml"];
        let is_new = self.context.settings.requirements.is_empty()
            && !files.iter().any(|file| folder.join(file).exists())
            && !git::named_remotes(common_dir).is_empty()
            && KnownFolders::told_of_init(Some(store.dir())).since(common_dir).is_none();
        is_new.then(|| common_dir.clone())
    }
}
