//! The files of the repository, as git sees them: tracked, or new and not ignored. The only part of tidy that reads them.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

/// A text file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    /// From the root of the repository, with `/`.
    pub(super) path: String,
    /// The content.
    pub(super) text: String,
}

impl Source {
    pub(super) fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }

    /// It holds tests only: `tests.rs` beside or below its module.
    pub(super) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/src/") && self.path.contains("/tests/")
    }

    /// The text before the tests of a file, which stand at its end.
    pub(super) fn shipped(&self) -> &str {
        self.text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default()
    }

    /// It was recorded from somewhere else, or written by a program: its form is not ours to choose.
    pub(super) fn is_recorded(&self) -> bool {
        let name = Path::new(&self.path).extension().and_then(|extension| extension.to_str());
        self.path.starts_with("tests/fixtures/") || matches!(name, Some("lock" | "snap"))
    }
}

/// All text files. One that was deleted and not committed yet is none; neither is one that is not UTF-8.
pub(super) fn of_repository(root: &Path) -> anyhow::Result<Vec<Source>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root);
    let output = git.output().context("starting git")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git ls-files ended with {}: {}", output.status, said.trim());
    let names = String::from_utf8(output.stdout).context("git lists a path that is not UTF-8")?;
    let read =
        |path: &str| Some(Source { path: path.to_owned(), text: fs::read_to_string(root.join(path)).ok()? });
    Ok(names.split_terminator('\0').filter_map(read).collect())
}
