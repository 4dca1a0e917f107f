//! The repository's remote, as its configuration names it. Nothing is opened and nobody is asked.

use std::path::Path;

/// A remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remote {
    /// Its name: `origin`.
    pub(crate) name: String,
    /// Its URL; not to be shown, because a password may stand in it.
    pub(crate) url: String,
}

/// `origin`, else the first remote that has a URL.
pub(crate) fn remote(common_dir: &Path) -> Option<Remote> {
    let mut config = git2::Config::open(&common_dir.join("config")).ok()?;
    let config = config.snapshot().ok()?;
    let mut found: Option<Remote> = None;
    let mut entries = config.entries(Some(r"^remote\..*\.url$")).ok()?;
    while let Some(Ok(entry)) = entries.next() {
        let (Ok(key), Ok(url)) = (entry.name(), entry.value()) else { continue };
        let Some(name) = key.strip_prefix("remote.").and_then(|rest| rest.strip_suffix(".url")) else {
            continue;
        };
        if found.is_none() || name == "origin" {
            found = Some(Remote { name: name.to_owned(), url: url.to_owned() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::remote;

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
        assert_eq!(name("[remote \"x\"]\n\tfetch = +refs/heads/*\n"), None);
        assert_eq!(name("[remote"), None);
        std::fs::remove_file(folder.path().join("config")).unwrap();
        assert_eq!(remote(folder.path()), None);
    }
}
