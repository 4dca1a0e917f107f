//! `req completions`, `req man`: what a shell needs to complete `req`, and the manual pages, from the definition of the command
//! line.

use std::io::Error;
use std::path::Path;

use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::generate;

use crate::reply::Reply;
use crate::verb::{Completions, Man, clap_command};
use crate::{docs, schema};

/// Prints the script, or writes it where the shell looks for it.
pub(crate) fn completions(wanted: &Completions) -> Result<Reply, String> {
    let mut command = with_values(clap_command());
    let Some(dir) = &wanted.dir else {
        let mut script = Vec::new();
        generate(wanted.shell, &mut command, "req", &mut script);
        return Ok(Reply::yes(String::from_utf8_lossy(&script).trim_end()));
    };
    let written = make(dir).and_then(|()| clap_complete::generate_to(wanted.shell, &mut command, "req", dir));
    let file = written.map_err(|error| failed(dir, &error))?.display().to_string();
    Ok(Reply::yes(format!("wrote {file}; a new shell reads it if it looks into that folder")))
}

/// Prints the page of `req`, or writes a page for each command into a folder.
pub(crate) fn man(wanted: &Man) -> Result<Reply, String> {
    let command = clap_command().disable_help_subcommand(true);
    let Some(dir) = &wanted.dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map_err(|error| format!("req: {error}"))?;
        return Ok(Reply::yes(String::from_utf8_lossy(&page).trim_end()));
    };
    let written = make(dir).and_then(|()| clap_mangen::generate_to(command, dir));
    written.map_err(|error| failed(dir, &error))?;
    Ok(Reply::yes(format!("wrote the pages into {}; man -M reads them", dir.display())))
}

fn make(dir: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(dir)
}

fn failed(dir: &Path, error: &Error) -> String {
    format!("req: {}: {error}", dir.display())
}

/// The definition with the words that can stand for an argument. The command itself checks them and names the nearest one.
fn with_values(command: Command) -> Command {
    let command = command.mut_args(|arg| match values_of(arg.get_id().as_str()) {
        Some(values) => arg.value_parser(PossibleValuesParser::new(values)),
        None => arg,
    });
    command.mut_subcommands(with_values)
}

fn values_of(argument: &str) -> Option<Vec<&'static str>> {
    match argument {
        "hook" | "hooks" => Some(docs::hooks().collect()),
        "topic" => Some(docs::topics().collect()),
        // Only `req schema` has an argument of this name.
        "command" => Some(schema::names()),
        _ => None,
    }
}
