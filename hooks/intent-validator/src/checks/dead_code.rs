//! Code left standing as a comment.

use std::collections::BTreeSet;

use super::Finding;
use super::view::{Family, Kind, Line, View};

pub(super) const RULE: &str = "commented-out-code";
const FIX: &str = "delete it, or write in a sentence what has to be known";

/// Beginnings of comments that are meant for tools.
const FOR_TOOLS: &str = "eslint prettier noqa type: pylint pragma nolint go: @ts- istanbul region endregion";

/// Words at the beginning of a line of Python.
const PYTHON: [&str; 9] = ["def ", "class ", "if ", "for ", "while ", "elif ", "with ", "try:", "else:"];

/// One finding for each run of comment lines, at its first line of code.
pub(super) fn find(view: &View<'_>, added: &BTreeSet<usize>) -> Vec<Finding> {
    let lines: Vec<(usize, &Line<'_>)> = view.lines.iter().enumerate().collect();
    let is_new = |(number, line): &(usize, &Line<'_>)| line.kind == Kind::Comment && added.contains(number);
    let runs = lines.chunk_by(|one, other| is_new(one) && is_new(other)).filter(|run| is_new(&run[0]));
    let runs = runs.map(|run| run.iter().map(|(number, line)| (*number, line.text)).collect::<Vec<_>>());
    runs.filter_map(|run| judged(&run, view.family)).collect()
}

fn judged(run: &[(usize, &str)], family: Family) -> Option<Finding> {
    if run.iter().any(|(_, comment)| announces_example(comment)) {
        return None;
    }
    let spoken: Vec<&(usize, &str)> = run.iter().filter(|(_, comment)| !comment.trim().is_empty()).collect();
    let codes: Vec<&&(usize, &str)> = spoken.iter().filter(|(_, comment)| is_code(comment, family)).collect();
    let most = codes.len() >= 2 && codes.len() * 3 >= spoken.len() * 2;
    let alone = codes.len() == 1 && spoken.len() == 1 && is_statement(codes[0].1.trim());
    let (number, _) = codes.first()?;
    (most || alone).then(|| Finding::new(RULE, number + 1, "code is left standing as a comment", FIX))
}

/// "Usage:", "Example: ...", "e.g.": what follows is meant to be read.
fn announces_example(comment: &str) -> bool {
    let text = comment.trim().to_ascii_lowercase();
    ["usage", "example", "e.g.", "for instance", "such as", "like this"]
        .iter()
        .any(|word| text.contains(word))
        || text.ends_with(':')
}

/// The comment reads as code. An indented one is an example.
fn is_code(comment: &str, family: Family) -> bool {
    let text = comment.trim();
    let is_example = comment.starts_with("    ") || comment.starts_with('\t');
    if is_example && family != Family::Python
        || FOR_TOOLS.split(' ').any(|tool| text.starts_with(tool))
        || is_prose(text)
    {
        return false;
    }
    match family {
        Family::Braces(_) => {
            is_statement(text) || matches!(text, "}" | "{" | "});" | "})" | "},") || text.ends_with('{')
        }
        Family::Python | Family::Hash => {
            is_assignment(text)
                || is_call(text)
                || text.starts_with("import ")
                || (text.starts_with("from ") && text.contains(" import "))
                || (text.ends_with(':') && PYTHON.iter().any(|word| text.starts_with(word)))
        }
    }
}

/// Ends as a statement does, and does something.
fn is_statement(text: &str) -> bool {
    text.ends_with(';')
        && (text.contains('(') || text.contains('=') || text.starts_with("return"))
        && !is_prose(text)
}

/// `name = value`, `name.part += value`.
fn is_assignment(text: &str) -> bool {
    let Some((left, right)) = text.split_once('=') else { return false };
    let left = left.trim_end_matches(['+', '-', '*', '/', ' ']);
    let is_name = |char: char| char.is_alphanumeric() || "_.[]\"'".contains(char);
    !left.is_empty() && left.chars().all(is_name) && !right.trim().is_empty() && !right.starts_with('=')
}

/// `name(...)`, and nothing else.
fn is_call(text: &str) -> bool {
    let Some((name, rest)) = text.split_once('(') else { return false };
    let is_name = |char: char| char.is_alphanumeric() || "_.".contains(char);
    !name.is_empty() && name.chars().all(is_name) && rest.ends_with(')')
}

/// Four plain words in a row are a sentence.
fn is_prose(text: &str) -> bool {
    let is_plain = |word: &&str| word.chars().all(|char| char.is_alphabetic() || ",.;'".contains(char));
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(4).any(|four| four.iter().all(is_plain))
}
