//! What comes from outside, and where programs that fetch or unpack it put it; and what git takes from another commit.

use super::command::Command;
use super::touch::{is_cluster_with, subcommand};

/// Where something comes to lie.
#[derive(Debug, Default)]
pub(super) struct Arrivals<'a> {
    /// Folders that get files of unknown names.
    pub(super) folders: Vec<&'a str>,
    /// Files and folders of these names, in the last of the folders or where the command works.
    pub(super) names: Vec<&'a str>,
}

/// `curl` and `wget`: names in the folder that is given, if one is; what is downloaded has no other name than asked for.
pub(super) fn fetched<'a>(command: &Command<'a>) -> (Option<&'a str>, Vec<&'a str>) {
    let words = command.arguments.as_slice();
    let (folder, written, keeps_names) = if command.is_called("curl") {
        let options = [('o', "--output"), ('D', "--dump-header"), ('c', "--cookie-jar")];
        let remote = |word: &&str| word.starts_with("--remote-name") || is_cluster_with(word, 'O');
        (values(words, None, "--output-dir"), written(words, options), words.iter().any(remote))
    } else {
        let options = [('O', "--output-document"), ('o', "--output-file"), ('a', "--append-output")];
        let written = written(words, options);
        (values(words, Some('P'), "--directory-prefix"), written, true)
    };
    let addresses = command.operands().into_iter().filter(|word| keeps_names && word.contains('/'));
    let names = addresses.filter_map(|word| word.rsplit('/').next()).filter(|name| !name.is_empty());
    (folder.last().copied(), names.chain(written).collect())
}

fn written<'a>(words: &[&'a str], options: [(char, &str); 3]) -> Vec<&'a str> {
    options.into_iter().flat_map(|(short, long)| values(words, Some(short), long)).collect()
}

/// `tar` and `unzip`, if they unpack into files.
pub(super) fn unpacked<'a>(command: &Command<'a>) -> Option<Arrivals<'a>> {
    let words = command.arguments.as_slice();
    if command.is_called("unzip") {
        let lists = |word: &&str| {
            !word.starts_with("-d")
                && ['c', 'l', 'p', 't', 'v', 'z', 'Z'].iter().any(|c| is_cluster_with(word, *c))
        };
        // After `-x` stand the names that are left out.
        let names = words.iter().take_while(|word| **word != "-x").filter(|word| !word.starts_with('-'));
        let arrivals = Arrivals { folders: values(words, Some('d'), "-d"), names: names.copied().collect() };
        return (!words.iter().any(lists)).then_some(arrivals);
    }
    let is_bundle = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let bundle = words.first().filter(is_bundle).copied().unwrap_or_default();
    let has = |letter: char, long: [&str; 2]| {
        bundle.contains(letter)
            || words.iter().any(|word| is_cluster_with(word, letter) || long.contains(word))
    };
    let unpacks = has('x', ["--extract", "--get"]) && !has('O', ["--to-stdout", "--to-command"]);
    let folders = values(words, Some('C'), "--directory");
    unpacks.then(|| Arrivals { folders, names: command.operands() })
}

/// The paths that git takes from another commit. `HEAD` is none: to take back edits needs no other commit.
pub(super) fn taken_from_a_commit<'a>(command: &Command<'a>) -> Vec<&'a str> {
    let (name, words) = subcommand(&command.arguments);
    let operands = |words: &[&'a str]| -> Vec<&'a str> {
        words.iter().copied().filter(|word| !word.starts_with('-')).collect()
    };
    let is_other = |commit: &str| !matches!(commit, "HEAD" | "@");
    if name == "restore" {
        let sources = values(words, Some('s'), "--source");
        let mut paths = operands(words);
        paths.retain(|path| !sources.contains(path));
        return if sources.into_iter().any(is_other) { paths } else { Vec::new() };
    }
    let makes_a_branch =
        |word: &&str| matches!(*word, "-b" | "-B" | "-t" | "--orphan" | "--track" | "--detach");
    let mut halves = words.splitn(2, |word| *word == "--");
    let mut before = operands(halves.next().unwrap_or_default());
    let paths = match halves.next() {
        Some(after) => after.to_vec(),
        None => before.split_off(before.len().min(1)),
    };
    let from_other = before.first().is_some_and(|commit| is_other(commit));
    if from_other && !words.iter().any(makes_a_branch) { paths } else { Vec::new() }
}

/// All values of an option: `-o x`, `-so x`, `-ox`, `--output x`, `--output=x`.
fn values<'a>(words: &[&'a str], short: Option<char>, long: &str) -> Vec<&'a str> {
    let attached = |word: &'a str| {
        let in_cluster = || {
            let cluster = word.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'))?;
            cluster.split_once(short?).map(|(_, value)| value)
        };
        let in_long = || word.strip_prefix(long)?.strip_prefix('=');
        if word == long { Some("") } else { in_long().or_else(in_cluster) }
    };
    let after = words.iter().skip(1).copied().chain([""]);
    let found = words.iter().zip(after).filter_map(|(word, next)| match attached(word)? {
        "" => Some(next),
        value => Some(value),
    });
    found.filter(|value| !value.is_empty()).collect()
}
