//! What can be typed: in a shell, and as a prompt. What is to be done is returned as steps.

use std::process::ExitCode;

use shared::cli::{self, Verb};
use shared::hook::Seen;
use shared::host::Host;

use crate::PauseRecorder;
use crate::settings::Settings;
use crate::step::Step;

/// The answer to a command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// What is read.
    pub text: String,
    /// It was refused, or cannot be done.
    pub is_no: bool,
    /// The text is for the model too: the prompt goes on to it.
    pub is_for_model: bool,
    /// What is to be done.
    pub steps: Vec<Step>,
}

const fn verb(usage: &'static str, about: &'static str) -> Verb {
    Verb { usage, about }
}

/// The verbs beside those every hook has.
pub(crate) const VERBS: &[Verb] = &[
    verb("list [--json]", "the snapshots of this project, newest first, and records that are not finalized"),
    verb("show [ID] [--json]", "a snapshot, the latest without ID"),
    verb("start", "records this session from now on"),
    verb("finalize [--minimal] [ID]", "ends the record: writes its snapshot; --minimal: archives it only"),
    verb("discard [ID]", "removes the record, and leaves nothing of it"),
    verb("resume [ID]", "what a new session is told of a snapshot; typed as a prompt, Claude reads it"),
    verb("prune [--older-than DAYS] [--dry-run]", "removes snapshots of this project that are older"),
    verb("schema snapshot", "JSON Schema of a snapshot"),
];

/// The prompt is one of our commands.
pub(crate) fn is_command(prompt: &str) -> bool {
    cli::is_typed::<PauseRecorder>(prompt)
}

/// Runs a verb of ours in a shell; `None`: it is one that every hook has, or none.
pub(crate) fn run(_host: &Host, _words: &[&str]) -> Option<ExitCode> {
    None
}

/// The answer to a prompt, if it is one of our commands.
pub(crate) fn typed(_seen: &Seen<'_, Settings>, _prompt: &str, _source: Option<&str>) -> Option<Reply> {
    None
}
