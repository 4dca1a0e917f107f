//! Findings without a model, in the lines that the change brings. A check in doubt reports nothing. Pure.
//!
//! - `view`: a text as code, strings and comments
//! - `shape`: how long functions are, and how deep blocks lie
//! - `dead_code`: code left standing as a comment
//! - `secret`: keys, tokens and passwords

mod dead_code;
mod secret;
mod shape;
mod view;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};

use crate::change::Versions;
use crate::settings::Checks;
use view::{Family, Kind, View};

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
        found.extend(secret::find(&versions.after, &added));
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
        (secret::RULE, checks.secrets),
        (dead_code::RULE, checks.commented_out_code && family.is_some()),
        (shape::LONG, checks.max_function_lines.get().is_some() && has_shape),
        (shape::DEEP, checks.max_nesting.get().is_some() && has_shape),
    ];
    rules.into_iter().filter(|(_, is_judged)| *is_judged).map(|(rule, _)| rule).collect()
}

#[cfg(test)]
mod tests;
