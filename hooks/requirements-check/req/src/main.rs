//! The command line `req`.
//!
//! `command` answers about requirements, `machine` about the machine; both answer typed prompts too. The other modules need a
//! shell: they ask on a terminal, run programs, print files. `desk` holds the project, its settings and the caller.
//!
//! Exit status: 0 done, 1 the answer is no, 64 wrong usage; never 2, which in a hook means "block".

mod ci;
mod command;
mod completions;
mod desk;
mod doctor;
mod hooks;
mod init;
mod machine;
mod man;
#[cfg(test)]
mod scene;
mod schema;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::error::ErrorKind as Kind;

use crate::command::{Asked, Reply, parse_words, usage_error};
use desk::Desk;
use requirements_check::words::plain;

const USAGE: u8 = 64;

fn main() -> ExitCode {
    shared::host::survive_file_size_limit();
    let arguments: Result<Vec<String>, OsString> =
        std::env::args_os().skip(1).map(OsString::into_string).collect();
    let Ok(words) = arguments else { return failed("req: the arguments are not readable text", USAGE) };
    let asked = match parse_words(&words) {
        Ok(asked) => asked,
        Err(error) if matches!(error.kind(), Kind::DisplayHelp | Kind::DisplayVersion) => {
            return say(error.render().to_string().trim_end());
        }
        Err(error) => {
            return failed(&usage_error(&error), USAGE);
        }
    };
    let asking = Desk::asking();
    if let (Asked::Hooks { wanted }, None) = (&asked, &asking) {
        return hooks::hooks(wanted);
    }
    let served = match asking {
        Some(asking) => Desk::of_prompt(asking).and_then(|desk| desk.serve(&asked)),
        None => serve(&asked),
    };
    match served {
        Ok(reply) if reply.is_no && reply.is_report => told_no(&reply.text),
        Ok(reply) if reply.is_no => failed(&reply.text, 1),
        Ok(reply) => say(&reply.text),
        Err(why) => failed(&why, 1),
    }
}

fn serve(asked: &Asked) -> Result<Reply, String> {
    match asked {
        Asked::Completions(wanted) => completions::completions(wanted),
        Asked::Man(wanted) => man::man(wanted),
        Asked::Schema { command } => Ok(schema::schema(command.as_deref())),
        Asked::Init(wanted) => init::init(wanted, &Desk::open()?),
        Asked::Ci(wanted) => Ok(ci::ci(wanted, &Desk::open_here()?)),
        Asked::Doctor(wanted) => doctor::doctor(wanted),
        _ => Desk::open()?.serve(asked),
    }
}

fn say(text: &str) -> ExitCode {
    let mut stdout = std::io::stdout().lock();
    let said = writeln!(stdout, "{}", plain(text)).and_then(|()| stdout.flush());
    match said {
        // A closed stdout is the reader's choice, not an error; a script must not take half a file for a whole one.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            failed(&format!("req: the answer could not be written: {error}"), 1)
        }
        _ => ExitCode::SUCCESS,
    }
}

fn told_no(text: &str) -> ExitCode {
    say(text);
    ExitCode::FAILURE
}

fn failed(text: &str, status: u8) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{}", plain(text));
    ExitCode::from(status)
}
