//! credit-pacer: makes the credits of the 5-hour and the 7-day window last, by delaying tool calls while they are used
//! faster than the working time allows.
//!
//! The client tells its status line how much is used; `credit-pacer statusline` writes that down. After each tool call
//! the hook holds it against what may be used by now, and lets the next request to the model wait as long as it takes to
//! come out at 95 % when the window ends. Nothing here needs credentials or a connection; the usage API is a choice.
//!
//! - `settings`: what can be set, with its meaning
//! - `pacing`: the arithmetic, from readings and calls to a delay, and nothing else
//! - `observe`: what is looked at; `decide`: the rules; `wording`: what is said; `effect`: what is done beside speaking
//! - `state`: what is remembered of the last calls, by all sessions together
//! - `statusline`: the client's status line: recorded first, then printed
//! - `database`: what was used when, over two months
//! - `poll`: asking the usage API, at most every ten minutes, beside the sessions
//! - `command`: what can be typed, in a shell and as a prompt
//! - `history`, `report`: looking back; `filter`: the arithmetic as a filter; `simulate`: the arithmetic put to the test

mod books;
mod command;
mod database;
mod decide;
mod effect;
mod filter;
mod history;
mod observe;
mod poll;
mod report;
mod rules;
mod settings;
mod state;
mod statusline;
mod wording;

pub use effect::Change;
pub use observe::Facts;
pub use settings::{Day, DayRange, HoursOfDay, OneOrMore, Settings, Zone};
pub use state::State;

use std::process::ExitCode;

use shared::cli::{self, Verb};
use shared::config::SettingFault;
use shared::hook::{Context, Headless, Hook, Input, Outcome};
use shared::host::{Host, Places, Timestamp};

/// The hook.
#[derive(Debug)]
pub struct CreditPacer;

impl Hook for CreditPacer {
    const NAME: &'static str = "credit-pacer";
    const HEADLESS: Headless = Headless::Decides;
    const HEADLESS_MEANS: &'static str =
        "Delays of sessions nobody watches (`claude -p`, SDK) may be longer than 60 seconds.";
    const GLOBAL_ONLY: &'static [&'static str] = &["retention_days", "statusline", "usage_api"];
    const OTHER_NAMES: &'static [(&'static str, &'static str)] = &[
        ("threshold_percent", "threshold_pct"),
        ("base_delay", "base_delay_secs"),
        ("max_delay", "max_delay_secs"),
        ("preload_hours", "seven_day.preload_pct"),
        ("five_hour_limit_enabled", "five_hour.enabled"),
        ("weekly_limit_enabled", "seven_day.enabled"),
    ];
    const ACTS_WHILE_SWITCHED_OFF: bool = true;
    const VERBS: &'static [Verb] = command::VERBS;

    type Settings = Settings;
    type State = State;
    type Facts = Facts;
    type Effect = Change;

    fn faults(settings: &Settings) -> Vec<SettingFault> {
        settings.faults()
    }

    fn is_command(prompt: &str) -> bool {
        cli::is_command::<Self>(prompt)
    }

    fn run_verb(host: &Host, words: &[&str]) -> Option<ExitCode> {
        command::run(host, words)
    }

    fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
        observe::observe(context)
    }

    fn slept(places: &Places, session: Option<&str>, now: Timestamp) {
        books::slept(places, session, now);
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<State, Change> {
        decide::decide(input)
    }
}
