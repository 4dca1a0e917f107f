//! The settings files that Claude Code reads: the user's, the project's two and the administrator's.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use client_settings::{Contents, Entry, Owner};
use shared::catalog::Catalog;

use super::finding::Finding;
use crate::client_settings::Ours;
use crate::places::{Installation, Scope};

/// A larger file is not read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The owner of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The administrator.
    Managed,
    /// The user, for all projects.
    User,
    /// A project; the file is in git.
    Project,
    /// The user, for one project.
    Local,
}

/// One settings file.
#[derive(Debug, Clone)]
pub(crate) struct Level {
    pub(crate) kind: Kind,
    /// The file, as a person reads it.
    pub(crate) shown: String,
    pub(crate) contents: Contents,
    /// The installation that the settings belong to; the administrator's have none.
    pub(crate) place: Option<Installation>,
    /// Why it cannot be read, or not be edited.
    pub(crate) unreadable: Option<Finding>,
}

impl Level {
    /// A file with this text.
    pub(crate) fn of_text(kind: Kind, shown: &str, text: &str, owner: &Owner<'_>) -> Self {
        let (contents, unreadable) = match client_settings::read(text, owner) {
            Ok(contents) => {
                // A fault names the same place.
                let refused = contents.refused.clone().filter(|_| contents.faults.is_empty());
                let found = |refused: client_settings::Refused| {
                    Finding::broken(refused.why).at(shown, Some(refused.line)).next("correct it by hand")
                };
                (contents, refused.map(found))
            }
            Err(refused) => {
                let what =
                    format!("column {}: {}: Claude Code reads nothing of it", refused.column, refused.why);
                let finding = Finding::broken(what).at(shown, Some(refused.line)).next("correct it by hand");
                (Contents::default(), Some(finding))
            }
        };
        Self { kind, shown: shown.to_owned(), contents, place: None, unreadable }
    }

    fn read(kind: Kind, file: &Path, shown: &str, owner: &Owner<'_>) -> Self {
        match text_of(file) {
            Ok(text) => Self::of_text(kind, shown, &text, owner),
            Err(error) => {
                let finding = Finding::broken(format!("{error:#}")).at(shown, None);
                Self { unreadable: Some(finding), ..Self::of_text(kind, shown, "", owner) }
            }
        }
    }

    /// Our entries.
    pub(crate) fn ours(&self) -> impl Iterator<Item = &Entry> {
        self.contents.ours()
    }

    /// The file registers this hook.
    pub(crate) fn registers(&self, hook: &str) -> bool {
        self.ours().any(|entry| entry.name.as_deref() == Some(hook))
    }
}

/// All of them, the weakest first. `managed` is the administrator's file.
pub(crate) fn read(places: &[Installation], catalog: &Catalog, managed: &Path) -> anyhow::Result<Vec<Level>> {
    let mut levels = Vec::new();
    for place in places {
        let kind = match place.scope {
            Scope::User => Kind::User,
            Scope::Project => Kind::Project,
            Scope::Local => Kind::Local,
        };
        let ours = Ours::of(place, catalog)?;
        let level = Level::read(kind, &place.settings, &place.show(&place.settings), &ours.owner());
        levels.push(Level { place: Some(place.clone()), ..level });
    }
    let ours = Ours::of(&places[0], catalog)?;
    let of_file =
        |file: PathBuf| Level::read(Kind::Managed, &file, &file.display().to_string(), &ours.owner());
    levels.extend(managed_files(managed).into_iter().map(of_file));
    Ok(levels)
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

#[cfg(test)]
impl Level {
    /// A file that holds nothing of ours.
    pub(crate) fn foreign(kind: Kind, shown: &str, text: &str) -> Self {
        Self::owned(kind, shown, text, &[])
    }

    /// A file in which these programs in `/h` are ours.
    pub(crate) fn owned(kind: Kind, shown: &str, text: &str, binaries: &[String]) -> Self {
        let owner = Owner {
            folder: Path::new("/h"),
            former_folders: &[],
            binaries,
            rules: &[],
            status_line_before: None,
        };
        Self::of_text(kind, shown, text, &owner)
    }
}
