//! For tests of texts.

use shared::host::{Clock, Environment, Host, Timestamp};

pub(crate) fn host() -> Host {
    let started = Timestamp::from_secs(1_000_000);
    Host { started, clock: Clock::System, environment: Environment::default() }
}

/// No text of ours has a brace but those of its placeholders.
#[track_caller]
pub(crate) fn assert_filled(text: &str) {
    assert!(!text.contains(['{', '}']), "{text}");
}
