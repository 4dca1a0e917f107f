//! The repository's remotes, as its configuration names them. Nothing is opened and nobody is asked.

use std::path::Path;

/// The repository was cloned from somewhere, or is pushed there.
pub(crate) fn has_remote(common_dir: &Path) -> bool {
    named(common_dir).is_some_and(|names| !names.is_empty())
}

/// The remotes that have a URL, and `origin`, which a checkout without any is called by.
pub fn remotes(common_dir: &Path) -> Vec<String> {
    std::iter::once("origin".to_owned()).chain(named(common_dir).unwrap_or_default()).collect()
}

fn named(common_dir: &Path) -> Option<Vec<String>> {
    let config = git2::Config::open(&common_dir.join("config")).ok()?.snapshot().ok()?;
    let mut names = Vec::new();
    let mut entries = config.entries(Some(r"^remote\..*\.url$")).ok()?;
    while let Some(Ok(entry)) = entries.next() {
        let name = entry.name().ok().and_then(|key| key.strip_prefix("remote.")?.strip_suffix(".url"));
        names.extend(name.map(ToOwned::to_owned));
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::{has_remote, remotes};

    #[test]
    fn remotes_are_those_with_a_url_and_origin() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!has_remote(folder.path()), "no configuration");
        let two = "[remote \"a\"]\n\turl = u\n[remote \"their/fork\"]\n\turl = o\n";
        for (text, expected) in [
            ("[core]\n\tbare = false\n", &["origin"][..]),
            ("[remote \"x\"]\n\tfetch = +refs/heads/*\n", &["origin"]),
            ("[remote", &["origin"]),
            (two, &["origin", "a", "their/fork"]),
        ] {
            std::fs::write(folder.path().join("config"), text).unwrap();
            assert_eq!(remotes(folder.path()), expected, "{text}");
            assert_eq!(has_remote(folder.path()), expected.len() > 1, "{text}");
        }
    }
}
