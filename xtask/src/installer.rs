//! The parts the installing commands share; each command is a module of its own beside this one.
//!
//! - [`places`]: where everything goes; [`manifest`]: what was put there, by hash
//! - [`artifacts`]: building; [`deploy`]: copying; [`links`]: the names on the user's PATH
//! - [`choose`]: which hooks, rules and status line; [`registration`]: what registering them means; [`client_settings`]: a
//!   settings file of the client; [`team`]: what stands in a project's own
//! - [`prove`]: running a registered hook as the client would; [`enabled`]: asking it whether it acts
//! - [`rail`]: commands that loosen are the user's own

pub(crate) mod artifacts;
pub(crate) mod choose;
pub(crate) mod client_settings;
pub(crate) mod deploy;
pub(crate) mod enabled;
pub(crate) mod links;
pub(crate) mod manifest;
pub(crate) mod places;
pub(crate) mod prove;
pub(crate) mod rail;
pub(crate) mod registration;
pub(crate) mod team;
