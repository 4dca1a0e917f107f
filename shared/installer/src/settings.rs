//! One settings file of Claude Code: our parts of it, the changes that commands make, and the one way to carry a change out. The
//! crate `client_settings` edits the text.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::catalog::HookEntry;
use anyhow::Context as _;
use client_settings::{Backup, Contents, FileError, Owner, Registration, StatusLineThere, UserFile, Wanted};
use shared::host::Host;

use crate::manifest::{Added, Manifest};
use crate::places::{Installation, Scope};
use crate::registration::{NOTICE, entries, notice, status_line};
use crate::requirements::{self, Chained, Lines};
use crate::say::diff;

/// The marks of our parts of this scope's settings, and what the manifest notes of them.
pub(crate) fn ours(installation: &Installation) -> anyhow::Result<(Owner, Added)> {
    let mut manifest = Manifest::read(installation)?;
    let added = manifest.settings.remove(&installation.key()).unwrap_or_default();
    // A home that is reached through a link is the same home.
    let present = [Some(installation.hooks.clone()), installation.hooks.canonicalize().ok()];
    let owner = Owner {
        folders: present.into_iter().flatten().chain(manifest.folders).collect(),
        // An older version may have registered a hook that the catalog no longer knows.
        binaries: manifest
            .files
            .into_keys()
            .chain(installation.catalog.names())
            .chain([NOTICE.to_owned()])
            .collect(),
        ..Owner::default()
    };
    Ok((with(&owner, &added), added))
}

fn with(owner: &Owner, added: &Added) -> Owner {
    let (rules, status_line_before) = (added.rules.clone(), added.status_line_before.clone());
    Owner { rules, status_line_before, ..owner.clone() }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Choice {
    pub(crate) hooks: Vec<&'static HookEntry>,
    pub(crate) allow_rules: bool,
    pub(crate) status_line: bool,
}

/// The parts of ours after a change; by default none.
#[derive(Debug, Default)]
pub(crate) struct Change {
    wanted: Wanted,
    added: Added,
    /// The text that the file gets back where nothing but our parts differs.
    back_to: Option<Backup>,
}

pub(crate) struct Settings<'a> {
    installation: &'a Installation,
    file: UserFile,
    owner: Owner,
    added: Added,
    pub(crate) text: Option<String>,
    pub(crate) present: Contents,
}

impl<'a> Settings<'a> {
    pub(crate) fn read(installation: &'a Installation) -> anyhow::Result<Self> {
        let file = installation.file(&installation.settings)?;
        let (owner, added) = ours(installation)?;
        let text = file.read()?;
        let read = client_settings::read(text.as_deref().unwrap_or_default(), &owner);
        let mut present = read.map_err(|refused| file.refused(refused))?;
        if let Some(refused) = present.refused.take() {
            return Err(file.refused(refused).into());
        }
        Ok(Self { installation, file, owner, added, text, present })
    }

    pub(crate) fn hooks(&self) -> Vec<&'static HookEntry> {
        let is_registered =
            |hook: &&HookEntry| self.present.ours().any(|entry| entry.name.as_ref() == Some(&hook.name));
        self.installation.catalog.hooks.iter().filter(is_registered).collect()
    }

    pub(crate) fn parts(&self) -> Vec<String> {
        let names = self.present.ours().filter_map(|entry| entry.name.clone());
        let hooks: BTreeSet<String> = names.filter(|name| name != NOTICE).collect();
        let ours = self.present.as_wanted(&self.owner);
        let line = ours.status_line.map(|_| "the status line".to_owned());
        let rules = (!ours.rules.is_empty()).then(|| "our permission rules".to_owned());
        hooks.into_iter().chain(rules).chain(line).collect()
    }

    pub(crate) fn missing_rules(&self, hooks: &[&HookEntry]) -> Vec<String> {
        let rules = hooks.iter().flat_map(|hook| &hook.permissions);
        rules.filter(|rule| !self.present.rules.contains(rule)).cloned().collect()
    }

    pub(crate) fn newest_backup(&self) -> Option<Backup> {
        self.file.backups().into_iter().find(|backup| backup.text != self.text)
    }

    /// The command of another status line that we keep in the user's configuration.
    pub(crate) fn chained(&self) -> Option<&Chained> {
        self.added.chained.as_ref()
    }

    pub(crate) fn foreign_line(&self) -> Option<&StatusLineThere> {
        self.present.status_line.as_ref().filter(|line| !line.is_ours)
    }

    pub(crate) fn to(&self, choice: &Choice) -> anyhow::Result<Change> {
        let is_shared = self.installation.scope == Scope::Project;
        let before = &self.added.rules;
        let rules = choice.hooks.iter().flat_map(|hook| hook.permissions.clone());
        let mut rules: Vec<String> = rules.filter(|rule| before.contains(rule)).collect();
        if choice.allow_rules {
            rules = merged(&rules, &self.missing_rules(&choice.hooks));
        }
        let has_ours = self.present.status_line.as_ref().is_some_and(|line| line.is_ours);
        // A status line that was set alone stays while its hook is not registered, and goes with the registration.
        let registered = self.hooks();
        let alone =
            self.installation.catalog.hooks.iter().filter(|hook| has_ours && !registered.contains(hook));
        let printers: Vec<&HookEntry> = choice.hooks.iter().copied().chain(alone).collect();
        // The command names a path, which a project's settings must not.
        let is_wanted = !is_shared && (choice.status_line || has_ours);
        let line = status_line(self.installation, &printers)?.filter(|_| is_wanted);
        let before = line.as_ref().map(|(hook, _)| self.before_ours(hook)).transpose()?;
        let added = Added { rules: rules.clone(), ..before.unwrap_or_default() };
        let mut hooks = entries(self.installation, &choice.hooks)?;
        if is_shared {
            hooks.extend(notice_of(&hooks));
        }
        let status_line = line.map(|(_, command)| command);
        let wanted = Wanted { hooks, rules, status_line, leaves_entries: false };
        Ok(Change { wanted, added, back_to: None })
    }

    pub(crate) fn without(&self, names: &[String]) -> Change {
        let mut change = self.as_it_is();
        change.wanted.hooks.retain(|hook| !hook.program.name().is_some_and(|name| names.contains(&name)));
        change
    }

    pub(crate) fn with_status_line(&self, hook: &HookEntry) -> anyhow::Result<Change> {
        let (hook, command) = status_line(self.installation, &[hook])?
            .with_context(|| format!("{} prints no status line", hook.name))?;
        let mut change = self.as_it_is();
        change.wanted.status_line = Some(command);
        change.added = Added { rules: change.added.rules, ..self.before_ours(hook)? };
        Ok(change)
    }

    /// Our parts as they were in an earlier text of the file; the user's later changes stay.
    pub(crate) fn as_in(&self, backup: Backup) -> anyhow::Result<Change> {
        let read = |owner: &Owner| {
            let read = client_settings::read(backup.text.as_deref().unwrap_or_default(), owner);
            read.map_err(|refused| self.file.refused(refused))
        };
        // A rule of ours that went with the last change is nobody's now; it comes back as ours.
        let is_gone = |rule: &String| {
            let is_catalogs =
                self.installation.catalog.hooks.iter().any(|hook| hook.permissions.contains(rule));
            is_catalogs && !self.present.rules.contains(rule)
        };
        let gone: Vec<String> = read(&self.owner)?.rules.into_iter().filter(is_gone).collect();
        let ours = Added { rules: merged(&self.added.rules, &gone), ..self.added.clone() };
        let owner = with(&self.owner, &ours);
        let wanted = Wanted { leaves_entries: true, ..read(&owner)?.as_wanted(&owner) };
        let printer = self.installation.catalog.hooks.iter().find(|hook| hook.status_line.is_some());
        let before = printer.map(|hook| self.before_ours(hook)).transpose()?;
        let added = Added { rules: wanted.rules.clone(), ..before.unwrap_or_default() };
        Ok(Change { wanted, added, back_to: Some(backup) })
    }

    fn as_it_is(&self) -> Change {
        let wanted = Wanted { leaves_entries: true, ..self.present.as_wanted(&self.owner) };
        Change { wanted, added: self.added.clone(), back_to: None }
    }

    /// The manifest's note of the status line before ours: its value as written, and the place where its command is kept.
    fn before_ours(&self, hook: &HookEntry) -> anyhow::Result<Added> {
        let Some(replaced) = self.foreign_line() else { return Ok(self.added.clone()) };
        let mut added = Added { status_line_before: Some(replaced.raw.clone()), ..Added::default() };
        // The key is the user's own, for every project.
        if self.installation.scope == Scope::User {
            added.chained = Chained::of(self.installation, hook, replaced, self.chained())?;
        }
        Ok(added)
    }

    /// The command to write into the configuration. It is written once, when our status line replaces another one; later it is the
    /// user's to change.
    fn to_be_chained<'c>(&self, change: &'c Change) -> Option<&'c Chained> {
        let replaces = change.wanted.status_line.is_some() && self.foreign_line().is_some();
        change.added.chained.as_ref().filter(|_| replaces)
    }

    /// The lines that this change and these lines make different in the user's files, one text for each file.
    pub(crate) fn diffs(&self, change: &Change, lines: &Lines<'_>) -> anyhow::Result<Vec<String>> {
        let Self { installation, text: before, .. } = self;
        let after = self.edited(before.as_deref(), change, &self.with_added(&change.added))?;
        let yaml = installation.file(&installation.requirements)?;
        let yaml_before = yaml.read()?;
        let edit = |text: Option<&str>| {
            let goes = self.chained().filter(|_| change.added.chained.is_none());
            let text =
                goes.map_or_else(|| Ok(text.map(str::to_owned)), |before| before.taken_out_of(text))?;
            Lines { chained: self.to_be_chained(change).cloned(), ..*lines }.put_into(text.as_deref())
        };
        let yaml_after = edit(yaml_before.as_deref()).map_err(|refused| yaml.refused(refused))?;
        let of = |path: &Path, before: Option<&str>, after: Option<&str>| {
            diff(&installation.show(path), before.unwrap_or_default(), after.unwrap_or_default())
        };
        let diffs = [
            of(&installation.settings, before.as_deref(), after.as_deref()),
            of(&installation.requirements, yaml_before.as_deref(), yaml_after.as_deref()),
        ];
        Ok(diffs.into_iter().filter(|diff| !diff.is_empty()).collect())
    }

    /// Carries a change out. Returns the backup, if anything changed.
    ///
    /// The manifest notes it first: after a kill in between, a rule of ours would else be taken for the user's.
    pub(crate) fn put(&self, host: &Host, change: &Change) -> anyhow::Result<Option<PathBuf>> {
        let mut added = change.added.clone();
        if change.wanted.status_line.is_none() {
            (added.status_line_before, added.chained) = (None, None);
        }
        let stays = (!change.wanted.is_nothing()).then_some(&added);
        if self.text.is_none() && stays.is_none() {
            self.unchain(None)?;
            note_down(self.installation, None)?;
            return Ok(None);
        }
        let both = self.with_added(&added);
        note_down(self.installation, Some(&both))?;
        // The other status line's command is kept before ours takes its place.
        if let Some(chained) = self.to_be_chained(change) {
            requirements::change(self.installation, |text| chained.put_into(text).map(Some))?;
        }
        let edit = |text: Option<&str>| self.edited(text, change, &both);
        let backup = self.file.change_with_backup(host.now(), edit)?;
        self.unchain(added.chained.as_ref())?;
        note_down(self.installation, stays)?;
        Ok(backup)
    }

    fn edited(
        &self,
        text: Option<&str>,
        change: &Change,
        added: &Added,
    ) -> Result<Option<String>, FileError> {
        let owner = with(&self.owner, added);
        if let Some(back) = &change.back_to
            && client_settings::differ_in_ours_only(text, back.text.as_deref(), &owner)
        {
            return Ok(back.text.clone());
        }
        let earlier: Vec<Option<String>> =
            self.file.backups().into_iter().map(|backup| backup.text).collect();
        let edited = client_settings::arrange(text, &owner, &change.wanted, &earlier);
        edited.map_err(|refused| self.file.refused(refused))
    }

    fn unchain(&self, stays: Option<&Chained>) -> anyhow::Result<()> {
        if let Some(before) = self.chained().filter(|_| stays.is_none()) {
            requirements::change(self.installation, |text| before.taken_out_of(text))?;
        }
        Ok(())
    }

    /// Ours before and after a change: both may have to be taken out.
    fn with_added(&self, added: &Added) -> Added {
        let before = &self.added;
        Added {
            rules: merged(&before.rules, &added.rules),
            status_line_before: added.status_line_before.clone().or(before.status_line_before.clone()),
            chained: added.chained.clone().or(before.chained.clone()),
        }
    }
}

fn notice_of(entries: &[Registration]) -> Option<Registration> {
    let names: BTreeSet<String> = entries.iter().filter_map(|entry| entry.program.name()).collect();
    (!names.is_empty()).then(|| notice(&names.into_iter().collect::<Vec<_>>()))
}

/// Notes in the manifest what was added to a settings file beside entries. A project's file is noted in any case.
fn note_down(installation: &Installation, added: Option<&Added>) -> anyhow::Result<()> {
    let key = installation.key();
    let is_noted = |added: &&Added| installation.scope != Scope::User || **added != Added::default();
    let added = added.filter(is_noted);
    if Manifest::read(installation)?.settings.get(&key) == added {
        return Ok(());
    }
    Manifest::change(installation, |manifest| {
        manifest.settings.remove(&key);
        manifest.settings.extend(added.map(|added| (key, added.clone())));
    })
}

fn merged(left: &[String], right: &[String]) -> Vec<String> {
    let new = right.iter().filter(|rule| !left.contains(rule));
    left.iter().chain(new).cloned().collect()
}

#[cfg(test)]
mod tests;
