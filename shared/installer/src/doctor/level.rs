//! Every place the client takes hooks from, read: the managed settings, the user's, the project's two, and the
//! plugins that are switched on. What cannot be read is told; nothing is changed.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use client_settings::{Entry, Program, Registered, StatusLineThere, Survey, survey};
use serde_json::Value;
use shared::catalog::Catalog;

use super::finding::Finding;
use super::plugins;
use super::world::World;
use crate::client_settings::Settings;
use crate::places::{Installation, Scope};
use crate::prove::command_of;

/// Larger files are no settings; a plugin's or a project's may be a stranger's, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Whose settings they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The administrator's.
    Managed,
    /// The user's own.
    User,
    /// A project's, in git.
    Project,
    /// The user's own in a project.
    Local,
    /// A plugin's.
    Plugin,
}

/// One such place.
#[derive(Debug, Clone)]
pub(crate) struct Level {
    pub(crate) kind: Kind,
    /// The file, as a person reads it.
    pub(crate) shown: String,
    /// What it registers.
    pub(crate) survey: Survey,
    /// Where a plugin's own files are.
    pub(crate) root: Option<PathBuf>,
    /// The installation whose settings they are.
    pub(crate) place: Option<Installation>,
    /// The entries of ours.
    pub(crate) ours: Vec<Registered>,
    /// The status line it sets.
    pub(crate) status_line: Option<StatusLineThere>,
    /// Its shape is so wrong that an edit refuses it: what is ours in it cannot be told.
    pub(crate) is_refused: bool,
    /// The client does not read it in a session that is started where this command was typed.
    pub(crate) is_elsewhere: bool,
    /// Why it cannot be read.
    pub(crate) unreadable: Option<Finding>,
}

impl Level {
    /// One that holds this text.
    pub(crate) fn of_text(kind: Kind, shown: &str, text: &str) -> Self {
        let (survey, unreadable) = match survey(text) {
            Ok(survey) => (survey, None),
            Err(refused) => {
                let what =
                    format!("column {}: {}: the client reads nothing of it", refused.column, refused.why);
                let finding = Finding::broken(what).at(shown, Some(refused.line)).next("mend it by hand");
                (Survey::default(), Some(finding))
            }
        };
        Self {
            kind,
            shown: shown.to_owned(),
            survey,
            root: None,
            place: None,
            ours: Vec::new(),
            status_line: None,
            is_refused: false,
            is_elsewhere: false,
            unreadable,
        }
    }

    fn failed(kind: Kind, shown: &str, why: &anyhow::Error) -> Self {
        let finding = Finding::broken(format!("{why:#}")).at(shown, None);
        Self { unreadable: Some(finding), ..Self::of_text(kind, shown, "") }
    }

    /// An entry of the text is this one of ours.
    pub(crate) fn is_ours(&self, entry: &Entry) -> bool {
        self.ours.iter().any(|ours| {
            entry.is_command
                && (entry.args.is_some() || matches!(ours.program, Program::Shell(_)))
                && ours.event == entry.event
                && ours.matcher == entry.matcher
                && entry.command.as_deref() == Some(command_of(ours))
        })
    }

    /// What a plugin starts as this hook, each program once.
    pub(crate) fn programs(&self, hook: &str) -> BTreeSet<PathBuf> {
        let entries = self.ours.iter().filter(|entry| entry.name == hook);
        let root = self.root.as_deref();
        entries.filter_map(|entry| plugins::program_in(command_of(entry), root?)).collect()
    }

    /// The line of an entry of ours.
    pub(crate) fn line_of(&self, ours: &Registered) -> Option<usize> {
        let is_it =
            |entry: &&Entry| entry.event == ours.event && entry.command.as_deref() == Some(command_of(ours));
        self.survey.entries.iter().find(is_it).map(|entry| entry.line)
    }
}

/// All of them, in the order in which the client ranks them from the weakest on; plugins last.
pub(crate) fn read(world: &World<'_>, managed: &Path) -> Vec<Level> {
    let own = world.places.iter().map(|place| own(place, world.catalog));
    let mut own: Vec<Level> = own.filter(|level| level.kind == Kind::User || level.is_there()).collect();
    read_below(world, &mut own);
    let managed = managed_files(managed).into_iter().map(|file| foreign(Kind::Managed, &file, world));
    let mut levels: Vec<Level> = own.into_iter().chain(managed).collect();
    levels.extend(plugins::read(world, &levels));
    levels
}

/// Below the top of a project the client reads the `settings.json` of the folder it is started in, and not the top's; the
/// local ones it reads in both (tests/client-facts.md, 16).
fn read_below(world: &World<'_>, levels: &mut Vec<Level>) {
    let start = world.host.cwd().and_then(|cwd| cwd.canonicalize().ok());
    let below = |top: &Path| start.filter(|start| start != top && start.starts_with(top));
    let Some(start) = world.project().and_then(below) else { return };
    let is_tops = |level: &&mut Level| level.kind == Kind::Project;
    levels.iter_mut().filter(is_tops).for_each(|level| level.is_elsewhere = true);
    let file = start.join(".claude/settings.json");
    let is_users = file.canonicalize().ok() == world.user().settings.canonicalize().ok();
    if file.is_file() && !is_users {
        let at = levels.iter().position(|level| level.kind > Kind::Project).unwrap_or(levels.len());
        levels.insert(at, foreign(Kind::Project, &file, world));
    }
}

impl Level {
    fn is_there(&self) -> bool {
        self.unreadable.is_some()
            || self.place.as_ref().is_some_and(|place| place.settings.symlink_metadata().is_ok())
    }
}

/// The settings of an installation.
fn own(place: &Installation, catalog: &Catalog) -> Level {
    let kind = match place.scope {
        Scope::User => Kind::User,
        Scope::Project => Kind::Project,
        Scope::Local => Kind::Local,
    };
    let shown = place.show(&place.settings);
    let mut level = match own_text(place) {
        Ok(text) => Level::of_text(kind, &shown, &text),
        Err(error) => Level::failed(kind, &shown, &error),
    };
    level.place = Some(place.clone());
    if level.unreadable.is_none() {
        match Settings::there(place, catalog) {
            Ok(present) => (level.ours, level.status_line) = (present.hooks, present.status_line),
            // Of a wrong shape: the survey tells where, in more detail.
            Err(_) if !level.survey.faults.is_empty() => level.is_refused = true,
            Err(error) => {
                level.unreadable = Some(Finding::broken(format!("{error:#}")).next("mend it by hand"));
            }
        }
    }
    level
}

/// As the client reads it, wherever a link of that name leads.
fn own_text(place: &Installation) -> anyhow::Result<String> {
    if fs::metadata(&place.settings).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(String::new());
    }
    text_of(&place.settings)
}

/// Settings that are none of an installation's.
pub(crate) fn foreign(kind: Kind, file: &Path, world: &World<'_>) -> Level {
    let shown = world.user().show(file);
    match text_of(file) {
        Ok(text) => Level::of_text(kind, &shown, &text),
        Err(error) => Level::failed(kind, &shown, &error),
    }
}

/// The administrator's file and those beside it, in the order in which they are read.
fn managed_files(file: &Path) -> Vec<PathBuf> {
    let beside = fs::read_dir(file.with_extension("d")).into_iter().flatten().filter_map(Result::ok);
    let mut more: Vec<PathBuf> = beside.map(|entry| entry.path()).filter(|path| is_json(path)).collect();
    more.sort();
    [file.to_owned()].into_iter().chain(more).filter(|file| file.is_file()).collect()
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// A regular file of a size that can be settings.
pub(crate) fn text_of(file: &Path) -> anyhow::Result<String> {
    let metadata = fs::metadata(file)?;
    anyhow::ensure!(metadata.is_file() && metadata.len() <= MAX_BYTES, "it is no file of settings");
    Ok(fs::read_to_string(file)?)
}

/// A JSON file; null where there is none that can be read.
pub(crate) fn json_of(file: &Path) -> Value {
    text_of(file).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
