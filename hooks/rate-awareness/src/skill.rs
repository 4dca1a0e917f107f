//! The skill a call is made under: what the model named last, else where the call is made. Paths are looked at, not disks.

use std::path::Path;

/// The name where there is no skill.
pub(crate) const UNGATED: &str = "ungated";

/// A longer name is none, in bytes: it is kept, and shown to people.
const MAX_BYTES: usize = 100;

/// The name as it is kept; `None` if it is none.
pub(crate) fn name(text: &str) -> Option<&str> {
    let name = text.trim().trim_start_matches('/');
    let is_name = !name.is_empty() && name.len() <= MAX_BYTES && !name.contains(char::is_control);
    is_name.then_some(name)
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
            ("/p/skills/alpha", Some("alpha")),
            ("/p/skills/alpha/scripts/deep", Some("alpha")),
            ("/p/skills/alpha/skills/beta/x", Some("beta")),
            ("/p/skills/alpha/skills", Some("alpha")),
            ("/p/.claude/skills/with space/", Some("with space")),
            ("/p/skills", None),
            ("/p/skills/", None),
            ("/p/myskills/alpha", None),
            ("/p/Skills/alpha", None),
            ("/p", None),
            ("/", None),
            ("", None),
            ("/p/skills/..", None),
            ("/p/skills/a\nb", None),
        ] {
            assert_eq!(around(Path::new(dir)), skill, "{dir}");
        }
    }

    #[test]
    fn a_name_is_short_and_printable() {
        let (short, long) = ("x".repeat(100), "x".repeat(101));
        for (text, expected) in [
            ("deep-research", Some("deep-research")),
            ("plugin:deep-research", Some("plugin:deep-research")),
            ("/commit", Some("commit")),
            ("  spaced  ", Some("spaced")),
            (&short, Some(short.as_str())),
            (&long, None),
            ("", None),
            (" / ", None),
            ("a\u{1b}[31m", None),
        ] {
            assert_eq!(name(text), expected, "{text:?}");
        }
    }
}
