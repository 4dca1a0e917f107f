//! The installer behind `cargo xtask` and `req hooks`: it puts the hooks where Claude Code finds them, and removes them.
//!
//! Read the modules in this order:
//!
//! 1. [`catalog`], `files`, [`say`], [`places`]: the table of hooks, hashes, output and questions, the folders and files of a user.
//! 2. `requirements`, `manifest`: our lines in requirements.yaml, and the record of what was copied.
//! 3. [`registration`], `settings`: the entries of a hook, and the one way to change a settings file of Claude Code.
//! 4. [`source`], `prove`, `programs`: the folder the programs come from, running a hook, copying and linking.
//! 5. [`doctor`]: whether everything holds that is promised.
//! 6. `uninstall`, `install`, [`status`], [`commands`]: the commands; the last has their command line and the small ones.
//!
//! Nothing here builds, and nothing here knows a hook by name.

pub mod catalog;
pub mod commands;
pub mod doctor;
pub mod files;
mod install;
pub mod manifest;
pub mod places;
mod programs;
pub mod prove;
pub mod registration;
mod requirements;
pub mod say;
mod settings;
pub mod source;
pub mod status;
mod uninstall;
