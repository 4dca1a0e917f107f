//! A window's usage as one line of blocks, with marks where it was over the safe line. Pure.

use crate::history::past::{Course, Run};
use crate::history::span::{Day, Span};
use crate::history::spoken;
use pacing::Window;

/// The safe line of a window that resets then, at a time, in percent.
pub(crate) type SafeLine<'a> = &'a dyn Fn(Window, i64, i64) -> f64;

/// What the terminal can show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// Characters of a line.
    pub(crate) columns: usize,
    /// Characters beyond ASCII.
    pub(crate) unicode: bool,
}

/// No terminal is taken to be narrower, and no chart is wider.
const COLUMNS: std::ops::RangeInclusive<usize> = 40..=160;

/// Eighths of a character from the bottom.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Tens of percents.
const DIGITS: [char; 10] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

/// The chart, without a line end after its last line.
pub(crate) fn chart(course: &Course, span: &Span, safe: SafeLine<'_>, look: &Look) -> String {
    let columns = look.columns.clamp(*COLUMNS.start(), *COLUMNS.end());
    let moments = Moments { span, columns };
    let bars: Vec<Option<(f64, f64)>> =
        (0..columns).map(|column| moments.bar(course, column, safe)).collect();
    let blocks: String = bars.iter().map(|bar| bar.map_or(' ', |(used, _)| block(used, look))).collect();
    let marks: String =
        bars.iter().map(|bar| if bar.is_some_and(|(used, safe)| used > safe) { '^' } else { ' ' }).collect();
    let marks = format!("{}  ^ over the safe line", marks.trim_end());
    let lines = [heading(course, span), blocks.trim_end().to_owned(), marks, moments.labels()];
    let is_over = bars.iter().flatten().any(|(used, safe)| used > safe);
    let shown = lines.into_iter().enumerate().filter(|(index, _)| *index != 2 || is_over);
    shown.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

fn heading(course: &Course, span: &Span) -> String {
    let name = course.window.name();
    let Some(peak) = course.highest(span.from(), span.to()) else {
        return format!("{name}: nothing recorded");
    };
    let peak = spoken::percent(peak);
    match course.runs.last().filter(|run| run.resets_at > span.now) {
        Some(run) => {
            let (used, reset) = (spoken::percent(run.highest()), span.date_and_clock(run.resets_at));
            format!("{name}: {used} used, resets {reset}; at most {peak}")
        }
        None => format!("{name}: at most {peak} used"),
    }
}

fn block(used: f64, look: &Look) -> char {
    let of = |glyphs: &[char]| {
        let share = (used / 100.0).clamp(0.0, 1.0);
        let reached = (1..glyphs.len()).rev().find(|step| share * number(glyphs.len()) > number(*step));
        glyphs[reached.unwrap_or(0)]
    };
    if look.unicode { of(&BLOCKS) } else { of(&DIGITS) }
}

fn number(count: usize) -> f64 {
    f64::from(u16::try_from(count).unwrap_or(u16::MAX))
}

struct Moments<'a> {
    span: &'a Span,
    columns: usize,
}

impl Moments<'_> {
    /// When a column begins.
    fn begin(&self, column: usize) -> i64 {
        let part = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let length = self.span.to().saturating_sub(self.span.from());
        self.span.from() + length.saturating_mul(part(column)) / part(self.columns).max(1)
    }

    /// The highest usage of a column, and the safe line at that time.
    fn bar(&self, course: &Course, column: usize, safe: SafeLine<'_>) -> Option<(f64, f64)> {
        let (from, to) = (self.begin(column), self.begin(column + 1));
        let held = course.runs.iter().filter(|run| run.until > from);
        let seen = held.filter_map(|run: &Run| Some((run, run.used_at(to - 1)?)));
        let (run, used) = seen.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        Some((used, safe(course.window, run.resets_at, to.min(run.until) - 1)))
    }

    /// The days, each below its beginning where there is room.
    fn labels(&self) -> String {
        let mut line = String::new();
        for day in &self.span.days {
            let column = (0..self.columns).find(|column| self.begin(*column + 1) > day.from).unwrap_or(0);
            let name = self.name(day);
            let length = line.chars().count();
            if column + name.len() <= self.columns && (length == 0 || column > length) {
                line.push_str(&" ".repeat(column - length));
                line.push_str(&name);
            }
        }
        line
    }

    fn name(&self, day: &Day) -> String {
        let has_weekday = self.columns / self.span.days.len().max(1) > "Mon 16".len();
        if has_weekday { day.weekday_and_day() } else { day.day_and_month() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, chart};
    use crate::history::sample::{Sample, even};
    use pacing::Window;

    #[test]
    fn draws_usage_and_marks_what_is_over_the_safe_line() {
        let readings = [("2026-11-20 10:00", 8.0), ("2026-11-20 12:00", 30.0), ("2026-11-20 13:00", 93.0)];
        let past = Sample::of("UTC")
            .read(Window::FiveHour, "2026-11-20 15:00", &readings)
            .past(1, "2026-11-20 14:00");
        for (unicode, blocks) in [(true, "▁▁▁▁▃▃██"), (false, "00002299")] {
            let look = Look { columns: 48, unicode };
            let drawn = chart(&past.courses[0], &past.span, &even, &look);
            let lines: Vec<&str> = drawn.lines().collect();
            assert_eq!(
                lines.first(),
                Some(&"5-hour limit: 93 % used, resets Fri 20 Nov 15:00; at most 93 %"),
                "{drawn}"
            );
            assert!(lines[1].trim_start() == blocks, "{drawn}");
            assert!(lines[2].contains("^^") && lines[2].ends_with("^ over the safe line"), "{drawn}");
            assert_eq!(lines[3], "Fri 20", "{drawn}");
        }
        assert_eq!(
            chart(&past.courses[1], &past.span, &even, &Look { columns: 48, unicode: true }).lines().next(),
            Some("weekly limit: nothing recorded")
        );
    }
}
