//! `credit-pacer report`: one page in one file that needs nothing else: usage against the safe line, and the delays.
//!
//! The page never replaces a file that is no report.

use std::fs;
use std::path::Path;

use pacing::{Window, duration, percent, seconds};
use shared::cli::Asker;
use shared::state::{SharedMode, write_durable};

use crate::past::{Past, Span, look_back};
use crate::wording::SOURCES;

/// A file that begins like this is a report.
const MARK: &str = "<!DOCTYPE html>\n<!-- written by credit-pacer report -->\n";

/// The width of the picture in its own units; its height is a percent each, and the band of delays below it.
const COLUMNS: u16 = 300;

/// The height of the bar of the longest delay.
const BAND: f64 = 12.0;

/// The longest delay, in seconds.
const LONGEST: f64 = 350.0;

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
    let charts = Window::ALL.map(|window| section(past, window)).concat();
    let row = |day| format!("<tr>{}</tr>", past.row(day).map(|cell| format!("<td>{cell}</td>")).concat());
    // The newest day first.
    let rows: String = past.days.iter().rev().map(row).collect();
    let (first, last) = (past.date(past.span().start), past.date(past.span().end - 1));
    let page = include_str!("report.html")
        .replace("{period}", &format!("{first} to {last} ({})", past.zone_name))
        .replace("{version}", env!("CARGO_PKG_VERSION"))
        .replace("{now}", &past.date_and_time(past.now))
        .replace("{charts}", &charts)
        .replace("{rows}", &rows);
    format!("{MARK}{page}")
}

fn section(past: &Past, window: Window) -> String {
    let name = window.name();
    let Some(peak) = past.highest(window, &past.span()).map(|reading| percent(reading.used_percent, true))
    else {
        return format!(
            "<section><h2>{name}</h2><p>Nothing is recorded of this time; {SOURCES}.</p></section>"
        );
    };
    let picture = format!("{}{}{}", grid(past), paths(past, window), delays(past, window));
    format!(
        "<section><h2>{name}: at most {peak} used</h2><svg viewBox=\"-11 -3 314 124\" role=\"img\" \
         aria-label=\"{name}: at most {peak} used. The table below has each day.\">{picture}</svg></section>"
    )
}

fn grid(past: &Past) -> String {
    let mark = |mark: i32| {
        let y = 100 - mark;
        format!("<path class=\"grid\" d=\"M0 {y}H{COLUMNS}\"/><text x=\"-10\" y=\"{}\">{mark}</text>", y + 1)
    };
    let day = |day: &Span| {
        let (x, name) = (past.place(day.start, COLUMNS), past.date(day.start));
        format!("<path class=\"grid\" d=\"M{x:.1} 0V100\"/><text x=\"{x:.1}\" y=\"119\">{name}</text>")
    };
    let days = past.days.iter().step_by(past.days.len().div_ceil(10).max(1)).map(day);
    [0, 50, 100].map(mark).into_iter().chain(days).collect()
}

/// Usage as an area and the safe line, column by column; both have gaps where nothing is known.
fn paths(past: &Past, window: Window) -> String {
    let columns = (0..COLUMNS).filter_map(|column| Some((column, past.at(window, COLUMNS, column)?)));
    let drawn = columns.map(|(column, (used, safe))| {
        let (used, safe) = (100.0 - used.min(100.0), 100.0 - safe);
        (format!("M{column} 100V{used:.1}h1V100"), format!("M{column} {safe:.1}h1"))
    });
    let (used, safe): (String, String) = drawn.unzip();
    format!("<path class=\"used\" d=\"{used}\"/><path class=\"safe\" d=\"{safe}\"/>")
}

fn delays(past: &Past, window: Window) -> String {
    let own = past.delays.iter().filter(|delay| delay.window.as_deref() == Some(window.key()));
    let drawn = own.map(|delay| {
        let height = (seconds(delay.secs) / LONGEST * BAND).clamp(1.0, BAND);
        let (x, y) = (past.place(delay.at, COLUMNS), 100.0 + BAND - height);
        let title = format!("{}: {}", past.date_and_time(delay.at), duration(delay.secs));
        format!(
            "<rect class=\"delay\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"1\" height=\"{height:.1}\"><title>{title}</title></rect>"
        )
    });
    drawn.collect()
}

#[cfg(test)]
mod tests;
