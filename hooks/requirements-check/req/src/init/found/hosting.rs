//! Where a remote is hosted, from its URL alone.

/// Who hosts the remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hosting {
    GitHub,
    GitLab,
    Bitbucket,
    /// Somebody else, or a folder.
    Other,
}

impl Hosting {
    /// Told by the host's name: a company's own server is most often called after what runs on it.
    pub(crate) fn of(url: &str) -> Self {
        let host = host(url).to_ascii_lowercase();
        let known = [("github", Self::GitHub), ("gitlab", Self::GitLab), ("bitbucket", Self::Bitbucket)];
        known.into_iter().find(|(word, _)| host.contains(word)).map_or(Self::Other, |(_, hosting)| hosting)
    }

    /// As it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::GitHub => "GitHub",
            Self::GitLab => "GitLab",
            Self::Bitbucket => "Bitbucket",
            Self::Other => "a server",
        }
    }

    /// How a job there gets the history that `req ci` compares with.
    pub(crate) fn in_ci(self) -> &'static str {
        match self {
            Self::GitHub => "In a GitHub job, after actions/checkout with fetch-depth: 0, run: req ci",
            Self::GitLab => "In a GitLab job, with the variable GIT_DEPTH: 0, run: req ci",
            Self::Bitbucket => "In a Bitbucket step, with clone: depth: full, run: req ci",
            Self::Other => "In CI, in a clone with its whole history, run: req ci",
        }
    }
}

/// The host of `https://user@host/path`, `ssh://host:22/path` or `user@host:path`; empty for a folder.
fn host(url: &str) -> &str {
    let (address, is_url) = match url.split_once("://") {
        Some(("file", _)) => return "",
        Some((_, rest)) => (rest, true),
        None => (url, false),
    };
    let end = if is_url { address.find('/') } else { address.find(':') };
    let Some(end) = end.or_else(|| is_url.then_some(address.len())) else { return "" };
    let authority = &address[..end];
    let host = authority.rsplit('@').next().unwrap_or(authority);
    host.split(':').next().unwrap_or(host)
}
