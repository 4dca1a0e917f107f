//! A program we ran has failed and has said why: its exit status becomes ours, and nothing is added.

use std::fmt;
use std::process::ExitStatus;

/// The exit code to end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended(pub(crate) u8);

impl Ended {
    /// An error unless the program succeeded.
    pub(crate) fn check(status: ExitStatus) -> anyhow::Result<()> {
        if status.success() {
            return Ok(());
        }
        let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
        // 2 means "block" to the client, should one of its hooks ever run us.
        Err(Self(if matches!(code, 0 | 2) { 1 } else { code }).into())
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ended with {}", self.0)
    }
}

impl std::error::Error for Ended {}
