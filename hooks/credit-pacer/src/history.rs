//! `credit-pacer history`: the usage of each limit as a line of blocks, and each day in numbers. Pure but for [`text`].

use pacing::{Reading, Window, percent};
use shared::cli::Asker;

use crate::past::{Past, look_back};
use crate::wording::SOURCES;

/// The width of a chart, in characters.
const COLUMNS: u16 = 80;

/// From an eighth to the whole of a character.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Charts and table.
pub(crate) fn text(asker: &Asker<'_>, days: u32) -> Result<String, String> {
    look_back(asker, days).map(|past| page(&past))
}

fn page(past: &Past) -> String {
    if past.is_empty() {
        return table(past);
    }
    let charts = Window::ALL.into_iter().map(|window| chart(past, window, COLUMNS));
    let footer =
        "Times in your time zone (credit-pacer.timezone); safe line by the settings of today.".to_owned();
    charts.chain([table(past), footer]).collect::<Vec<_>>().join("\n\n")
}

/// The days in numbers, oldest first.
pub(crate) fn table(past: &Past) -> String {
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

pub(crate) fn heading(past: &Past, window: Window) -> String {
    let name = window.name();
    let used = |reading: Reading| percent(reading.used_percent, true);
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

#[cfg(test)]
mod tests;
