//! `declare`: a change announced by a command: its words, what makes it a declaration, and the line that makes one. Pure.

use crate::declaration::Declaration;

/// A part may be so long, in characters.
const MAX_PART: usize = 1_000;

const USAGE: &str =
    "intent-validator declare --file F --changes C --goal G [--test T | --user-permission QUOTE]";

/// Reads the words after `declare`.
///
/// # Errors
/// What is wrong with them.
pub(crate) fn parse(words: &[&str]) -> Result<Declaration, String> {
    let mut parts: [Option<String>; 5] = Default::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (option, given) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (*word, None),
        };
        let index = OPTIONS.iter().position(|known| *known == option);
        let Some(index) = index else { return Err(format!("declare: unknown word {option}\n{USAGE}")) };
        let Some(value) = given.or_else(|| words.next().copied()) else {
            return Err(format!("declare: {option} needs a value\n{USAGE}"));
        };
        if parts[index].replace(value.trim().to_owned()).is_some() {
            return Err(format!("declare: {option} is given twice\n{USAGE}"));
        }
    }
    let [file, changes, goal, test, user_permission] = parts;
    let needed = |part: Option<String>, option: &str| {
        part.ok_or_else(|| format!("declare: {option} is missing\n{USAGE}"))
    };
    Ok(Declaration {
        file: needed(file, OPTIONS[0])?,
        changes: needed(changes, OPTIONS[1])?,
        goal: needed(goal, OPTIONS[2])?,
        test,
        user_permission,
    })
}

const OPTIONS: [&str; 5] = ["--file", "--changes", "--goal", "--test", "--user-permission"];

/// What keeps it from being a declaration; `wants_test`: the file is core code.
pub(crate) fn fault(declaration: &Declaration, wants_test: bool) -> Option<String> {
    let Declaration { file, changes, goal, test, user_permission } = declaration;
    let parts = [Some(file), Some(changes), Some(goal), test.as_ref(), user_permission.as_ref()];
    for (option, part) in OPTIONS.iter().zip(parts) {
        let Some(part) = part else { continue };
        if is_placeholder(part) {
            return Some(format!("declare: {option} is empty or a placeholder; say it in words"));
        }
        if part.chars().count() > MAX_PART {
            return Some(format!("declare: {option} has more than {MAX_PART} characters; say it shorter"));
        }
    }
    if test.is_some() && user_permission.is_some() {
        return Some("declare: either --test or --user-permission, not both".to_owned());
    }
    (wants_test && test.is_none() && user_permission.is_none()).then(|| {
        format!(
            "declare: {file} is core code: name the test with --test, or quote the user's permission to go without with \
             --user-permission"
        )
    })
}

/// Nothing, signs alone, a capital that stands for something, or words in angle brackets.
fn is_placeholder(part: &str) -> bool {
    let part = part.trim();
    let is_slot = part.starts_with('<') && part.ends_with('>') && part.matches('<').count() == 1;
    is_slot || !part.contains(char::is_alphanumeric) || matches!(part, "F" | "C" | "G" | "T" | "QUOTE")
}

/// The line that declares it in a shell.
pub(crate) fn line(program: &str, declaration: &Declaration) -> String {
    let Declaration { file, changes, goal, test, user_permission } = declaration;
    let parts = [Some(file), Some(changes), Some(goal), test.as_ref(), user_permission.as_ref()];
    let given = OPTIONS.iter().zip(parts).filter_map(|(option, part)| Some((option, part?)));
    given.fold(format!("{program} declare"), |line, (option, part)| {
        format!("{line} {option} {}", quoted(part))
    })
}

/// As every shell reads it, and as [`shared::own_calls`] does, which knows no backslash.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "_-./:,@%+".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\"'\"'"))
    }
}

#[cfg(test)]
mod tests;
