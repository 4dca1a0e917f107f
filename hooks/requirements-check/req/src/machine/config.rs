//! `req config`, `req enable`, `req disable`: what is in force and where it is set, and changing one key of a file.
//!
//! - `outlook`: every key of every section, out of the files as they are, or as they would be
//! - `key`: a key as it is typed, and which file is meant; `typed`: the value
//! - `show`, `report`: for people, for programs
//! - `plan`: what a change would come to, and why it is refused; `told`: what is said of it; `turn`: switching on and off
//! - `file`: the change of the file, carried out
//! - `user_file`, `schema_file`, `ignore`: what belongs to a file of ours, for `req init` too

mod file;
pub(crate) mod ignore;
pub(crate) mod key;
mod outlook;
mod plan;
mod report;
pub(crate) mod schema_file;
mod show;
#[cfg(test)]
mod tests;
mod told;
mod turn;
mod typed;
pub(crate) mod user_file;

use shared::cli::Asker;

use crate::command::Reply;
use crate::command::arguments::{Config, ConfigChange};

pub(crate) use report::ConfigReport;
pub(crate) use turn::turn;

pub(crate) fn config(wanted: &Config, asker: &Asker<'_>) -> Reply {
    let done = match &wanted.change {
        None => show::show(wanted, asker),
        Some(ConfigChange::Set { key, value, level }) => plan::set(key, value, *level, asker),
        Some(ConfigChange::Unset { key, level }) => plan::unset(key, *level, asker),
    };
    done.unwrap_or_else(Reply::no)
}
