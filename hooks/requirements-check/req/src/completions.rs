//! `req completions`, `req man`: what a shell needs to complete `req`, and the manual pages, from the definition of the command
//! line.

use std::path::Path;

use clap_complete::{Shell, generate};

use crate::reply::Reply;
use crate::verb::clap_command;

pub(crate) fn completions(shell: Shell) -> Reply {
    let mut script = Vec::new();
    generate(shell, &mut clap_command(), "req", &mut script);
    Reply::yes(String::from_utf8_lossy(&script).trim_end())
}

/// Prints the page of `req`, or writes a page for each command into a folder.
pub(crate) fn man(dir: Option<&Path>) -> Result<Reply, String> {
    let command = clap_command().disable_help_subcommand(true);
    let Some(dir) = dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map_err(|error| format!("req: {error}"))?;
        return Ok(Reply::yes(String::from_utf8_lossy(&page).trim_end()));
    };
    let written = std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir));
    written.map_err(|error| format!("req: {}: {error}", dir.display()))?;
    Ok(Reply::yes(format!("wrote the pages into {}; man -M reads them", dir.display())))
}
