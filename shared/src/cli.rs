//! The verbs every hook binary has: `status`, `on`, `off`, `auto`, `schema`, `help`, `version`; in a shell, and as a typed
//! prompt for hooks that are given prompts.
//!
//! Parsed by hand: a hook carries no command-line library, and a usage error must never exit with 2,
//! which in a hook means "block". Exit status 0 means done, 1 denied or failed, 64 wrong usage.
//!
//! - `verbs`: the verbs and their answers, the same for a shell and for a prompt; what is to be done is returned, not done
//! - `commands`: those of one hook beside them, and which prompts are commands

mod commands;
mod verbs;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::hook::{Effect, Hook};
use crate::host::{Host, Places};
use crate::operator::{Caller, standing};
use crate::switches::Turn;

pub use crate::hook::{Asker, Verb};
pub use commands::{Commands, Line, is_command, is_typed, prompted, run, typed};
pub use verbs::{Reply, help, off_file, status, unregistered};

pub fn main<H: Hook>(host: &Host, arguments: &[OsString]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let name = H::NAME;
    if words.len() != arguments.len() {
        return wrong_usage(&format!("{name}: the arguments are not readable text"));
    }
    if let Some(code) = H::run_verb(host, &words) {
        return code;
    }
    match verbs::parse::<H>(&words) {
        Ok(verb) => in_shell(host, |asker| verbs::answer::<H, Turn>(&verb, asker)),
        // Whoever types the name alone wants to know what it is.
        Err(_) if words.is_empty() => wrong_usage(&help::<H>()),
        Err(why) => wrong_usage(&format!("{name}: {why}\n{name} help lists all")),
    }
}

/// Answers in a shell: does what is to be done, then says what was answered.
pub fn in_shell<E: Effect>(host: &Host, answer: impl FnOnce(&Asker<'_>) -> Reply<E>) -> ExitCode {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let store = places.open_store();
    let reply = answer(&Asker {
        host,
        places: &places,
        store: store.as_ref(),
        session: host.environment.session_id.as_deref(),
        caller: Caller::Shell(standing(host)),
    });
    for effect in reply.effects {
        if let Err(why) = effect.carry_out(&places, host.now()) {
            return fail(&why);
        }
    }
    if reply.is_no { fail(&reply.text) } else { say(&reply.text) }
}

pub fn say(text: &str) -> ExitCode {
    // A closed stdout is the reader's choice, not an error.
    let _ = writeln!(io::stdout(), "{text}");
    ExitCode::SUCCESS
}

pub fn fail(text: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::FAILURE
}

pub fn wrong_usage(text: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::from(64)
}

#[cfg(test)]
mod tests;
