//! The installer behind `cargo xtask` and `req hooks`: it puts the hooks where Claude Code finds them, and removes them.
//!
//! Read the modules in this order:
//!
//! 1. [`places`], [`voice`]: the folders and files of a user, and the command line that messages name.
//! 2. [`source`], `manifest`, `programs`, `links`: the folder the programs come from, the record of what was copied, copying, and the
//!    commands on the user's PATH.
//! 3. [`registration`], `requirements`, `settings`: the entries of a hook, our lines in requirements.yaml, and the one way to change a
//!    settings file of Claude Code.
//! 4. `prove`, `enabled`, both by `child`: running a hook, and asking it whether it acts.
//! 5. `install`, `commands`, `uninstall`, [`status`] with `ending`: the commands. [`hooks`]: their command line.
//! 6. [`doctor`]: whether everything holds that is promised.
//! 7. [`say`], `ask`, `rail`: output, questions, and what only the user may do.
//!
//! Nothing here builds, and nothing here knows a hook by name.

mod ask;
mod child;
pub mod commands;
pub mod doctor;
mod enabled;
mod ending;
pub mod hooks;
mod install;
mod links;
pub mod manifest;
pub mod places;
mod programs;
mod prove;
mod rail;
pub mod registration;
mod requirements;
pub mod say;
mod settings;
pub mod source;
pub mod status;
mod uninstall;
pub mod voice;
