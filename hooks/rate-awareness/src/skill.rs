//! The skill a call is made under: what the model named last, else where the call is made. Paths are looked at, not disks.

use std::borrow::Cow;
use std::path::Path;

use secrets::masked;

/// The name where there is no skill.
pub(crate) const UNGATED: &str = "ungated";

/// Stands for names that are remembered and shown to nobody: a name may hold anything.
const UNNAMED: &str = "unnamed";

/// A longer name is not plausible, in bytes.
const MAX_BYTES: usize = 64;

/// The name as it is kept and shown; `None` if it is none.
pub(crate) fn name(text: &str) -> Option<&str> {
    let name = text.trim().trim_start_matches('/');
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | ':');
    let is_harmless = || matches!(masked(name), Cow::Borrowed(_));
    match name {
        "" => None,
        _ if name.len() <= MAX_BYTES && name.chars().all(is_part) && is_harmless() => Some(name),
        _ => Some(UNNAMED),
    }
}

/// The skill whose folder `dir` lies in or is: the nearest `skills/<name>` at or above it.
pub(crate) fn around(dir: &Path) -> Option<&str> {
    let below_skills = |folder: &Path| folder.parent().is_some_and(|parent| parent.ends_with("skills"));
    dir.ancestors()
        .filter(|folder| below_skills(folder))
        .find_map(|folder| name(folder.file_name()?.to_str()?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{around, name};

    #[test]
    fn the_nearest_folder_of_skills_names_the_skill() {
        for (dir, skill) in [
            ("/p/skills/alpha/scripts/deep", Some("alpha")),
            ("/p/skills/alpha/skills/beta/x", Some("beta")),
            ("/p/.claude/skills/with_line/", Some("with_line")),
            ("/p/skills/with space/x", Some("unnamed")),
            ("/p/skills", None),
            ("/p/myskills/alpha", None),
            ("/p/Skills/alpha", None),
            ("/", None),
            ("/p/skills/..", None),
        ] {
            assert_eq!(around(Path::new(dir)), skill, "{dir}");
        }
    }

    #[test]
    fn a_plausible_name_is_kept() {
        for (text, expected) in [
            ("plugin:deep-research", Some("plugin:deep-research")),
            ("café", Some("café")),
            ("  /commit ", Some("commit")),
            (" / ", None),
            ("a\u{1b}[31m", Some("unnamed")),
            (&"x".repeat(65), Some("unnamed")),
            (&format!("ghp_{}", "a1B2".repeat(9)), Some("unnamed")),
        ] {
            assert_eq!(name(text), expected, "{text:?}");
        }
    }
}
