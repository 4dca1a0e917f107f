//! What can be typed: in a shell, and as a prompt.
//!
//! - `grammar`: the words, and which prompts are commands; `help`: what is said of them
//! - `turn`: the switches; `status`: what would be done now, and why
//! - `habits`: when the user works

mod grammar;
mod habits;
mod help;
mod status;
mod turn;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use shared::cli::{self, Asker, Commands, Line, Verb};
use shared::hook::Context;
use shared::host::Host;

use crate::CreditPacer;
use crate::effect::Change;
use crate::settings::Settings;
use crate::{filter, history, poll, report, statusline};
use grammar::{MASTER, OWN};

pub(crate) use grammar::Asked;

/// The answer to a command.
pub(crate) type Reply = cli::Reply<Change>;

const fn verb(usage: &'static str, about: &'static str) -> Verb {
    Verb { usage, about }
}

/// The verbs beside those every hook has.
pub(crate) const VERBS: &[Verb] = &[
    verb("schema status", "JSON Schema of what status --json prints"),
    verb("weekly on|off|auto", "pace by the window of seven days"),
    verb("5-hour on|off|auto", "pace by the window of five hours"),
    verb("reminder on|off|auto", "the line that reminds Claude of subagents (delegation-guard)"),
    verb("tempo on|off|auto", "the check of stops (tempo-stop); auto: only while you are away"),
    verb("tempo session on|off|auto", "the same, in this session alone"),
    verb("intent-validation on|off|auto", "the check of declared intents (intent-validator)"),
    verb("statusline", "records what the client tells its status line on stdin, and prints a line"),
    verb("history [--days N]", "a chart of what was used, with the delays"),
    verb("report --html FILE [--days N] [--force]", "the same as a page"),
    verb("decide", "the arithmetic as a filter: a JSON object a line on stdin, its answer on stdout"),
];

impl Commands for CreditPacer {
    type Asked = Asked;

    fn name_of(word: &str) -> Option<&'static str> {
        [MASTER, OWN].into_iter().find(|name| word.eq_ignore_ascii_case(name))
    }

    fn asked(line: &Line<'_>) -> Option<Asked> {
        grammar::asked(line)
    }

    fn misused(line: &Line<'_>) -> Option<String> {
        grammar::misused(line)
    }

    fn answer(wanted: &Asked, asker: &Asker<'_>, _: Option<&Context<'_, Settings>>) -> Reply {
        match *wanted {
            Asked::Status { name, json } => status::answer(name, json, asker),
            Asked::StatusSchema => Reply::yes(status::schema()),
            Asked::History(days) => {
                match history::typed(asker.host, days.map(|days| days.to_string()).as_deref()) {
                    Ok(chart) => Reply::yes(chart),
                    Err(why) => Reply::no(format!("{OWN} history: {why}")),
                }
            }
            Asked::Help(name) => Reply::yes(help::help(name)),
            Asked::Turn(switch, position) => turn::turned(switch, position, asker),
        }
    }
}

/// Runs a verb of ours in a shell; `None`: it is none of ours.
pub(crate) fn run(host: &Host, words: &[&str]) -> Option<ExitCode> {
    let name = if is_started_as_master() { MASTER } else { OWN };
    if let Some(code) = cli::run::<CreditPacer>(host, name, words) {
        return Some(code);
    }
    if let [verb, .., "--help" | "-h"] = words
        && let Some(usage) = help::usage(name, verb)
    {
        return Some(cli::say(&usage));
    }
    match words {
        ["decide"] => Some(filter::run(io::stdin().lock(), io::stdout().lock())),
        ["statusline"] => Some(statusline::run(host)),
        ["poll"] => Some(poll::run(host)),
        ["history", words @ ..] => Some(history::run(host, words)),
        ["report", words @ ..] => Some(report::run(host, words)),
        _ if cli::is_common::<CreditPacer>(words) => None,
        _ => Some(cli::wrong_usage(&help::wrong(name, words))),
    }
}

/// The binary was started by its second name.
fn is_started_as_master() -> bool {
    let program = std::env::args_os().next().unwrap_or_default();
    Path::new(&program).file_stem().is_some_and(|name| name == MASTER)
}
