//! delegation-guard: work that a subagent could do is handed over, or done here deliberately.
//!
//! The hook denies the first tool call of the main session after a delegation once. It counts the calls after that (the
//! streak) and gives advice at 2, 4, 8, 16, 32 and so on. It ignores a subagent's calls, which carry an `agent_id`, so it
//! counts no subagents and stays on while they run.
//!
//! - `observe`, `messages`: the kind of event, and the texts for it
//! - `decide`, `state`: the rules, the streak, and the latest denial or advice

mod decide;
mod messages;
mod observe;
mod settings;
mod state;

use std::process::ExitCode;

use observe::Facts;
use settings::Settings;
use shared::config::SettingFault;
use shared::hook::{Context, Headless, Hook, Input, NoEffect, Outcome};
use shared::messages::strange_names;
use state::State;

/// Runs the hook.
pub fn main() -> ExitCode {
    shared::run::main::<DelegationGuard>()
}

#[derive(Debug)]
struct DelegationGuard;

impl Hook for DelegationGuard {
    const NAME: &'static str = "delegation-guard";
    const HEADLESS: Headless = Headless::Silent;
    const GLOBAL_ONLY: &'static [&'static str] = &["message_files"];

    type Settings = Settings;
    type State = State;
    type Facts = Facts;
    type Effect = NoEffect;

    fn faults(settings: &Settings) -> Vec<SettingFault> {
        strange_names(&settings.message_files, &messages::ALL)
    }

    fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
        observe::observe(context)
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<State> {
        decide::decide(input)
    }
}
