//! requirements-check: the team's process, checked where it matters: before tool calls, and before a turn ends.
//!
//! A requirement is satisfied by `req satisfy`, a skill or the user (`blocking`), by a computed value (`dynamic`), by a condition
//! (`guard`), or by a command that passed on exactly the files that are there (`evidence`). What a call needs and is not
//! satisfied denies it, once and whole, with what would satisfy it.
//!
//! In reading order:
//!
//! - `settings`: what can be set; `rule`: a requirement in force; `strategy`: how each type is satisfied
//! - `call`: what a tool call does (the crate `command-line` reads shell lines); `evidence`: which commands and files count
//! - `git`: which work tree, which branch, its size, its files; `satisfactions`: the repository's record
//! - `world`: what is known of a work tree; `facts`: what is known of an event; `observe`: looking at the world; `decide`: the
//!   rules, event by event; `change`: what they change
//! - `wording`: texts; `rails`: calls that would go around the user
//! - `typed`: `req` as a typed prompt, answered by the program `req` (crate `req`, which looks and judges through this library)
//! - `state`: what a session has done, and which sessions are live

#![allow(
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "what is public here is for `req` alone, which uses every answer"
)]

#[cfg(test)]
extern crate self as requirements_check;

mod call;
pub mod change;
mod deadline;
mod decide;
mod evidence;
pub mod facts;
pub mod git;
pub mod observe;
mod rails;
pub mod rule;
pub mod satisfactions;
#[cfg(test)]
#[path = "tests/scene.rs"]
mod scene;
pub mod settings;
pub mod state;
pub mod strategy;
pub mod typed;
pub mod wording;
pub mod world;

pub use change::Change;
pub use facts::Facts;
pub use settings::Settings;
pub use state::State;

use shared::cli;
use shared::config::SettingFault;
use shared::hook::{Context, Headless, Hook, Input, Outcome};

/// The hook.
#[derive(Debug)]
pub struct RequirementsCheck;

impl Hook for RequirementsCheck {
    const NAME: &'static str = "requirements-check";
    const HEADLESS: Headless = Headless::Decides;
    const HEADLESS_MEANS: &'static str =
        "It blocks stops of headless sessions too (`claude -p`, SDK). It denies calls there in any case.";
    const GLOBAL_ONLY: &'static [&'static str] = &[];
    const ROOT_KEYS: &'static [&'static str] = &["requirements", "hooks"];

    type Settings = Settings;
    type State = State;
    type Facts = Facts;
    type Effect = Change;

    fn faults(settings: &Settings) -> Vec<SettingFault> {
        rule::faults(settings)
    }

    fn is_command(prompt: &str) -> bool {
        typed::words(prompt).is_some() || cli::is_typed::<Self>(prompt)
    }

    fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
        observe::observe(context)
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<State, Change> {
        decide::decide(input)
    }
}
