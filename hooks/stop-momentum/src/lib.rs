//! stop-momentum: a stop inside a larger task needs a deliberate acknowledgement.
//!
//! At a Stop after real work the model is told to check whether it is finished, and is given a token; a stop that
//! shows the token goes through. The order of the rules is in `decide`; when a stop is never blocked is in
//! [`shared::stop_gate`], the same for every Stop gate.
//!
//! - `settings`: what can be set, with its meaning
//! - `observe`: what is looked at: the turn, the guidance, a fresh token
//! - `unfinished`: what counts as unfinished work for `only_when: unfinished`
//! - `decide`: the rules
//! - `state`: the token between two stops

mod decide;
mod observe;
mod settings;
mod state;
mod unfinished;

pub use observe::{Facts, StopFacts};
pub use settings::{OnlyWhen, Settings};
pub use state::{State, Token};
pub use unfinished::Sign;

use shared::hook::{Context, Headless, Hook, Input, NoEffect, Outcome};

/// The hook.
#[derive(Debug)]
pub struct StopMomentum;

impl Hook for StopMomentum {
    const NAME: &'static str = "stop-momentum";
    const HEADLESS: Headless = Headless::Silent;
    const GLOBAL_ONLY: &'static [&'static str] = &["message_file"];

    type Settings = Settings;
    type State = State;
    type Facts = Facts;
    type Effect = NoEffect;

    fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
        observe::observe(context)
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<State> {
        decide::decide(input)
    }
}
