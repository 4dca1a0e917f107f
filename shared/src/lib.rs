//! The base of every hook, as Claude Code and the disk demand it. Nothing here knows a hook by name.
//!
//! Read the modules in this order. No module imports one that imports it; `cargo xtask tidy` checks it.
//!
//! 1. [`hook`]: the trait a hook implements. It looks at the world (`observe`), then decides purely (`decide`).
//!    [`verdict`] and [`effect`]: the parts of a decision.
//! 2. [`run`]: the life of one invocation: read, parse, configure, observe, lock, decide, save, answer.
//! 3. [`protocol`]: events in, answers out; the only module that knows the wire format of Claude Code.
//! 4. [`host`]: the only door to clock, environment, directories, stdin and stdout.
//! 5. [`config`]: the cascade of YAML layers, with provenance and problems as data.
//! 6. [`state`]: private, versioned files under a lock with a deadline.
//! 7. [`blocks`], [`stop_gate`]: what a Stop gate has to know before it may block; the crate `transcript` reads the rest.
//! 8. [`journal`], [`messages`]: what was done and why, and what is said; the crate `secrets` masks it.
//! 9. [`switches`], [`operator`], [`own_commands`]: typed on/off, who may loosen what, and calls no hook looks at.
//! 10. [`cli`]: the verbs every hook has (`status`, `on`, `off`, `schema`). `sleep`: waiting on purpose.
//! 11. [`usage`], [`proved`]: files that several of our programs share. [`version`]: the version of this build.
//!     [`claude_code`]: names and texts of Claude Code. [`text`]: JSON strings that hold anything.
//!     [`digest`]: short names of long texts.
//! 12. [`own_commands`]: the names of hooks and commands. [`project_env`]: whether a project redirects requests.
//!     [`child`]: a child process with a deadline. [`courier`]: requests through the small program that opens connections. The crate `judge` asks a model.
//!
//! The rule everything serves: a hook never harms the session. Whatever goes wrong, the exit status is 0,
//! stdout is empty or one JSON object, and the journal says what happened.

pub use config;

pub mod blocks;
pub mod child;
pub mod claude_code;
pub mod cli;
pub mod courier;
pub mod digest;
pub mod hook;
pub mod host;
pub mod journal;
pub mod messages;
pub mod operator;
pub mod own_commands;
pub mod project_env;
pub mod protocol;
pub mod proved;
pub mod run;
pub mod state;
pub mod stop_gate;
pub mod switches;
pub mod text;
pub mod usage;

/// The version of this build, such as `0.1.0`: of the programs and of session state.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
