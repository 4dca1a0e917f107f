//! `credit-pacer report`: charts and table of `history` as one page in one file that needs nothing else.
//!
//! The page never replaces a file that is no report.

use std::fs;
use std::path::Path;

use shared::cli::Asker;
use shared::state::{SharedMode, write_durable};

use crate::history;
use crate::past::{Past, look_back};

/// A file that begins like this is a report.
const MARK: &str = "<!DOCTYPE html>\n<!-- written by credit-pacer report -->\n";

/// Writes the report, and returns its path.
pub(crate) fn write(asker: &Asker<'_>, path: &Path, days: u32) -> Result<String, String> {
    look_back(asker, days).and_then(|past| replace(path, &page(&past)))
}

/// The name ends in `.html`, so it is no file that switches a hook off.
fn replace(path: &Path, page: &str) -> Result<String, String> {
    let shown = path.display();
    if !path.extension().is_some_and(|end| end.eq_ignore_ascii_case("html")) {
        return Err(format!("{shown} must end in .html"));
    }
    if fs::symlink_metadata(path).is_ok() && !is_report(path) {
        return Err(format!("{shown} is there and is no report of credit-pacer; name another file"));
    }
    let written =
        write_durable(path, page.as_bytes(), SharedMode::default()).and_then(|()| fs::canonicalize(path));
    written
        .map(|path| path.display().to_string())
        .map_err(|error| format!("{shown} cannot be written: {error}"))
}

fn is_report(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|file| file.is_file());
    is_file && fs::read_to_string(path).is_ok_and(|text| text.starts_with(MARK))
}

fn page(past: &Past) -> String {
    let (first, last) = (past.date(past.span().start), past.date(past.span().end - 1));
    let text = history::page(past, history::COLUMNS.1).replace('&', "&amp;").replace('<', "&lt;");
    let page = include_str!("report.html")
        .replace("{period}", &format!("{first} to {last}"))
        .replace("{version}", env!("CARGO_PKG_VERSION"))
        .replace("{now}", &past.date_and_time(past.now))
        .replace("{text}", &text);
    format!("{MARK}{page}")
}

#[cfg(test)]
mod tests;
