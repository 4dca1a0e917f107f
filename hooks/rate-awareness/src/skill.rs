//! The skill a call is made under: what the model named last, else where the call is made. Paths are looked at, not disks.
//!
//! A name is remembered and shown to people, and whoever writes it may write anything there: what is no plausible name, or
//! looks like a secret, is known by a hash.

use std::borrow::Cow;
use std::path::Path;

use secrets::masked;
use sha2::{Digest, Sha256};

/// The name where there is no skill.
pub(crate) const UNGATED: &str = "ungated";

/// How a short name begins.
const SHORT: &str = "skill-";

/// A longer name is not plausible, in bytes.
const MAX_BYTES: usize = 64;

/// The name as it is kept and shown, itself or a short one in its place; `None` if it is none.
pub(crate) fn name(text: &str) -> Option<Cow<'_, str>> {
    let name = text.trim().trim_start_matches('/');
    let is_kept = || is_plausible(name) && matches!(masked(name), Cow::Borrowed(_));
    match name {
        "" => None,
        _ if is_kept() => Some(Cow::Borrowed(name)),
        _ => Some(Cow::Owned(short(name))),
    }
}

/// Of letters, digits and what joins them, as a folder's or a plugin's name is.
fn is_plausible(name: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | ':');
    name.len() <= MAX_BYTES && name.chars().all(is_part)
}

/// `skill-1a2b3c4d`: enough to tell the skills of a session apart, and no way back to the name.
fn short(name: &str) -> String {
    let digest = Sha256::digest(name);
    digest.iter().take(4).fold(SHORT.to_owned(), |name, byte| format!("{name}{byte:02x}"))
}

/// The short name stands for this one.
pub(crate) fn stands_for(short_name: &str, text: &str) -> bool {
    short_name.starts_with(SHORT) && name(text).is_some_and(|name| name == short_name)
}

/// The skill whose folder `dir` lies in or is: the nearest `skills/<name>` at or above it.
pub(crate) fn around(dir: &Path) -> Option<Cow<'_, str>> {
    let below_skills = |folder: &Path| folder.parent().is_some_and(|parent| parent.ends_with("skills"));
    dir.ancestors()
        .filter(|folder| below_skills(folder))
        .find_map(|folder| name(folder.file_name()?.to_str()?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{around, name};

    /// Neither the name nor a part of it, but always the same for the same one.
    fn is_short(name: &str) -> bool {
        let digits = name.strip_prefix("skill-");
        digits.is_some_and(|digits| digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }

    #[test]
    fn the_nearest_folder_of_skills_names_the_skill() {
        for (dir, skill) in [
            ("/p/skills/alpha", Some("alpha")),
            ("/p/skills/alpha/scripts/deep", Some("alpha")),
            ("/p/skills/alpha/skills/beta/x", Some("beta")),
            ("/p/skills/alpha/skills", Some("alpha")),
            ("/p/.claude/skills/with_line/", Some("with_line")),
            ("/p/skills", None),
            ("/p/skills/", None),
            ("/p/myskills/alpha", None),
            ("/p/Skills/alpha", None),
            ("/p", None),
            ("/", None),
            ("", None),
            ("/p/skills/..", None),
        ] {
            assert_eq!(around(Path::new(dir)).as_deref(), skill, "{dir}");
        }
    }

    #[test]
    fn a_plausible_name_is_kept() {
        let long = "x".repeat(64);
        for (text, expected) in [
            ("deep-research", Some("deep-research")),
            ("plugin:deep-research", Some("plugin:deep-research")),
            ("a.b_c:2", Some("a.b_c:2")),
            ("café", Some("café")),
            ("/commit", Some("commit")),
            ("  spaced  ", Some("spaced")),
            (&long, Some(long.as_str())),
            ("", None),
            (" / ", None),
        ] {
            assert_eq!(name(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_plausible_name_or_looks_like_a_secret_is_known_by_a_hash() {
        let long = "x".repeat(65);
        let token = ["gh", "p_"].concat() + &"a1B2c3D4".repeat(4);
        for text in ["with space", "a\u{1b}[31m", "a/b", "a=b", "a\nb", &long, &token] {
            let kept = name(text).unwrap();
            assert!(is_short(&kept), "{text:?} is kept as {kept}");
            assert_eq!(name(text), name(&format!(" {text} ")), "{text:?}");
        }
        assert_ne!(name("with space"), name("with spaces"));
        assert!(is_short(&around(Path::new("/p/skills/with space/x")).unwrap()));
    }
}
