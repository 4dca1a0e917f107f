//! pause-recorder: records the session when its context runs out, and leaves a snapshot that a new session can pick up. It blocks
//! nothing.
//!
//! - `occupancy`: how full the context is, and the levels
//! - `record`, `actions`, `text`: the file of a session's record, a line for each action, made from an event
//! - `snapshot`, `git`: one model of facts as JSON, YAML and Markdown
//! - `registry`: the records and snapshots of this machine
//! - `observe`, `decide`, `step`: the facts, the rules, the effects
//! - `command`: typed commands

mod actions;
mod command;
mod decide;
mod git;
mod observe;
mod occupancy;
mod record;
mod registry;
mod settings;
mod snapshot;
mod step;
#[cfg(test)]
mod tests;
mod text;

use std::process::ExitCode;

use observe::Facts;
use occupancy::State;
use settings::Settings;
use shared::cli::{self, Verb};
use shared::config::SettingFault;
use shared::hook::{Context, Headless, Hook, Input, Outcome};
use shared::host::Host;
use shared::messages::strange_names;
use step::Step;

pub fn main() -> ExitCode {
    shared::run::main::<PauseRecorder>()
}

#[derive(Debug)]
struct PauseRecorder;

impl Hook for PauseRecorder {
    const NAME: &'static str = "pause-recorder";
    /// It records headless sessions, too, and hands them no snapshot.
    const HEADLESS: Headless = Headless::Decides;
    const HEADLESS_MEANS: &'static str =
        "Headless sessions (`claude -p`, SDK) get the last snapshot, too. They are recorded in any case.";
    const GLOBAL_ONLY: &'static [&'static str] = &["git_commit", "message_files"];
    const VERBS: &'static [Verb] = command::VERBS;

    type Settings = Settings;
    type State = State;
    type Facts = Facts;
    type Effect = Step;

    fn is_command(prompt: &str) -> bool {
        cli::is_command::<Self>(prompt)
    }

    fn run_verb(host: &Host, words: &[&str]) -> Option<ExitCode> {
        cli::run::<Self>(host, Self::NAME, words)
    }

    fn faults(settings: &Settings) -> Vec<SettingFault> {
        strange_names(&settings.message_files, &[observe::BRIEF])
    }

    fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
        observe::observe(context)
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<State, Step> {
        decide::decide(input)
    }
}
