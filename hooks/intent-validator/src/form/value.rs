//! The values of a form's lines: paths, placeholders, words; and TEST, which names a test file or a test, or quotes the user, who does
//! without.

use super::{BLANKS, EXAMPLE, Heard, Lack, one_line};
use crate::source::{is_test_file, name_words};

pub(super) fn is_path_of(value: &str, names: &[String]) -> bool {
    let is_name = |path: &String| names.contains(path);
    if is_name(&path(value)) {
        return true;
    }
    let parts =
        value.split([',', ';', '\n']).flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" & "));
    let paths: Vec<String> = parts.map(path).filter(|path| !path.is_empty()).collect();
    paths.iter().any(is_name) && paths.iter().all(|path| is_name(path) || is_like_path(path))
}

fn path(text: &str) -> String {
    let text = text.trim();
    let text = ["- ", "* ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet)).unwrap_or(text);
    let text = undecorated(text);
    let link = text.strip_prefix('[').and_then(|text| text.strip_suffix(')')?.split_once("]("));
    let text = link.filter(|(shown, address)| shown == address).map_or(text, |(shown, _)| shown);
    let text = text.replace('\\', "/");
    text.strip_prefix("./").unwrap_or(&text).to_owned()
}

/// Without the marks that stand around all of it.
fn undecorated(text: &str) -> &str {
    let text = text.trim();
    let inner = ["**", "__", "*", "`", "\"", "'"].iter().find_map(|mark| {
        let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inner.is_empty() && !inner.contains(mark)).then_some(inner)
    });
    inner.map_or(text, undecorated)
}

fn is_like_path(path: &str) -> bool {
    path.contains(['.', '/']) && !path.contains(|char: char| char.is_whitespace() || "<>()`\"".contains(char))
}

pub(super) fn says_something(text: &str) -> bool {
    words(text) >= 2 && !is_placeholder(text)
}

/// Nothing was filled in: one of our own blanks, with or without its brackets, our example, or text in brackets.
fn is_placeholder(text: &str) -> bool {
    let text = undecorated(text).trim_end_matches('.').to_lowercase();
    let is_bracketed = ["<>", "[]", "{}"].iter().any(|pair| {
        let inner = text.strip_prefix(&pair[..1]).and_then(|rest| rest.strip_suffix(&pair[1..]));
        inner.is_some_and(|inner| !inner.contains(|char| pair.contains(char)))
    });
    let is_blank = BLANKS.iter().any(|blank| text.contains(blank) || text == blank.trim_matches(['<', '>']));
    let is_example = EXAMPLE.iter().any(|line| line.to_lowercase().ends_with(&format!(": {text}")));
    is_bracketed || is_blank || is_example
}

/// The number of words. In writing without blanks every character is one.
fn words(text: &str) -> usize {
    let count = |word: &str| {
        let unspaced = word.chars().filter(|char| is_unspaced(*char)).count();
        unspaced.max(usize::from(word.contains(char::is_alphanumeric)))
    };
    text.split_whitespace().map(count).sum()
}

const fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// A sentence of `text` is about the file: it names the file and is longer than an announcement ("Now src/a.py.").
pub(super) fn speaks_of(text: &str, names: &[String]) -> bool {
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let is_edge = |char: char| !char.is_alphanumeric() && char != '/';
    let is_name = |word: &str| names.iter().any(|name| base(name) == base(word.trim_matches(is_edge)));
    let text =
        [". ", "! ", "? ", ": ", "; "].iter().fold(text.to_owned(), |text, end| text.replace(end, "\n"));
    let is_about = |sentence: &str| words(sentence) > 6 && sentence.split_whitespace().any(is_name);
    text.lines().any(is_about)
}

const NONE: [&str; 4] = ["none", "no", "not", "n/a"];

/// The fault of a TEST line, and whether it is certain; `None`: the line proves what it has to.
pub(super) fn test_lack(test: &str, heard: &Heard<'_>) -> Option<(Lack, bool)> {
    let value = test.trim();
    if value.is_empty() || is_placeholder(value) {
        return Some((Lack::Test, true));
    }
    let quotes = quotes(value);
    if quotes.iter().any(|quote| heard.user.texts.iter().any(|said| is_said(quote, said))) {
        return None;
    }
    let names_test = tokens(value).any(|token| is_test(token, heard.names));
    match quotes.first() {
        _ if names_test && !is_none(value) => None,
        Some(quote) if is_none(value) => Some((Lack::Quote(quote.clone()), heard.user.is_whole)),
        // The quote may be the title of a test.
        Some(_) => Some((Lack::Test, false)),
        None if is_none(value) => Some((Lack::Test, !names_test)),
        None => Some((Lack::Test, !tokens(value).any(is_name))),
    }
}

/// A proof of a test may stand in this text.
pub(super) fn may_be_test(text: &str) -> bool {
    let small = text.to_lowercase();
    small.contains("test") || small.contains("spec") || text.contains(['"', '“', '„', '«', '「', '`'])
}

fn is_none(value: &str) -> bool {
    let first = value.split_whitespace().next().unwrap_or_default().to_lowercase();
    NONE.contains(&first.trim_matches(|char: char| !char.is_alphanumeric()))
}

fn tokens(value: &str) -> impl Iterator<Item = &str> {
    let is_edge = |char: char| !(char.is_alphanumeric() || "_/\\@".contains(char));
    let words = value.split(|char: char| char.is_whitespace() || ",;`\"“”".contains(char));
    words.map(move |word| word.trim_matches(is_edge)).filter(|word| !word.is_empty())
}

/// More than a plain word: a path, a function, a type.
fn is_name(token: &str) -> bool {
    let has_hump = name_words(token).len() > name_words(&token.to_lowercase()).len();
    has_hump || token.contains(['/', '\\', '_', '.', ':', '('])
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
    is_name(token) && !is_own && (is_test_file(file) || has_test_word)
}

/// The text between two marks of a kind, of two words at least, without a full stop at its end: from the first to the last
/// mark, and to the next.
fn quotes(value: &str) -> Vec<String> {
    let even = even(value);
    let mut quotes = Vec::new();
    for mark in ['"', '`', '\''] {
        let marks = even.match_indices(mark).map(|(at, _)| at);
        let marks: Vec<usize> = marks.filter(|at| mark != '\'' || !is_apostrophe(&even, *at)).collect();
        if let [first, rest @ ..] = marks.as_slice() {
            let ends = rest.last().into_iter().chain(rest.first());
            quotes.extend(ends.map(|end| even[first + 1..*end].trim_end().trim_end_matches(['.', ','])));
        }
    }
    quotes.into_iter().map(one_line).filter(|quote| words(quote) >= 2).collect()
}

fn is_apostrophe(text: &str, at: usize) -> bool {
    text[..at].ends_with(char::is_alphanumeric) && text[at + 1..].starts_with(char::is_alphanumeric)
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
    let is_ended = text.strip_prefix(is_mark).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        || quote.ends_with(['.', '!', ';', ',', ':', '…']);
    !quote.ends_with('?') && (text.is_empty() || is_ended)
}

/// With straight marks, and one blank between two words of a line. A blank follows the marks of writing without blanks.
fn even(text: &str) -> String {
    const WIDE: [&str; 8] = ["。.", "，,", "、,", "；;", "：:", "！!", "？?", "）)"];
    let text: String = text.chars().map(straight).collect();
    let text = WIDE.iter().fold(text, |text, pair| {
        let (wide, narrow) = pair.split_at(pair.len() - 1);
        text.replace(wide, &format!("{narrow} "))
    });
    text.lines().map(one_line).collect::<Vec<_>>().join("\n")
}

const fn straight(char: char) -> char {
    match char {
        '“' | '”' | '„' | '«' | '»' | '「' | '」' => '"',
        '‘' | '’' | '‚' => '\'',
        _ => char,
    }
}
