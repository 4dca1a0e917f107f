//! One call of a model: the request and the reply.

use std::time::Instant;

use serde_json::Value;

use super::silence::Silence;

/// The most tokens of an answer; newer models think first, and that counts.
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Tokens read, those from a cache included.
    pub(super) input: u64,
    pub(super) output: u64,
}

impl Tokens {
    /// The tokens of `usage` as the API reports them; `None` without both numbers.
    pub(super) fn of(usage: &Value) -> Option<Self> {
        let count = |name: &str| usage[name].as_u64();
        let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"].into_iter().filter_map(count);
        let input = cached.fold(count("input_tokens")?, u64::saturating_add);
        Some(Self { input, output: count("output_tokens")? })
    }
}

/// The verdict, and what the backend reports of its cost. A failure may have cost money, too.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reply {
    pub(super) verdict: Result<Value, Silence>,
    pub(super) tokens: Option<Tokens>,
    /// Cost in millionths of a US dollar.
    pub(super) micro_usd: Option<u64>,
}

impl From<Silence> for Reply {
    fn from(why: Silence) -> Self {
        Self { verdict: Err(why), tokens: None, micro_usd: None }
    }
}
