//! stop-momentum: Claude ends a larger task with a deliberate acknowledgement.
//!
//! At a Stop after work the hook blocks, asks Claude to check whether it is finished, and shows a token; a stop with the
//! token goes through. [`shared::blocks`] says when a stop is never blocked, the same for every Stop gate.
//!
//! - `observe`, `unfinished`: the turn, the guidance, a fresh token, and the signs for `only_when`
//! - `decide`, `state`: the rules, and the token between two stops

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
