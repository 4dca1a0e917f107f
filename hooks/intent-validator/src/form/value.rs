//! The values of a form's lines: paths, placeholders, words.

use super::{BLANKS, EXAMPLE};

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
pub(super) fn is_placeholder(text: &str) -> bool {
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
pub(super) fn words(text: &str) -> usize {
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
