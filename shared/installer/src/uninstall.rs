//! `uninstall`: our registrations, links and programs go. The user's settings, state and backups stay, unless `--purge` removes them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use client_settings::UserFile;
use shared::catalog::Catalog;
use shared::config::{SCHEMA_FILE, SCHEMA_TITLE, read_text};
use shared::host::Host;

use crate::manifest::Manifest;
use crate::places::{Installation, Scope, Where};
use crate::programs;
use crate::say::{Voice, agreed, can_ask, list, note, only_the_operator, say};
use crate::settings::{Change, Settings};

/// Data that we cannot find without knowing the user's projects.
const STAYS_IN_PROJECTS: &str = "marks and waivers stay in each repository, in .git/requirements, and what pause-recorder kept \
                                 in each project, in .claude/sessions; to be rid of them, remove those folders";

/// A longer schema is none of ours, in bytes.
const MAX_SCHEMA_BYTES: u64 = 1024 * 1024;

/// The command line.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Where,
    /// Remove your settings of the hooks, their state and the backups too
    #[arg(long)]
    purge: bool,
    /// Show what would go, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Where there is no terminal: yes, I mean it
    #[arg(long)]
    yes: bool,
}

/// Removes what installing put there: from a project its registrations, from the user everything.
pub(crate) fn run(host: &Host, arguments: &Arguments, voice: Voice) -> anyhow::Result<()> {
    let installation = Installation::at(host, &arguments.place, voice)?;
    let purge = arguments.purge;
    ensure!(
        !purge || installation.scope == Scope::User,
        "--purge is for your own installation: leave --scope away"
    );
    let line = installation.line("uninstall") + if purge { " --purge" } else { "" };
    let catalog = Catalog::built_in()?;
    let removal = Removal { host, installation: &installation, catalog: &catalog, purge };
    if arguments.dry_run {
        return removal.show().map(drop);
    }
    only_the_operator(host, &line, arguments.yes)?;
    if !arguments.yes {
        removal.confirm()?;
    }
    installation.alone(|| {
        removal.name_teams()?;
        removal.carry_out()
    })
}

struct Removal<'a> {
    host: &'a Host,
    installation: &'a Installation,
    catalog: &'a Catalog,
    purge: bool,
}

/// A place that holds something of ours.
enum Part {
    /// The settings of this scope.
    Settings(Installation),
    /// The folder of the links.
    Links,
    /// The folder of the programs.
    Programs,
}

impl Removal<'_> {
    fn is_users(&self) -> bool {
        self.installation.scope == Scope::User
    }

    /// The places to clear. A project's shared settings are the team's: only `--scope project` clears them.
    fn parts(&self) -> anyhow::Result<Vec<Part>> {
        if !self.is_users() {
            return Ok(vec![Part::Settings(self.installation.clone())]);
        }
        let places = self.installation.and_registered_elsewhere()?.into_iter();
        let own = places.filter(|place| place.scope != Scope::Project).map(Part::Settings);
        Ok(own.chain([Part::Links, Part::Programs]).collect())
    }

    /// The path of a part, as a person reads it.
    fn shown(&self, part: &Part) -> String {
        self.installation.show(match part {
            Part::Settings(place) => &place.settings,
            Part::Links => &self.installation.bin,
            Part::Programs => &self.installation.hooks,
        })
    }

    /// The names of ours that the part holds.
    fn names(&self, part: &Part) -> anyhow::Result<Vec<String>> {
        match part {
            Part::Settings(place) => Ok(Settings::read(place, self.catalog)?.parts()),
            Part::Links => programs::linked(self.installation, self.catalog),
            Part::Programs => Ok(Manifest::read(self.installation)?.files.into_keys().collect()),
        }
    }

    /// Clears the part. Returns the names of what was removed.
    fn clear(&self, part: &Part) -> anyhow::Result<Vec<String>> {
        let names = self.names(part)?;
        match part {
            Part::Settings(place) => {
                let settings = Settings::read(place, self.catalog)?;
                let is_changed = settings.put(self.host, &Change::default())?.is_some();
                Ok(if is_changed { names } else { Vec::new() })
            }
            Part::Links => programs::unlink(self.installation, &names).map(|()| names),
            Part::Programs => programs::remove(self.installation, self.catalog, &names),
        }
    }

    /// Reports what would go and what would stay. Returns whether anything would go.
    fn show(&self) -> anyhow::Result<bool> {
        let mut lines = Vec::new();
        for part in self.parts()? {
            lines.extend(match self.names(&part) {
                Ok(names) if names.is_empty() => None,
                Ok(names) => Some(format!("would remove {} from {}", list(&names), self.shown(&part))),
                Err(error) => Some(format!("cannot tell what would go from it: {error:#}")),
            });
            if let Part::Settings(place) = &part {
                lines.extend(self.chained_in(place));
            }
        }
        let something = !lines.is_empty();
        let data = if self.is_users() { shown_data(self.installation)? } else { Vec::new() };
        match (data.is_empty(), self.purge) {
            (true, _) => {}
            (false, true) => {
                lines.push(format!("would remove for good: {}", list(&data)));
                lines.push(STAYS_IN_PROJECTS.to_owned());
            }
            (false, false) => lines.push(format!("would stay: {} (--purge removes them, too)", list(&data))),
        }
        if lines.is_empty() {
            lines.push("nothing is installed".to_owned());
        }
        lines.extend(stays_elsewhere(self.installation).filter(|_| self.is_users()));
        lines.iter().for_each(say);
        Ok(something || (self.purge && !data.is_empty()))
    }

    fn chained_in(&self, place: &Installation) -> Option<String> {
        let settings = Settings::read(place, self.catalog).ok()?;
        let (key, file) = (settings.chained()?.key.join("."), place.show(&place.requirements));
        Some(format!("would remove {key} from {file}; the status line that was there before comes back"))
    }

    /// Shows on a terminal what goes, and goes on only with a yes. Data goes only after a typed yes.
    fn confirm(&self) -> anyhow::Result<()> {
        if !self.purge && !can_ask() {
            return Ok(());
        }
        match (self.show()?, self.purge) {
            (false, _) => Ok(()),
            (true, true) => agreed("Remove it for good?", false),
            (true, false) => agreed("Remove it?", true),
        }
    }

    /// Clears every part. A settings file that cannot be cleared does not stop the rest.
    fn carry_out(&self) -> anyhow::Result<()> {
        let (mut something, mut failed) = (false, None);
        for part in self.parts()? {
            let names = match self.clear(&part) {
                Err(error) if self.is_users() && matches!(part, Part::Settings(_)) => {
                    failed = Some(error);
                    continue;
                }
                names => names?,
            };
            if !names.is_empty() {
                say(format_args!("removed {} from {}", list(&names), self.shown(&part)));
                something = true;
            }
        }
        if self.is_users() {
            something |= self.settle_data()?;
        }
        if !something && self.is_users() {
            say("nothing is installed");
        } else if !something {
            say(format_args!(
                "nothing is registered in {}",
                self.installation.show(&self.installation.settings)
            ));
        }
        failed.map_or(Ok(()), |error| Err(error.context("not everything was taken away")))
    }

    /// Removes the data with `--purge` and reports what stays. Returns whether any was removed.
    fn settle_data(&self) -> anyhow::Result<bool> {
        let purged = if self.purge { purge_data(self.installation)? } else { Vec::new() };
        if !purged.is_empty() {
            say(format_args!("removed for good: {}", list(&purged)));
            say(STAYS_IN_PROJECTS);
        }
        let kept = shown_data(self.installation)?;
        if !kept.is_empty() {
            say(format_args!(
                "kept: {}; to remove it, too, type `uninstall --purge` where you have installed from",
                list(&kept)
            ));
        }
        stays_elsewhere(self.installation).iter().for_each(say);
        Ok(!purged.is_empty())
    }

    /// Names the shared settings of projects, which stay.
    fn name_teams(&self) -> anyhow::Result<()> {
        let places = self.installation.and_registered_elsewhere()?.into_iter();
        for place in places.filter(|place| self.is_users() && place.scope == Scope::Project) {
            note(format_args!(
                "{} is the team's and stays; its entries do nothing where Barbless is not installed. To remove them: {}",
                place.show(&place.settings),
                place.line("uninstall")
            ));
        }
        Ok(())
    }
}

/// The data of the hooks and the installer: the configuration with its schema, the state, and the backups of projects' files. Those of
/// settings.json come last, apart.
fn data(installation: &Installation) -> anyhow::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let configuration = &installation.requirements;
    let schema = Some(configuration.with_file_name(SCHEMA_FILE)).filter(|path| is_our_schema(path));
    let kept = [configuration.clone(), installation.own_state(), installation.backups()];
    let named = kept.into_iter().chain(schema).filter(|path| path.symlink_metadata().is_ok()).collect();
    let backups = UserFile::at(&installation.settings)?.backups().into_iter().map(|backup| backup.path);
    Ok((named, backups.collect()))
}

/// A folder that the environment names could be anything: only the user removes it.
fn stays_elsewhere(installation: &Installation) -> Option<String> {
    let state = &installation.state;
    let is_there = *state != installation.own_state() && state.symlink_metadata().is_ok();
    let shown = installation.show(state);
    is_there.then(|| format!("{shown} was named by CLAUDE_HOOK_STATE_DIR and stays; remove it yourself"))
}

/// The schema for the user's editor. One with another title is somebody else's.
fn is_our_schema(path: &Path) -> bool {
    read_text(path, None, MAX_SCHEMA_BYTES).is_ok_and(|text| text.contains(SCHEMA_TITLE))
}

fn shown_data(installation: &Installation) -> anyhow::Result<Vec<String>> {
    let (named, backups) = data(installation)?;
    let mut shown: Vec<String> = named.iter().map(|path| installation.show(path)).collect();
    if !backups.is_empty() {
        shown.push("the backups beside settings.json".to_owned());
    }
    Ok(shown)
}

fn purge_data(installation: &Installation) -> anyhow::Result<Vec<String>> {
    Manifest::change(installation, |manifest| manifest.settings.clear())?;
    let _ = fs::remove_dir(&installation.hooks);
    let (named, backups) = data(installation)?;
    let mut removed = Vec::new();
    for path in named.into_iter().chain(backups) {
        // Of a link only the link goes.
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        let gone = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        gone.with_context(|| format!("removing {}", path.display()))?;
        removed.push(installation.show(&path));
    }
    Ok(removed)
}
