//! Files as evidence: those that a glob means, and what they lack.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use shared::config::{Refused, read_text};
use shared::host::Timestamp;

use super::look::Look;
use crate::deadline::within;
use crate::paths::files_below;
use crate::rule::Rule;
use crate::settings::{Age, File};

const MAX_BYTES: u64 = 1024 * 1024;

/// Whether the requirement's file is as it must be, else what it lacks; none where it asks for none.
pub(super) fn find(look: &Look<'_>, rule: &Rule<'_>) -> Option<Result<(), String>> {
    let wanted = rule.set.evidence()?.file.clone()?;
    let late = format!("{} could not be looked for in time", wanted.glob.as_str());
    let (root, now) = (look.world.top()?.to_owned(), look.context.host.now());
    let lacks = within(look.deadline, move || lacking(&root, &wanted, now)).unwrap_or(Some(late));
    Some(lacks.map_or(Ok(()), Err))
}

/// The time a file must be newer than.
fn since(root: &Path, than: Age, now: Timestamp) -> Option<Timestamp> {
    match than {
        Age::Ago(span) => Some(now.minus(span)),
        Age::Head => {
            let commit = git2::Repository::open(root).ok()?.head().ok()?.peel_to_commit().ok()?.time();
            Some(Timestamp::from_secs(commit.seconds()))
        }
    }
}

/// `None` if one of the files that the glob means lacks nothing, else the lack of the first one.
fn lacking(root: &Path, wanted: &File, now: Timestamp) -> Option<String> {
    let since = wanted.newer_than.and_then(|than| since(root, than, now));
    let mut first = None;
    for file in meant(root, wanted) {
        let lacks = lacks(root, &file, wanted, since)?;
        first.get_or_insert(lacks);
    }
    Some(first.unwrap_or_else(|| format!("there is no file {}", wanted.glob.as_str())))
}

fn meant(root: &Path, wanted: &File) -> Vec<PathBuf> {
    let literal = root.join(wanted.glob.as_str());
    if literal.is_file() {
        return vec![literal];
    }
    let Some(glob) = wanted.glob.over_paths().map(|glob| glob.compile_matcher()) else { return Vec::new() };
    let (files, _) = files_below(root, |_| false);
    files.into_iter().filter(|file| glob.is_match(file)).map(|file| root.join(file)).collect()
}

fn lacks(root: &Path, file: &Path, wanted: &File, since: Option<Timestamp>) -> Option<String> {
    let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let text = match read_text(file, Some(root), MAX_BYTES) {
        Ok(text) => text,
        Err(Refused::NotThere) => return Some(format!("there is no file {shown}")),
        Err(Refused::Because(why)) => return Some(format!("{shown}: {why}")),
    };
    let changed = fs::metadata(file).and_then(|metadata| metadata.modified());
    let changed = Timestamp::from(changed.unwrap_or(SystemTime::UNIX_EPOCH));
    if since.is_some_and(|since| changed <= since) {
        return Some(format!("{shown} is not newer than asked"));
    }
    let missing = wanted.contains.iter().find(|pattern| !pattern.is_in(&text))?;
    Some(format!("{shown} has no match of /{}/", missing.text))
}

#[cfg(test)]
mod tests;
