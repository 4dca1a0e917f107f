//! The usage of a limit as one line of blocks, with marks where it was over the safe line. Pure.

use crate::history::past::{Course, Past};
use crate::history::spoken::percent;

/// No terminal is taken to be narrower, and no chart is wider.
const COLUMNS: std::ops::RangeInclusive<usize> = 40..=160;

/// Eighths of a character from the bottom.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The chart, without a line end after its last line.
pub(crate) fn chart(past: &Past, course: &Course, columns: usize) -> String {
    let columns = columns.clamp(*COLUMNS.start(), *COLUMNS.end());
    let bars: Vec<Option<(f64, f64)>> = (0..columns)
        .map(|column| bar(past, course, begin(past, columns, column), begin(past, columns, column + 1)))
        .collect();
    let blocks: String = bars.iter().map(|bar| bar.map_or(' ', |(used, _)| block(used))).collect();
    let is_over = |bar: &Option<(f64, f64)>| bar.is_some_and(|(used, safe)| used > safe);
    let marks: String = bars.iter().map(|bar| if is_over(bar) { '^' } else { ' ' }).collect();
    let mut lines = vec![heading(past, course), blocks.trim_end().to_owned()];
    if bars.iter().any(is_over) {
        lines.push(format!("{}  ^ over the safe line", marks.trim_end()));
    }
    lines.push(labels(past, columns));
    lines.join("\n")
}

fn heading(past: &Past, course: &Course) -> String {
    let name = course.window.name();
    let Some(peak) = course.highest(past.from(), past.to()) else {
        return format!("{name}: nothing recorded");
    };
    match course.runs.last().filter(|run| run.resets_at > past.now) {
        Some(run) => {
            format!("{name}: {} used, resets {}", percent(run.highest()), past.date_and_time(run.resets_at))
        }
        None => format!("{name}: at most {} used", percent(peak)),
    }
}

fn block(used: f64) -> char {
    let reached = (1..BLOCKS.len()).rev().find(|step| used / 100.0 * 8.0 > number(*step));
    BLOCKS[reached.unwrap_or(0)]
}

fn number(count: usize) -> f64 {
    f64::from(u16::try_from(count).unwrap_or(u16::MAX))
}

/// When a column begins.
fn begin(past: &Past, columns: usize, column: usize) -> i64 {
    let whole = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    past.from() + (past.to() - past.from()).saturating_mul(whole(column)) / whole(columns)
}

/// The highest usage between two moments, and the safe line at that time.
fn bar(past: &Past, course: &Course, from: i64, to: i64) -> Option<(f64, f64)> {
    let held = course.runs.iter().filter(|run| run.until > from);
    let seen = held.filter_map(|run| Some((run, run.used_at(to - 1)?)));
    let (run, used) = seen.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    Some((used, past.safe_at(course.window, run.resets_at, to.min(run.until) - 1)))
}

/// The days, each below its beginning where there is room.
fn labels(past: &Past, columns: usize) -> String {
    let mut line = String::new();
    for day in &past.days {
        let column = (0..columns).find(|column| begin(past, columns, column + 1) > day.from).unwrap_or(0);
        let name = past.date(day.from);
        let (name, length) = (name.trim_end_matches(char::is_alphabetic).trim_end(), line.chars().count());
        if column + name.len() <= columns && (length == 0 || column > length) {
            line.push_str(&" ".repeat(column - length));
            line.push_str(name);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::chart;
    use crate::history::sample::Sample;
    use pacing::Window;

    #[test]
    fn draws_usage_and_marks_what_is_over_the_safe_line() {
        let readings = [("2026-11-20 10:00", 8.0), ("2026-11-20 12:00", 30.0), ("2026-11-20 13:00", 93.0)];
        let past = Sample::of("UTC")
            .read(Window::FiveHour, "2026-11-20 15:00", &readings)
            .past(1, "2026-11-20 14:00");
        let drawn = chart(&past, &past.courses[0], 48);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "5-hour limit: 93 % used, resets Fri 20 Nov 15:00", "{drawn}");
        assert_eq!(lines[1].trim_start(), "▁▁▁▁▃▃██", "{drawn}");
        assert!(lines[2].contains("^^") && lines[2].ends_with("^ over the safe line"), "{drawn}");
        assert_eq!(lines[3], "Fri 20", "{drawn}");
        assert_eq!(chart(&past, &past.courses[1], 48).lines().next(), Some("weekly limit: nothing recorded"));
    }
}
