//! The installer behind `cargo xtask` and `req hooks`: it puts the hooks where Claude Code finds them, and removes them.
//!
//! Read the modules in this order:
//!
//! 1. [`say`], [`places`]: output, questions and who may change what; the folders and files of a user.
//! 2. [`catalog`]: the table of hooks. [`source`], `manifest`, `programs`: the folder the programs come from, the record of what
//!    was copied, copying and linking.
//! 3. [`registration`], `requirements`, `settings`: the entries of a hook, our lines in requirements.yaml, and the one way to change a
//!    settings file of Claude Code.
//! 4. `prove`: running a hook, and asking it whether it acts.
//! 5. `install`, `commands`, `uninstall`, [`status`]: the commands. [`hooks`]: their command line.
//! 6. [`doctor`]: whether everything holds that is promised.
//!
//! Nothing here builds, and nothing here knows a hook by name.

pub mod catalog;
pub mod commands;
pub mod doctor;
pub mod hooks;
mod install;
pub mod manifest;
pub mod places;
mod programs;
mod prove;
pub mod registration;
mod requirements;
pub mod say;
mod settings;
pub mod source;
pub mod status;
mod uninstall;
