//! The command line whose words messages name: `cargo xtask` with the source tree, `req hooks` without it.

use std::fmt::Display;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// `cargo xtask`, which builds.
    Xtask,
    /// `req hooks`, which takes what is there.
    Req,
}

impl Voice {
    /// The command with these words behind it, to be typed.
    pub fn line(self, words: impl Display) -> String {
        let program = if self == Self::Xtask { "cargo xtask" } else { "req hooks" };
        format!("{program} {words}")
    }

    /// The line that copies the programs again. A `req` in the user's path is an installed one: it lies beside what has to be
    /// replaced.
    pub fn deploy_again(self) -> String {
        let archive = "install --from <the unpacked archive>";
        self.line(if self == Self::Xtask { "sync" } else { archive })
    }

    /// The line that removes files which no hook owns any more.
    pub fn prune(self) -> String {
        self.line(if self == Self::Xtask { "sync --prune" } else { "install --prune" })
    }

    /// What removes the user's data too, once everything else is gone: an installed `req` has gone with the rest.
    pub const fn purge(self) -> &'static str {
        match self {
            Self::Xtask => "`cargo xtask uninstall --purge` removes it",
            Self::Req => {
                "to remove it, run uninstall with --purge where the hooks came from: in the unpacked archive (./req hooks uninstall --purge) or in the source tree"
            }
        }
    }

    /// What knows the hooks there are.
    pub const fn origin(self) -> &'static str {
        match self {
            Self::Xtask => "this source tree",
            Self::Req => "this version",
        }
    }
}
