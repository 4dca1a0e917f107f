//! `uninstall`, and `--prune` of what no hook owns any more: our registrations, links and programs go. The user's settings, state and backups stay, unless `--purge` removes them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use client_settings::UserFile;
use shared::config::SCHEMA_FILE;
use shared::host::Host;

use crate::manifest::{Manifest, and_registered_elsewhere};
use crate::places::{Installation, Removing, Scope};
use crate::programs;
use crate::requirements::Lines;
use crate::say::{Voice, agreed, can_ask, list, note, only_the_operator, say};
use crate::settings::{Change, Settings};

/// Data that we cannot find without knowing the user's projects.
const STAYS_IN_PROJECTS: &str = "satisfactions and waivers stay in each repository, in .git/requirements, and what pause-recorder \
                                 kept in each project, in .claude/sessions; to be rid of them, remove those folders";

const NOTHING: &str = "there is nothing to remove";

#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    removing: Removing,
    /// Remove your settings of the hooks, their state and the backups too
    #[arg(long)]
    purge: bool,
    /// Show what would go, and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(host: &Host, arguments: &Arguments, voice: Voice) -> anyhow::Result<()> {
    let (Removing { place, yes }, purge) = (&arguments.removing, arguments.purge);
    let installation = Installation::at(host, place, voice)?;
    let is_users = installation.scope == Scope::User;
    ensure!(!purge || is_users, "--purge is for your own installation: leave --scope away");
    let line = installation.line("uninstall") + if purge { " --purge" } else { "" };
    let removal = Removal { host, installation: &installation, purge, is_users };
    if arguments.dry_run {
        return removal.show().map(drop);
    }
    only_the_operator(host, &line, *yes)?;
    // Data goes only after a typed yes.
    if !yes && (purge || can_ask()) {
        if !removal.show()? {
            return Ok(());
        }
        agreed(if purge { "Remove it for good?" } else { "Remove it?" }, !purge)?;
    }
    installation.alone(|| removal.carry_out())
}

struct Removal<'a> {
    host: &'a Host,
    installation: &'a Installation,
    purge: bool,
    is_users: bool,
}

impl Removal<'_> {
    /// The settings to clear, and the shared settings of projects, which are the team's: only `--scope project` clears them.
    fn places(&self) -> anyhow::Result<(Vec<Installation>, Vec<Installation>)> {
        if !self.is_users {
            return Ok((vec![self.installation.clone()], Vec::new()));
        }
        let places = and_registered_elsewhere(self.installation)?.into_iter();
        Ok(places.partition(|place| place.scope != Scope::Project))
    }

    fn programs(&self) -> anyhow::Result<Vec<String>> {
        Ok(Manifest::read(self.installation)?.files.into_keys().collect())
    }

    /// `done`, with the names and the place they lie in; `None`: there are none.
    fn sentence(&self, done: &str, names: &[String], place: &Path) -> Option<String> {
        let place = self.installation.show(place);
        (!names.is_empty()).then(|| format!("{done} {} from {place}", list(names)))
    }

    /// The lines that would change in these settings, and the names that would go.
    fn preview(&self, place: &Installation) -> anyhow::Result<Vec<String>> {
        let settings = Settings::read(place)?;
        let mut lines = settings.diffs(&Change::default(), &Lines::default())?;
        lines.extend(self.sentence("would remove", &settings.parts(), &place.settings));
        Ok(lines)
    }

    fn show(&self) -> anyhow::Result<bool> {
        let Self { installation, .. } = self;
        let mut lines = Vec::new();
        for place in self.places()?.0 {
            let unknown = |error| vec![format!("cannot tell what would go from it: {error:#}")];
            lines.extend(self.preview(&place).unwrap_or_else(unknown));
        }
        if self.is_users {
            lines.extend(self.sentence("would remove", &programs::linked(installation)?, &installation.bin));
            lines.extend(self.sentence("would remove", &self.programs()?, &installation.hooks));
        }
        let (data, goes) = (self.data()?, !lines.is_empty());
        if !data.is_empty() {
            let all = self.shown(&data);
            lines.push(if self.purge {
                format!("would remove for good: {all}; {STAYS_IN_PROJECTS}")
            } else {
                format!("would stay: {all} (--purge removes them, too)")
            });
        }
        if lines.is_empty() {
            lines.push(NOTHING.to_owned());
        }
        lines.extend(self.stays_elsewhere());
        lines.iter().for_each(say);
        Ok(goes || (self.purge && !data.is_empty()))
    }

    /// Clears every part. A settings file that cannot be cleared does not stop the rest.
    fn carry_out(&self) -> anyhow::Result<()> {
        let Self { installation, .. } = self;
        let (places, teams) = self.places()?;
        for team in teams {
            let (file, line) = (team.show(&team.settings), team.line("uninstall"));
            note(format_args!(
                "{file} is the team's and stays; its entries do nothing where Barbless is not installed. To remove them: {line}"
            ));
        }
        let removed = |names: &[String], place: &Path| {
            self.sentence("removed", names, place).inspect(|done| say(done)).is_some()
        };
        let (mut something, mut failed) = (false, None);
        for place in places {
            match self.clear(&place) {
                Err(error) if self.is_users => failed = Some(error),
                names => something |= removed(&names?, &place.settings),
            }
        }
        if self.is_users {
            let (links, programs) = (programs::linked(installation)?, self.programs()?);
            programs::unlink(installation, &links)?;
            something |= removed(&links, &installation.bin);
            something |= removed(&programs::remove(installation, &programs)?, &installation.hooks);
        }
        if !self.settle_data()? && !something {
            say(NOTHING);
        }
        failed.map_or(Ok(()), |error: anyhow::Error| Err(error.context("not everything was taken away")))
    }

    fn clear(&self, place: &Installation) -> anyhow::Result<Vec<String>> {
        let settings = Settings::read(place)?;
        let is_changed = settings.put(self.host, &Change::default())?.is_some();
        Ok(if is_changed { settings.parts() } else { Vec::new() })
    }

    /// Removes the data with `--purge` and reports what stays. Returns whether any was removed.
    fn settle_data(&self) -> anyhow::Result<bool> {
        if self.purge {
            Manifest::change(self.installation, |manifest| manifest.settings.clear())?;
            let _ = fs::remove_dir(&self.installation.hooks);
        }
        let data = self.data()?;
        self.stays_elsewhere().iter().for_each(say);
        if data.is_empty() {
            return Ok(false);
        }
        let all = self.shown(&data);
        if !self.purge {
            // The installed `req` is gone by now.
            let sources = format!("in the source folder: {}", Voice::Xtask.line("uninstall --purge"));
            let archive = format!("in the unpacked archive: ./{}", Voice::Req.line("uninstall --purge"));
            say(format_args!("kept: {all}; to remove them, too, type {sources} ({archive})"));
            return Ok(false);
        }
        for path in &data {
            // A link goes, not what it leads to.
            let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
            let gone = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            gone.with_context(|| format!("removing {}", path.display()))?;
        }
        say(format_args!("removed for good: {all}; {STAYS_IN_PROJECTS}"));
        Ok(true)
    }

    fn shown(&self, data: &[PathBuf]) -> String {
        list(&data.iter().map(|path| self.installation.show(path)).collect::<Vec<_>>())
    }

    /// The user's data of the hooks and the installer: the configuration with its schema, the state, and the backups.
    fn data(&self) -> anyhow::Result<Vec<PathBuf>> {
        if !self.is_users {
            return Ok(Vec::new());
        }
        let Installation { requirements, settings, .. } = self.installation;
        let schema = requirements.with_file_name(SCHEMA_FILE);
        let kept = [requirements.clone(), self.installation.own_state(), self.installation.backups(), schema];
        let backups = UserFile::at(settings)?.backups().into_iter().map(|backup| backup.path);
        Ok(kept.into_iter().chain(backups).filter(|path| path.symlink_metadata().is_ok()).collect())
    }

    /// A folder that the environment names could be anything: only the user removes it.
    fn stays_elsewhere(&self) -> Option<String> {
        let state = &self.installation.state;
        let is_there = *state != self.installation.own_state() && state.symlink_metadata().is_ok();
        let shown = self.installation.show(state);
        (self.is_users && is_there)
            .then(|| format!("{shown} was named by CLAUDE_HOOK_STATE_DIR and stays; remove it yourself"))
    }
}

/// Removes the programs that no hook owns, and their entries in every settings file; a program that was changed since it was installed
/// stays.
pub(crate) fn prune(host: &Host, installation: &Installation) -> anyhow::Result<()> {
    let orphans = &programs::orphans(&Manifest::read(installation)?, installation.catalog);
    installation.alone(|| {
        for place in and_registered_elsewhere(installation)? {
            let settings = Settings::read(&place)?;
            if settings.put(host, &settings.without(orphans))?.is_some() {
                say(format_args!("removed {} from {}", list(orphans), place.show(&place.settings)));
            }
        }
        programs::unlink(installation, orphans)?;
        for orphan in programs::remove(installation, orphans)? {
            say(format_args!("removed {orphan}"));
        }
        Ok(())
    })
}
