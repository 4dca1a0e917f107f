//! `credit-pacer history` draws the usage of each limit as a line of blocks, with each day in numbers, and `credit-pacer report`
//! as pictures, in one page in one file that needs nothing else. The page never replaces a file that is no report.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use pacing::{Reading, Window, percent};
use shared::cli::Asker;
use shared::state::write_durable;

use crate::past::{Past, look_back};
use crate::wording::SOURCES;

/// The width of a chart, in characters.
const COLUMNS: u16 = 80;

/// From an eighth to the whole of a character.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The width of a picture in its own units.
const PICTURE_COLUMNS: u16 = 300;

/// A file that begins like this is a report.
const MARK: &str = "<!DOCTYPE html>\n<!-- written by credit-pacer report -->\n";

/// Charts and table.
pub(crate) fn text(asker: &Asker<'_>, days: u32) -> Result<String, String> {
    look_back(asker, days).map(|past| charts(&past))
}

fn charts(past: &Past) -> String {
    if past.is_empty() {
        return table(past);
    }
    let drawn = Window::ALL.into_iter().map(|window| chart(past, window, COLUMNS));
    let footer =
        "Times in your time zone (credit-pacer.timezone); safe line by the settings of today.".to_owned();
    drawn.chain([table(past), footer]).collect::<Vec<_>>().join("\n\n")
}

/// The days in numbers, oldest first.
fn table(past: &Past) -> String {
    if past.is_empty() {
        return format!("Nothing is recorded of the last {} days; {SOURCES}.", past.days.len());
    }
    let line = |[day, five_hour, weekly, delays]: [&str; 4]| {
        format!("{day:<10} {five_hour:>7} {weekly:>7} {delays:>22}")
    };
    let head = line(["day", "5-hour", "weekly", "delays"]);
    let rows = past.days.iter().map(|day| line(past.row(day).each_ref().map(String::as_str)));
    std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n")
}

/// The chart, with marks where usage was over the safe line and where calls waited, without a line end after its last line.
fn chart(past: &Past, window: Window, columns: u16) -> String {
    let row = |mark: &dyn Fn(u16) -> char| (0..columns).map(mark).collect::<String>().trim_end().to_owned();
    let usage = |column| past.at(window, columns, column);
    let is_over = |column| usage(column).is_some_and(|(used, safe)| used > safe);
    let blocks = row(&|column| usage(column).map_or(' ', |(used, _)| block(used)));
    let over = row(&|column| if is_over(column) { '^' } else { ' ' });
    let waits = row(&|column| if past.has_delay(window, columns, column) { '~' } else { ' ' });
    let marks = [(over, "^ over the safe line"), (waits, "~ calls waited")];
    let marks = marks.into_iter().filter(|(row, _)| !row.is_empty());
    let marks = marks.map(|(row, meaning)| format!("{row}  {meaning}"));
    let lines = [heading(past, window), blocks].into_iter().chain(marks).chain([labels(past, columns)]);
    lines.collect::<Vec<_>>().join("\n")
}

fn block(used: f64) -> char {
    let reached = (1..8_u8).rev().find(|eighth| used > f64::from(*eighth) * 12.5).unwrap_or(0);
    BLOCKS[usize::from(reached)]
}

fn heading(past: &Past, window: Window) -> String {
    let name = window.name();
    let used = |reading: Reading| percent(reading.used_percent);
    if let Some(reading) = past.held(window, past.now) {
        let resets = past.date_and_time(reading.resets_at);
        return format!("{name}: {} used, resets {resets}", used(reading));
    }
    let highest = past.highest(window, &past.span()).map(used);
    highest.map_or_else(
        || format!("{name}: nothing recorded"),
        |highest| format!("{name}: at most {highest} used"),
    )
}

/// The days, each below its beginning where there is room.
fn labels(past: &Past, columns: u16) -> String {
    past.days.iter().fold(String::new(), |line, day| {
        let column: usize =
            (0..columns).find(|column| past.time(columns, *column).end > day.start).unwrap_or(0).into();
        let (name, length) = (past.date(day.start), line.chars().count());
        let fits = column + name.len() <= usize::from(columns) && (length == 0 || column > length);
        if fits { format!("{line:<column$}{name}") } else { line }
    })
}

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
    let written = write_durable(path, page.as_bytes()).and_then(|()| fs::canonicalize(path));
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
        .replace("{days}", &table(past));
    format!("{MARK}{page}")
}

/// Usage as an area, the safe line, and below them the calls that waited. A column and a percent are one unit each.
fn picture(past: &Past, window: Window) -> String {
    let name = window.name();
    let (mut used, mut safe, mut waits) = (String::new(), String::new(), String::new());
    for column in 0..PICTURE_COLUMNS {
        if let Some((used_percent, safe_percent)) = past.at(window, PICTURE_COLUMNS, column) {
            let _ = write!(used, "M{column} 100V{:.1}h1V100", 100.0 - used_percent.min(100.0));
            let _ = write!(safe, "M{column} {:.1}h1", 100.0 - safe_percent);
        }
        if past.has_delay(window, PICTURE_COLUMNS, column) {
            let _ = write!(waits, "M{column} 103h1");
        }
    }
    format!(
        "<h2>{}</h2><svg viewBox=\"0 -1 {PICTURE_COLUMNS} 106\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{name}; \
         the table below has each day\"><path class=\"used\" d=\"{used}\"/><path class=\"safe\" d=\"{safe}\"/>\
         <path class=\"waits\" d=\"{waits}\"/></svg>",
        heading(past, window)
    )
}

#[cfg(test)]
mod tests;
