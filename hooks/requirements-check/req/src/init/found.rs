//! What a project shows of itself, from the names in its top folder and a few small files. No command is run, and what is
//! looked at is handed over ([`super::look`]), so that all of this is tables.

mod branches;
mod commands;
mod hosting;
mod paths;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use branches::{FALLBACK, protected};
use commands::Below;
pub(super) use hosting::Hosting;
pub(super) use paths::may_be_a_project;

/// The top folder of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Listing {
    /// The names of its files, and of a few deeper ones that tell something, from the top.
    pub(super) files: BTreeSet<String>,
    /// The names of its folders.
    pub(super) folders: BTreeSet<String>,
    /// What stands in those of [`READ`] that are there.
    pub(super) texts: BTreeMap<String, String>,
    /// The folders below it that may be a project of their own, by their path.
    pub(super) below: BTreeMap<String, Listing>,
}

/// The files whose text tells something.
pub(super) const READ: [&str; 14] = [
    "package.json",
    "deno.json",
    "deno.jsonc",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "requirements.txt",
    "requirements-dev.txt",
    "composer.json",
    "CMakeLists.txt",
    "Makefile",
    "makefile",
    "justfile",
    "Justfile",
];

/// Deeper files whose being there tells something.
pub(super) const DEEPER: [&str; 3] = [".config/nextest.toml", "bin/rails", "tests/conftest.py"];

impl Listing {
    fn has(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    fn has_any(&self, files: &[&str]) -> bool {
        files.iter().any(|file| self.has(file))
    }

    fn has_folder(&self, folder: &str) -> bool {
        self.folders.contains(folder)
    }

    fn has_ending(&self, ending: &str) -> bool {
        self.files.iter().any(|file| file.ends_with(ending))
    }

    fn text(&self, file: &str) -> &str {
        self.texts.get(file).map_or("", String::as_str)
    }
}

/// The repository, as far as it tells something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Repository {
    /// The URL of its remote; never shown, because a password may stand in it.
    pub(super) remote: Option<String>,
    /// The remote's default branch.
    pub(super) default: Option<String>,
    /// The branches there are, here and on the remote, and the one that is out.
    pub(super) branches: BTreeSet<String>,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The languages, the main one first.
    pub(super) languages: Vec<&'static str>,
    /// Commands that run the tests, the main one first.
    pub(super) commands: Vec<TestCommand>,
    /// What folders below are written in that the top is not. What runs their tests is told, never taken: where it has to be
    /// run is not known.
    pub(super) below: Vec<Below>,
    /// The files the tests are about; empty: all there are.
    pub(super) paths: Vec<String>,
    /// What git tells; none where there is none.
    pub(super) git: Option<Git>,
}

/// A command that runs the tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestCommand {
    /// As it is typed.
    pub(super) line: String,
    /// The file it was seen in.
    pub(super) file: String,
}

/// What git tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Git {
    /// Where the remote is hosted; none without a remote.
    pub(super) hosting: Option<Hosting>,
    /// The branches that others build on.
    pub(super) protected: Vec<String>,
}

impl Found {
    /// Reads what the project shows.
    pub(super) fn of(listing: &Listing, repository: Option<&Repository>) -> Self {
        let (languages, commands) = commands::find(listing);
        let git = repository.map(|repository| Git {
            hosting: repository.remote.as_deref().map(Hosting::of),
            protected: protected(repository.default.as_deref(), &repository.branches),
        });
        let below = commands::below(listing, &languages);
        Self { languages, commands, below, paths: paths::find(listing), git }
    }

    /// Commands of folders below.
    pub(super) fn commands_below(&self) -> impl Iterator<Item = TestCommand> {
        self.below.iter().filter_map(|below| below.command.clone())
    }

    /// What was found, in one line for people.
    pub(super) fn told(&self) -> String {
        let languages = if self.languages.is_empty() {
            "no build file that is known".to_owned()
        } else {
            self.languages.join(" and ")
        };
        let git = match &self.git {
            None => "no git repository".to_owned(),
            Some(Git { hosting: None, .. }) => "a git repository without a remote".to_owned(),
            Some(Git { hosting: Some(hosting), .. }) => format!("a git repository on {}", hosting.name()),
        };
        let below: Vec<String> =
            self.below.iter().map(|below| format!("{} ({})", below.language, below.folder)).collect();
        let below =
            if below.is_empty() { String::new() } else { format!(", below it {}", below.join(" and ")) };
        format!("Found here: {languages}{below}; {git}.")
    }
}

#[cfg(test)]
pub(super) mod tests;
