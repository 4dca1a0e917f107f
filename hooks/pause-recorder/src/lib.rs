//! pause-recorder: when the context of a session runs out, what happens from then on is recorded, and a snapshot is left that
//! a new session can pick up. It records only: nothing is held, nothing is refused.
//!
//! - `settings`: what can be set, with its meaning
//! - `occupancy`: how full the context is, and by whose word; `levels`: what is told of that; `models`: what was learnt of a
//!   model, its window and where it is compacted
//! - `record`: the file a session is recorded in, a line for each action
//! - `material`: what a snapshot is made from beside the record; `git`: what the repository says
//! - `snapshot`: what is left in the end, as JSON, YAML and Markdown
//! - `shelf`: which records and snapshots this machine has written; `brief`: what a new session is told of one
//! - `observe`: what is looked at; `prepare`: the little that is written before anything is decided; `decide`: the rules;
//!   `step`: what is done; `state`: what is remembered of a session
//! - `wording`: what the user is told; `command`: what can be typed

mod brief;
mod command;
mod decide;
mod git;
mod levels;
mod material;
mod models;
mod observe;
mod occupancy;
mod prepare;
mod record;
mod settings;
mod shelf;
mod snapshot;
mod state;
mod step;
mod wording;

pub use observe::Facts;
pub use settings::Settings;
pub use snapshot::Snapshot;
pub use state::State;
pub use step::Step;

use std::process::ExitCode;

use shared::cli::{self, Verb};
use shared::config::SettingFault;
use shared::hook::{Context, Headless, Hook, Input, Outcome};
use shared::host::Host;

/// The hook.
#[derive(Debug)]
pub struct PauseRecorder;

impl Hook for PauseRecorder {
    const NAME: &'static str = "pause-recorder";
    /// It records where nobody watches too; only what is handed to a new session waits for somebody who does.
    const HEADLESS: Headless = Headless::Decides;
    const HEADLESS_MEANS: &'static str = "What an earlier session has left is handed to sessions nobody watches too (`claude -p`, SDK); it records in them in any case.";
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
        settings.faults()
    }

    fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
        observe::observe(context)
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<State, Step> {
        decide::decide(input)
    }
}
