//! Why there is no reading, as it is remembered and as it is reported.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::courier::{self, CourierError};

/// An attempt that brought nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    /// The server wants to be left alone for so long.
    pub(super) retry_after: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    NoLogin,
    Expired,
    /// The statuses 401 and 403.
    Refused,
    /// The status 429.
    TooMany,
    /// The statuses 500 to 599.
    Server,
    /// No answer of the usage API: another status, or another text.
    #[serde(alias = "strange")]
    Garbage,
    Unreachable,
    Timeout,
    NoCourier,
    NotKept,
}

impl Kind {
    /// The sentence for the user.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::NoLogin => "there is no login of Claude Code to ask with: log in with `claude`",
            Self::Expired => "the login has expired: start `claude`, which renews it",
            Self::Refused => "the server does not take the login: start `claude` and log in again",
            Self::TooMany => "the server was asked too often, and is left alone for a while",
            Self::Server => "the server has a fault of its own, and is asked again later",
            Self::Garbage => {
                "the server's answer cannot be read: is credit-pacer.usage_api.url right, and Barbless up to date?"
            }
            Self::Unreachable => "the server cannot be reached, and is asked again later",
            Self::Timeout => "the server does not answer in time, and is asked again later",
            Self::NoCourier => {
                "the program `courier`, which asks it, is missing beside credit-pacer or does not work: install again"
            }
            Self::NotKept => "what it said could not be written to the state folder",
        }
    }
}

impl From<Kind> for Failure {
    fn from(kind: Kind) -> Self {
        Self { kind, retry_after: None }
    }
}

impl From<CourierError> for Failure {
    fn from(error: CourierError) -> Self {
        let kind = match error {
            CourierError::NotStarted(..) | CourierError::Speechless => Kind::NoCourier,
            CourierError::Late | CourierError::Failed { kind: courier::Kind::Timeout, .. } => Kind::Timeout,
            CourierError::Failed { kind: courier::Kind::Unreachable, .. } => Kind::Unreachable,
            CourierError::Failed { .. } => Kind::Garbage,
        };
        kind.into()
    }
}
