//! What the plugins that are switched on bring of our hooks: `status` shows it beside what settings register.

use std::path::{Path, PathBuf};

use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use super::world::World;

/// The plugins as the client would find them.
pub(crate) struct Brought<'a>(World<'a>);

impl<'a> Brought<'a> {
    /// Looks, for the project in this folder or for the one at hand.
    ///
    /// # Errors
    /// There is no home, or the manifest is none.
    pub(crate) fn read(
        host: &'a Host,
        catalog: &'a Catalog,
        managed: &Path,
        project: Option<&Path>,
    ) -> anyhow::Result<Self> {
        World::of_project(host, catalog, managed, project).map(Self)
    }

    /// The events on which a plugin starts this hook.
    pub(crate) fn events(&self, hook: &HookEntry) -> Vec<String> {
        let all = self.0.plugins_of(&hook.name).flat_map(|level| &level.ours);
        all.filter(|entry| entry.name == hook.name).map(|entry| entry.event.clone()).collect()
    }

    /// The program it starts, if its bytes are known.
    pub(crate) fn program(&self, hook: &HookEntry) -> Option<PathBuf> {
        self.0.plugin_program(&hook.name)
    }

    /// That settings start it, too, or two plugins, and what to do.
    pub(crate) fn twice(&self, hook: &HookEntry) -> Option<String> {
        self.0.plugins_of(&hook.name).next()?;
        let finding = super::registered_twice(&self.0, hook)?;
        let what = finding.what.strip_prefix(&format!("{} is ", hook.name)).unwrap_or(&finding.what);
        Some(finding.next.map_or_else(|| what.to_owned(), |next| format!("{what}: {next}")))
    }
}
