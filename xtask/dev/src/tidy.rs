//! `cargo xtask tidy`: the rules of the house that no compiler checks. Each rule is a pure function over texts, and each
//! finding ends with what to do about it.

mod circles;
mod manifests;
mod texts;

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use installer::say::say;

/// A rule that is not kept: the file, with a line where there is one, the broken rule, and the next step.
fn finding(place: impl Display, what: impl Display, todo: &str) -> String {
    format!("{place}: {what}; {todo}")
}

pub(crate) fn run(workspace: &xtask::Workspace) -> anyhow::Result<()> {
    let files = of_repository(workspace.root())?;
    let mut findings = texts::check(&files);
    findings.extend(circles::check(&files));
    findings.extend(manifests::check(&files));
    if findings.is_empty() {
        return Ok(());
    }
    findings.sort();
    findings.iter().for_each(say);
    bail!("tidy: {} findings", findings.len())
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    /// From the root of the repository, with `/`.
    path: String,
    text: String,
}

impl Source {
    fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }

    /// It holds tests only: `tests.rs` beside or below its module.
    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/src/") && self.path.contains("/tests/")
    }

    /// The text before the tests of a file, which stand at its end.
    fn shipped(&self) -> &str {
        self.text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default()
    }
}

/// All text files. One that was deleted and not committed yet is none; neither is one that is not UTF-8.
fn of_repository(root: &Path) -> anyhow::Result<Vec<Source>> {
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

#[cfg(test)]
mod tests {
    use super::Source;

    /// Files for a test: path and text.
    pub(super) fn given(files: &[(&str, &str)]) -> Vec<Source> {
        files.iter().map(|&(path, text)| Source { path: path.to_owned(), text: text.to_owned() }).collect()
    }
}
