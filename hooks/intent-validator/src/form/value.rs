//! The values of a form's lines: paths, placeholders, words; and TEST, which names a test file or a test, or quotes the user, who does
//! without.

use super::{BLANKS, EXAMPLE, Heard, Lack, one_line};
use crate::source::{is_test_file, name_words};

pub(super) fn is_path_of(value: &str, names: &[String]) -> bool {
    let is_name = |path: &String| names.contains(path);
    let parts = value.split([',', ';', '\n']).flat_map(|part| part.split(" and "));
    let parts = parts.flat_map(|part| part.split(" & "));
    let paths: Vec<String> = parts.map(path).filter(|path| !path.is_empty()).collect();
    let is_like_path = |path: &String| {
        path.contains(['.', '/'])
            && !path.contains(|char: char| char.is_whitespace() || "<>()`\"".contains(char))
    };
    // The name itself may hold a comma.
    is_name(&path(value))
        || paths.iter().any(is_name) && paths.iter().all(|path| is_name(path) || is_like_path(path))
}

fn path(text: &str) -> String {
    let text = bare(without_new(text.trim_start_matches(['-', '+', ' '])));
    // A link that shows its own address.
    let link = text.strip_prefix('[').and_then(|text| text.split_once("]("));
    let path = link.map_or(text, |(shown, _)| shown).replace('\\', "/");
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

/// A path without the note that the file is new.
pub(super) fn without_new(text: &str) -> &str {
    text.trim().trim_end_matches(" (new)")
}

fn bare(text: &str) -> &str {
    text.trim_matches(|char: char| char.is_whitespace() || "*`\"'".contains(char))
}

pub(super) fn says_something(text: &str) -> bool {
    words(text) >= 2 && !is_placeholder(text)
}

/// Nothing was filled in: one of our own blanks, with or without its brackets, our example, or text in brackets.
fn is_placeholder(text: &str) -> bool {
    let (opening, closing) = (['<', '[', '{'], ['>', ']', '}']);
    let text = bare(text).trim_end_matches('.').to_lowercase();
    let inner = text.strip_prefix(opening).and_then(|text| text.strip_suffix(closing));
    let is_blank = |blank: &&str| text.contains(*blank) || text == blank.trim_matches(['<', '>']);
    inner.is_some_and(|inner| !inner.contains(opening) && !inner.contains(closing))
        || BLANKS.iter().any(is_blank)
        || EXAMPLE.iter().any(|line| line.to_lowercase().ends_with(&format!(": {text}")))
}

/// The number of words. In writing without capital letters, which may have no blanks either, every character is one.
fn words(text: &str) -> usize {
    let is_unspaced = |char: &char| char.is_alphabetic() && !char.is_lowercase() && !char.is_uppercase();
    let count = |word: &str| {
        word.chars().filter(is_unspaced).count().max(usize::from(word.contains(char::is_alphanumeric)))
    };
    text.split_whitespace().map(count).sum()
}

/// A line of `text` is about the file: it names the file and is longer than an announcement ("Now src/a.py.").
pub(super) fn speaks_of(text: &str, names: &[String]) -> bool {
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let is_about = |line: &str| words(line) > 6 && names.iter().any(|name| line.contains(&base(name)));
    text.lines().any(is_about)
}

/// The fault of a TEST line, and whether it is certain; `None`: the line proves what it has to.
pub(super) fn test_lack(test: &str, heard: &Heard) -> Option<(Lack, bool)> {
    let value = test.trim();
    let first = value.split_whitespace().next().unwrap_or_default().to_lowercase();
    let is_none =
        ["none", "no", "not", "n/a"].contains(&first.trim_matches(|char: char| !char.is_alphanumeric()));
    let quotes = quotes(value);
    if value.is_empty() || is_placeholder(value) {
        Some((Lack::Test, true))
    } else if quotes.iter().any(|quote| heard.user.texts.iter().any(|said| is_said(quote, said))) {
        None
    } else if is_none {
        let lack = quotes.into_iter().next().map_or(Lack::Test, Lack::Quote);
        let is_certain = lack == Lack::Test || heard.user.is_whole;
        Some((lack, is_certain))
    } else {
        let is_edge = |char: char| !(char.is_alphanumeric() || "_/\\@".contains(char));
        let words = value.split(|char: char| char.is_whitespace() || ",;`\"“”".contains(char));
        let names = || words.clone().map(|word| word.trim_matches(is_edge)).filter(|word| is_name(word));
        // Another name, or the text in quotation marks, may be a test's.
        let is_certain = quotes.is_empty() && names().next().is_none();
        (!names().any(|word| is_test(word, &heard.names))).then_some((Lack::Test, is_certain))
    }
}

/// A proof of a test may stand in this text.
pub(super) fn may_be_test(text: &str) -> bool {
    let small = text.to_lowercase();
    small.contains("test") || small.contains("spec") || text.contains(['"', '“', '„', '«', '「', '`'])
}

/// More than a plain word: a path, a function, a type.
fn is_name(word: &str) -> bool {
    let has_hump = name_words(word).len() > name_words(&word.to_lowercase()).len();
    has_hump || word.contains(['/', '\\', '_', '.', ':', '('])
}

/// A test file, or a test by its name: `test_login`, `TestLogin`, `auth::tests::login`.
fn is_test(token: &str, names: &[String]) -> bool {
    let path = token.replace('\\', "/");
    let file = path.split("::").next().unwrap_or(&path);
    let file = file.split(['#', '(']).next().unwrap_or(file).trim_end_matches(':');
    let is_own = names.iter().any(|name| *name == file.trim_start_matches("./"));
    let parts = name_words(&path);
    let has_test_word = parts.len() > 1
        && parts.iter().any(|part| ["test", "tests", "spec", "specs"].contains(&part.as_str()));
    !is_own && (is_test_file(file) || has_test_word)
}

/// The text in double or single quotation marks, of two words at least, without a full stop at its end: to the last mark, and to
/// the next.
fn quotes(value: &str) -> Vec<String> {
    let even = even(value);
    let marked = |mark: char| {
        let mut marks = even.match_indices(mark).map(|(at, _)| at).filter(|at| !is_apostrophe(&even, *at));
        let start = marks.next().map_or(0, |at| at + 1);
        let (next, last) = (marks.clone().next(), marks.next_back());
        last.into_iter().chain(next).map(|end| &even[start..end]).collect::<Vec<_>>()
    };
    let quotes = ['"', '\''].into_iter().flat_map(marked);
    let quotes = quotes.map(|quote| one_line(quote.trim_end().trim_end_matches(['.', ',', '。'])));
    quotes.filter(|quote| words(quote) >= 2).collect()
}

/// A single mark between two letters, as in `don't`. Letters without capitals are of writing without apostrophes.
fn is_apostrophe(text: &str, at: usize) -> bool {
    let is_letter = |char: char| char.is_lowercase() || char.is_uppercase();
    let (before, after) = (&text[..at], &text[at..]);
    before.ends_with(is_letter) && after.strip_prefix('\'').is_some_and(|after| after.starts_with(is_letter))
}

/// The user wrote this as a whole sentence or clause, which may go over several lines, and it is no question.
fn is_said(quote: &str, said: &str) -> bool {
    let is_in = |line: &str| {
        let mut found = line.match_indices(quote);
        found.any(|(at, _)| begins(&line[..at]) && ends(quote, &line[at + quote.len()..]))
    };
    let said = even(said);
    is_in(&one_line(&said)) || said.lines().any(is_in)
}

const MARKS: &str = ".!?;:,…-–—*()\"。！？；：，、（）";

/// Within a word a mark parts nothing: `x.py`, `re-use`.
fn begins(before: &str) -> bool {
    let text = before.trim_end();
    let is_free = |mark: char| text.len() < before.len() || !mark.is_ascii() || "(\"".contains(mark);
    text.is_empty() || text.ends_with(|mark| MARKS.contains(mark) && is_free(mark))
}

fn ends(quote: &str, after: &str) -> bool {
    let is_mark = |mark: char| MARKS.contains(mark) && !"?？(（".contains(mark);
    let mut chars = after.trim_start().chars();
    let is_ended = chars.next().is_none_or(|mark| {
        is_mark(mark) && !(mark.is_ascii() && chars.next().is_some_and(char::is_alphanumeric))
    });
    !quote.ends_with(['?', '？']) && (is_ended || quote.ends_with(is_mark))
}

/// With straight marks, and one blank between two words of a line.
fn even(text: &str) -> String {
    let text: String = text.chars().map(straight).collect();
    text.lines().map(one_line).collect::<Vec<_>>().join("\n")
}

const fn straight(char: char) -> char {
    match char {
        '“' | '”' | '„' | '«' | '»' | '「' | '」' | '`' => '"',
        '‘' | '’' | '‚' => '\'',
        _ => char,
    }
}
