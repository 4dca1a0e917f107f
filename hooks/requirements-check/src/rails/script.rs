//! Names of protected files in a text that is code, or a line that cannot be read.

/// What stands for a protected file or folder where only a text is seen.
const NAMES: [&str; 6] = [
    "requirements.yaml",
    "requirements.local.yaml",
    ".claude/settings",
    "hook-state",
    ".git/requirements",
    "env:claudecode",
];

/// The first protected name in `text`, upper and lower case alike.
pub(super) fn protected_name(text: &str) -> Option<&'static str> {
    let text = text.to_ascii_lowercase().replace('\\', "/");
    NAMES.into_iter().find(|name| text.match_indices(name).any(|(at, _)| is_meant(&text, at, name)))
}

/// The same where a shell has been read that does not take `\` for a separator.
pub(super) fn protected_name_without_separators(text: &str) -> Option<&'static str> {
    let bare = |text: &str| text.to_ascii_lowercase().replace(['/', '\\'], "");
    NAMES.into_iter().find(|name| bare(text).contains(&bare(name)))
}

/// The name stands for itself, not for the end or the beginning of a longer one or a file in another folder.
fn is_meant(text: &str, at: usize, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let (before, after) = (&text[..at], &text[at + name.len()..]);
    if name.starts_with("requirements") {
        let folder = before
            .strip_suffix('/')
            .map(|path| path.rsplit(|c: char| !part(c) && c != '.').next().unwrap_or_default());
        let is_other = folder.is_some_and(|folder| !matches!(folder, "" | "." | ".." | ".claude"));
        let is_longer = after.strip_prefix('.').unwrap_or(after).starts_with(part);
        return !is_other && !before.ends_with(part) && !is_longer;
    }
    !before.ends_with(part)
}

/// A word that is more than a name: code, a sentence, a line for a shell.
pub(super) fn is_text(word: &str) -> bool {
    word.contains([' ', '\t', '\n', '\'', '"', '(', ')', ';', ',', '|', '<', '>', '&'])
}

/// What may be a path in a word: all of it, the value of an option, and, of a text, its parts.
pub(super) fn paths(word: &str) -> impl Iterator<Item = &str> {
    let attached =
        word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
    let value = word.split_once('=').map(|(_, value)| value);
    let parts =
        word.split(|c: char| c.is_whitespace() || "'\"();,|<>&=:`".contains(c)).filter(|_| is_text(word));
    [Some(word), attached, value].into_iter().flatten().chain(parts).filter(|part| !part.is_empty())
}
