//! tempo-stop: before Claude stops, a model that stands for the user looks whether what was asked for is done.
//!
//! The stop gates' common rules come first ([`shared::stop_gate`]); the model is asked last, because it costs money.
//!
//! - `settings`: what can be set, with its meaning
//! - `observe`: what is looked at: the turn, the requests, what was done; and the model's verdict
//! - `question`: what the model is asked
//! - `decide`: the rules
//! - `state`: when the user last typed something

mod decide;
mod observe;
mod question;
mod settings;
mod state;

pub use observe::Facts;
pub use settings::{Mode, Settings};
pub use state::State;

use shared::cli;
use shared::hook::{Given, Headless, Hook, NoEffect, Outcome, Seen};

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
    type Effect = NoEffect;

    fn is_command(prompt: &str) -> bool {
        cli::is_typed::<Self>(prompt)
    }

    fn observe(seen: &Seen<'_, Settings>) -> Option<Facts> {
        observe::observe(seen)
    }

    fn decide(given: &Given<'_, Self>) -> Outcome<State> {
        decide::decide(given)
    }
}
