//! Files as evidence: those that a glob means, and what they lack.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use globset::GlobMatcher;
use shared::config::{Refused, read_text};
use shared::host::Timestamp;

use super::look::Look;
use crate::deadline::within;
use crate::rule::Rule;
use crate::settings::{Age, File};
use crate::view::FileFound;
use crate::words::age;

const MAX_BYTES: u64 = 1024 * 1024;
/// Entries of folders that are looked at for one glob.
const MAX_ENTRIES: usize = 20_000;

/// Folders that hold no evidence.
const SKIPPED: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];

/// What the requirement's file is like; none where it asks for none.
pub(super) fn find(look: &Look<'_, '_>, rule: &Rule<'_>) -> Option<FileFound> {
    let wanted = rule.set.evidence()?.file.clone()?;
    let glob = wanted.glob.as_str().to_owned();
    let must_be = must_be(&wanted);
    let root = look.world.top()?.to_owned();
    let since = wanted.newer_than.and_then(|than| since(look, than));
    let lacking = within(look.deadline, move || lacking(&root, &wanted, since));
    let lacks = lacking.unwrap_or_else(|| Some(format!("{glob} could not be looked for in time")));
    Some(FileFound { glob, must_be, lacks })
}

fn lacking(root: &Path, wanted: &File, since: Option<Timestamp>) -> Option<String> {
    let found = candidates(root, wanted);
    let reasons: Vec<Option<String>> = found.iter().map(|file| lacks(root, file, wanted, since)).collect();
    match reasons.as_slice() {
        [] => Some(format!("there is no file {}", wanted.glob.as_str())),
        reasons if reasons.iter().any(Option::is_none) => None,
        [first, ..] => first.clone(),
    }
}

fn must_be(wanted: &File) -> String {
    let newer = wanted.newer_than.map(|than| match than {
        Age::Head => "is newer than the last commit".to_owned(),
        Age::Ago(span) => format!("is newer than {}", age(i64::try_from(span.as_secs()).unwrap_or(i64::MAX))),
    });
    let contains =
        wanted.contains.iter().map(|pattern| format!("contains a match of /{}/", pattern.as_str()));
    let all: Vec<String> = newer.into_iter().chain(contains).collect();
    if all.is_empty() { "is there".to_owned() } else { all.join(" and ") }
}

/// The files that the glob means.
fn candidates(root: &Path, wanted: &File) -> Vec<PathBuf> {
    let literal = root.join(wanted.glob.as_str());
    if literal.is_file() {
        return vec![literal];
    }
    let Some(glob) = wanted.glob.over_paths() else { return Vec::new() };
    let mut search = Search { root, glob: glob.compile_matcher(), left: MAX_ENTRIES, found: Vec::new() };
    search.folder(root);
    search.found
}

struct Search<'a> {
    root: &'a Path,
    glob: GlobMatcher,
    left: usize,
    found: Vec<PathBuf>,
}

impl Search<'_> {
    fn folder(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let (path, name) = (entry.path(), entry.file_name());
            // Links are not followed: they may lead round in a circle, or out of the project.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) => {
                    self.folder(&path);
                }
                Ok(kind) if kind.is_file() => {
                    let is_meant =
                        path.strip_prefix(self.root).is_ok_and(|inside| self.glob.is_match(inside));
                    if is_meant {
                        self.found.push(path);
                    }
                }
                _ => {}
            }
        }
    }
}

fn lacks(root: &Path, file: &Path, wanted: &File, since: Option<Timestamp>) -> Option<String> {
    let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let text = match read_text(file, Some(root), MAX_BYTES) {
        Ok(text) => text,
        Err(Refused::NotThere) => return Some(format!("there is no file {shown}")),
        Err(Refused::Because(why)) => return Some(format!("{shown}: {why}")),
    };
    if let Some(since) = since {
        let changed =
            fs::metadata(file).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        if Timestamp::from(changed) <= since {
            return Some(format!("{shown} is not newer than asked"));
        }
    }
    let missing = wanted.contains.iter().find(|pattern| !pattern.is_in(&text))?;
    Some(format!("{shown} has no match of /{}/", missing.as_str()))
}

/// The time a file must be newer than.
fn since(look: &Look<'_, '_>, than: Age) -> Option<Timestamp> {
    match than {
        Age::Ago(span) => {
            let ago = i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
            Some(Timestamp::from_micros(look.context.host.now().micros().saturating_sub(ago)))
        }
        Age::Head => {
            let repository = git2::Repository::open(look.world.here.root()?).ok()?;
            let commit = repository.head().ok()?.peel_to_commit().ok()?;
            Some(Timestamp::from_secs(commit.time().seconds()))
        }
    }
}

#[cfg(test)]
mod tests;
