//! Findings without a model, in the lines that the change brings. A check in doubt reports nothing. Pure.
//!
//! `view`: a text as code, strings and comments, and how long its functions are and how deep its blocks lie.

mod view;

use std::collections::BTreeSet;

use secrets::masked;
use serde::{Deserialize, Serialize};
use shared::text::is_hidden;
use similar::{ChangeTag, TextDiff};

use crate::change::Versions;
use crate::settings::Checks;
use view::{Family, Kind, View, is_control};

const SECRET: &str = "hardcoded-secrets";
const DEAD_CODE: &str = "commented-out-code";

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

/// One line without characters that move the cursor or turn the writing round, cut to so many characters.
pub(crate) fn cleaned(text: &str, max_chars: usize) -> String {
    let line = text.replace(is_hidden, " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let kept: String = line.chars().take(max_chars).collect();
    if kept.len() < line.len() { format!("{kept}…") } else { kept }
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
            found.extend(dead_code(&after, &added));
        }
        let before = View::of(before, family);
        if let Some(most) = checks.max_function_lines.get() {
            found.extend(view::long_functions(&before, &after, most as usize));
        }
        if let Some(most) = checks.max_nesting.get() {
            found.extend(view::deep_nesting(&after, &added, most as usize));
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
    let mut changed = diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal);
    !changed.any(|change| is_code(&old, change.old_index()) || is_code(&new, change.new_index()))
}

pub(crate) fn rules(checks: &Checks) -> Vec<&'static str> {
    let rules = [
        (SECRET, checks.secrets),
        (DEAD_CODE, checks.commented_out_code),
        (view::LONG, checks.max_function_lines.get().is_some()),
        (view::DEEP, checks.max_nesting.get().is_some()),
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

/// One finding for each run of new comment lines, at its first line of code.
fn dead_code(view: &View<'_>, added: &BTreeSet<usize>) -> Vec<Finding> {
    let is_new = |number: &usize| view.lines[*number].kind == Kind::Comment && added.contains(number);
    let numbers: Vec<usize> = (0..view.lines.len()).collect();
    let runs = numbers.chunk_by(|one, other| is_new(one) && is_new(other)).filter(|run| is_new(&run[0]));
    let judged = |run: &[usize]| {
        let comments = run.iter().map(|number| (*number, view.lines[*number].text));
        let comments: Vec<_> = comments.filter(|(_, text)| !text.trim().is_empty()).collect();
        let codes: Vec<_> = comments.iter().filter(|(_, text)| is_code(text, view.family)).collect();
        let (first, text) = codes.first()?;
        // The lines after such a line (`Usage:`, `Example`) are for readers; the head of a block of Python is none.
        let is_head = |text: &str| {
            let is_code = text.contains(['(', '=', '<', '.', '[']) || text.contains(" in ");
            view.family == Family::Python && is_control(text, view.family) && is_code
        };
        let is_example = comments.iter().map(|(_, text)| text.trim().to_ascii_lowercase()).any(|text| {
            let names_one = ["usage", "example", "e.g."].iter().any(|word| text.contains(word));
            names_one || text.ends_with(':') && !is_head(&text)
        });
        let is_most = codes.len() >= 2 && codes.len() * 3 >= comments.len() * 2;
        let is_alone = comments.len() == 1 && is_statement(text.trim());
        let why = "code is left standing as a comment";
        let fix = "delete it, or write in a sentence what has to be known";
        (!is_example && (is_most || is_alone)).then(|| Finding::new(DEAD_CODE, first + 1, why, fix))
    };
    runs.filter_map(judged).collect()
}

/// Four plain words in a row are a sentence, and an indented comment is an example.
fn is_code(comment: &str, family: Family) -> bool {
    let text = comment.trim();
    if is_prose(text) {
        return false;
    }
    match family {
        Family::Braces(_) => {
            let is_indented = comment.starts_with("    ") || comment.starts_with('\t');
            !is_indented && (is_statement(text) || text.ends_with('{') || text.starts_with('}'))
        }
        Family::Python | Family::Hash => is_assignment(text) || is_call(text) || text.starts_with("import "),
    }
}

fn is_statement(text: &str) -> bool {
    text.ends_with(';') && (text.contains(['(', '=']) || text.starts_with("return")) && !is_prose(text)
}

fn is_assignment(text: &str) -> bool {
    let Some((left, right)) = text.split_once('=') else { return false };
    let left = left.trim_end_matches(['+', '-', '*', '/', ' ']);
    let is_name = |char: char| char.is_alphanumeric() || "_.[]\"'".contains(char);
    !left.is_empty() && left.chars().all(is_name) && !right.trim().is_empty() && !right.starts_with('=')
}

fn is_call(text: &str) -> bool {
    let Some((name, rest)) = text.split_once('(') else { return false };
    let is_name = |char: char| char.is_alphanumeric() || "_.".contains(char);
    !name.is_empty() && name.chars().all(is_name) && rest.ends_with(')')
}

fn is_prose(text: &str) -> bool {
    let is_plain = |word: &&str| word.chars().all(|char| char.is_alphabetic() || ",.;'".contains(char));
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(4).any(|four| four.iter().all(is_plain))
}

#[cfg(test)]
mod tests;
