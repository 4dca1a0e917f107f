//! What a question costs.

use super::exchange::Tokens;
use super::settings::Settings;

/// What so many tokens of a model cost, in millionths of a US dollar, rounded up.
pub(super) fn of(_settings: &Settings, _model: &str, _tokens: Tokens) -> u64 {
    0
}
