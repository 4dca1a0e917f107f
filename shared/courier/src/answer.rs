//! The outcome of a request.

use std::collections::BTreeMap;

use serde::Serialize;

/// The server's answer, whatever its status.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// By lower-case names; what stands several times is joined with commas.
    pub(crate) headers: BTreeMap<String, String>,
    /// As far as it was read; what is not UTF-8 in it is replaced.
    pub(crate) body: String,
    /// There was more of it than was asked for.
    pub(crate) truncated: bool,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Failure {
    error: Kind,
    /// For people; nothing of the request's headers or body.
    message: String,
}

impl Failure {
    pub(crate) fn new(error: Kind, message: impl Into<String>) -> Self {
        Self { error, message: message.into() }
    }

    #[cfg(test)]
    pub(crate) const fn kind(&self) -> Kind {
        self.error
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The host is not known, cannot be reached, or could not prove who it is.
    Unreachable,
    Timeout,
    /// The part before the answer's body is too long.
    TooLarge,
    /// The request is none, or none that is carried.
    BadRequest,
    /// Anything else, such as an answer that is no HTTP.
    Other,
}
