//! What every check looks at: the user's installation, the project, the table of hooks, the manifest, and every place
//! the client takes hooks from. Read once.

use std::path::{Path, PathBuf};

use shared::catalog::{Catalog, HookEntry};
use shared::host::{Host, Places, Timestamp};
use shared::state::Store;

use super::level::{self, Kind, Level};
use super::strangers::names;
use crate::manifest::{Manifest, hash_of};
use crate::places::{Installation, Scope, executable};
use crate::source::Source;
use crate::voice::Voice;

/// Where an administrator's settings lie, see the client's documentation of its settings.
#[must_use]
pub fn managed_settings() -> PathBuf {
    if cfg!(target_os = "macos") {
        PathBuf::from("/Library/Application Support/ClaudeCode/managed-settings.json")
    } else if cfg!(windows) {
        PathBuf::from(r"C:\Program Files\ClaudeCode\managed-settings.json")
    } else {
        PathBuf::from("/etc/claude-code/managed-settings.json")
    }
}

/// Everything that is read once.
pub(crate) struct World<'a> {
    pub(crate) host: &'a Host,
    pub(crate) catalog: &'a Catalog,
    pub(crate) manifest: Manifest,
    /// The user's own installation, then the project's two where there is a project.
    pub(crate) places: Vec<Installation>,
    pub(crate) folders: Places,
    pub(crate) levels: Vec<Level>,
}

impl<'a> World<'a> {
    /// Reads it for the project at hand.
    pub(crate) fn read(host: &'a Host, catalog: &'a Catalog, managed: &Path) -> anyhow::Result<Self> {
        Self::of_project(host, catalog, managed, None)
    }

    /// Reads it for the project in this folder, or without one for that at hand.
    pub(crate) fn of_project(
        host: &'a Host,
        catalog: &'a Catalog,
        managed: &Path,
        dir: Option<&Path>,
    ) -> anyhow::Result<Self> {
        Self::with(host, catalog, managed, dir, &[Scope::Project, Scope::Local])
    }

    /// Reads what is the user's alone, whatever project this is typed in.
    pub(crate) fn of_the_user(host: &'a Host, catalog: &'a Catalog, managed: &Path) -> anyhow::Result<Self> {
        Self::with(host, catalog, managed, None, &[])
    }

    /// The user's own, and these scopes of the project where there is one.
    fn with(
        host: &'a Host,
        catalog: &'a Catalog,
        managed: &Path,
        dir: Option<&Path>,
        scopes: &[Scope],
    ) -> anyhow::Result<Self> {
        let user = Installation::of_this_user(host, Voice::Req)?;
        let folders = Places::resolve(&host.environment, host.cwd().as_deref());
        let in_project = |scope: &Scope| {
            let dir = dir.or(folders.root.as_deref())?;
            user.in_project(&host.environment, *scope, dir).ok()
        };
        let project = scopes.iter().filter_map(in_project);
        let places: Vec<Installation> = [user.clone()].into_iter().chain(project).collect();
        let manifest = Manifest::read(&user)?;
        let mut world = Self { host, catalog, manifest, places, folders, levels: Vec::new() };
        world.levels = level::read(&world, managed);
        Ok(world)
    }

    /// The user's own installation.
    pub(crate) fn user(&self) -> &Installation {
        &self.places[0]
    }

    /// The installation closest to the work: hooks are asked in its folder.
    pub(crate) fn nearest(&self) -> &Installation {
        &self.places[self.places.len() - 1]
    }

    /// The top of the project, where there is one.
    pub(crate) fn project(&self) -> Option<&Path> {
        self.nearest().project.as_deref()
    }

    /// The user's configuration folder.
    pub(crate) fn config(&self) -> &Path {
        self.user().hooks.parent().unwrap_or(&self.user().hooks)
    }

    /// The time when this command began.
    pub(crate) fn now(&self) -> Timestamp {
        self.host.started
    }

    /// The state folder as it is; nothing is made.
    pub(crate) fn store(&self) -> Option<Store> {
        self.folders.state_dir.as_deref().filter(|dir| dir.is_dir()).map(Store::at)
    }

    /// The hooks of the catalog that are registered in some settings or by a plugin.
    pub(crate) fn registered(&self) -> Vec<&'a HookEntry> {
        let is_registered = |hook: &&HookEntry| {
            self.levels.iter().flat_map(|level| &level.ours).any(|entry| entry.name == hook.name)
        };
        self.catalog.hooks.iter().filter(is_registered).collect()
    }

    /// Nothing of ours is installed or registered.
    pub(crate) fn is_bare(&self) -> bool {
        self.manifest.files.is_empty() && self.registered().is_empty()
    }

    /// The user relies on this installed hook: it is registered, and not by a project alone, whose entry does nothing without
    /// it, nor by a plugin, which brings its own.
    pub(crate) fn relies_on(&self, hook: &str) -> bool {
        let own = self.levels.iter().filter(|level| !matches!(level.kind, Kind::Project | Kind::Plugin));
        own.flat_map(|level| &level.ours).any(|entry| entry.name == hook)
    }

    /// The bytes at this path are this hook's: those that were installed, or those beside the running program.
    pub(crate) fn vouches_for_copy(&self, path: &Path, hook: &str) -> bool {
        let Some(hash) = hash_of(path).ok().flatten() else { return false };
        let installed = self.manifest.files.get(hook).map(|deployed| deployed.sha256.clone());
        let beside = || match Source::beside_this_program().ok()? {
            Source::Folder(folder) => hash_of(&folder.join(executable(hook))).ok().flatten(),
            Source::Whole(_) => None,
        };
        installed.is_some_and(|installed| installed == hash) || beside().is_some_and(|beside| beside == hash)
    }

    /// Plugins that start this hook.
    pub(crate) fn plugins_of(&self, hook: &str) -> impl Iterator<Item = &Level> {
        let is_its = move |level: &&Level| level.ours.iter().any(|entry| entry.name == hook);
        self.levels.iter().filter(|level| level.kind == Kind::Plugin).filter(is_its)
    }

    /// The program that a plugin starts as this hook, if its bytes are known.
    pub(crate) fn plugin_program(&self, hook: &str) -> Option<PathBuf> {
        let mut all = self.plugins_of(hook).flat_map(|level| level.programs(hook));
        all.find(|program| self.vouches_for_copy(program, hook))
    }

    /// A plugin starts this hook, and no settings do.
    pub(crate) fn is_by_plugin_alone(&self, hook: &str) -> bool {
        let mut settings = self.levels.iter().filter(|level| level.kind != Kind::Plugin);
        self.plugins_of(hook).next().is_some()
            && !settings.any(|level| level.ours.iter().any(|entry| entry.name == hook))
    }

    /// A plugin that is switched on starts this hook, or names it.
    pub(crate) fn comes_with_a_plugin(&self, hook: &str) -> bool {
        let mut plugins = self.levels.iter().filter(|level| level.kind == Kind::Plugin);
        plugins.any(|level| level.survey.entries.iter().any(|entry| names(entry, hook)))
    }
}
