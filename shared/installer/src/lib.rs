//! Putting the hooks where the client finds them, and taking them away: the engine behind `cargo xtask` and `req hooks`.
//!
//! Read the modules in this order:
//!
//! 1. [`places`], [`voice`]: where everything goes, and in whose words it is told.
//! 2. [`source`], [`manifest`], [`deploy`], `links`: where the binaries come from, what was put there, by hash, copying, and
//!    the names on the user's PATH.
//! 3. [`client_settings`], [`registration`], `team`, `choose`: a settings file of the client, what registering a hook means,
//!    what stands in a project's own, and which hooks, rules and status line are wanted. [`chain`]: what becomes of the status
//!    line that was there.
//! 4. [`prove`] in a folder of `scratch`, [`enabled`], both by `child`: running a registered hook as the client would, and asking it whether it acts.
//! 5. [`judge`]: how hooks that ask a model do it. `rail`: commands that loosen are the user's own; `off`: whether every hook is silenced.
//! 6. [`install`] with its `plan`, `report`, `readings`, `git_ignore` and `verdict`, [`disable`], [`undo`], [`uninstall`] with its `foretell`,
//!    [`status`], [`statusline`], [`prune`]: one module per command.
//! 7. [`doctor`]: whether everything holds that is promised.
//! 8. [`hooks`]: the command line of all of it for people without the source tree. [`say`], `ask`: how anything is said and
//!    asked.
//!
//! Nothing here builds, and nothing here knows a hook by name. What fails tells the user what, where and what to do.

mod ask;
pub mod chain;
mod child;
mod choose;
pub mod client_settings;
pub mod deploy;
pub mod disable;
pub mod doctor;
pub mod enabled;
mod foretell;
mod git_ignore;
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
mod readings;
pub mod registration;
mod report;
pub mod say;
mod scratch;
pub mod source;
pub mod status;
pub mod statusline;
mod team;
pub mod undo;
pub mod uninstall;
mod verdict;
pub mod voice;
