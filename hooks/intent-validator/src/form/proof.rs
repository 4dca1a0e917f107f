//! The TEST line: it names a test file or a test, or quotes the user, who does without.

use super::value::{is_placeholder, words};
use super::{Heard, Lack, one_line};
use crate::source::is_test_file;

/// A value that begins with one of these names no test.
const NONE: [&str; 4] = ["none", "no", "not", "n/a"];

/// The user's own last messages.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quotable<'a> {
    /// Oldest first.
    pub(crate) texts: &'a [String],
    /// None of them is missing because it could not be read.
    pub(crate) is_whole: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Proof {
    Given,
    Lacking(Lack),
    /// A reader has to tell.
    Unclear,
}

pub(super) fn of(test: Option<&str>, heard: &Heard<'_>) -> Proof {
    let value = test.unwrap_or_default().trim();
    if value.is_empty() || is_placeholder(value) {
        return Proof::Lacking(Lack::Test);
    }
    let quotes = quotes(value);
    if quotes.iter().any(|quote| heard.user.texts.iter().any(|said| is_said(quote, said))) {
        return Proof::Given;
    }
    let names_test = tokens(value).any(|token| is_test(token, heard.names));
    match (is_none(value), quotes.first()) {
        (false, _) if names_test => Proof::Given,
        (false, None) if tokens(value).any(is_name) => Proof::Unclear,
        (true, None) if names_test => Proof::Unclear,
        (_, None) => Proof::Lacking(Lack::Test),
        (true, Some(_)) if !heard.user.is_whole => Proof::Unclear,
        (true, Some(quote)) => Proof::Lacking(Lack::Quote(quote.clone())),
        // The quote may be the title of a test.
        (false, Some(_)) => Proof::Unclear,
    }
}

/// A text beside the form may name a test or quote somebody.
pub(super) fn may_be_in(text: &str) -> bool {
    let of_tests = |word: &str| is_test_word(&word.to_lowercase());
    text.contains(['"', '“', '„', '«', '「', '`'])
        || text.split(|char: char| !char.is_alphanumeric()).any(of_tests)
        || tokens(text).any(is_name)
}

fn is_none(value: &str) -> bool {
    let first = value.split_whitespace().next().unwrap_or_default().to_lowercase();
    NONE.contains(&first.trim_matches(|char: char| !char.is_alphanumeric()))
}

/// The words of a value, without the marks around them, and with `/`.
fn tokens(value: &str) -> impl Iterator<Item = &str> {
    let is_edge = |char: char| !(char.is_alphanumeric() || "_/\\@".contains(char));
    value
        .split(|char: char| char.is_whitespace() || ",;`\"“”".contains(char))
        .map(move |word| word.trim_matches(is_edge))
        .filter(|word| !word.is_empty())
}

/// More than a plain word: a path, a function, a type.
fn is_name(token: &str) -> bool {
    let is_hump = |pair: &[char]| pair[0].is_lowercase() && pair[1].is_uppercase();
    let chars: Vec<char> = token.chars().collect();
    token.contains(['/', '\\', '_', '.', ':', '(']) || chars.windows(2).any(is_hump)
}

/// A test file, or a test by its name: `test_login`, `TestLogin`, `auth::tests::login`.
fn is_test(token: &str, names: &[String]) -> bool {
    let path = token.replace('\\', "/");
    let file = path.split("::").next().unwrap_or(&path);
    let file = file.split(['#', '(']).next().unwrap_or(file).trim_end_matches(':');
    let is_own = names.iter().any(|name| *name == file.trim_start_matches("./"));
    is_name(token) && !is_own && (is_test_file(file) || has_test_word(&path))
}

/// One of several parts of the name says that it is a test.
fn has_test_word(name: &str) -> bool {
    let mut parts: Vec<String> = vec![String::new()];
    let mut was_small = false;
    for char in name.chars() {
        let begins = (char.is_uppercase() && was_small) || !char.is_alphanumeric();
        if begins {
            parts.push(String::new());
        }
        was_small = char.is_lowercase() || char.is_ascii_digit();
        if let Some(part) = parts.last_mut().filter(|_| char.is_alphanumeric()) {
            part.extend(char.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.len() > 1 && parts.iter().any(|part| is_test_word(part))
}

fn is_test_word(word: &str) -> bool {
    matches!(word, "test" | "tests" | "spec" | "specs")
}

/// The text between two marks of a kind, of two words at least, without a full stop at its end: from the first to the last
/// mark, and to the next.
fn quotes(value: &str) -> Vec<String> {
    let even = even(value);
    let spans = ['"', '`', '\''].into_iter().flat_map(|mark| {
        let marks: Vec<usize> = even
            .match_indices(mark)
            .map(|(at, _)| at)
            .filter(|at| mark != '\'' || !is_apostrophe(&even, *at))
            .collect();
        let ends = [marks.last().copied(), marks.get(1).copied()];
        let first = marks.first().copied();
        ends.into_iter()
            .filter_map(move |end| Some((first? + 1, end.filter(|end| Some(*end) != first)?)))
            .collect::<Vec<_>>()
    });
    let quotes = spans.map(|(start, end)| one_line(even[start..end].trim_end().trim_end_matches(['.', ','])));
    quotes.filter(|quote| words(quote) >= 2).collect()
}

/// A mark between two letters.
fn is_apostrophe(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
    before && text[at + 1..].chars().next().is_some_and(char::is_alphanumeric)
}

/// The user wrote this as a whole sentence or clause, and it is no question.
fn is_said(quote: &str, said: &str) -> bool {
    let said = even(said);
    let is_in = |text: &str| {
        let text = one_line(text);
        text.match_indices(quote).any(|(at, _)| begins(&text[..at]) && ends(quote, &text[at + quote.len()..]))
    };
    is_in(&said) || said.lines().any(is_in)
}

fn begins(before: &str) -> bool {
    let text = before.trim_end();
    let is_parted =
        text.len() < before.len() && text.ends_with(['.', '!', '?', ';', ':', ',', '…', '-', '*']);
    text.is_empty() || is_parted || text.ends_with(['(', '–', '—', '"'])
}

fn ends(quote: &str, after: &str) -> bool {
    let text = after.trim_start();
    let is_mark = |char: char| ".!;:,)…–—\"".contains(char) || (char == '-' && text.len() < after.len());
    let rest = text.strip_prefix(is_mark);
    let is_ended = rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        || quote.ends_with(['.', '!', ';', ',', ':', '…']);
    !quote.ends_with('?') && (text.is_empty() || is_ended)
}

/// Marks that no blank follows.
const FULL_WIDTH: [(char, char); 8] =
    [('。', '.'), ('，', ','), ('、', ','), ('；', ';'), ('：', ':'), ('！', '!'), ('？', '?'), ('）', ')')];

/// With straight marks, and one blank between two words of a line.
fn even(text: &str) -> String {
    let text: String = text
        .chars()
        .map(straight)
        .flat_map(|char| match FULL_WIDTH.iter().find(|(wide, _)| *wide == char) {
            Some((_, narrow)) => [Some(*narrow), Some(' ')],
            None => [Some(char), None],
        })
        .flatten()
        .collect();
    text.lines().map(one_line).collect::<Vec<_>>().join("\n")
}

const fn straight(char: char) -> char {
    match char {
        '“' | '”' | '„' | '«' | '»' | '「' | '」' => '"',
        '‘' | '’' | '‚' => '\'',
        _ => char,
    }
}
