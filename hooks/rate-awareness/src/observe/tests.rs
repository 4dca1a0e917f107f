//! Hashes, and the names of skills.

use std::path::Path;

use super::{digest, skill_around, skill_name};

#[test]
fn a_hash_tells_apart_what_is_put_together_differently() {
    assert_eq!(digest(["Bash", "{}"]), digest(["Bash", "{}"]));
    for other in [["Bash{", "}"], ["Bas", "h{}"], ["", "Bash{}"], ["Bash", "{ }"], ["{}", "Bash"]] {
        assert_ne!(digest(["Bash", "{}"]), digest(other), "{other:?}");
    }
}

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
        assert_eq!(skill_around(Path::new(dir)), skill, "{dir}");
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
        assert_eq!(skill_name(text), expected, "{text:?}");
    }
}
