//! `credit-pacer report`: usage against the safe line as pictures, and each day in numbers, as one page in one file that needs
//! nothing else.
//!
//! The page never replaces a file that is no report.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use pacing::Window;
use shared::cli::Asker;
use shared::state::{SharedMode, write_durable};

use crate::history;
use crate::past::{Past, look_back};

/// The width of a picture in its own units.
const COLUMNS: u16 = 300;

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
    let page = include_str!("report.html")
        .replace("{period}", &format!("{first} to {last}"))
        .replace("{version}", env!("CARGO_PKG_VERSION"))
        .replace("{now}", &past.date_and_time(past.now))
        .replace("{pictures}", &Window::ALL.map(|window| picture(past, window)).concat())
        .replace("{days}", &history::table(past));
    format!("{MARK}{page}")
}

/// Usage as an area, the safe line, and below them the calls that waited. A column and a percent are one unit each.
fn picture(past: &Past, window: Window) -> String {
    let name = window.name();
    let (mut used, mut safe, mut waits) = (String::new(), String::new(), String::new());
    for column in 0..COLUMNS {
        if let Some((used_percent, safe_percent)) = past.at(window, COLUMNS, column) {
            let _ = write!(used, "M{column} 100V{:.1}h1V100", 100.0 - used_percent.min(100.0));
            let _ = write!(safe, "M{column} {:.1}h1", 100.0 - safe_percent);
        }
        if past.has_delay(window, COLUMNS, column) {
            let _ = write!(waits, "M{column} 103h1");
        }
    }
    format!(
        "<h2>{}</h2><svg viewBox=\"0 -1 {COLUMNS} 106\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{name}; \
         the table below has each day\"><path class=\"used\" d=\"{used}\"/><path class=\"safe\" d=\"{safe}\"/>\
         <path class=\"waits\" d=\"{waits}\"/></svg>",
        history::heading(past, window)
    )
}

#[cfg(test)]
mod tests;
