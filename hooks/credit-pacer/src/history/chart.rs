//! A window's course in characters: what was used as bars, the safe line through them, resets and days on the axis. Pure.

use crate::history::past::{Course, Run};
use crate::history::span::{Day, Span};
use crate::history::spoken;
use crate::pacing::Window;

/// What may be used of a window that resets then, at a time, in percent.
pub(crate) type SafeLine<'a> = &'a dyn Fn(Window, i64, i64) -> f64;

/// What the terminal can show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// So many characters stand in a line.
    pub(crate) columns: usize,
    /// Characters beyond ASCII.
    pub(crate) unicode: bool,
    /// Colours.
    pub(crate) colours: bool,
}

/// Lines of the plot.
const LINES: u16 = 10;

/// What stands left of the plot: `100 |`.
const MARGIN: usize = 5;

/// No terminal is taken to be narrower.
const MIN_COLUMNS: usize = 40;

/// Nor is a chart wider: its lines would be hard to follow.
const MAX_COLUMNS: usize = 240;

/// The characters of a chart.
struct Glyphs {
    /// Parts of a character from the bottom, all of it last.
    used: &'static [char],
    over: char,
    safe: char,
    side: char,
    axis: char,
    reset: char,
    day: char,
    both: char,
}

const UNICODE: Glyphs = Glyphs {
    used: &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
    over: '▒',
    safe: '╌',
    side: '│',
    axis: '─',
    reset: '┴',
    day: '┬',
    both: '┼',
};

const ASCII: Glyphs =
    Glyphs { used: &['_', '#'], over: '@', safe: '-', side: '|', axis: '-', reset: '^', day: '+', both: '*' };

/// What a column shows, in lines of the plot.
#[derive(Clone, Copy)]
struct Bar {
    used: f64,
    safe: f64,
}

/// A character's meaning, and with it its colour.
#[derive(Clone, Copy, PartialEq)]
enum Ink {
    Plain,
    Used,
    Over,
    Safe,
}

/// The chart, without a line end after its last line.
pub(crate) fn chart(course: &Course, span: &Span, safe: SafeLine<'_>, look: &Look) -> String {
    let plot = Plot::new(course, span, look);
    let bars: Vec<Option<Bar>> = (0..plot.columns).map(|column| plot.bar(column, safe)).collect();
    let lines = (0..LINES).rev().map(|line| {
        let cells = bars.iter().map(|bar| plot.cell(*bar, line));
        let mark =
            if line + 1 == LINES || line + 1 == LINES / 2 { plot.mark(line + 1) } else { String::new() };
        format!("{mark:>3} {}{}", plot.glyphs.side, painted(cells, look.colours).trim_end())
    });
    let heading = std::iter::once(heading(course, span));
    heading.chain(lines).chain(plot.axis()).chain([legend(look)]).collect::<Vec<_>>().join("\n")
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

fn legend(look: &Look) -> String {
    let glyphs = look.glyphs();
    let full = glyphs.used.last().copied().unwrap_or(' ');
    let least = glyphs.used.first().copied().unwrap_or(' ');
    let used = painted([full, ' ', least].map(|glyph| (glyph, Ink::Used)).into_iter(), look.colours);
    let entries = [
        (glyphs.over, Ink::Over, "past the line"),
        (glyphs.safe, Ink::Safe, "safe line"),
        (glyphs.reset, Ink::Plain, "reset"),
    ];
    let entries = entries
        .map(|(glyph, ink, name)| format!("{} {name}", painted([(glyph, ink)].into_iter(), look.colours)));
    format!("{:MARGIN$}{used} used  {}", "", entries.join("  "))
}

impl Look {
    fn glyphs(&self) -> &'static Glyphs {
        if self.unicode { &UNICODE } else { &ASCII }
    }
}

struct Plot<'a> {
    course: &'a Course,
    span: &'a Span,
    glyphs: &'static Glyphs,
    columns: usize,
    /// The percentage at the upper edge.
    top: f64,
}

impl<'a> Plot<'a> {
    fn new(course: &'a Course, span: &'a Span, look: &Look) -> Self {
        let columns = look.columns.clamp(MIN_COLUMNS, MAX_COLUMNS) - MARGIN;
        Self { course, span, glyphs: look.glyphs(), columns, top: top(course) }
    }

    /// When a column begins.
    fn begin(&self, column: usize) -> i64 {
        let part = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let length = self.span.to().saturating_sub(self.span.from());
        self.span.from() + length.saturating_mul(part(column)) / part(self.columns).max(1)
    }

    /// The column of a time in the span.
    fn column(&self, at: i64) -> Option<usize> {
        if !(self.span.from()..self.span.to()).contains(&at) {
            return None;
        }
        (0..self.columns).rev().find(|column| self.begin(*column) <= at)
    }

    /// The run of which most was used in that time, as it was at the end of it.
    fn bar(&self, column: usize, safe: SafeLine<'_>) -> Option<Bar> {
        let (from, to) = (self.begin(column), self.begin(column + 1));
        let held = self.course.runs.iter().filter(|run| run.until > from);
        let seen = held.filter_map(|run| Some((run, run.used_at(to - 1)?)));
        let (run, used) = seen.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let safe = safe(self.course.window, run.resets_at, to.min(run.until) - 1);
        let lines = f64::from(LINES) / self.top;
        Some(Bar { used: used * lines, safe: safe.max(0.0) * lines })
    }

    /// The character of a column in a line, counted from the bottom.
    fn cell(&self, bar: Option<Bar>, line: u16) -> (char, Ink) {
        let Some(bar) = bar else { return (' ', Ink::Plain) };
        let floor = f64::from(line);
        // A line at the upper edge of a character is drawn in it.
        let is_at_safe = bar.safe > floor && bar.safe <= floor + 1.0;
        let is_past = bar.used > bar.safe && bar.safe < floor + 1.0 && bar.used > floor;
        // What is past the line by less than a character would not be seen under it.
        let is_seen_elsewhere = !is_past || bar.used > floor + 1.0;
        match self.filled(bar.used - floor) {
            _ if is_at_safe && is_seen_elsewhere => (self.glyphs.safe, Ink::Safe),
            _ if is_past => (self.glyphs.over, Ink::Over),
            Some(glyph) => (glyph, Ink::Used),
            None => (' ', Ink::Plain),
        }
    }

    /// As much of a character as is used; something is seen of the least.
    fn filled(&self, part: f64) -> Option<char> {
        let steps = self.glyphs.used.len();
        (1..=steps).rev().find(|step| part * share(steps) >= share(*step) - 0.5).map_or_else(
            || self.glyphs.used.first().copied().filter(|_| part > 0.0),
            |step| self.glyphs.used.get(step - 1).copied(),
        )
    }

    /// The percentage at the upper edge of so many lines.
    fn mark(&self, lines: u16) -> String {
        format!("{:.0}", self.top * f64::from(lines) / f64::from(LINES))
    }

    /// The axis with stems up to resets and down to days, and what the days are.
    fn axis(&self) -> [String; 2] {
        let resets: Vec<usize> = self.resets().collect();
        let (marks, labels) = self.labels();
        let axis: String = (0..self.columns)
            .map(|column| match (resets.contains(&column), marks.contains(&column)) {
                (true, true) => self.glyphs.both,
                (true, false) => self.glyphs.reset,
                (false, true) => self.glyphs.day,
                (false, false) => self.glyphs.axis,
            })
            .collect();
        let corner = self.glyphs.both_at_side();
        [format!("{:>3} {corner}{axis}", 0), format!("{:MARGIN$}{}", "", labels.trim_end())]
    }

    fn resets(&self) -> impl Iterator<Item = usize> {
        self.course.runs.iter().filter_map(|run: &Run| self.column(run.resets_at))
    }

    /// Columns that are named, and the line of names.
    fn labels(&self) -> (Vec<usize>, String) {
        let named = if self.span.days.len() <= 2 { self.hours() } else { self.days() };
        let mut line = String::new();
        let mut marks = Vec::new();
        for (at, name) in named {
            let Some(column) = self.column(at) else { continue };
            marks.push(column);
            let length = line.chars().count();
            if column + name.len() <= self.columns && (length == 0 || column > length) {
                line.push_str(&" ".repeat(column - length));
                line.push_str(&name);
            }
        }
        (marks, line)
    }

    fn hours(&self) -> Vec<(i64, String)> {
        let hour = |day: &Day, hour: i64| day.from + hour * 3600;
        let hours = self.span.days.iter().flat_map(|day| [0, 6, 12, 18].map(|at| hour(day, at)));
        hours.map(|at| (at, self.span.clock(at))).collect()
    }

    /// Every day, or every second, third ... as their names have room.
    fn days(&self) -> Vec<(i64, String)> {
        let days = &self.span.days;
        let columns_of_a_day = self.columns / days.len().max(1);
        let has_weekday = columns_of_a_day > "Mon 16".len();
        let step = if has_weekday { 1 } else { "16 Nov ".len().div_ceil(columns_of_a_day.max(1)) };
        let name = |day: &Day| if has_weekday { day.weekday_and_day() } else { day.day_and_month() };
        days.iter().step_by(step).map(|day| (day.from, name(day))).collect()
    }
}

impl Glyphs {
    /// Where the side meets the axis.
    const fn both_at_side(&self) -> char {
        if self.side == '|' { '+' } else { '┼' }
    }
}

/// A hundred, or the next ten above what was used.
fn top(course: &Course) -> f64 {
    let peak = course.peak().unwrap_or_default();
    if peak > 100.0 { (peak / 10.0).ceil() * 10.0 } else { 100.0 }
}

/// A small count as a number.
fn share(count: usize) -> f64 {
    f64::from(u16::try_from(count).unwrap_or(u16::MAX))
}

/// The characters, each stretch in its colour.
fn painted(cells: impl Iterator<Item = (char, Ink)>, colours: bool) -> String {
    let mut text = String::new();
    let mut last = Ink::Plain;
    for (glyph, ink) in cells {
        if colours && ink != last {
            text.push_str(ink.code());
            last = ink;
        }
        text.push(glyph);
    }
    if last != Ink::Plain {
        text.push_str(Ink::Plain.code());
    }
    text
}

impl Ink {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "\u{1b}[0m",
            Self::Used => "\u{1b}[36m",
            Self::Over => "\u{1b}[33m",
            Self::Safe => "\u{1b}[2m",
        }
    }
}

#[cfg(test)]
mod tests;
