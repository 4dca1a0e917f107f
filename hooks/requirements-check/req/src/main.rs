//! The command line `req`.
//!
//! `verb` defines it, [`run`] has the one match over its verbs, and each module answers some of them with a [`Reply`] or with
//! the reason why not. `location` holds the project, its settings and the caller.
//!
//! Exit status: 0 done, 1 the answer is no, 64 wrong usage; never 2, which in a hook means "block".

mod check;
mod ci;
mod config;
mod docs;
mod help;
mod init;
mod journal;
mod listing;
mod location;
mod pause;
mod reply;
mod request;
mod satisfy;
mod schema;
mod status;
#[cfg(test)]
mod tests;
mod verb;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::ensure;
use clap::error::ErrorKind as Kind;
use installer::say::Voice;
use installer::{commands, doctor};
use shared::host::Host;

use config::file::{LOCAL, ignore};
use location::Location;
use reply::{Answer, Reply, json};
use request::about;
use shared::text::plain;
use shared::text::quoted;
use verb::{Verb, clap_command, parse_words};

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
        Err(why) => failed(&format!("req: {why:#}"), 1),
    }
}

fn answer(verb: &Verb, line: &str) -> Answer {
    let asking = Location::asking();
    // A line with `!` runs in Claude's shell, where nothing counts as the user's, as most of `hooks` must.
    let or_here = ", or here with ! before it, which counts as Claude's";
    let or_here = if matches!(verb, Verb::Hooks { .. }) { "" } else { or_here };
    ensure!(asking.is_none() || !needs_shell(verb), "this needs a shell; type it in a terminal{or_here}");
    run(verb, line, || Location::open(asking, line))
}

fn run(verb: &Verb, line: &str, open: impl FnOnce() -> anyhow::Result<Location>) -> Answer {
    let here = (None, None);
    match verb {
        Verb::Status(wanted) => {
            let named = (wanted.session.as_deref(), wanted.branch.as_deref());
            about(&open()?, named, |asked| asked.status(wanted))
        }
        Verb::Satisfy(wanted) => about(&open()?, here, |asked| asked.satisfy(wanted)),
        Verb::Approve(wanted) => about(&open()?, here, |asked| asked.except(wanted, "approve")),
        Verb::Waive(wanted) => about(&open()?, here, |asked| asked.except(wanted, "waive")),
        Verb::Clear(wanted) => about(&open()?, here, |asked| asked.clear(wanted)),
        Verb::List(output) => about(&open()?, here, |asked| Ok(asked.list(output.json))),
        Verb::Prune => about(&open()?, here, listing::prune),
        Verb::Sessions(output) => about(&open()?, here, |asked| Ok(asked.sessions(output.json))),
        Verb::Check(wanted) => check::check(wanted, &open()?),
        Verb::Init(wanted) => init::init(wanted, &open()?),
        Verb::Enable(wanted) => config::turn(wanted, true, &open()?),
        Verb::Disable(wanted) => config::turn(wanted, false, &open()?),
        Verb::Config(wanted) => config::config(wanted, &open()?),
        Verb::Ci(wanted) => Ok(ci::ci(wanted, &Location::of_checkout(line)?)),
        Verb::Why(wanted) => journal::why(wanted, &open()?),
        Verb::Log(wanted) => journal::log(wanted, &open()?),
        Verb::Pause { span } => pause::pause(*span, &open()?),
        Verb::Resume => pause::resume(&open()?),
        Verb::Hooks { wanted } => {
            // The installer prints what it does.
            let host = Host::real();
            commands::run(wanted, &host, Voice::Req)?;
            let project = wanted.local_project(&host).filter(|project| project.join(LOCAL).is_file());
            project.map_or(Ok(true), |project| ignore(&project, LOCAL)).map(|_| Reply::default())
        }
        Verb::Doctor { fix, output } => doctor(*fix, output.json),
        Verb::Docs { topic, output } => docs::docs(topic.as_deref(), output.json),
        Verb::Schema { command } => schema::schema(command.as_deref()),
        Verb::Completions { shell } => Ok(help::completions(clap_command(), *shell)),
        Verb::Man { dir } => help::man(clap_command(), dir.as_deref()),
    }
}

/// Verbs that ask on a terminal, run programs or print files are none for a prompt.
fn needs_shell(verb: &Verb) -> bool {
    matches!(
        verb,
        Verb::Hooks { .. }
            | Verb::Init(_)
            | Verb::Doctor { .. }
            | Verb::Ci(_)
            | Verb::Schema { .. }
            | Verb::Completions { .. }
            | Verb::Man { .. }
    )
}

fn doctor(fix: bool, is_json: bool) -> Answer {
    let report = doctor::run(&Host::real(), fix, &doctor::managed_settings())?;
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
