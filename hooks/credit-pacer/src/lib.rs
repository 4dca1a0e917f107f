//! credit-pacer: makes your usage last until the 5-hour limit and the weekly limit reset, by delaying tool calls while they
//! use it faster.
//!
//! Claude Code gives the usage to its status line; `credit-pacer statusline` writes it down. After each tool call the hook compares it
//! with the safe line and the forecast, and lets the next request to the model wait. Nothing here needs credentials or a
//! connection; the usage API is a choice.
//!
//! - `settings`, and `rules`: the settings as the controller takes them
//! - the crate `pacing`: the controller, from readings and calls to a delay
//! - `state`: the memory of all sessions together; `readings`: the usage as it is reported, written down, and known to a session
//! - `observe`: the inputs; `decide`: the rules and effects; `wording`: the messages
//! - `statusline`: records the usage, then prints a line; `poll`: asks the usage API beside the sessions
//! - `database`: usage and delays of two months; `past`, `history`: looking back
//! - `command`: the typed commands and the status; `filter`: the controller as a filter

mod command;
mod database;
mod decide;
mod filter;
mod history;
mod observe;
mod past;
mod poll;
mod readings;
mod rules;
mod settings;
mod state;
mod statusline;
mod wording;

pub use decide::{Change, Facts};
pub use settings::{Day, DayRange, HoursOfDay, OneOrMore, Settings, Zone};
pub use state::State;

use std::io;
use std::process::ExitCode;

use shared::cli::{self, Asker, Verb};
use shared::config::Section;
use shared::hook::{Context, Headless, Hook, Input, Outcome};
use shared::host::{Host, Places, Timestamp};

/// The hook.
#[derive(Debug)]
pub struct CreditPacer;

impl Hook for CreditPacer {
    const NAME: &'static str = "credit-pacer";
    const HEADLESS: Headless = Headless::Decides;
    const HEADLESS_MEANS: &'static str =
        "Delays of headless sessions (`claude -p`, SDK) may be longer than 60 seconds.";
    const GLOBAL_ONLY: &'static [&'static str] = &["retention_days", "statusline", "usage_api"];
    /// The names of the original tool.
    const RENAMED: &'static [(&'static str, &'static str)] = &[
        ("threshold_percent", "threshold_pct"),
        ("base_delay", "base_delay_secs"),
        ("max_delay", "max_delay_secs"),
        ("poll_interval", "usage_api.interval_secs"),
        ("five_hour_limit_enabled", "five_hour.enabled"),
        ("weekly_limit_enabled", "seven_day.enabled"),
    ];
    const ACTS_WHILE_SWITCHED_OFF: bool = true;
    const VERBS: &'static [Verb] = command::VERBS;

    type Settings = Settings;
    type State = State;
    type Facts = Facts;
    type Effect = Change;

    fn is_command(prompt: &str) -> bool {
        cli::is_command::<Self>(prompt)
    }

    fn run_verb(host: &Host, words: &[&str]) -> Option<ExitCode> {
        match words {
            ["decide"] => Some(filter::run(io::stdin().lock(), io::stdout().lock())),
            ["statusline"] => Some(statusline::run(host)),
            ["poll"] => Some(poll::run(host)),
            _ => cli::run::<Self>(host, Self::NAME, words),
        }
    }

    fn status_lines(section: &Section<Settings>, asker: &Asker<'_>) -> Vec<String> {
        command::lines(section, asker)
    }

    fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
        observe::observe(context)
    }

    fn slept(places: &Places, session: Option<&str>, now: Timestamp) {
        database::slept(places, session, now);
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<State, Change> {
        decide::decide(input)
    }
}
