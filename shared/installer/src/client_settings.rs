//! One settings file of Claude Code: our parts of it, and changes of them. The crate `client_settings` edits the text.

use std::path::PathBuf;

use anyhow::Context as _;
use client_settings::{
    Backup, Contents, FileError, Owner, Program, Refused, Registration, StatusLine, UserFile, Wanted,
};
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::chain::{self, Chained};
use crate::manifest::{Added, Manifest};
use crate::places::{Installation, Scope};
use crate::registration::{entries, names, status_line};
use crate::say::note;
use crate::team;

/// The marks of our parts of a settings file.
pub(crate) struct Ours {
    hooks: PathBuf,
    former: Vec<PathBuf>,
    binaries: Vec<String>,
    added: Added,
}

impl Ours {
    pub(crate) fn of(installation: &Installation, catalog: &Catalog) -> anyhow::Result<Self> {
        let manifest = Manifest::read(installation)?;
        // An older version may have registered a hook that the catalog no longer knows.
        let binaries = manifest.files.keys().cloned().chain(names(catalog)).collect();
        let added = manifest.settings.get(&installation.key()).cloned().unwrap_or_default();
        let (hooks, mut former) = (installation.hooks.clone(), manifest.folders);
        // A home that is reached through a link is the same home.
        former.extend(hooks.canonicalize().ok().filter(|real| *real != hooks));
        Ok(Self { hooks, former, binaries, added })
    }

    pub(crate) fn owner(&self) -> Owner<'_> {
        self.owner_of(&self.added)
    }

    fn owner_of<'a>(&'a self, added: &'a Added) -> Owner<'a> {
        Owner {
            folder: &self.hooks,
            former_folders: &self.former,
            binaries: &self.binaries,
            rules: &added.rules,
            status_line_before: added.status_line_before.as_deref(),
        }
    }
}

/// The hooks and extras that shall be registered.
#[derive(Debug, Clone, Default)]
pub struct Choice<'a> {
    /// These hooks and no others.
    pub hooks: Vec<&'a HookEntry>,
    /// Their permission rules, beside those that were added before.
    pub allow_rules: bool,
    /// The status line of the hook among them that prints one.
    pub status_line: bool,
}

/// The parts that a file shall hold, and what the manifest notes about them.
struct Change {
    wanted: Wanted,
    added: Added,
}

/// A settings file of Claude Code that an edit does not refuse.
pub struct Settings<'a> {
    installation: &'a Installation,
    catalog: &'a Catalog,
    file: UserFile,
    ours: Ours,
    /// The text; `None`: there is no file.
    pub text: Option<String>,
    pub present: Contents,
}

impl<'a> Settings<'a> {
    pub fn read(installation: &'a Installation, catalog: &'a Catalog) -> anyhow::Result<Self> {
        let file = installation.file(&installation.settings)?;
        let ours = Ours::of(installation, catalog)?;
        let text = file.read()?;
        let read = client_settings::read(text.as_deref().unwrap_or_default(), &ours.owner());
        let mut present = read.map_err(|refused| file.refused(refused))?;
        if let Some(refused) = present.refused.take() {
            return Err(file.refused(refused).into());
        }
        Ok(Self { installation, catalog, file, ours, text, present })
    }

    /// The registered hooks, in the order of the catalog.
    pub fn hooks(&self) -> Vec<&'a HookEntry> {
        let is_registered =
            |hook: &&HookEntry| self.present.ours().any(|entry| entry.name.as_ref() == Some(&hook.name));
        self.catalog.hooks.iter().filter(is_registered).collect()
    }

    /// The permission rules of these hooks that are not there yet.
    pub fn missing_rules(&self, hooks: &[&HookEntry]) -> Vec<String> {
        let rules = hooks.iter().flat_map(|hook| &hook.permissions);
        rules.filter(|rule| !self.present.rules.contains(rule)).cloned().collect()
    }

    /// The text with exactly this choice in it.
    pub fn with(&self, choice: &Choice<'_>) -> anyhow::Result<Option<String>> {
        let change = self.change_to(choice)?;
        let both = self.with_added(&change.added);
        let text = client_settings::arrange(
            self.text.as_deref(),
            &self.ours.owner_of(&both),
            &change.wanted,
            &self.earlier(),
        );
        Ok(text.map_err(|refused| self.file.refused(refused))?)
    }

    /// Registers exactly this choice. Returns the backup, if anything changed.
    pub fn register(&self, host: &Host, choice: &Choice<'_>) -> anyhow::Result<Option<PathBuf>> {
        self.put(host, &self.change_to(choice)?)
    }

    /// Removes our parts. Returns the backup, if anything changed.
    pub fn unregister(&self, host: &Host) -> anyhow::Result<Option<PathBuf>> {
        self.put(host, &Change { wanted: Wanted::default(), added: Added::default() })
    }

    /// Removes the entries of these hooks; all others stay as written. Returns the backup, if anything changed.
    pub fn forget(&self, host: &Host, names: &[String]) -> anyhow::Result<Option<PathBuf>> {
        let mut wanted = self.as_it_is();
        wanted.hooks.retain(|hook| !hook.program.name().is_some_and(|name| names.contains(&name)));
        self.put(host, &Change { wanted, added: self.ours.added.clone() })
    }

    /// Sets the status line of this hook and registers nothing. Returns the backup, if anything changed.
    pub fn set_status_line(&self, host: &Host, hook: &HookEntry) -> anyhow::Result<Option<PathBuf>> {
        let (hook, command) = status_line(self.installation, &[hook])?
            .with_context(|| format!("{} prints no status line", hook.name))?;
        let wanted = Wanted { status_line: Some(StatusLine { command, replaces: true }), ..self.as_it_is() };
        let (status_line_before, chained) = self.before_ours(hook)?;
        let added = Added { status_line_before, chained, ..self.ours.added.clone() };
        self.put(host, &Change { wanted, added })
    }

    /// Puts our parts back as they were in an earlier text of the file; the user's later changes stay. Returns whether anything
    /// changed.
    pub fn restore(&self, host: &Host, earlier: Option<&str>) -> anyhow::Result<bool> {
        let present = |owner: &Owner<'_>| {
            let read = client_settings::read(earlier.unwrap_or_default(), owner);
            read.map_err(|refused| self.file.refused(refused))
        };
        // A rule of ours that went with the last change is nobody's now; it comes back as ours.
        let is_catalogs =
            |rule: &String| self.catalog.hooks.iter().any(|hook| hook.permissions.contains(rule));
        let rules = present(&self.ours.owner())?.rules.into_iter();
        let gone: Vec<String> =
            rules.filter(|rule| !self.present.rules.contains(rule) && is_catalogs(rule)).collect();
        let ours = Added { rules: merged(&self.ours.added.rules, &gone), ..self.ours.added.clone() };
        let owner = self.ours.owner_of(&ours);
        let wanted = Wanted { leaves_entries: true, ..present(&owner)?.as_wanted(&owner) };
        let printer = self.catalog.hooks.iter().find(|hook| hook.status_line.is_some());
        let (status_line_before, chained) = match printer {
            Some(hook) => self.before_ours(hook)?,
            None => (ours.status_line_before, ours.chained),
        };
        let change =
            Change { added: Added { rules: wanted.rules.clone(), status_line_before, chained }, wanted };
        let others = self.earlier();
        let backup = self.put_by(host, &change, |text, owner| {
            if client_settings::differ_in_ours_only(text, earlier, owner) {
                return Ok(earlier.map(str::to_owned));
            }
            client_settings::arrange(text, owner, &change.wanted, &others)
        })?;
        Ok(backup.is_some())
    }

    /// The newest backup of another text than the present one.
    pub fn newest_backup(&self) -> Option<Backup> {
        self.file.backups().into_iter().find(|backup| backup.text != self.text)
    }

    /// The command of another status line that this choice would keep in the user's configuration.
    pub(crate) fn to_be_chained(&self, choice: &Choice<'_>) -> anyhow::Result<Option<Chained>> {
        let change = self.change_to(choice)?;
        Ok(self.chained_by(&change).cloned())
    }

    /// The command of another status line that we keep in the user's configuration.
    pub(crate) fn chained(&self) -> Option<&Chained> {
        self.ours.added.chained.as_ref()
    }

    fn as_it_is(&self) -> Wanted {
        Wanted { leaves_entries: true, ..self.present.as_wanted(&self.ours.owner()) }
    }

    fn earlier(&self) -> Vec<Option<String>> {
        self.file.backups().into_iter().map(|backup| backup.text).collect()
    }

    fn change_to(&self, choice: &Choice<'_>) -> anyhow::Result<Change> {
        let is_a_projects = self.installation.scope == Scope::Project;
        let before = &self.ours.added.rules;
        let hooks = &choice.hooks;
        let rules = hooks.iter().flat_map(|hook| hook.permissions.clone());
        let mut rules: Vec<String> = rules.filter(|rule| before.contains(rule)).collect();
        if choice.allow_rules {
            rules = merged(&rules, &self.missing_rules(hooks));
        }
        let has_ours = self.present.status_line.as_ref().is_some_and(|line| line.is_ours);
        // A status line that was set alone stays while its hook is not registered, and goes with the registration.
        let registered = self.hooks();
        let alone = self.catalog.hooks.iter().filter(|hook| has_ours && !registered.contains(hook));
        let printers: Vec<&HookEntry> = hooks.iter().copied().chain(alone).collect();
        // The command names a path, which a project's settings must not.
        let is_wanted = !is_a_projects && (choice.status_line || has_ours);
        let line = status_line(self.installation, &printers)?.filter(|_| is_wanted);
        let (status_line_before, chained) = match &line {
            Some((hook, _)) => self.before_ours(hook)?,
            None => (None, None),
        };
        let mut entries = entries(self.installation, hooks)?;
        if is_a_projects {
            entries.extend(self.of_newer_versions());
            entries.extend(notice_of(&entries));
        }
        let wanted = Wanted {
            hooks: entries,
            rules: rules.clone(),
            status_line: line.map(|(_, command)| StatusLine { command, replaces: true }),
            leaves_entries: false,
        };
        Ok(Change { wanted, added: Added { rules, status_line_before, chained } })
    }

    /// A teammate's newer version may have hooks that this one does not know: they stay.
    fn of_newer_versions(&self) -> Vec<Registration> {
        let shell_lines = self.present.as_wanted(&self.ours.owner()).hooks.into_iter();
        let is_unknown = |hook: &Registration| {
            matches!(hook.program, Program::Shell(_))
                && hook
                    .program
                    .name()
                    .is_some_and(|name| name != team::NOTICE && self.catalog.hook(&name).is_none())
        };
        shell_lines.filter(is_unknown).collect()
    }

    /// The status line before ours: its value as written, and where its command is kept.
    fn before_ours(&self, hook: &HookEntry) -> anyhow::Result<(Option<String>, Option<Chained>)> {
        let before = &self.ours.added;
        let Some(replaced) = self.present.status_line.as_ref().filter(|line| !line.is_ours) else {
            return Ok((before.status_line_before.clone(), before.chained.clone()));
        };
        let chained = match chain::command_of(&replaced.raw) {
            // The key is the user's own, for every project.
            Some(command) if self.installation.scope == Scope::User => {
                Chained::of(self.installation, hook, command, before.chained.as_ref())?
            }
            _ => None,
        };
        Ok((Some(replaced.raw.clone()), chained))
    }

    /// The chained command is written once, when our status line replaces another one; later it is the user's to change.
    fn chained_by<'c>(&self, change: &'c Change) -> Option<&'c Chained> {
        let replaces = self.present.status_line.as_ref().is_some_and(|line| !line.is_ours);
        change.added.chained.as_ref().filter(|_| replaces && change.wanted.status_line.is_some())
    }

    fn put(&self, host: &Host, change: &Change) -> anyhow::Result<Option<PathBuf>> {
        let earlier = self.earlier();
        self.put_by(host, change, |text, owner| {
            client_settings::arrange(text, owner, &change.wanted, &earlier)
        })
    }

    /// Carries a change out by this edit. Notes it down first: after a kill in between, a rule of ours would else be taken for the
    /// user's.
    fn put_by(
        &self,
        host: &Host,
        change: &Change,
        edit: impl FnOnce(Option<&str>, &Owner<'_>) -> Result<Option<String>, Refused>,
    ) -> anyhow::Result<Option<PathBuf>> {
        let Change { wanted, added } = change;
        let mut added = added.clone();
        if wanted.status_line.is_none() {
            (added.status_line_before, added.chained) = (None, None);
        }
        let stays = (!wanted.is_nothing()).then_some(&added);
        if self.text.is_none() && stays.is_none() {
            self.unchain(None)?;
            note_down(self.installation, None)?;
            return Ok(None);
        }
        let both = self.with_added(&added);
        note_down(self.installation, Some(&both))?;
        self.chain(change)?;
        let backup = self.file.change_with_backup::<FileError>(host.now(), |text| {
            edit(text, &self.ours.owner_of(&both)).map_err(|refused| self.file.refused(refused))
        })?;
        self.unchain(added.chained.as_ref())?;
        note_down(self.installation, stays)?;
        Ok(backup)
    }

    /// Keeps the other status line's command before ours takes its place.
    fn chain(&self, change: &Change) -> anyhow::Result<()> {
        let replaced = self.present.status_line.as_ref().filter(|line| !line.is_ours);
        let is_no_command = replaced.is_some_and(|line| chain::command_of(&line.raw).is_none());
        if is_no_command && change.wanted.status_line.is_some() {
            note(
                "the status line that was there is no command, so it is not printed below; uninstalling gives it back",
            );
        }
        self.chained_by(change).map_or(Ok(()), |chained| chained.put(self.installation))
    }

    /// Forgets the other status line's command after that line has its place again.
    fn unchain(&self, stays: Option<&Chained>) -> anyhow::Result<()> {
        match self.chained() {
            Some(before) if stays.is_none() => before.take_out(self.installation),
            _ => Ok(()),
        }
    }

    /// Ours before and after a change: both may have to be taken out.
    fn with_added(&self, added: &Added) -> Added {
        let before = &self.ours.added;
        Added {
            rules: merged(&before.rules, &added.rules),
            status_line_before: added.status_line_before.clone().or(before.status_line_before.clone()),
            chained: added.chained.clone().or(before.chained.clone()),
        }
    }
}

/// The entry that tells a teammate who lacks one of these hooks.
fn notice_of(entries: &[Registration]) -> Option<Registration> {
    let mut names: Vec<String> = entries.iter().filter_map(|entry| entry.program.name()).collect();
    names.sort();
    names.dedup();
    (!names.is_empty()).then(|| team::notice(&names))
}

/// Notes in the manifest what was added to a settings file beside entries. A project's file is noted in any case.
fn note_down(installation: &Installation, added: Option<&Added>) -> anyhow::Result<()> {
    let key = &installation.key();
    let is_noted = |added: &&Added| installation.scope != Scope::User || **added != Added::default();
    let added = added.filter(is_noted);
    if Manifest::read(installation)?.settings.get(key) == added {
        return Ok(());
    }
    Manifest::change(installation, |manifest| {
        manifest.settings.remove(key);
        manifest.settings.extend(added.map(|added| (key.clone(), added.clone())));
        Ok(())
    })
}

fn merged(left: &[String], right: &[String]) -> Vec<String> {
    let new = right.iter().filter(|rule| !left.contains(rule));
    left.iter().chain(new).cloned().collect()
}

#[cfg(test)]
mod tests;
