//! Entries of others. Doctor never runs them and reports a program that does not exist. Pure but for the question in [`Known`].

use std::path::{Path, PathBuf};

use client_settings::Entry;

use super::finding::Finding;
use super::level::Level;

/// Facts that entries are compared with.
pub(super) struct Known<'a> {
    pub(super) home: &'a Path,
    pub(super) project: Option<&'a Path>,
    /// A file is at this path.
    pub(super) is_there: &'a dyn Fn(&Path) -> bool,
}

/// Everything of one level, with the number of entries of others.
pub(super) fn findings(level: &Level, known: &Known<'_>) -> Vec<Finding> {
    let is_foreign = |entry: &&Entry| entry.is_command && entry.command.is_some() && entry.name.is_none();
    let foreign: Vec<&Entry> = level.contents.entries.iter().filter(is_foreign).collect();
    let mut found: Vec<Finding> = foreign.iter().filter_map(|entry| of_entry(level, entry, known)).collect();
    found.dedup_by(|one, other| one.what == other.what);
    if !foreign.is_empty() {
        let count = foreign.len();
        let entries = if count == 1 { "entry" } else { "entries" };
        let what = format!("{count} {entries} of others, not run by doctor");
        found.push(Finding::ok(what).at(&level.shown, None));
    }
    found
}

fn of_entry(level: &Level, entry: &Entry, known: &Known<'_>) -> Option<Finding> {
    let program = program(entry, known).filter(|program| !(known.is_there)(program))?;
    let shown = shared::host::display_path(&program, Some(known.home));
    let found = Finding::warning(format!("{shown} does not exist, so this entry does nothing"));
    let found = found.next("put the program back, or remove the entry from the file");
    Some(found.at(&level.shown, Some(entry.line)).key(format!("hooks.{}", entry.event)))
}

/// The absolute path that an entry starts with. An entry that needs a shell to be understood has none.
fn program(entry: &Entry, known: &Known<'_>) -> Option<PathBuf> {
    let command = entry.command.as_deref()?;
    let first = if entry.args.is_some() { command } else { first_word(command)? };
    let project = known.project.unwrap_or(Path::new("$"));
    let path = [("~/", known.home), ("$HOME/", known.home), ("$CLAUDE_PROJECT_DIR/", project)]
        .into_iter()
        .find_map(|(start, root)| Some(root.join(first.strip_prefix(start)?)))
        .unwrap_or_else(|| PathBuf::from(first));
    let is_plain = !path.to_string_lossy().contains(['$', '`', '*', '?', '(', '{', '\\', '"', '\'']);
    (path.is_absolute() && is_plain).then_some(path)
}

/// The first word of a shell line, without the quotes around it.
fn first_word(line: &str) -> Option<&str> {
    let line = line.trim_start();
    match line.chars().next()? {
        quote @ ('"' | '\'') => line[1..].split(quote).next(),
        _ => line.split([' ', '\t', '\n', ';', '|', '&', '>', '<']).next(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Known, findings};
    use crate::doctor::finding::Severity::{self, Ok, Warning};
    use crate::doctor::level::{Kind, Level};

    /// The severity for one entry. Only `/there/...` exists.
    fn severity(entry: &str) -> Option<Severity> {
        let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{{entry}}}]}}]}}}}"#);
        let known = Known {
            home: Path::new("/home/me"),
            project: Some(Path::new("/there/project")),
            is_there: &|path| path.starts_with("/there"),
        };
        let found = findings(&Level::foreign(Kind::User, "f", &text), &known).into_iter();
        found.map(|finding| finding.severity).max()
    }

    #[test]
    fn reports_program_that_does_not_exist() {
        for (entry, expected) in [
            (r#""command":"/gone/x""#, Some(Warning)),
            (r#""command":"/gone/x","args":[]"#, Some(Warning)),
            (r#""command":"~/gone/x --flag""#, Some(Warning)),
            (r#""command":"\"/gone/a b/x\" y""#, Some(Warning)),
            (r#""command":"$HOME/x""#, Some(Warning)),
            (r#""command":"/gone/x; true""#, Some(Warning)),
            (r#""command":"/there/x""#, Some(Ok)),
            (r#""command":"$CLAUDE_PROJECT_DIR/x""#, Some(Ok)),
            (r#""command":"$OTHER/x""#, Some(Ok)),
            (r#""command":"python3 /gone/x.py""#, Some(Ok)),
            (r#""command":"X=1 /gone/x""#, Some(Ok)),
            (r#""command":"'/gone/unclosed""#, Some(Warning)),
            (r#""type":"prompt","command":"/gone/x""#, None),
        ] {
            assert_eq!(severity(entry), expected, "{entry}");
        }
    }
}
