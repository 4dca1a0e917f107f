//! intent-validator: before code is written, was the change announced, is it tested, does it match, is it clean?
//!
//! Stage 1 asks whether the change was declared: what file, what change, to what end, and for core code which test. It is
//! decided here wherever a reader could not doubt it; only what is left goes to a model. Stage 2 has a model hold the change
//! against the declaration. What can be found without a model (secrets, dead code, long functions) is found first.
//!
//! - `settings`: what can be set, with its meaning
//! - `source`: which files are source code, and which of them core code
//! - `change`: what a tool call would do to a file, and the diff of it
//! - `declaration`: reading what Claude says about a change: the local part of stage 1
//! - `checks`: what is found in a change without a model
//! - `review`: what the models are asked, and their verdicts; `prompts`: the files those texts stand in
//! - `plan`: where a change stands, and whom to ask; `observe`: what is looked at, in the order of its price
//! - `decide`: the rules under the lock; `wording`: what is said
//! - `state`: recorded declarations, files asked about, verdicts that hold still
//! - `declare`: the words of that command; `command`: it and `rules`, and what can be typed

mod change;
mod checks;
mod command;
mod decide;
mod declare;
mod form;
mod observe;
mod plan;
mod prompts;
mod review;
mod settings;
mod source;
mod state;
mod wording;

pub use observe::{ChangeFacts, DeclaredFacts, Facts, StartFacts};
pub use settings::{Settings, Stage1, Stage2};
pub use state::State;

use std::process::ExitCode;

use shared::cli::{self, Asker, Verb};
use shared::config::{Section, SettingFault};
use shared::hook::{Given, Headless, Hook, Outcome, Seen};
use shared::host::Host;
use shared::switches::Turn;

/// The hook.
#[derive(Debug)]
pub struct IntentValidator;

impl Hook for IntentValidator {
    const NAME: &'static str = "intent-validator";
    const HEADLESS: Headless = Headless::Decides;
    const HEADLESS_MEANS: &'static str =
        "Has no effect: it decides in sessions nobody watches (`claude -p`, SDK) like anywhere else.";
    const GLOBAL_ONLY: &'static [&'static str] = &[
        "judge",
        "stage1",
        "stage1_model",
        "stage2",
        "stage2_model",
        "stage2_fallback_model",
        "message_files",
        "max_blocks",
    ];
    const COSTS_MONEY: bool = true;
    const ROOT_KEYS: &'static [&'static str] = &["judge"];
    const VERBS: &'static [Verb] = command::VERBS;

    type Settings = Settings;
    type State = State;
    type Facts = Facts;
    type Effect = Turn;

    fn faults(settings: &Settings) -> Vec<SettingFault> {
        settings.faults()
    }

    fn is_command(prompt: &str) -> bool {
        cli::is_command::<Self>(prompt)
    }

    fn run_verb(host: &Host, words: &[&str]) -> Option<ExitCode> {
        command::run(host, words)
    }

    fn status_lines(section: &Section<Settings>, asker: &Asker<'_>) -> Vec<String> {
        command::status_lines(&section.settings, asker)
    }

    fn observe(seen: &Seen<'_, Settings>) -> Option<Facts> {
        observe::observe(seen)
    }

    fn decide(given: &Given<'_, Self>) -> Outcome<State, Turn> {
        decide::decide(given)
    }
}
