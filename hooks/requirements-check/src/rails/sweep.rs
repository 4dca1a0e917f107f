//! Commands that change whatever is found in a folder and below it, hidden files too.

use super::command::Command;
use super::touch::{Touch, is_cluster_with, subcommand};

/// What stands in the protected files and hardly elsewhere: who looks for it means them.
const TELLING: [&str; 5] =
    ["satisfied_by", "verify_requirements", "inject_context", "disableallhooks", ".claude/hooks"];

/// Tests of `find` that leave out most of what there is.
const NARROW: [&str; 10] = [
    "-iname",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-maxdepth",
    "-mindepth",
    "-name",
    "-path",
    "-regex",
    "-wholename",
];

/// The text names what stands in the protected files and hardly elsewhere.
pub(super) fn is_telling(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    TELLING.iter().any(|name| text.contains(name))
}

/// `find` without a test of names.
pub(super) fn finds_all(arguments: &[&str]) -> bool {
    !arguments.iter().any(|word| NARROW.contains(word))
}

/// `find` hands what it finds to an editor of texts.
pub(super) fn edits_what_it_finds(arguments: &[&str]) -> bool {
    let runs = |word: &&str| matches!(*word, "-exec" | "-execdir" | "-ok" | "-okdir");
    arguments.split(runs).skip(1).any(|words| {
        words.split_first().is_some_and(|(program, rest)| {
            matches!(*program, "sed" | "gsed" | "perl" | "ruby") && rest.iter().any(is_in_place)
        })
    })
}

fn is_in_place(word: &&str) -> bool {
    word.starts_with("--in-place") || is_cluster_with(word, 'i')
}

/// The command changes files whose names other commands print.
pub(super) fn changes_what_it_is_given(command: &Command<'_>) -> bool {
    let is_given =
        command.is_fed() || command.arguments.iter().any(|word| word.contains("$(") || word.contains('`'));
    let changes = match command.touch {
        Touch::Removes | Touch::Moves => true,
        Touch::Runs | Touch::Unknown => command.edits() || command.arguments.iter().any(is_in_place),
        _ => false,
    };
    is_given && changes && !command.only_reads()
}

/// The folders all of whose files the command lists; `by_content` if it is our content that is looked for.
pub(super) fn listed<'a>(command: &Command<'a>, by_content: bool) -> Vec<&'a str> {
    let words = command.arguments.as_slice();
    let has = |letter| words.iter().any(|word| is_cluster_with(word, letter));
    let is_narrow = |word: &&str| {
        ["--include", "--exclude-dir", "--glob", "-g", "-t"].iter().any(|o| word.starts_with(o))
    };
    let mut folders = command.operands();
    if command.is_called("find") && (by_content || finds_all(words)) {
        folders = words.iter().take_while(|word| !word.starts_with(['-', '(', '!'])).copied().collect();
    } else if !by_content || words.iter().any(is_narrow) {
        return Vec::new();
    } else if (command.is_called("grep") && (has('r') || has('R') || words.contains(&"--recursive")))
        || (command.is_called("rg") && (words.contains(&"--hidden") || has('.') || has('u')))
        || (command.is_called("git") && subcommand(words).0 == "grep")
    {
        // The first one is the pattern.
        folders.drain(..folders.len().min(1));
    } else if !(command.is_called("git") && subcommand(words).0 == "ls-files") {
        return Vec::new();
    }
    if folders.is_empty() { vec!["."] } else { folders }
}
