//! `req completions`, `req man`: what a shell needs to complete `req`, and the manual pages, from the definition of the command
//! line.

use std::path::Path;

use clap_complete::{Shell, generate, generate_to};

use crate::reply::Reply;
use crate::verb::clap_command;

/// Prints the script, or writes it where the shell looks for it.
pub(crate) fn completions(shell: Shell, dir: Option<&Path>) -> Result<Reply, String> {
    let mut command = clap_command();
    let Some(dir) = dir else {
        let mut script = Vec::new();
        generate(shell, &mut command, "req", &mut script);
        return Ok(Reply::yes(String::from_utf8_lossy(&script).trim_end()));
    };
    let written = std::fs::create_dir_all(dir).and_then(|()| generate_to(shell, &mut command, "req", dir));
    let file = written.map_err(|error| format!("req: {}: {error}", dir.display()))?;
    Ok(Reply::yes(format!("wrote {}; a new shell reads it if it looks into that folder", file.display())))
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
