//! tempo-stop: before Claude stops, a model that stands for the user judges whether the user's requests are done.
//!
//! The stop gates' common rules come first ([`shared::blocks`]). The model comes last, because it costs money.
//!
//! - `observe`: the turn, the requests, the tool calls, and the model's verdict
//! - `worth`: whether a stop is worth a question
//! - `question`: the question, and the texts that the user can replace
//! - `decide`, `state`: the rules, and the time of the user's last prompt

mod decide;
mod observe;
mod question;
mod settings;
mod state;
mod worth;

use std::process::ExitCode;

use observe::Facts;
use settings::Settings;
use shared::cli::{self, Asker};
use shared::config::{Section, SettingFault};
use shared::hook::{Context, Headless, Hook, Input, Outcome};
use shared::messages::strange_names;
use shared::switches::Turn;
use state::State;

/// Runs the hook.
#[must_use]
pub fn main() -> ExitCode {
    shared::run::main::<TempoStop>()
}

#[derive(Debug)]
struct TempoStop;

impl Hook for TempoStop {
    const NAME: &'static str = "tempo-stop";
    const HEADLESS: Headless = Headless::Silent;
    /// Each question costs money: a project switches the hook off as a whole, and decides nothing about when it asks.
    const GLOBAL_ONLY: &'static [&'static str] =
        &["away_secs", "fallback_model", "headless", "judge", "max_blocks", "message_files", "mode", "model"];
    const COSTS_MONEY: bool = true;
    const ROOT_KEYS: &'static [&'static str] = &["judge"];

    type Settings = Settings;
    type State = State;
    type Facts = Facts;
    type Effect = Turn;

    fn is_command(prompt: &str) -> bool {
        cli::is_typed::<Self>(prompt)
    }

    fn status_lines(section: &Section<Settings>, asker: &Asker<'_>) -> Vec<String> {
        let judge = judge::status_lines(&section.settings.judge, asker.store, asker.host);
        std::iter::once(section.settings.in_words()).chain(judge).collect()
    }

    fn faults(settings: &Settings) -> Vec<SettingFault> {
        strange_names(&settings.message_files, &question::ALL)
    }

    fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
        observe::observe(context)
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<State, Turn> {
        decide::decide(input)
    }
}
