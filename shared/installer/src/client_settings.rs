//! One settings file of the client as the installer sees it: what is in it of ours, and putting in or taking out what is
//! chosen. The editing itself is `client_settings`.

use std::path::PathBuf;

use anyhow::Context as _;
use client_settings::{
    Backup, FileError, Owner, Present, Program, Refused, Registered, Registration, StatusLine, UserFile,
    Wanted,
};
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::chain::{self, Chained};
use crate::manifest::{Added, Manifest};
use crate::places::{Installation, Scope};
use crate::registration::{entries, names, status_line};
use crate::say::note;
use crate::team;

/// A settings file of the client, read and understood.
pub struct Settings {
    file: UserFile,
    /// As it stands; `None` if there is no file.
    pub text: Option<String>,
    hooks: PathBuf,
    former: Vec<PathBuf>,
    binaries: Vec<String>,
    added: Added,
    /// What is in it of ours.
    pub present: Present,
}

/// What shall be registered.
#[derive(Debug, Clone, Default)]
pub struct Choice<'a> {
    /// These hooks and no others.
    pub hooks: Vec<&'a HookEntry>,
    /// Their permission rules too, beside those that were added before.
    pub allow_rules: bool,
    /// The status line of the one among them that has one.
    pub status_line: bool,
}

impl Settings {
    /// What is there of ours, as the client reads it, wherever a link of that name leads.
    pub(crate) fn there(installation: &Installation, catalog: &Catalog) -> anyhow::Result<Present> {
        let file = UserFile::at(&installation.settings)?;
        Ok(Self::of_file(installation, catalog, file)?.present)
    }

    /// Reads those of this installation.
    pub fn read(installation: &Installation, catalog: &Catalog) -> anyhow::Result<Self> {
        let file = installation.file(&installation.settings)?;
        Self::of_file(installation, catalog, file)
    }

    fn of_file(installation: &Installation, catalog: &Catalog, file: UserFile) -> anyhow::Result<Self> {
        let manifest = Manifest::read(installation)?;
        // A hook of an older version may be registered that the catalog no longer knows.
        let binaries = manifest.files.keys().cloned().chain(names(catalog)).collect();
        let added = manifest.settings.get(&installation.key()).cloned().unwrap_or_default();
        let (hooks, mut former) = (installation.hooks.clone(), manifest.folders);
        // A home that is reached through a link is the same home.
        former.extend(hooks.canonicalize().ok().filter(|real| *real != hooks));
        let present = Present::default();
        let mut settings = Self { text: file.read()?, file, hooks, former, binaries, added, present };
        settings.present = settings.present_in(settings.text.as_deref(), &settings.added)?;
        Ok(settings)
    }

    /// The hooks that have an entry, in the order of the catalog.
    #[must_use]
    pub fn hooks<'a>(&self, catalog: &'a Catalog) -> Vec<&'a HookEntry> {
        let has_entry = |hook: &&HookEntry| self.present.hooks.iter().any(|entry| entry.name == hook.name);
        catalog.hooks.iter().filter(has_entry).collect()
    }

    /// A permission rule of these hooks that is not there yet.
    #[must_use]
    pub fn missing_rules(&self, hooks: &[&HookEntry]) -> Vec<String> {
        let rules = hooks.iter().flat_map(|hook| &hook.permissions);
        rules.filter(|rule| !self.present.rules.contains(rule)).cloned().collect()
    }

    /// The text with exactly this choice in it.
    pub fn with(
        &self,
        installation: &Installation,
        catalog: &Catalog,
        choice: &Choice<'_>,
    ) -> anyhow::Result<Option<String>> {
        let (wanted, added) = self.wanted(installation, catalog, choice)?;
        Ok(self.arranged(self.text.as_deref(), &wanted, &added)?)
    }

    /// Registers exactly this choice. Returns the backup, if anything changed.
    pub fn register(
        &self,
        host: &Host,
        installation: &Installation,
        catalog: &Catalog,
        choice: &Choice<'_>,
    ) -> anyhow::Result<Option<PathBuf>> {
        let (wanted, added) = self.wanted(installation, catalog, choice)?;
        self.put(host, installation, &wanted, &added)
    }

    /// Removes everything of ours. Returns the backup, if anything changed.
    pub fn unregister(&self, host: &Host, installation: &Installation) -> anyhow::Result<Option<PathBuf>> {
        self.put(host, installation, &Wanted::default(), &Added::default())
    }

    /// Sets the status line that this hook prints, which goes on with another one that is there; nothing is registered.
    /// Returns the backup, if anything changed.
    ///
    /// # Errors
    /// A file cannot be changed, or the user has chained another command.
    pub fn set_status_line(
        &self,
        host: &Host,
        installation: &Installation,
        hook: &HookEntry,
    ) -> anyhow::Result<Option<PathBuf>> {
        let (hook, command) = status_line(installation, &[hook])?
            .with_context(|| format!("{} prints no status line", hook.name))?;
        let mut wanted = self.present.as_wanted(&self.owner());
        wanted.leaves_entries = true;
        wanted.status_line = Some(StatusLine { command, replaces: true });
        let (status_line_before, chained) = self.before_ours(installation, hook)?;
        let added = Added { status_line_before, chained, ..self.added.clone() };
        self.put(host, installation, &wanted, &added)
    }

    /// What has to be known of the status line that ours takes the place of, or took: how it was written, and where its
    /// command is to be kept.
    fn before_ours(
        &self,
        installation: &Installation,
        hook: &HookEntry,
    ) -> anyhow::Result<(Option<String>, Option<Chained>)> {
        let before = &self.added;
        let Some(replaced) = self.present.status_line.as_ref().filter(|line| !line.is_ours) else {
            return Ok((before.status_line_before.clone(), before.chained.clone()));
        };
        let chained = match chain::command_of(&replaced.raw) {
            // The key is the user's own, for every project.
            Some(command) if installation.scope == Scope::User => {
                Chained::of(installation, hook, command, before.chained.as_ref())?
            }
            _ => None,
        };
        Ok((Some(replaced.raw.clone()), chained))
    }

    /// The command of another status line that is to be kept, as this choice has it.
    ///
    /// # Errors
    /// The user has chained another command.
    pub(crate) fn to_be_chained(
        &self,
        installation: &Installation,
        catalog: &Catalog,
        choice: &Choice<'_>,
    ) -> anyhow::Result<Option<Chained>> {
        let (wanted, added) = self.wanted(installation, catalog, choice)?;
        Ok(self.chained_now(&wanted, &added).cloned())
    }

    /// The command of another status line, which is kept in the user's configuration.
    pub(crate) fn chained(&self) -> Option<&Chained> {
        self.added.chained.as_ref()
    }

    /// What is written down when ours takes the place of another one; later it is the user's to change.
    fn chained_now<'a>(&self, wanted: &Wanted, added: &'a Added) -> Option<&'a Chained> {
        let takes_its_place = self.present.status_line.as_ref().is_some_and(|line| !line.is_ours);
        added.chained.as_ref().filter(|_| takes_its_place && wanted.status_line.is_some())
    }

    /// Removes the entries of these hooks; all others stay as they are written. Returns the backup, if anything changed.
    pub fn forget(
        &self,
        host: &Host,
        installation: &Installation,
        names: &[String],
    ) -> anyhow::Result<Option<PathBuf>> {
        let mut wanted = self.present.as_wanted(&self.owner());
        let goes = |name: &str| names.iter().any(|gone| gone == name);
        wanted.hooks.retain(|hook| !hook.program.name().is_some_and(goes));
        wanted.leaves_entries = true;
        self.put(host, installation, &wanted, &self.added)
    }

    /// Puts our parts back as they were in an earlier text of this file; what the user has changed since stays. Returns
    /// whether anything was changed.
    pub fn restore(
        &self,
        host: &Host,
        installation: &Installation,
        catalog: &Catalog,
        earlier: Option<&str>,
    ) -> anyhow::Result<bool> {
        // A rule of ours that went with the last change is nobody's now; it comes back as ours.
        let then = self.present_in(earlier, &self.added)?;
        let has_gone = |rule: &&String| {
            !self.present.rules.contains(rule)
                && catalog.hooks.iter().any(|hook| hook.permissions.contains(rule))
        };
        let gone: Vec<String> = then.rules.iter().filter(has_gone).cloned().collect();
        let ours = Added { rules: merged(&self.added.rules, &gone), ..self.added.clone() };
        let mut wanted = self.present_in(earlier, &ours)?.as_wanted(&self.owner_of(&ours));
        wanted.leaves_entries = true;
        let printer = catalog.hooks.iter().find(|hook| hook.status_line.is_some());
        let (status_line_before, chained) = match (&wanted.status_line, printer) {
            (Some(_), Some(hook)) => self.before_ours(installation, hook)?,
            (Some(_), None) => (self.added.status_line_before.clone(), self.added.chained.clone()),
            (None, _) => (None, None),
        };
        let added = Added { rules: wanted.rules.clone(), status_line_before, chained };
        let others: Vec<Option<String>> = self.file.backups().into_iter().map(|backup| backup.text).collect();
        let both = self.with_added(&added);
        let edit = |text: Option<&str>, owner: &Owner<'_>| {
            if client_settings::differ_in_ours_only(text, earlier, owner, &others) {
                return Ok(earlier.map(str::to_owned));
            }
            client_settings::arrange(text, owner, &wanted, &others)
        };
        note_added(installation, Some(&both))?;
        self.chain(installation, &wanted, &added)?;
        let backup = self.changed(host, &both, edit)?;
        self.unchain(installation, &added)?;
        note_added(installation, Some(&added).filter(|_| !wanted.is_nothing()))?;
        Ok(backup.is_some())
    }

    /// Changes the file by this edit of its text. Returns the backup, if anything changed.
    fn changed(
        &self,
        host: &Host,
        both: &Added,
        edit: impl FnOnce(Option<&str>, &Owner<'_>) -> Result<Option<String>, Refused>,
    ) -> Result<Option<PathBuf>, FileError> {
        self.file.change_with_backup(host.now(), |text| {
            edit(text, &self.owner_of(both)).map_err(|refused| self.file.refused(refused))
        })
    }

    /// The newest backup of another text than the present one: a change that was killed in between left one of that.
    #[must_use]
    pub fn newest_backup(&self) -> Option<Backup> {
        self.file.backups().into_iter().find(|backup| backup.text != self.text)
    }

    fn wanted(
        &self,
        installation: &Installation,
        catalog: &Catalog,
        choice: &Choice<'_>,
    ) -> anyhow::Result<(Wanted, Added)> {
        let hooks = &choice.hooks;
        let rules: Vec<String> = hooks.iter().flat_map(|hook| hook.permissions.clone()).collect();
        let is_ours = |rule: &&String| self.added.rules.contains(rule);
        let mut ours: Vec<String> = rules.iter().filter(is_ours).cloned().collect();
        if choice.allow_rules {
            ours.extend(
                self.missing_rules(hooks).into_iter().filter(|rule| !self.added.rules.contains(rule)),
            );
        }
        let has_ours = self.present.status_line.as_ref().is_some_and(|line| line.is_ours);
        // One that was set alone stays while its hook is not registered; it goes with the registration.
        let before = self.hooks(catalog);
        let is_alone = |hook: &&HookEntry| has_ours && !before.contains(hook);
        let printers: Vec<&HookEntry> =
            hooks.iter().copied().chain(catalog.hooks.iter().filter(is_alone)).collect();
        let (mut wanted_line, mut status_line_before, mut chained) = (None, None, None);
        if let Some((hook, command)) = status_line(installation, &printers)?
            // Its line names a path, which a project's settings must not.
            && installation.scope != Scope::Project
            && (choice.status_line || has_ours)
        {
            (status_line_before, chained) = self.before_ours(installation, hook)?;
            wanted_line = Some(StatusLine { command, replaces: choice.status_line || has_ours });
        }
        let mut entries = entries(installation, hooks)?;
        if installation.scope == Scope::Project {
            entries.extend(self.of_newer_versions(catalog));
            entries.extend(notice_of(&entries));
        }
        let added = Added { rules: ours.clone(), status_line_before, chained };
        Ok((Wanted { hooks: entries, rules: ours, status_line: wanted_line, leaves_entries: false }, added))
    }

    /// A teammate's newer version may have hooks this one has never heard of: they stay.
    fn of_newer_versions(&self, catalog: &Catalog) -> Vec<Registration> {
        let is_unknown = |entry: &&Registered| {
            matches!(entry.program, Program::Shell(_))
                && entry.name != team::NOTICE
                && catalog.hook(&entry.name).is_none()
        };
        self.present.hooks.iter().filter(is_unknown).map(Registered::as_wanted).collect()
    }

    /// Writes it down first: killed in between, a rule of ours would be taken for the user's.
    fn put(
        &self,
        host: &Host,
        installation: &Installation,
        wanted: &Wanted,
        added: &Added,
    ) -> anyhow::Result<Option<PathBuf>> {
        let mut added = added.clone();
        if wanted.status_line.is_none() {
            (added.status_line_before, added.chained) = (None, None);
        }
        let added = &added;
        let stays = Some(added).filter(|_| !wanted.is_nothing());
        if self.text.is_none() && stays.is_none() {
            self.unchain(installation, &Added::default())?;
            note_added(installation, None)?;
            return Ok(None);
        }
        let earlier: Vec<Option<String>> =
            self.file.backups().into_iter().map(|backup| backup.text).collect();
        let both = self.with_added(added);
        note_added(installation, Some(&both))?;
        self.chain(installation, wanted, added)?;
        let backup =
            self.changed(host, &both, |text, owner| client_settings::arrange(text, owner, wanted, &earlier))?;
        self.unchain(installation, added)?;
        note_added(installation, stays)?;
        Ok(backup)
    }

    /// Before ours takes the place of another one: the other one is never out of sight.
    fn chain(&self, installation: &Installation, wanted: &Wanted, added: &Added) -> anyhow::Result<()> {
        let replaced = self.present.status_line.as_ref().filter(|line| !line.is_ours);
        if replaced
            .filter(|_| wanted.status_line.is_some())
            .is_some_and(|line| chain::command_of(&line.raw).is_none())
        {
            note(
                "the status line that was there is no command, so it is not printed below; uninstalling gives it back",
            );
        }
        match self.chained_now(wanted, added) {
            Some(chained) => chained.put(installation),
            None => Ok(()),
        }
    }

    /// After the other one has its place again.
    fn unchain(&self, installation: &Installation, added: &Added) -> anyhow::Result<()> {
        match &self.added.chained {
            Some(before) if added.chained.is_none() => before.take_out(installation),
            _ => Ok(()),
        }
    }

    fn present_in(&self, text: Option<&str>, added: &Added) -> Result<Present, FileError> {
        client_settings::present(text.unwrap_or_default(), &self.owner_of(added))
            .map_err(|refused| self.file.refused(refused))
    }

    /// Ours before and after: what may have to be taken out.
    fn with_added(&self, added: &Added) -> Added {
        let before = &self.added;
        Added {
            rules: merged(&before.rules, &added.rules),
            status_line_before: added.status_line_before.clone().or(before.status_line_before.clone()),
            chained: added.chained.clone().or(before.chained.clone()),
        }
    }

    fn arranged(
        &self,
        text: Option<&str>,
        wanted: &Wanted,
        added: &Added,
    ) -> Result<Option<String>, FileError> {
        let earlier: Vec<Option<String>> =
            self.file.backups().into_iter().map(|backup| backup.text).collect();
        client_settings::arrange(text, &self.owner_of(&self.with_added(added)), wanted, &earlier)
            .map_err(|refused| self.file.refused(refused))
    }

    fn owner(&self) -> Owner<'_> {
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

/// The entry that tells who lacks one of these hooks.
fn notice_of(entries: &[Registration]) -> Option<Registration> {
    let mut names: Vec<String> =
        entries.iter().filter_map(|entry| entry.program.name()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    (!names.is_empty()).then(|| team::notice(&names))
}

/// Of the user's own file only what is more than entries is written down; of a project's, that we are in it at all.
fn note_added(installation: &Installation, added: Option<&Added>) -> anyhow::Result<()> {
    let key = &installation.key();
    let is_said = |added: &&Added| installation.scope != Scope::User || **added != Added::default();
    let added = added.filter(is_said);
    if Manifest::read(installation)?.settings.get(key) == added {
        return Ok(());
    }
    Manifest::change(installation, |manifest| {
        manifest.settings.remove(key);
        if let Some(added) = added {
            manifest.settings.insert(key.clone(), added.clone());
        }
        Ok(())
    })
}

fn merged(left: &[String], right: &[String]) -> Vec<String> {
    let new = right.iter().filter(|rule| !left.contains(rule));
    left.iter().chain(new).cloned().collect()
}

#[cfg(test)]
mod tests;
