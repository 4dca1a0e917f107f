//! Tests under the real client: what the model was shown and what the tools really did, with our hooks registered. Run
//! by `cargo xtask e2e`, which installs the pinned client and says where it is; without that every test here fails.
//! Each test has its own sandbox and its own scripted API, so all may run at once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod credit_pacer;
mod delegation_guard;
mod doctor;
mod facts;
mod installed;
mod intent_validator;
mod judge_cli;
mod judging;
mod pause_recorder;
mod plugin;
mod rate_awareness;
mod registered;
mod requirements_check;
mod scopes;
mod smoke;
mod stop_momentum;
mod tempo_stop;
mod together;
mod typing;

#[test]
fn every_file_of_the_suite_is_listed() {
    tests::listing::assert_every_file_is_listed("e2e");
}
