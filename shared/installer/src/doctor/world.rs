//! What every check looks at: the user's installation, the project, the table of hooks, the manifest, and every place
//! the client takes hooks from. Read once.

use std::path::{Path, PathBuf};

use shared::catalog::{Catalog, HookEntry};
use shared::host::{Host, Places, Timestamp};
use shared::settings::{Program, Registered};
use shared::state::Store;

use super::level::{self, Kind, Level};
use crate::manifest::{Manifest, hash_of};
use crate::places::{Installation, Scope};
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
    /// Reads it.
    pub(crate) fn read(host: &'a Host, catalog: &'a Catalog, managed: &Path) -> anyhow::Result<Self> {
        let user = Installation::of_this_user(host, Voice::Req)?;
        let folders = Places::resolve(&host.environment, host.cwd().as_deref());
        let in_project = |scope| {
            let dir = folders.root.as_deref()?;
            user.in_project(&host.environment, scope, dir).ok()
        };
        let project = [Scope::Project, Scope::Local].into_iter().filter_map(in_project);
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

    /// The hooks of the catalog that are registered in some settings or by a plugin of ours.
    pub(crate) fn registered(&self) -> Vec<&'a HookEntry> {
        let is_registered = |hook: &&HookEntry| {
            let in_settings = self.levels.iter().flat_map(|level| &level.ours);
            in_settings.into_iter().any(|entry| entry.name == hook.name)
                || !self.plugin_entries(hook).is_empty()
        };
        self.catalog.hooks.iter().filter(is_registered).collect()
    }

    /// The user relies on this hook: it is registered, and not by a project alone, whose entry does nothing without it.
    pub(crate) fn relies_on(&self, hook: &str) -> bool {
        let own = self.levels.iter().filter(|level| level.kind != Kind::Project);
        own.flat_map(|level| &level.ours).any(|entry| entry.name == hook)
    }

    /// The entries of plugins that start this hook with the bytes that are deployed, as if they started the deployed
    /// file.
    pub(crate) fn plugin_entries(&self, hook: &HookEntry) -> Vec<Registered> {
        let vouched = self.manifest.files.get(&hook.name).map(|deployed| deployed.sha256.as_str());
        let deployed = self.user().deployed(&hook.name);
        let plugins = self.levels.iter().filter(|level| level.kind == Kind::Plugin);
        let entries = plugins.flat_map(|level| level.survey.entries.iter().map(move |entry| (level, entry)));
        let same = entries.filter(|(level, entry)| {
            let program = level.root.as_deref().and_then(|root| entry.program_in(root));
            let is_named = |program: &PathBuf| program.file_stem().is_some_and(|name| *name == *hook.name);
            let hash = program.filter(is_named).and_then(|program| hash_of(&program).ok().flatten());
            vouched.is_some() && hash.as_deref() == vouched
        });
        same.map(|(_, entry)| Registered {
            name: hook.name.clone(),
            event: entry.event.clone(),
            matcher: entry.matcher.clone(),
            program: Program::Path(deployed.display().to_string()),
            args: entry.args.clone().unwrap_or_default(),
            timeout_secs: None,
            harmful_keys: Vec::new(),
        })
        .collect()
    }
}

/// What an entry of a plugin starts.
pub(crate) trait InPlugin {
    /// The program, with the plugin's folder filled in.
    fn program_in(&self, root: &Path) -> Option<PathBuf>;
}

impl InPlugin for shared::settings::Entry {
    fn program_in(&self, root: &Path) -> Option<PathBuf> {
        let command = self.command.as_deref().filter(|_| self.args.is_some())?;
        let rest = command.strip_prefix("${CLAUDE_PLUGIN_ROOT}/")?;
        Some(root.join(rest))
    }
}
