//! The base of every hook, as Claude Code and the disk demand it. Nothing here knows a hook by name.
//!
//! The rule that everything serves: a hook never harms the session. Whatever goes wrong, the exit status is 0, stdout is empty or
//! one JSON object, and the journal says what happened.
//!
//! # Follow one call
//!
//! Nine files, about 2,300 lines without their tests, are one tool call from `main` to the answer. Read them in this order:
//!
//! 1. [`hook`]: the trait of a hook. `observe` looks at the world, `decide` is pure. Its parts: `Context`, `Input`, `Outcome`.
//! 2. [`run`]: the life of one invocation: read, parse, configure, observe, lock, decide, save, answer.
//! 3. [`protocol`]: events in, verdicts out; the only module that knows the wire format.
//! 4. [`host`]: the only door to clock, environment, stdin and stdout; below it `places`, the folders of a call.
//! 5. [`state`]: the state folder with `OFF`, heartbeats and the sweep; below it `files`, private files under a lock.
//! 6. [`switches`], and the crate [`config`]: what is switched by hand, and the layers of YAML with their provenance.
//!
//! # Look up the rest when a hook needs it
//!
//! - Stop gates: [`blocks`] (stops that nobody blocks, and counts of blocks; the crate `transcript` reads the rest)
//! - Commands: [`cli`] (the verbs of every hook), [`operator`] (who may loosen what, and who typed a prompt),
//!   [`own_commands`] (calls that no hook looks at)
//! - Words: [`journal`] (what was done and why; the crate `secrets` masks it), [`messages`] (texts and notices), [`text`],
//!   [`claude_code`] (names and texts of Claude Code)
//! - Children: [`child`] (a child process with a deadline), [`courier`] (requests through the program that opens connections, and
//!   whether a project redirects them); the crate `judge` asks a model
//! - Files that several of our programs share: [`usage`], [`proved`]
//!
//! No module imports one that imports it; `cargo xtask tidy` checks it.

pub use config;
pub use state::digest;

pub mod blocks;
pub mod child;
pub mod claude_code;
pub mod cli;
pub mod courier;
pub mod hook;
pub mod host;
pub mod journal;
pub mod messages;
pub mod operator;
pub mod own_commands;
pub mod protocol;
pub mod proved;
pub mod run;
pub mod state;
pub mod switches;
#[cfg(test)]
mod tests;
pub mod text;
pub mod usage;

/// The version of this build, such as `0.1.0`: of the programs and of session state.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
