//! intent-validator: checks a change before Claude writes it: declared, tested, matching its declaration, clean.
//!
//! Stage 1 looks for a small form (FILE, CHANGES, GOAL, TEST) without a model; a model reads what has no form. Checks look for
//! what needs no model (secrets, dead code, long functions). Stage 2 has a model hold the change against the declaration.
//!
//! - `source`: source code, core code and private files; `change`: the effect of a tool call on a file
//! - `form`, `checks`, `review`: stage 1, findings without a model, and the questions to models
//! - `plan`, `observe`: the next step for a change, and the facts in the order of their price
//! - `decide`, `wording`: the rules, the messages and the texts for models
//! - `state`, `command`: recorded declarations, counts of blocks and verdicts; `declare` and `status`

mod change;
mod checks;
mod command;
mod decide;
mod form;
mod observe;
mod plan;
mod review;
mod settings;
mod source;
mod state;
mod wording;

use std::process::ExitCode;

use observe::Facts;
use settings::Settings;
use shared::cli::{self, Asker, Verb};
use shared::config::{Section, SettingFault};
use shared::hook::{Context, Headless, Hook, Input, Outcome};
use shared::host::Host;
use shared::messages::strange_names;
use shared::switches::Turn;
use state::State;

pub fn main() -> ExitCode {
    shared::run::main::<IntentValidator>()
}

#[derive(Debug)]
struct IntentValidator;

impl Hook for IntentValidator {
    const NAME: &'static str = "intent-validator";
    const HEADLESS: Headless = Headless::Decides;
    const HEADLESS_MEANS: &'static str =
        "Has no effect: it decides in headless sessions (`claude -p`, SDK) like anywhere else.";
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
        strange_names(&settings.message_files, wording::ALL)
    }

    fn is_command(prompt: &str) -> bool {
        cli::is_typed::<Self>(prompt)
    }

    fn run_verb(host: &Host, words: &[&str]) -> Option<ExitCode> {
        command::run(host, words)
    }

    fn status_lines(section: &Section<Settings>, asker: &Asker<'_>) -> Vec<String> {
        command::status_lines(&section.settings, asker)
    }

    fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
        observe::observe(context)
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<State, Turn> {
        decide::decide(input)
    }
}
