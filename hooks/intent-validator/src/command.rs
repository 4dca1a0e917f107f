//! What can be typed, in a shell and as a prompt.

use std::process::ExitCode;

use shared::cli::Verb;
use shared::host::Host;

/// Its verbs beside the common ones.
pub(crate) const VERBS: &[Verb] = &[
    Verb {
        usage: "intent-validator declare --file F --changes C --goal G [--test T | --user-permission QUOTE]",
        about: "announces a change before it is made",
    },
    Verb { usage: "intent-validator rules", about: "what a change is held against" },
];

pub(crate) fn is_typed(_prompt: &str) -> bool {
    false
}

pub(crate) fn run(_host: &Host, _words: &[&str]) -> Option<ExitCode> {
    None
}
