//! Findings without a model, in the lines that the change brings. A check in doubt reports nothing. Pure.
//!
//! - `view`: a text as code, strings and comments
//! - `shape`: how long functions are, and how deep blocks lie
//! - `dead_code`: code left standing as a comment

mod dead_code;
mod shape;
mod view;

use std::collections::BTreeSet;

use secrets::masked;
use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};

use crate::change::Versions;
use crate::settings::Checks;
use view::{Family, Kind, View};

const SECRET: &str = "hardcoded-secrets";

/// The most lines of a text that is checked; a longer one is generated.
const MAX_LINES: usize = 20_000;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Finding {
    pub(crate) rule: String,
    /// The line in the file as it would be, from 1; 0 where that is not known. Within the piece for a fragment.
    pub(crate) line: i64,
    pub(crate) why: String,
    pub(crate) fix: String,
}

impl Finding {
    fn new(rule: &str, line: usize, why: impl Into<String>, fix: &str) -> Self {
        let line = i64::try_from(line).unwrap_or(i64::MAX);
        Self { rule: rule.to_owned(), line, why: why.into(), fix: fix.to_owned() }
    }
}

pub(crate) fn find(path: &str, versions: &Versions, checks: &Checks) -> Vec<Finding> {
    if versions.after.lines().nth(MAX_LINES).is_some() {
        return Vec::new();
    }
    let before = versions.before.as_deref().unwrap_or_default();
    let diff = TextDiff::from_lines(before, &versions.after);
    let inserted = diff.iter_all_changes().filter(|change| change.tag() == ChangeTag::Insert);
    let added: BTreeSet<usize> = inserted.filter_map(|change| change.new_index()).collect();
    let mut found = Vec::new();
    if checks.secrets {
        found.extend(secrets(&versions.after, &added));
    }
    if let Some(family) = Family::of(path) {
        let after = View::of(&versions.after, family);
        if checks.commented_out_code {
            found.extend(dead_code::find(&after, &added));
        }
        let before = View::of(before, family);
        if let Some(most) = checks.max_function_lines.get() {
            found.extend(shape::long_functions(&before, &after, most as usize));
        }
        if let Some(most) = checks.max_nesting.get() {
            found.extend(shape::deep_nesting(&after, &added, most as usize));
        }
    }
    found.sort_by_key(|finding| finding.line);
    found
}

/// The change touches nothing but comments, documentation in the code, and blank lines.
pub(crate) fn is_comments_only(path: &str, versions: &Versions) -> bool {
    let Some(family) = Family::of(path).filter(|_| !versions.is_fragment) else { return false };
    let before = versions.before.as_deref().unwrap_or_default();
    let (old, new) = (View::of(before, family), View::of(&versions.after, family));
    let is_code = |view: &View<'_>, at: Option<usize>| {
        let line = at.and_then(|at| view.lines.get(at));
        line.is_some_and(|line| matches!(line.kind, Kind::Code | Kind::Text))
    };
    let diff = TextDiff::from_lines(before, &versions.after);
    let mut changed = diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal).peekable();
    changed.peek().is_some()
        && !changed.any(|change| is_code(&old, change.old_index()) || is_code(&new, change.new_index()))
}

pub(crate) fn rules(path: &str, checks: &Checks) -> Vec<&'static str> {
    let family = Family::of(path);
    let has_shape = family.is_some_and(|family| family != Family::Hash);
    let rules = [
        (SECRET, checks.secrets),
        (dead_code::RULE, checks.commented_out_code && family.is_some()),
        (shape::LONG, checks.max_function_lines.get().is_some() && has_shape),
        (shape::DEEP, checks.max_nesting.get().is_some() && has_shape),
    ];
    rules.into_iter().filter(|(_, is_judged)| *is_judged).map(|(rule, _)| rule).collect()
}

const TELLING: [&str; 4] = ["passw", "secret", "token", "key"];

const STANDS_FOR: &str =
    "example dummy placeholder changeme your xxxx redacted fake test- test_ username:password";

/// Keys, tokens and passwords written into code: by their form where the crate `secrets` knows it, else by a telling name before a text.
fn secrets(after: &str, added: &BTreeSet<usize>) -> Vec<Finding> {
    let lines = after.lines().enumerate().filter(|(number, _)| added.contains(number));
    let found = lines.filter_map(|(number, line)| {
        let why = format!("this looks like {} written into code", kind_of_secret(line)?);
        let fix = "read it from the environment or a secret store when the program runs";
        Some(Finding::new(SECRET, number + 1, why, fix))
    });
    found.collect()
}

fn kind_of_secret(line: &str) -> Option<String> {
    let masked = masked(line);
    if let Some((_, after)) = masked.split_once("[masked: ") {
        return Some(format!("a secret ({})", after.split_once(']')?.0)).filter(|_| masked != line);
    }
    let (before, after) = masked.split_once("[masked]").filter(|_| masked != line)?;
    let value = line.to_ascii_lowercase();
    if STANDS_FOR.split(' ').any(|word| value.contains(word)) {
        return None;
    }
    if before.contains("://") && after.starts_with('@') {
        return Some("a login in an address".to_owned());
    }
    let names = before.to_ascii_lowercase();
    let is_named = before.ends_with(['"', '\'', '`']) && TELLING.iter().any(|name| names.contains(name));
    is_named.then(|| "a password or a key".to_owned())
}

#[cfg(test)]
mod tests;
