//! The harness: what it takes to run the real hook binaries, alone and under the real Claude Code client, and to see
//! what really happened. It must not know any rule of any hook: rules are tested beside the hooks, promises here.
//!
//! Start here. Two test programs use this library:
//!
//! - `tests/process` runs the freshly built binaries themselves: one [`sandbox::Sandbox`], one payload from
//!   [`payloads`], one [`process::Invocation`], and a look at the answer. It is part of a plain `cargo test`.
//! - `tests/e2e` runs the real client against a scripted Messages API: a [`messages_api::Script`] says what the model
//!   answers, [`settings::Settings`] registers the hooks, [`client::Client`] runs headless or in a [`terminal`], and
//!   the [`messages_api::Recorded`] requests tell what the model was shown. Only `cargo xtask e2e` can run it.
//!
//! The tests need a Unix: pseudo-terminals, process groups, file modes. What only Linux can show is marked so.
//!
//! Rules of the house: every test has its own sandbox and may run beside any other; nothing reads the developer's real
//! home or the internet; no test sleeps to let time pass, it waits for a condition under a deadline and fails with what
//! it saw instead. To learn how the client behaves, register `record-hook` ([`recording`]) and read its log.
//!
//! The modules in reading order:

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test harness reports what it cannot do by failing the test"
)]
#![allow(clippy::must_use_candidate, reason = "a query whose answer nobody reads harms no test")]

pub mod binaries;
pub mod client;
pub mod clock;
pub mod listing;
pub mod loopback;
pub mod messages_api;
pub mod payloads;
pub mod picture;
pub mod process;
pub mod recording;
pub mod sandbox;
pub mod settings;
pub mod small_programs;
pub mod terminal;
pub mod transcripts;
