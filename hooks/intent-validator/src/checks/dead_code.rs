//! Code left standing as a comment.

use std::collections::BTreeSet;

use super::Finding;
use super::view::{Family, Kind, View};

pub(super) const RULE: &str = "commented-out-code";

/// One finding for each run of new comment lines, at its first line of code.
pub(super) fn find(view: &View<'_>, added: &BTreeSet<usize>) -> Vec<Finding> {
    let is_new = |number: &usize| view.lines[*number].kind == Kind::Comment && added.contains(number);
    let numbers: Vec<usize> = (0..view.lines.len()).collect();
    let runs = numbers.chunk_by(|one, other| is_new(one) && is_new(other)).filter(|run| is_new(&run[0]));
    runs.filter_map(|run| judged(view, run)).collect()
}

fn judged(view: &View<'_>, run: &[usize]) -> Option<Finding> {
    let text = |number: &&usize| view.lines[**number].text;
    let comments: Vec<&usize> = run.iter().filter(|number| !text(number).trim().is_empty()).collect();
    let codes: Vec<&&usize> = comments.iter().filter(|number| is_code(text(number), view.family)).collect();
    let first = codes.first()?;
    let is_example = comments.iter().any(|number| announces_example(text(number)));
    let is_most = codes.len() >= 2 && codes.len() * 3 >= comments.len() * 2;
    let is_alone = comments.len() == 1 && is_statement(text(first).trim());
    let why = "code is left standing as a comment";
    let fix = "delete it, or write in a sentence what has to be known";
    (!is_example && (is_most || is_alone)).then(|| Finding::new(RULE, **first + 1, why, fix))
}

/// "Usage:", "Example: ...": what follows is meant to be read.
fn announces_example(comment: &str) -> bool {
    let text = comment.trim().to_ascii_lowercase();
    text.ends_with(':') || ["usage", "example", "e.g."].iter().any(|word| text.contains(word))
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
