//! `cargo xtask tidy`: the rules of the house that no compiler checks. Each rule is a pure function over texts, and each
//! finding ends with what to do about it. Modules by what they look at:
//!
//! - `texts`: headers, names, lengths, host paths, white space
//! - `calls`: the few calls that belong behind one door
//! - `circles`: no module imports one that imports it
//! - `hooks`: one hook, one shape
//! - `manifests`: who may depend on whom

mod calls;
mod circles;
mod hooks;
mod manifests;
mod sources;
mod texts;

use std::fmt::Display;

use anyhow::bail;
use installer::catalog::Catalog;

use installer::say::{note, say};
use sources::Source;

/// A rule that is not kept: the file, with a line where there is one, the broken rule, and the next step.
fn finding(place: impl Display, what: impl Display, todo: &str) -> String {
    format!("{place}: {what}; {todo}")
}

/// Checks every rule and prints each finding on a line of its own.
pub(crate) fn run(workspace: &xtask::Workspace) -> anyhow::Result<()> {
    let files = sources::of_repository(workspace.root())?;
    let hooks = Catalog::built_in()?.names();
    note(format_args!("tidy: {} files", files.len()));
    let mut findings = texts::check(&files);
    findings.extend(calls::check(&files));
    findings.extend(circles::check(&files));
    findings.extend(hooks::check(&files, &hooks));
    findings.extend(manifests::check(&files));
    if findings.is_empty() {
        return Ok(());
    }
    findings.sort();
    findings.iter().for_each(say);
    bail!("tidy: {} findings", findings.len())
}

/// The text of a file of that path, if there is one.
fn text_of<'a>(files: &'a [Source], path: &str) -> Option<&'a str> {
    files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
}

/// Files for a test: path and text.
#[cfg(test)]
fn given(files: &[(&str, &str)]) -> Vec<Source> {
    files.iter().map(|&(path, text)| Source { path: path.to_owned(), text: text.to_owned() }).collect()
}
