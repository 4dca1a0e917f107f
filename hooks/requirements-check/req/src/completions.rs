//! `req completions`: what a shell needs to complete `req`, from the definition of the command line and from what can stand
//! behind its words: the hooks, the pages of the manual, the commands that have a schema.

use std::path::Path;

use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::{Shell, generate, generate_to};

use super::schema;
use crate::command::arguments::Completions;
use crate::command::{Reply, clap_command};
use crate::machine::docs;

/// Prints the script, or writes it where the shell looks for it.
pub(super) fn completions(wanted: &Completions) -> Result<Reply, String> {
    let mut command = with_values(clap_command());
    if let Some(dir) = &wanted.dir {
        return write(&mut command, wanted.shell, dir);
    }
    let mut script = Vec::new();
    generate(wanted.shell, &mut command, "req", &mut script);
    Ok(Reply::yes(String::from_utf8_lossy(&script).trim_end()))
}

fn write(command: &mut Command, shell: Shell, dir: &Path) -> Result<Reply, String> {
    let failed = |error: std::io::Error| format!("req: {}: {error}", dir.display());
    std::fs::create_dir_all(dir).map_err(failed)?;
    let file = generate_to(shell, command, "req", dir).map_err(failed)?;
    Ok(Reply::yes(format!("wrote {}; a new shell reads it if it looks into that folder", file.display())))
}

/// The definition with the words that can stand for an argument. The command itself checks them and names the nearest one.
fn with_values(command: Command) -> Command {
    let command = command.mut_args(|arg| match values_of(arg.get_id().as_str()) {
        Some(values) => arg.value_parser(PossibleValuesParser::new(values)),
        None => arg,
    });
    command.mut_subcommands(with_values)
}

/// What can stand for an argument of this name.
fn values_of(argument: &str) -> Option<Vec<&'static str>> {
    match argument {
        "hook" | "hooks" => Some(docs::hooks().collect()),
        "topic" => Some(docs::topics().collect()),
        // Of `req schema`: what is asked for with other commands is called otherwise.
        "command" => Some(schema::names()),
        _ => None,
    }
}
