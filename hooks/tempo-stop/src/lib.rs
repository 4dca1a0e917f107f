//! tempo-stop: before Claude stops, a model that stands for the user looks whether what was asked for is done.
//!
//! The stop gates' common rules come first ([`shared::stop_gate`]); the model is asked last, because it costs money.
//!
//! - `settings`: what can be set, with its meaning
//! - `observe`: what is looked at: the turn, the requests, what was done; and the model's verdict
//! - `worth`: whether a stop is worth a question at all
//! - `question`: what the model is asked; `texts`: what can be worded otherwise
//! - `decide`: the rules
//! - `state`: when the user last typed something
//! - `status`: what the command of that name says beside what every hook's does

mod decide;
mod observe;
mod question;
mod settings;
mod state;
mod status;
mod texts;
mod worth;

pub use observe::{Facts, Judged, StopFacts};
pub use settings::{Mode, Settings};
pub use state::State;

use shared::cli::{self, Asker};
use shared::config::{Section, SettingFault};
use shared::hook::{Context, Headless, Hook, Input, Outcome};
use shared::switches::Turn;

/// The hook.
#[derive(Debug)]
pub struct TempoStop;

impl Hook for TempoStop {
    const NAME: &'static str = "tempo-stop";
    const HEADLESS: Headless = Headless::Silent;
    const GLOBAL_ONLY: &'static [&'static str] =
        &["judge", "model", "fallback_model", "max_blocks", "message_files"];
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
        status::lines(&section.settings, asker)
    }

    fn faults(settings: &Settings) -> Vec<SettingFault> {
        settings.faults()
    }

    fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
        observe::observe(context)
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<State, Turn> {
        decide::decide(input)
    }
}
