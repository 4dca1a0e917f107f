//! The command line `req`.
//!
//! `verb` defines it, [`answer`] has the one match over its verbs, and each module answers some of them with a [`Reply`] or with
//! the reason why not. `location` holds the project, its settings and the caller.
//!
//! Exit status: 0 done, 1 the answer is no, 64 wrong usage; never 2, which in a hook means "block".

mod audit;
mod check;
mod ci;
mod completions;
mod config;
mod docs;
mod help;
mod init;
mod journal;
mod known;
mod listing;
mod location;
mod pause;
mod reply;
mod request;
mod satisfy;
mod schema;
mod standing;
mod status;
#[cfg(test)]
mod tests;
mod verb;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::error::ErrorKind as Kind;
use installer::say::Voice;
use installer::{commands, doctor};
use shared::host::Host;

use location::Location;
use reply::{Reply, json};
use requirements_check::view::quoted;
use shared::text::plain;
use verb::{Verb, parse_words};

const USAGE: u8 = 64;

fn main() -> ExitCode {
    shared::host::survive_file_size_limit();
    let arguments: Result<Vec<String>, OsString> =
        std::env::args_os().skip(1).map(OsString::into_string).collect();
    let Ok(words) = arguments else { return failed("req: the arguments are not readable text", USAGE) };
    let line = words.iter().fold("req".to_owned(), |line, word| line + " " + &quoted(word));
    let verb = match parse_words(&words) {
        Ok(verb) => verb,
        Err(error) if matches!(error.kind(), Kind::DisplayHelp | Kind::DisplayVersion) => {
            return said(error.render().to_string().trim_end());
        }
        Err(error) => return failed(error.render().to_string().trim_end(), USAGE),
    };
    match answer(&verb, &line) {
        Ok(reply) if reply.is_no => {
            said(&reply.text);
            ExitCode::FAILURE
        }
        Ok(reply) => said(&reply.text),
        Err(why) => failed(&why, 1),
    }
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is not general enough in its lifetimes"
)]
fn answer(verb: &Verb, line: &str) -> Result<Reply, String> {
    let asking = Location::asking();
    if asking.is_some() {
        is_for_prompts(verb)?;
    }
    let open = || Location::open(asking, line);
    let here = (None, None);
    match verb {
        Verb::Status(wanted) => {
            let named = (wanted.session.as_deref(), wanted.branch.as_deref());
            open()?.about(named, |asked| asked.status(wanted))
        }
        Verb::Satisfy(wanted) => open()?.about(here, |asked| asked.satisfy(wanted)),
        Verb::Approve(wanted) => open()?.about(here, |asked| asked.except(wanted, "approve")),
        Verb::Waive(wanted) => open()?.about(here, |asked| asked.except(wanted, "waive")),
        Verb::Clear(wanted) => open()?.about(here, |asked| asked.clear(wanted)),
        Verb::List(wanted) => open()?.about(here, |asked| Ok(asked.list(wanted))),
        Verb::Prune => open()?.about(here, |asked| asked.prune()),
        Verb::Sessions(wanted) => open()?.about(here, |asked| Ok(asked.sessions(wanted))),
        Verb::Check(wanted) => check::check(wanted, &open()?),
        Verb::Init(wanted) => init::init(wanted, &open()?),
        Verb::Enable(wanted) => config::turn(wanted, true, &open()?.asker(), line),
        Verb::Disable(wanted) => config::turn(wanted, false, &open()?.asker(), line),
        Verb::Config(wanted) => config::config(wanted, &open()?.asker(), line),
        Verb::Ci(wanted) => Ok(ci::ci(wanted, &Location::of_checkout()?)),
        Verb::Why(wanted) => journal::why(wanted, &open()?.asker()),
        Verb::Log(wanted) => journal::log(wanted, &open()?.asker()),
        Verb::Pause { span } => pause::pause(*span, &open()?.asker(), line),
        Verb::Resume => pause::resume(&open()?.asker()),
        Verb::Hooks { wanted } => hooks(wanted),
        Verb::Doctor { fix, json } => doctor(*fix, *json),
        Verb::Docs { topic, json } => docs::docs(topic.as_deref(), *json),
        Verb::Schema { command } => schema::schema(command.as_deref()),
        Verb::Completions { shell } => Ok(completions::completions(*shell)),
        Verb::Man { dir } => completions::man(dir.as_deref()),
    }
}

/// Verbs that ask on a terminal, run programs or print files need a shell. A line with `!` runs in Claude's shell, where
/// nothing counts as the user's.
fn is_for_prompts(verb: &Verb) -> Result<(), String> {
    let needs_shell = matches!(
        verb,
        Verb::Hooks { .. }
            | Verb::Init(_)
            | Verb::Doctor { .. }
            | Verb::Ci(_)
            | Verb::Schema { .. }
            | Verb::Completions { .. }
            | Verb::Man { .. }
    );
    let why =
        "req: this needs a shell; type it in a terminal, or here with ! before it, which counts as Claude's";
    if needs_shell { Err(why.to_owned()) } else { Ok(()) }
}

/// The installer prints what it does.
fn hooks(wanted: &commands::Command) -> Result<Reply, String> {
    commands::run(wanted, &Host::real(), Voice::Req)
        .map(|()| Reply::default())
        .map_err(|why| format!("req: {why:#}"))
}

fn doctor(fix: bool, is_json: bool) -> Result<Reply, String> {
    let report = doctor::run(&Host::real(), fix, &doctor::managed_settings())
        .map_err(|error| format!("req: {error:#}"))?;
    let text = if is_json { json(&report) } else { report.to_string() };
    Ok(Reply { is_no: !report.ok, ..Reply::yes(text) })
}

fn said(text: &str) -> ExitCode {
    if text.is_empty() {
        return ExitCode::SUCCESS;
    }
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{}", plain(text)).and_then(|()| stdout.flush()) {
        // A closed stdout is the reader's choice, not an error; a script must not take half a file for a whole one.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            failed(&format!("req: the answer could not be written: {error}"), 1)
        }
        _ => ExitCode::SUCCESS,
    }
}

fn failed(text: &str, status: u8) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{}", plain(text));
    ExitCode::from(status)
}
