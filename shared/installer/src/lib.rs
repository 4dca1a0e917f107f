//! The installer behind `cargo xtask` and `req hooks`: it puts the hooks where Claude Code finds them, and takes them away.
//!
//! Read the modules in this order:
//!
//! 1. [`places`], [`voice`]: the folders and files of a user, and whose command lines messages name.
//! 2. [`source`], [`manifest`], [`deploy`], `links`: the folder of the binaries, the record of what was copied, copying, and the
//!    commands on the user's PATH.
//! 3. [`client_settings`], [`registration`], `team`, `choose`: a settings file of Claude Code, the entries of a hook, a project's
//!    own lines, and which hooks, rules and status line are wanted. [`chain`]: the status line that was there before.
//! 4. [`prove`], [`enabled`], both by `child`: running a hook, and asking it whether it acts.
//! 5. [`judge`]: how hooks ask a model. `rail`: commands that are for the user alone; `off`: whether every hook is off.
//! 6. [`install`] with its `plan` and `ending`, [`disable`], [`undo`], [`uninstall`], [`status`], [`statusline`], [`prune`]: one
//!    module per command.
//! 7. [`doctor`]: whether everything holds that is promised.
//! 8. [`hooks`]: the command line for people without the source tree. [`say`], `ask`: output and questions.
//!
//! Nothing here builds, and nothing here knows a hook by name.

mod ask;
pub mod chain;
mod child;
mod choose;
pub mod client_settings;
pub mod deploy;
pub mod disable;
pub mod doctor;
pub mod enabled;
mod ending;
pub mod hooks;
pub mod install;
pub mod judge;
mod links;
pub mod manifest;
mod off;
pub mod places;
mod plan;
pub mod prove;
pub mod prune;
mod rail;
pub mod registration;
pub mod say;
pub mod source;
pub mod status;
pub mod statusline;
mod team;
pub mod undo;
pub mod uninstall;
pub mod voice;
