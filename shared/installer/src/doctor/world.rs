//! The facts of every check, read once: the installation, the manifest and the settings files of the user, the project and the
//! administrator.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::catalog::{Catalog, HookEntry};
use client_settings::{Contents, Owner, Refused};
use shared::config::{self, read_text};
use shared::host::{Host, Places};
use shared::state::Store;

use super::report::Finding;
use crate::manifest::Manifest;
use crate::places::{Installation, Scope, executable};
use crate::prove::Enabled;
use crate::say::Voice;
use crate::settings::ours;
use crate::source::beside_this_program;

/// The beginning of our plugin's key in `enabledPlugins`; a marketplace's name follows.
const PLUGIN: &str = "barbless@";

/// A larger file is not read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

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
    pub(crate) catalog: &'static Catalog,
    pub(crate) manifest: Manifest,
    /// The user's own installation, then the project's two where there is a project.
    pub(crate) places: Vec<Installation>,
    pub(crate) folders: Places,
    pub(crate) levels: Vec<Level>,
    /// The installed programs whose bytes the manifest vouches for.
    pub(crate) vouched: BTreeSet<String>,
    pub(crate) asked: BTreeMap<String, anyhow::Result<Enabled>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Level {
    /// The installation that the settings belong to; the administrator's have none.
    pub(crate) place: Option<Installation>,
    pub(crate) shown: String,
    pub(crate) contents: Contents,
    /// Why it cannot be read, or not be edited.
    pub(crate) unreadable: Option<Finding>,
}

impl<'a> World<'a> {
    pub(crate) fn read(
        host: &'a Host,
        managed: &Path,
        project: Option<&Path>,
        voice: Voice,
    ) -> anyhow::Result<Self> {
        let user = Installation::of_this_user(host, voice)?;
        let catalog = user.catalog;
        let folders = Places::resolve(&host.environment, host.cwd().as_deref());
        // A home is no project.
        let inside = |scope| user.in_project(&host.environment, scope, project?).ok();
        let of_project: Vec<Installation> =
            [Scope::Project, Scope::Local].into_iter().filter_map(inside).collect();
        let manifest = Manifest::read(&user)?;
        let places: Vec<Installation> = [user].into_iter().chain(of_project).collect();
        let level = |place: &Installation| {
            anyhow::Ok(Level::read(Some(place.clone()), &place.settings, &ours(place)?.0))
        };
        let mut levels: Vec<Level> = places.iter().map(level).collect::<Result<_, _>>()?;
        if managed.is_file() {
            let (owner, _) = ours(&places[0])?;
            levels.push(Level::read(None, managed, &owner));
        }
        let is_vouched = |name: &&String| manifest.vouches_for(&places[0], name);
        let vouched = manifest.files.keys().filter(is_vouched).cloned().collect();
        let asked = BTreeMap::new();
        let mut world = Self { host, catalog, manifest, places, folders, levels, vouched, asked };
        world.asked = catalog.hooks.iter().filter_map(|hook| world.ask(hook)).collect();
        Ok(world)
    }

    pub(crate) fn user(&self) -> &Installation {
        &self.places[0]
    }

    /// The installation closest to the work. Hooks answer in its folder.
    pub(crate) fn nearest(&self) -> &Installation {
        &self.places[self.places.len() - 1]
    }

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

    pub(crate) fn is_in_settings(&self, hook: &str) -> bool {
        self.levels.iter().any(|level| level.registers(hook))
    }

    pub(crate) fn registered(&self) -> Vec<&'static HookEntry> {
        let has_plugin = self.plugin().is_some();
        self.catalog.hooks.iter().filter(|hook| has_plugin || self.is_in_settings(&hook.name)).collect()
    }

    /// The user's own settings start this installed hook. A project's entry does nothing without the hook.
    pub(crate) fn relies_on(&self, hook: &str) -> bool {
        self.levels.iter().any(|level| level.scope() != Some(Scope::Project) && level.registers(hook))
    }

    /// The plugin's program of this name. It is known only to the `req` that the plugin brings.
    pub(crate) fn program_of_plugin(&self, hook: &str) -> Option<PathBuf> {
        self.plugin()?;
        let programs = beside_this_program().ok()?;
        let is_plugins = programs.parent()?.join(".claude-plugin/plugin.json").is_file();
        Some(programs.join(executable(hook))).filter(|program| is_plugins && program.is_file())
    }

    /// Asks the installed hook, or else the plugin's, whether it acts.
    fn ask(&self, hook: &HookEntry) -> Option<(String, anyhow::Result<Enabled>)> {
        let installed = self.vouched.contains(&hook.name).then(|| self.user().installed(&hook.name));
        let program = installed.or_else(|| self.program_of_plugin(&hook.name))?;
        Some((hook.name.clone(), Enabled::ask(&program, self.nearest(), &hook.name)))
    }
}

impl Level {
    fn read(place: Option<Installation>, file: &Path, owner: &Owner) -> Self {
        let shown = place.as_ref().map_or_else(|| file.display().to_string(), |place| place.show(file));
        match read_text(file, None, MAX_BYTES) {
            Ok(text) => Self::of_text(place, shown, &text, owner),
            Err(config::Refused::NotThere) => Self::of_text(place, shown, "", owner),
            Err(config::Refused::Because(why)) => {
                let unreadable = Some(Finding::broken(why).at(&shown, None));
                Self { place, shown, contents: Contents::default(), unreadable }
            }
        }
    }

    pub(super) fn of_text(place: Option<Installation>, shown: String, text: &str, owner: &Owner) -> Self {
        let (contents, refused) = match client_settings::read(text, owner) {
            Ok(contents) => {
                // A fault names the same place.
                let refused = contents.refused.clone().filter(|_| contents.faults.is_empty());
                (contents, refused)
            }
            Err(mut refused) => {
                refused.why =
                    format!("column {}: {}: Claude Code reads nothing of it", refused.column, refused.why);
                (Contents::default(), Some(refused))
            }
        };
        let unreadable = refused.map(|Refused { line, why, .. }| {
            Finding::broken(why).at(&shown, Some(line)).next("correct it by hand")
        });
        Self { place, shown, contents, unreadable }
    }

    pub(crate) fn scope(&self) -> Option<Scope> {
        self.place.as_ref().map(|place| place.scope)
    }

    pub(crate) fn registers(&self, hook: &str) -> bool {
        self.contents.ours().any(|entry| entry.name.as_deref() == Some(hook))
    }
}
