//! Tests under the real client: what the model was shown and what the tools really did, with our hooks registered. Run
//! by `cargo xtask e2e`, which installs the pinned client and says where it is; without that every test here fails.
//! Each test has its own [`scene::Scene`], so all may run at once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod credit_pacer;
mod delegation_guard;
mod facts;
mod installed;
mod intent_validator;
mod judged_by_claude;
mod judging;
mod misled;
mod newcomer;
mod pause_recorder;
mod plugin;
mod rate_awareness;
mod requirements_check;
mod scene;
mod scopes;
mod stop_momentum;
mod tempo_stop;
mod together;

#[test]
fn every_file_of_the_suite_is_listed() {
    tests::listing::assert_every_file_is_listed("e2e");
}
