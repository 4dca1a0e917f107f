//! From a word of a shell line to the path it means.

use std::path::{Path, PathBuf};

use super::Guarded;

/// Where a word leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// To this absolute path, in which `..` may stand.
    At(PathBuf),
    /// Somewhere: only how the path ends is known.
    Somewhere(PathBuf),
}

impl Place {
    /// What `name` means from here.
    pub(super) fn join(&self, name: &str) -> Self {
        match self {
            Self::At(folder) => Self::At(folder.join(name)),
            Self::Somewhere(_) if Path::new(name).is_absolute() => Self::At(PathBuf::from(name)),
            Self::Somewhere(end) => Self::Somewhere(crate::place::flat(&end.join(name))),
        }
    }

    pub(super) fn shown(&self) -> PathBuf {
        match self {
            Self::At(path) => crate::place::flat(path),
            Self::Somewhere(end) => end.clone(),
        }
    }
}

/// Where `word` leads from `folder`: home folders and the variables we know are filled in.
pub(super) fn place(word: &str, folder: &Place, guarded: &Guarded<'_>) -> Place {
    let (start, rest) = match beginning(word) {
        Some((expansion, rest)) => (known(expansion, folder, guarded), rest.trim_start_matches('/')),
        None => (Some(folder.clone()), word),
    };
    match (end_after_expansions(rest), start) {
        (None, Some(start)) => start.join(rest),
        (None, None) => Place::Somewhere(PathBuf::from(rest)),
        (Some(end), _) => Place::Somewhere(PathBuf::from(end)),
    }
}

/// A home folder or an expansion at the beginning of a word, and what follows it.
fn beginning(word: &str) -> Option<(&str, &str)> {
    let length = match word.as_bytes() {
        [b'~', ..] => word.find('/').unwrap_or(word.len()),
        [b'$', b'(' | b'{', ..] => closing(word)?,
        [b'`', ..] => word[1..].find('`')? + 2,
        [b'$', ..] => 1 + word[1..].find(|c: char| !is_name(c)).unwrap_or(word.len() - 1),
        _ => return None,
    };
    word.split_at_checked(length)
}

/// The length of `$(..)` or `${..}`.
fn closing(word: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, byte) in word.bytes().enumerate().skip(1) {
        match byte {
            b'(' | b'{' => open += 1,
            b')' | b'}' if open <= 1 => return Some(at + 1),
            b')' | b'}' => open -= 1,
            _ => {}
        }
    }
    None
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// What an expansion stands for, if it is one of those that lead to protected places.
fn known(expansion: &str, folder: &Place, guarded: &Guarded<'_>) -> Option<Place> {
    let inner = expansion.trim_start_matches(['$', '{', '(', '`']).trim_end_matches(['}', ')', '`']);
    let name = inner.split(':').next().unwrap_or_default();
    let path = match name {
        "~" | "HOME" => guarded.home,
        "PWD" | "pwd" => return Some(folder.clone()),
        "CLAUDE_PROJECT_DIR" => guarded.root,
        "CLAUDE_CONFIG_DIR" => guarded.config_dir,
        "CLAUDE_HOOK_STATE_DIR" => guarded.state_dirs.first().copied(),
        command if command.ends_with("--show-toplevel") => guarded.root,
        command if command.ends_with("--git-dir") || command.ends_with("--git-common-dir") => {
            guarded.common_dir
        }
        _ => None,
    };
    path.map(|path| Place::At(path.to_path_buf()))
}

/// What follows the last expansion in whole names; `None` without any.
fn end_after_expansions(word: &str) -> Option<&str> {
    let at = word.rfind(['$', '`'])?;
    let rest = &word[at + 1..];
    let end = match rest.as_bytes() {
        [b'(', ..] => rest.rfind(')').unwrap_or(rest.len()),
        [b'{', ..] => rest.rfind('}').unwrap_or(rest.len()),
        _ => 0,
    };
    Some(rest[end..].split_once('/').map_or("", |(_, names)| names))
}

/// Whether a name may be what the pattern stands for. `{..}` and `[..]` are taken to match more than they do.
pub(super) fn like(pattern: &str, name: &str) -> bool {
    if !is_pattern(Path::new(pattern)) {
        return pattern.eq_ignore_ascii_case(name);
    }
    let pattern = simplified(pattern);
    // A shell's patterns pass over hidden names.
    let hidden = name.starts_with('.') && !pattern.starts_with('.');
    !hidden && matches(pattern.as_bytes(), name.as_bytes())
}

/// Part of the path may stand for other names.
pub(super) fn is_pattern(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?[{".contains(byte))
}

/// With `*` and `?` only.
fn simplified(pattern: &str) -> String {
    let mut simple = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '{' => {
                simple.push('*');
                letters.by_ref().find(|letter| *letter == '}');
            }
            '[' => {
                simple.push('?');
                letters.by_ref().find(|letter| *letter == ']');
            }
            other => simple.push(other),
        }
    }
    simple
}

/// The last `*` is the only one to go back to, so the effort is at most the product of the lengths.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(wanted) if *wanted == b'?' || wanted.eq_ignore_ascii_case(&name[n]) => {
                (p, n) = (p + 1, n + 1);
            }
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                (p, n) = (at + 1, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|rest| *rest == b'*')
}
