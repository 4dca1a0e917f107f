//! Verbs about the machine rather than one requirement: what is configured, what the hooks did, a pause, the manual. They are
//! answered alike in a shell and as a typed prompt, from what lies on the disk; what they change is returned, not done.

pub(crate) mod config;
pub(crate) mod docs;
pub(crate) mod journal;
pub(crate) mod pause;

use shared::cli::Asker;

use crate::command::{Asked, Reply};

/// Answers a verb about the machine; `None`: it is not one of these.
pub(crate) fn serve(verb: &Asked, asker: &Asker<'_>) -> Option<Reply> {
    let reply = match verb {
        Asked::Config(wanted) => config::config(wanted, asker),
        Asked::Enable(wanted) => config::turn(wanted, true, asker),
        Asked::Disable(wanted) => config::turn(wanted, false, asker),
        Asked::Why(wanted) => journal::why(wanted, asker),
        Asked::Log(wanted) => journal::log(wanted, asker),
        Asked::Pause(wanted) => pause::pause(wanted, asker),
        Asked::Resume => pause::resume(asker),
        Asked::Docs(wanted) => docs::docs(wanted),
        _ => return None,
    };
    Some(reply)
}
