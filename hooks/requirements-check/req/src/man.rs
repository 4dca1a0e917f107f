//! `req man`: the manual pages, from the definition of the command line.

use std::io;

use clap_mangen::{Man as Page, generate_to};

use crate::command::arguments::Man;
use crate::command::{Reply, clap_command};

/// Prints the page of `req`, or writes a page for each command into a folder.
pub(super) fn man(wanted: &Man) -> Result<Reply, String> {
    let command = clap_command().disable_help_subcommand(true);
    let Some(dir) = &wanted.dir else {
        let mut page = Vec::new();
        Page::new(command).render(&mut page).map_err(|error| format!("req: {error}"))?;
        return Ok(Reply::yes(String::from_utf8_lossy(&page).trim_end()));
    };
    let failed = |error: io::Error| format!("req: {}: {error}", dir.display());
    std::fs::create_dir_all(dir).and_then(|()| generate_to(command, dir)).map_err(failed)?;
    Ok(Reply::yes(format!("wrote the pages into {}; man -M reads them", dir.display())))
}
