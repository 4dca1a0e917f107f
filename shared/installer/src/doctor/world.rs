//! The facts of every check, read once: the installation, the manifest and the settings files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use shared::catalog::{Catalog, HookEntry};
use shared::host::{Host, Places, Timestamp};
use shared::state::Store;

use super::level::{self, Kind, Level};
use crate::enabled::Enabled;
use crate::manifest::Manifest;
use crate::places::{Installation, Scope, executable};
use crate::source::Source;
use crate::voice::Voice;

/// How the key of our plugin in `enabledPlugins` begins; a marketplace's name follows.
const PLUGIN: &str = "barbless@";

/// The administrator's settings of Claude Code.
pub fn managed_settings() -> PathBuf {
    if cfg!(target_os = "macos") {
        PathBuf::from("/Library/Application Support/ClaudeCode/managed-settings.json")
    } else if cfg!(windows) {
        PathBuf::from(r"C:\Program Files\ClaudeCode\managed-settings.json")
    } else {
        PathBuf::from("/etc/claude-code/managed-settings.json")
    }
}

pub(crate) struct World<'a> {
    pub(crate) host: &'a Host,
    pub(crate) catalog: &'a Catalog,
    pub(crate) manifest: Manifest,
    /// The user's own installation, then the project's two where there is a project.
    pub(crate) places: Vec<Installation>,
    pub(crate) folders: Places,
    /// The settings files, the weakest first.
    pub(crate) levels: Vec<Level>,
    /// The installed programs whose bytes the manifest vouches for.
    pub(crate) vouched: BTreeSet<String>,
}

/// The settings that are read beside the user's own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Project<'a> {
    /// None.
    None,
    /// Those of the project this command was started in, if there is one.
    Here,
    /// Those of the project in this folder.
    At(&'a Path),
}

impl<'a> World<'a> {
    /// Reads it. `managed` is the administrator's file.
    pub(crate) fn read(
        host: &'a Host,
        catalog: &'a Catalog,
        managed: &Path,
        project: Project<'_>,
        voice: Voice,
    ) -> anyhow::Result<Self> {
        let user = Installation::of_this_user(host, voice)?;
        let folders = Places::resolve(&host.environment, host.cwd().as_deref());
        let both = [Scope::Project, Scope::Local];
        let inside = |scope, dir: &Path| user.in_project(&host.environment, scope, dir);
        let of_project = match project {
            Project::None => Vec::new(),
            Project::Here => {
                let root = folders.root.as_deref();
                both.iter().filter_map(|scope| inside(*scope, root?).ok()).collect()
            }
            Project::At(dir) => both.iter().map(|scope| inside(*scope, dir)).collect::<Result<_, _>>()?,
        };
        let manifest = Manifest::read(&user)?;
        let places: Vec<Installation> = [user].into_iter().chain(of_project).collect();
        let levels = level::read(&places, catalog, managed)?;
        let is_vouched = |name: &&String| manifest.vouches_for(&places[0], name);
        let vouched = manifest.files.keys().filter(is_vouched).cloned().collect();
        Ok(Self { host, catalog, manifest, places, folders, levels, vouched })
    }

    /// The user's own installation.
    pub(crate) fn user(&self) -> &Installation {
        &self.places[0]
    }

    /// The installation closest to the work. Hooks answer in its folder.
    pub(crate) fn nearest(&self) -> &Installation {
        &self.places[self.places.len() - 1]
    }

    /// The user's configuration folder.
    pub(crate) fn config(&self) -> &Path {
        self.user().hooks.parent().unwrap_or(&self.user().hooks)
    }

    /// The time when this command began.
    pub(crate) fn now(&self) -> Timestamp {
        self.host.started
    }

    /// The state folder, if it is there.
    pub(crate) fn store(&self) -> Option<Store> {
        self.folders.state_dir.as_deref().filter(|dir| dir.is_dir()).map(Store::at)
    }

    /// The file that enables our plugin. The strongest file that names the plugin decides.
    pub(crate) fn plugin(&self) -> Option<&str> {
        let mut named = self.levels.iter().rev().flat_map(|level| {
            let ours = level.contents.plugins.iter().filter(|(name, _)| name.starts_with(PLUGIN));
            ours.map(|(_, flag)| (level.shown.as_str(), flag.is_on))
        });
        named.next().filter(|(_, is_on)| *is_on).map(|(file, _)| file)
    }

    /// Some settings file registers this hook.
    pub(crate) fn is_in_settings(&self, hook: &str) -> bool {
        self.levels.iter().any(|level| level.registers(hook))
    }

    /// The hooks that settings or the plugin register.
    pub(crate) fn registered(&self) -> Vec<&'a HookEntry> {
        let has_plugin = self.plugin().is_some();
        self.catalog.hooks.iter().filter(|hook| has_plugin || self.is_in_settings(&hook.name)).collect()
    }

    /// Nothing of ours is installed or registered.
    pub(crate) fn is_bare(&self) -> bool {
        self.manifest.files.is_empty() && self.registered().is_empty()
    }

    /// The user's own settings start this installed hook. A project's entry does nothing without the hook.
    pub(crate) fn relies_on(&self, hook: &str) -> bool {
        self.levels.iter().any(|level| level.kind != Kind::Project && level.registers(hook))
    }

    /// The plugin's program of this name. It is known only to the `req` that the plugin brings.
    pub(crate) fn program_of_plugin(&self, hook: &str) -> Option<PathBuf> {
        self.plugin()?;
        let Ok(Source::Folder(programs)) = Source::beside_this_program() else { return None };
        let is_plugins = programs.parent()?.join(".claude-plugin/plugin.json").is_file();
        Some(programs.join(executable(hook))).filter(|program| is_plugins && program.is_file())
    }

    /// Asks the installed hook, or else the plugin's, whether it acts.
    pub(crate) fn ask(&self, hook: &HookEntry) -> anyhow::Result<Option<Enabled>> {
        let installed = self.vouched.contains(&hook.name).then(|| self.user().deployed(&hook.name));
        let program = installed.or_else(|| self.program_of_plugin(&hook.name));
        program.map(|program| Enabled::ask(&program, self.nearest(), &hook.name)).transpose()
    }
}
