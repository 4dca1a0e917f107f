//! The repository's remote, as its configuration names it. Nothing is opened and nobody is asked.

use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Its name: `origin`.
    pub name: String,
    /// Its URL; not to be shown, because a password may stand in it.
    pub url: String,
}

/// `origin`, else the first remote that has a URL.
pub fn remote(common_dir: &Path) -> Option<Remote> {
    let mut all = all(common_dir).unwrap_or_default();
    let index = all.iter().position(|remote| remote.name == "origin").unwrap_or(0);
    (index < all.len()).then(|| all.swap_remove(index))
}

/// The names of those that have a URL, and `origin`, which a checkout without any is called by.
pub fn remotes(common_dir: &Path) -> Vec<String> {
    let named = all(common_dir).unwrap_or_default().into_iter().map(|remote| remote.name);
    std::iter::once("origin".to_owned()).chain(named).collect()
}

fn all(common_dir: &Path) -> Option<Vec<Remote>> {
    let mut config = git2::Config::open(&common_dir.join("config")).ok()?;
    let config = config.snapshot().ok()?;
    let mut found = Vec::new();
    let mut entries = config.entries(Some(r"^remote\..*\.url$")).ok()?;
    while let Some(Ok(entry)) = entries.next() {
        let (Ok(key), Ok(url)) = (entry.name(), entry.value()) else { continue };
        let name = key.strip_prefix("remote.").and_then(|rest| rest.strip_suffix(".url"));
        found.extend(name.map(|name| Remote { name: name.to_owned(), url: url.to_owned() }));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::{remote, remotes};

    #[test]
    fn origin_comes_first_and_a_repository_may_have_none() {
        let folder = tempfile::tempdir().unwrap();
        let name = |text: &str| {
            std::fs::write(folder.path().join("config"), text).unwrap();
            remote(folder.path()).map(|remote| (remote.name, remote.url))
        };
        assert_eq!(name("[core]\n\tbare = false\n"), None);
        assert_eq!(name("[remote \"up\"]\n\turl = u\n"), Some(("up".to_owned(), "u".to_owned())));
        let two = "[remote \"a\"]\n\turl = u\n[remote \"origin\"]\n\turl = o\n[remote \"z\"]\n\turl = z\n";
        assert_eq!(name(two), Some(("origin".to_owned(), "o".to_owned())));
        assert_eq!(remotes(folder.path()), ["origin", "a", "origin", "z"]);
        assert_eq!(name("[remote \"x\"]\n\tfetch = +refs/heads/*\n"), None);
        assert_eq!(name("[remote"), None);
        std::fs::remove_file(folder.path().join("config")).unwrap();
        assert_eq!(remote(folder.path()), None);
    }
}
