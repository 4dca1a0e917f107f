//! The settings files that Claude Code reads: the administrator's, the user's and the project's two. Nothing is changed.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use client_settings::{Entry, Program, Registered, StatusLineThere, Survey, survey};
use shared::catalog::Catalog;

use super::finding::Finding;
use crate::client_settings::Settings;
use crate::places::{Installation, Scope};
use crate::prove::command_of;

/// A larger file is not read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Whose settings they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The administrator's.
    Managed,
    /// The user's own.
    User,
    /// A project's, in git.
    Project,
    /// The user's own in a project.
    Local,
}

/// One settings file.
#[derive(Debug, Clone)]
pub(crate) struct Level {
    pub(crate) kind: Kind,
    /// The file, as a person reads it.
    pub(crate) shown: String,
    pub(crate) survey: Survey,
    /// The installation whose settings they are; the administrator's have none.
    pub(crate) place: Option<Installation>,
    /// The entries of our hooks.
    pub(crate) ours: Vec<Registered>,
    pub(crate) status_line: Option<StatusLineThere>,
    /// An edit would refuse the file, so our entries in it are not known.
    pub(crate) is_refused: bool,
    /// Why it cannot be read.
    pub(crate) unreadable: Option<Finding>,
}

impl Level {
    /// A file with this text.
    pub(crate) fn of_text(kind: Kind, shown: &str, text: &str) -> Self {
        let (survey, unreadable) = match survey(text) {
            Ok(survey) => (survey, None),
            Err(refused) => {
                let what =
                    format!("column {}: {}: Claude Code reads nothing of it", refused.column, refused.why);
                let finding = Finding::broken(what).at(shown, Some(refused.line)).next("correct it by hand");
                (Survey::default(), Some(finding))
            }
        };
        Self {
            kind,
            shown: shown.to_owned(),
            survey,
            place: None,
            ours: Vec::new(),
            status_line: None,
            is_refused: false,
            unreadable,
        }
    }

    fn read(kind: Kind, file: &Path, shown: &str) -> Self {
        match text_of(file) {
            Ok(text) => Self::of_text(kind, shown, &text),
            Err(error) => {
                let finding = Finding::broken(format!("{error:#}")).at(shown, None);
                Self { unreadable: Some(finding), ..Self::of_text(kind, shown, "") }
            }
        }
    }

    /// The settings of an installation.
    pub(crate) fn of(place: &Installation, catalog: &Catalog) -> Self {
        let kind = match place.scope {
            Scope::User => Kind::User,
            Scope::Project => Kind::Project,
            Scope::Local => Kind::Local,
        };
        let mut level = Self::read(kind, &place.settings, &place.show(&place.settings));
        level.place = Some(place.clone());
        if level.unreadable.is_none() {
            match Settings::there(place, catalog) {
                Ok(present) => (level.ours, level.status_line) = (present.hooks, present.status_line),
                // The faults of the survey name the place.
                Err(_) if !level.survey.faults.is_empty() => level.is_refused = true,
                Err(error) => level.unreadable = Some(Finding::broken(format!("{error:#}"))),
            }
        }
        level
    }

    /// The file registers this hook.
    pub(crate) fn registers(&self, hook: &str) -> bool {
        self.ours.iter().any(|entry| entry.name == hook)
    }

    /// The entry of the text is one of ours.
    pub(super) fn is_ours(&self, entry: &Entry) -> bool {
        self.ours.iter().any(|ours| {
            entry.is_command
                && (entry.args.is_some() || matches!(ours.program, Program::Shell(_)))
                && ours.event == entry.event
                && ours.matcher == entry.matcher
                && entry.command.as_deref() == Some(command_of(ours))
        })
    }

    /// The line of an entry of ours.
    pub(super) fn line_of(&self, ours: &Registered) -> Option<usize> {
        let is_it =
            |entry: &&Entry| entry.event == ours.event && entry.command.as_deref() == Some(command_of(ours));
        self.survey.entries.iter().find(is_it).map(|entry| entry.line)
    }
}

/// All of them, the weakest first. `managed` is the administrator's file.
pub(crate) fn read(places: &[Installation], catalog: &Catalog, managed: &Path) -> Vec<Level> {
    let own = places.iter().map(|place| Level::of(place, catalog));
    let managed = managed_files(managed)
        .into_iter()
        .map(|file| Level::read(Kind::Managed, &file, &file.display().to_string()));
    own.chain(managed).collect()
}

/// The administrator's file and those beside it, in the order in which Claude Code reads them.
fn managed_files(file: &Path) -> Vec<PathBuf> {
    let beside = fs::read_dir(file.with_extension("d")).into_iter().flatten().filter_map(Result::ok);
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut more: Vec<PathBuf> = beside.map(|entry| entry.path()).filter(is_json).collect();
    more.sort();
    [file.to_owned()].into_iter().chain(more).filter(|file| file.is_file()).collect()
}

/// The text of a regular file; empty where there is none.
fn text_of(file: &Path) -> anyhow::Result<String> {
    let metadata = match fs::metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        metadata => metadata?,
    };
    anyhow::ensure!(metadata.is_file() && metadata.len() <= MAX_BYTES, "it is no file of settings");
    Ok(fs::read_to_string(file)?)
}
