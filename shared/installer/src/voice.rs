//! In whose words the user is told what to type: with the source tree it is `cargo xtask`, without it `req hooks`.
//! What is said is the same otherwise, and what is done is.

use std::fmt::Display;

/// The command line that speaks.
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
        let program = match self {
            Self::Xtask => "cargo xtask",
            Self::Req => "req hooks",
        };
        format!("{program} {words}")
    }

    /// The line that puts right what is deployed.
    pub const fn deploy_again(self) -> &'static str {
        match self {
            Self::Xtask => "cargo xtask sync",
            // The `req` in the user's path is a deployed one: what it lies beside is what has to be put right.
            Self::Req => "req hooks install --from <the unpacked archive>",
        }
    }

    /// The line that removes what no hook owns any more.
    pub const fn prune(self) -> &'static str {
        match self {
            Self::Xtask => "cargo xtask sync --prune",
            Self::Req => "req hooks install --prune",
        }
    }

    /// What removes the user's data too, once everything else is gone: a deployed `req` has gone with the rest.
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

#[cfg(test)]
mod tests {
    use super::Voice;

    #[test]
    fn each_names_lines_of_its_own_only() {
        for (voice, program, other) in
            [(Voice::Xtask, "cargo xtask ", "req"), (Voice::Req, "req hooks ", "cargo")]
        {
            for line in [&*voice.line("undo"), voice.deploy_again(), voice.prune()] {
                assert!(line.starts_with(program) && !line.contains(other), "{line}");
            }
            assert!(voice.purge().contains(program) && !voice.purge().contains(other), "{}", voice.purge());
        }
    }
}
