//! rate-awareness: reports tool calls that come too fast or go in a circle, while it happens.
//!
//! Each tool call takes one token from the bucket of the agent and its skill. A call that finds no token is past its limit, and so
//! is the same call again and again, or two calls in turn. The hook reports calls past a limit at numbers 1, 2, 4, 8 ..., and
//! denies them with `mode: deny`.
//!
//! - `settings`: the settings, with their meaning
//! - `observe`: the call's fingerprint and its skill
//! - `state`: the memory: the token bucket, repetition and alternation
//! - `decide`, `wording`: the rules, the messages

mod decide;
mod observe;
mod settings;
mod state;
mod wording;

use std::process::ExitCode;

use observe::Facts;
use settings::Settings;
use shared::hook::{Context, Headless, Hook, Input, NoEffect, Outcome};
use state::State;

pub fn main() -> ExitCode {
    shared::run::main::<RateAwareness>()
}

#[derive(Debug)]
struct RateAwareness;

impl Hook for RateAwareness {
    const NAME: &'static str = "rate-awareness";
    const HEADLESS: Headless = Headless::Decides;
    const HEADLESS_MEANS: &'static str =
        "`audience` holds in headless sessions (`claude -p`, SDK), too. Else Claude gets no report there.";
    const GLOBAL_ONLY: &'static [&'static str] = &[];

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
