//! The usage of a limit as one line of blocks, with marks where it was over the safe line. Pure.

use crate::history::past::{Course, Day, Past};
use crate::wording::percent;

/// The narrowest and the widest chart, in characters.
const COLUMNS: (usize, usize) = (40, 160);

/// Eighths of a character from the bottom, each with the usage from which on it is drawn.
const BLOCKS: [(f64, char); 8] = [
    (87.5, '█'),
    (75.0, '▇'),
    (62.5, '▆'),
    (50.0, '▅'),
    (37.5, '▄'),
    (25.0, '▃'),
    (12.5, '▂'),
    (f64::NEG_INFINITY, '▁'),
];

/// The chart, without a line end after its last line.
pub(crate) fn chart(past: &Past, course: &Course, columns: usize) -> String {
    let columns = columns.clamp(COLUMNS.0, COLUMNS.1);
    let (mut blocks, mut marks) = (String::new(), String::new());
    for column in 0..columns {
        let time = begin(past, columns, column)..begin(past, columns, column + 1);
        let Some((run, used)) = course.highest_run(&time) else {
            blocks.push(' ');
            marks.push(' ');
            continue;
        };
        let safe = past.safe_at(course.window, run.resets_at, time.end.min(run.until) - 1);
        blocks.extend(BLOCKS.iter().find(|(from, _)| used > *from).map(|(_, block)| block));
        marks.push(if used > safe { '^' } else { ' ' });
    }
    let mut lines = vec![heading(past, course), blocks.trim_end().to_owned()];
    if marks.contains('^') {
        lines.push(format!("{}  ^ over the safe line", marks.trim_end()));
    }
    lines.push(labels(past, columns));
    lines.join("\n")
}

fn heading(past: &Past, course: &Course) -> String {
    let name = course.window.name();
    let Some(peak) = course.highest(&(past.from()..past.to())) else {
        return format!("{name}: nothing recorded");
    };
    match course.runs.last().filter(|run| run.resets_at > past.now) {
        Some(run) => {
            format!("{name}: {} used, resets {}", percent(run.highest()), past.date_and_time(run.resets_at))
        }
        None => format!("{name}: at most {} used", percent(peak)),
    }
}

fn begin(past: &Past, columns: usize, column: usize) -> i64 {
    let whole = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    past.from() + (past.to() - past.from()).saturating_mul(whole(column)) / whole(columns)
}

/// The days, each below its beginning where there is room.
fn labels(past: &Past, columns: usize) -> String {
    let mut line = String::new();
    for Day { start, .. } in &past.days {
        let column = (0..columns).find(|column| begin(past, columns, column + 1) > *start).unwrap_or(0);
        let name = past.date(*start);
        let (name, length) = (name.trim_end_matches(char::is_alphabetic).trim_end(), line.chars().count());
        if column + name.len() <= columns && (length == 0 || column > length) {
            line.push_str(&" ".repeat(column - length));
            line.push_str(name);
        }
    }
    line
}
