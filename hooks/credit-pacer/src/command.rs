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

use shared::cli::{self, Asker, Verb};
use shared::hook::Seen;
use shared::host::Host;
use shared::operator::typed::caller;
use shared::protocol::Event;

use crate::CreditPacer;
use crate::effect::Change;
use crate::settings::Settings;
use crate::{filter, history, poll, report, simulate, statusline};
use grammar::{Asked, MASTER, OWN, Prompted, is_common, name_of, parse, prompted};

/// The answer to a typed command.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What the user reads.
    pub(crate) text: String,
    /// What is to be done.
    pub(crate) changes: Vec<Change>,
}

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
    verb("simulate [OPTION ...]", "the arithmetic put to the test on weeks that are made up"),
];

/// The prompt is one of our commands.
pub(crate) fn is_command(prompt: &str) -> bool {
    prompted(prompt).is_some()
}

/// Runs a verb of ours in a shell; `None`: it is none of ours.
pub(crate) fn run(host: &Host, words: &[&str]) -> Option<ExitCode> {
    let name = if is_started_as_master() { MASTER } else { OWN };
    if let Some(wanted) = parse(name, words) {
        return Some(cli::in_shell(host, |asker| answer(wanted, name, asker)));
    }
    if let [verb, .., "--help" | "-h"] = words
        && let Some(usage) = help::usage(name, verb)
    {
        return Some(cli::say(&usage));
    }
    match words {
        // Only from a terminal: without one and without words this is the hook.
        [] => Some(cli::in_shell(host, |asker| status::answer(name, false, asker))),
        ["decide"] => Some(filter::run(io::stdin().lock(), io::stdout().lock())),
        ["statusline"] => Some(statusline::run(host)),
        ["poll"] => Some(poll::run(host)),
        ["history", words @ ..] => Some(history::run(host, words)),
        ["report", words @ ..] => Some(report::run(host, words)),
        ["simulate", words @ ..] => Some(simulate::run(words)),
        ["help" | "--help" | "-h"] => Some(cli::say(&help::help(name))),
        _ if is_common(words) => None,
        _ => Some(cli::wrong_usage(&help::wrong(name, words))),
    }
}

/// The binary was started by its second name.
fn is_started_as_master() -> bool {
    let program = std::env::args_os().next().unwrap_or_default();
    Path::new(&program).file_stem().is_some_and(|name| name == MASTER)
}

fn answer(wanted: Asked, name: &str, asker: &Asker<'_>) -> cli::Reply {
    match wanted {
        Asked::Status { json } => status::answer(name, json, asker),
        Asked::StatusSchema => cli::Reply::yes(status::schema()),
        Asked::Turn(switch, position) => turn::turned(switch, position, asker),
    }
}

/// The answer to a prompt, if it is one of our commands.
pub(crate) fn typed(seen: &Seen<'_, Settings>, prompt: &str) -> Option<Reply> {
    let prompted = prompted(prompt)?;
    let (name, _) = name_of(prompt)?;
    let source = match &seen.input.event {
        Event::UserPromptSubmit { source, .. } => source.as_deref(),
        _ => None,
    };
    let asker = Asker {
        host: seen.host,
        places: seen.places,
        store: seen.store,
        session: seen.input.call.session_id.as_deref(),
        caller: caller(seen.host, seen.store, prompt, source),
    };
    let reply = match prompted {
        Prompted::Asked(wanted) => answer(wanted, name, &asker),
        Prompted::Common(words) if matches!(words.as_str(), "help" | "--help" | "-h") => {
            cli::Reply::yes(help::help(name))
        }
        Prompted::Common(words) => cli::typed::<CreditPacer>(&format!("{OWN} {words}"), &asker)?,
        Prompted::No(why) => cli::Reply::no(why),
    };
    let changes = reply.turns.into_iter().map(|turn| Change::Turn {
        section: turn.switch,
        session: turn.session,
        position: turn.position,
    });
    Some(Reply { text: reply.text, changes: changes.collect() })
}
