//! Verbs about the machine rather than one requirement: what is configured, what the hooks did, a pause, the manual. They are
//! answered alike in a shell and as a typed prompt, from what lies on the disk; what they change is returned, not done.

pub(crate) mod config;
pub(crate) mod docs;
pub(crate) mod journal;
pub(crate) mod pause;

use shared::host::{Host, Places};
use shared::state::Store;

use crate::command::{Asked, Reply, Standpoint};

/// What such a verb is answered from.
pub(crate) struct Machine<'a> {
    /// Clock and environment.
    pub(crate) host: &'a Host,
    /// Folders and the project.
    pub(crate) places: &'a Places,
    /// The state folder; none where there can be none.
    pub(crate) store: Option<&'a Store>,
    /// The session that asks; none in a shell outside of any.
    pub(crate) session: Option<&'a str>,
    /// Who asks.
    pub(crate) standpoint: Standpoint,
}

/// Answers a verb about the machine; `None`: it is not one of these.
pub(crate) fn serve(asked: &Asked, machine: &Machine<'_>) -> Option<Reply> {
    let reply = match asked {
        Asked::Config(wanted) => config::config(wanted, machine),
        Asked::Enable(wanted) => config::enable(wanted, machine),
        Asked::Disable(wanted) => config::disable(wanted, machine),
        Asked::Why(wanted) => journal::why(wanted, machine),
        Asked::Log(wanted) => journal::log(wanted, machine),
        Asked::Pause(wanted) => pause::pause(wanted, machine),
        Asked::Resume => pause::resume(machine),
        Asked::Docs(wanted) => docs::docs(wanted),
        _ => return None,
    };
    Some(reply)
}
