//! Lines as they are typed, and what is understood of them.

mod counting;
mod effects;
mod matching;
mod reading;

use std::path::PathBuf;

use super::{Directory, Hidden, Line, Pattern, Simple, parse};

fn commands(line: &str) -> Vec<Simple> {
    parse(line).commands.unwrap_or_else(|| panic!("cannot be read: {line:?}"))
}

fn joined(simple: &Simple) -> String {
    simple.words.join("|")
}

/// The words of the commands, joined by bars.
fn words(line: &str) -> Vec<String> {
    commands(line).iter().map(joined).collect()
}

fn only(line: &str) -> Simple {
    let mut found = commands(line);
    assert_eq!(found.len(), 1, "{line:?}: {found:?}");
    found.remove(0)
}

fn pattern(text: &str) -> Pattern {
    Pattern::parse_pattern(text).unwrap()
}

fn changed(directory: &str) -> Directory {
    Directory::Changed(PathBuf::from(directory))
}

/// The commands of `line` that `text` matches.
fn matched<'a>(line: &'a Line, text: &str) -> Vec<&'a Simple> {
    pattern(text).matches(line)
}

/// What hides the exit status of the command that `text` matches; it has to be one.
fn hidden(line: &str, text: &str) -> Option<Hidden> {
    let line = parse(line);
    let found = matched(&line, text);
    assert_eq!(found.len(), 1, "{text} in {line:?}");
    found[0].decides.err()
}
