//! What Claude Code and the disk force on every hook. Nothing here knows a hook by name.
//!
//! Read the modules in this order; the first three tell the story of one invocation:
//!
//! 1. [`hook`]: the trait a hook implements: look at the world (`observe`), then decide purely (`decide`).
//! 2. [`run`]: the life of one invocation: read, parse, configure, observe, lock, decide, save, answer.
//! 3. [`protocol`]: events in, answers out; the only module that knows the client's wire format.
//! 4. [`host`]: the only door to clock, environment, directories, stdin and stdout.
//! 5. [`config`]: the cascade of YAML layers, with provenance and problems as data.
//! 6. [`state`]: private, versioned files under a lock with a deadline.
//! 7. [`transcript`], [`blocks`], [`stop_gate`]: what a Stop gate has to know before it may block.
//! 8. [`journal`], [`secrets`], [`notices`], [`heartbeat`], [`messages`]: what was done and why, and what is said.
//! 9. [`switches`], [`operator`], [`own_calls`]: typed on/off, who may loosen what, and calls no hook looks at.
//! 10. [`cli`]: the verbs every hook binary has (`status`, `on`, `off`, `schema`). `sleep`: waiting on purpose.
//! 11. [`usage`], [`proved`]: what several programs of ours write down for each other; [`version`]: which build this is; [`tools`]: what the client has.
//! 12. [`catalog`], [`settings`]: the table of hooks, and Claude Code's settings.json; for the installer.
//! 13. [`courier`]: asking a server, through the small program beside us that opens connections; [`judge`]: asking a model.
//!
//! The rule everything serves: a hook never harms the session. Whatever goes wrong, the exit status is 0,
//! stdout is empty or one JSON object, and the journal says what happened.

pub use config;

pub mod blocks;
pub mod catalog;
pub mod cli;
pub mod courier;
pub mod heartbeat;
pub mod hook;
pub mod host;
pub mod journal;
pub mod messages;
pub mod notices;
pub mod operator;
pub mod own_calls;
pub mod project_env;
pub mod protocol;
pub mod proved;
pub mod run;
mod sleep;
pub mod state;
pub mod stop_gate;
pub mod switches;
pub mod text;
pub mod tools;
pub mod usage;
pub mod version;
