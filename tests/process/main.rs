//! Tests of the real binaries, freshly built, without a client: one payload in, one look at the answer and at the disk.
//! Each test has its own sandbox, so all may run at once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod courier;
mod credit_pacer;
mod delegation_guard;
mod documents;
mod driver;
mod endpoint;
mod gate;
mod harness;
mod installer;
mod intent_validator;
mod judge;
mod judge_api;
mod judged;
#[cfg(target_os = "linux")]
mod killed_installer;
mod manual;
mod pause_recorder;
mod plugin;
mod privacy;
mod rate_awareness;
mod req;
mod requirements_check;
mod robustness;
mod samples;
mod stop_momentum;
mod tempo_stop;
mod typed;

#[test]
fn every_file_of_the_suite_is_listed() {
    tests::listing::assert_every_file_is_listed("process");
}
