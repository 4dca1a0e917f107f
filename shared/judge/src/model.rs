//! One call of a model: the request, the reply, and the errors.

use std::time::Instant;

use serde_json::Value;

/// So many tokens an answer may have; newer models think first, and that counts.
pub(super) const MAX_OUTPUT_TOKENS: u32 = 4_000;

/// One question to one model.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    pub(super) model: &'a str,
    pub(super) instructions: &'a str,
    /// Everything else, see [`super::question::material`].
    pub(super) material: &'a str,
    pub(super) verdicts: &'a Value,
    pub(super) deadline: Instant,
}

/// What a model read and wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// It read, those from a cache included.
    pub(super) input: u64,
    pub(super) output: u64,
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reply {
    pub(super) verdict: Value,
    pub(super) tokens: Tokens,
    /// What it cost, where the backend says so, in millionths of a US dollar.
    pub(super) micro_usd: Option<u64>,
}

/// No verdict came back, but money may be gone all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) error: AskError,
    /// What it took, where the backend says so.
    pub(super) tokens: Option<Tokens>,
    /// What it cost, where the backend says so, in millionths of a US dollar.
    pub(super) micro_usd: Option<u64>,
}

impl From<AskError> for Failure {
    /// Nothing is known of what it took.
    fn from(error: AskError) -> Self {
        Self { error, tokens: None, micro_usd: None }
    }
}

/// Why there is no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// There is no key in the environment.
    #[error("there is no ANTHROPIC_API_KEY in the environment")]
    NoKey,
    /// What carries the question cannot be started.
    #[error("the program that asks cannot be started")]
    NotStarted,
    /// The server, or the network, cannot be reached.
    #[error("the model cannot be reached")]
    Unreachable,
    /// The deadline has passed.
    #[error("the model did not answer in time")]
    Late,
    /// The login or the key is refused (401, 403), or there is no login.
    #[error("the key or the login is refused")]
    Unauthorized,
    /// Too many requests, or a usage limit is reached (429).
    #[error("the model is limited for now")]
    Limited,
    /// The server is overloaded or broken (529, 5xx).
    #[error("the model is overloaded")]
    Overloaded,
    /// The request is refused (400, 404, 413): the model's name, or what it cannot do.
    #[error("the request is refused; is the model's name right?")]
    Refused,
    /// What came back is no verdict.
    #[error("the model's answer is no verdict")]
    InvalidResponse,
}

impl AskError {
    /// A model may have answered all the same, and been paid for it.
    pub(super) const fn may_have_cost(self) -> bool {
        matches!(self, Self::Late | Self::InvalidResponse)
    }
}
