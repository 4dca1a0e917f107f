//! Which hooks stand in the user's settings.json and requirements.yaml, and changing both. The editing itself is
//! `shared::settings` and `shared::config::edit`; which entries a hook has is config/hooks.yaml.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use shared::catalog::{Catalog, HookEntry};
use shared::config::edit;
use shared::config::nearest;
use shared::host::Host;
use shared::settings::{self, FileError, Owner, Registered, Registration, UserFile};

use crate::installer::places::Installation;

/// The hook of that name, or an error that names the nearest one.
pub(crate) fn find<'a>(catalog: &'a Catalog, name: &str) -> anyhow::Result<&'a HookEntry> {
    if let Some(hook) = catalog.hook(name) {
        return Ok(hook);
    }
    let names = names(catalog);
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    match nearest(name, &known) {
        Some(near) => bail!("there is no hook {name}; did you mean {near}?"),
        None => bail!("there is no hook {name}; there are: {}", known.join(", ")),
    }
}

/// All hooks' names, which are their binaries' too.
pub(crate) fn names(catalog: &Catalog) -> Vec<String> {
    catalog.hooks.iter().map(|hook| hook.name.clone()).collect()
}

/// The user's settings, read and understood.
pub(crate) struct Settings {
    file: UserFile,
    /// As it stands; `None` if there is no file.
    pub(crate) text: Option<String>,
    hooks: PathBuf,
    binaries: Vec<String>,
    /// Our entries.
    pub(crate) registered: Vec<Registered>,
}

impl Settings {
    /// Reads them. `binaries` are the names that make an entry ours.
    pub(crate) fn read(installation: &Installation, binaries: Vec<String>) -> anyhow::Result<Self> {
        let file = UserFile::at(&installation.settings)?;
        let hooks = installation.hooks.clone();
        let mut settings = Self { text: file.read()?, file, hooks, binaries, registered: Vec::new() };
        let text = settings.text.as_deref().unwrap_or_default();
        settings.registered = settings::registered(text, &settings.owner())
            .map_err(|refused| settings.file.refused(refused))?;
        Ok(settings)
    }

    /// The hooks that have an entry, in the order of the catalog.
    pub(crate) fn hooks<'a>(&self, catalog: &'a Catalog) -> Vec<&'a HookEntry> {
        let has_entry = |hook: &&HookEntry| self.registered.iter().any(|entry| entry.binary == hook.name);
        catalog.hooks.iter().filter(has_entry).collect()
    }

    /// The text in which exactly these hooks are registered.
    pub(crate) fn with(&self, installation: &Installation, hooks: &[&HookEntry]) -> anyhow::Result<String> {
        Ok(self.edit(self.text.as_deref(), &entries(installation, hooks)?)?)
    }

    /// Registers exactly these hooks. Returns the backup, if anything changed.
    pub(crate) fn register(
        &self,
        host: &Host,
        installation: &Installation,
        hooks: &[&HookEntry],
    ) -> anyhow::Result<Option<PathBuf>> {
        let wanted = entries(installation, hooks)?;
        if wanted.is_empty() {
            return self.unregister(host);
        }
        Ok(self.file.change_with_backup(host.now(), |text| self.edit(text, &wanted).map(Some))?)
    }

    /// Removes every entry of ours. Returns the backup, if anything changed.
    pub(crate) fn unregister(&self, host: &Host) -> anyhow::Result<Option<PathBuf>> {
        if self.registered.is_empty() {
            return Ok(None);
        }
        let earlier: Vec<Option<String>> =
            self.file.backups().into_iter().map(|backup| backup.text).collect();
        Ok(self.file.change_with_backup(host.now(), |text| match text {
            None => Ok(None),
            Some(text) => settings::unregister(text, &self.owner(), &earlier)
                .map_err(|refused| self.file.refused(refused)),
        })?)
    }

    /// What keeps registered hooks from running, or lets them run twice: one sentence each.
    pub(crate) fn obstacles(&self) -> Vec<String> {
        let value: serde_json::Value =
            self.text.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let mut obstacles = Vec::new();
        if value["disableAllHooks"] == true {
            obstacles.push(
                "`disableAllHooks` is true in your settings.json: no hook runs until it is removed"
                    .to_owned(),
            );
        }
        let plugins = value["enabledPlugins"].as_object();
        let is_ours =
            |(name, on): (&String, &serde_json::Value)| name.starts_with("barbless@") && *on != false;
        if !self.registered.is_empty() && plugins.is_some_and(|plugins| plugins.iter().any(is_ours)) {
            obstacles.push(
                "the Barbless plugin is enabled too, so each hook runs twice: \
                 disable the plugin or run `cargo xtask uninstall`"
                    .to_owned(),
            );
        }
        obstacles
    }

    fn edit(&self, text: Option<&str>, wanted: &[Registration]) -> Result<String, FileError> {
        let text = text.unwrap_or_default();
        settings::register(text, &self.owner(), wanted).map_err(|refused| self.file.refused(refused))
    }

    fn owner(&self) -> Owner<'_> {
        Owner { folder: &self.hooks, binaries: &self.binaries }
    }
}

/// The entries of these hooks for their deployed binaries.
fn entries(installation: &Installation, hooks: &[&HookEntry]) -> anyhow::Result<Vec<Registration>> {
    let mut entries = Vec::new();
    for hook in hooks {
        let path = installation.deployed(&hook.name);
        let command = path.to_str().with_context(|| format!("{} is not readable text", path.display()))?;
        entries.extend(hook.events.iter().map(|entry| Registration {
            event: entry.event.clone(),
            matcher: entry.matcher.clone(),
            command: command.to_owned(),
            timeout_secs: entry.timeout_secs,
        }));
    }
    Ok(entries)
}

/// The user's global configuration with these hooks switched on; a hook that is on by default needs no line.
pub(crate) fn switched_on(
    text: Option<&str>,
    hooks: &[&HookEntry],
) -> Result<Option<String>, settings::Refused> {
    let mut text = text.map(str::to_owned);
    for hook in hooks {
        let line = edit::get(text.as_deref().unwrap_or_default(), &hook.name, "enabled")?;
        if line.as_deref() != Some("true") && !(hook.enabled && line.is_none()) {
            text = Some(edit::set(text.as_deref().unwrap_or_default(), &hook.name, "enabled", "true")?);
        }
    }
    Ok(text)
}

/// The user's global configuration with this hook switched off.
pub(crate) fn switched_off(
    text: Option<&str>,
    hook: &HookEntry,
) -> Result<Option<String>, settings::Refused> {
    edit::set(text.unwrap_or_default(), &hook.name, "enabled", "false").map(Some)
}

#[cfg(test)]
mod tests {
    use shared::catalog::{Catalog, HookEntry};

    use super::{find, switched_off, switched_on};

    fn hook(enabled: bool) -> HookEntry {
        let mut hook = Catalog::built_in().unwrap().hooks.remove(0);
        hook.name = "a-gate".to_owned();
        hook.enabled = enabled;
        hook
    }

    #[test]
    fn only_a_hook_that_would_stay_off_gets_a_line() {
        let (off, on) = (hook(false), hook(true));
        let text = |before: Option<&str>, hook: &HookEntry| switched_on(before, &[hook]).unwrap();
        assert_eq!(text(None, &off).as_deref(), Some("a-gate:\n  enabled: true\n"));
        assert_eq!(text(None, &on), None);
        assert_eq!(text(Some("# x\n"), &on).as_deref(), Some("# x\n"));
        assert_eq!(text(Some("a-gate: {enabled: false}"), &on).as_deref(), Some("a-gate: {enabled: true}"));
        assert_eq!(text(Some("a-gate: {enabled: true}"), &off).as_deref(), Some("a-gate: {enabled: true}"));
        assert_eq!(switched_off(None, &on).unwrap().as_deref(), Some("a-gate:\n  enabled: false\n"));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let catalog = Catalog::built_in().unwrap();
        let name = &catalog.hooks[0].name;
        let error = find(&catalog, &name[..name.len() - 1]).unwrap_err().to_string();
        assert!(error.ends_with(&format!("did you mean {name}?")), "{error}");
        assert!(find(&catalog, "zzz").unwrap_err().to_string().contains("there are: "));
    }
}
