//! A window's course as drawings, some days to each: what was used as a step line, the safe line dashed, delays as bars on a
//! track below. Pure.

use crate::history::chart::SafeLine;
use crate::history::past::{Course, Delay, Past, Run};
use crate::history::span::{Day, Span};
use crate::history::spoken;
use crate::pacing::Window;
use crate::report::markup::{Element, el};
use crate::report::words;

/// The drawing's width, in its own units.
const WIDTH: f64 = 800.0;
/// Left of the plot stand the percentages.
const LEFT: f64 = 44.0;
const RIGHT: f64 = 10.0;
const ABOVE: f64 = 10.0;
/// Between the plot and the track.
const GAP: f64 = 10.0;
/// The height of the longest delay.
const TRACK: f64 = 26.0;
/// The line of days below the track.
const BELOW: f64 = 20.0;

/// Older days than fit into so many drawings stand in the table alone.
const MAX_DRAWINGS: usize = 12;

/// A longer delay is drawn no higher, in seconds: the client gives the hook little more.
const HIGHEST_DELAY: f64 = 350.0;

/// What of a window is drawn where.
#[derive(Clone, Copy)]
struct Shape {
    /// Days side by side.
    days: usize,
    /// The plot's height.
    height: f64,
    /// The safe line is looked up so often, in seconds.
    step: i64,
}

const fn shape(window: Window) -> Shape {
    match window {
        Window::FiveHour => Shape { days: 7, height: 110.0, step: 600 },
        Window::SevenDay => Shape { days: 31, height: 170.0, step: 3600 },
    }
}

/// The drawings, oldest days first.
pub(crate) fn plots(past: &Past, course: &Course, safe: SafeLine<'_>) -> Vec<Element> {
    let shape = shape(course.window);
    // Before the first reading there is nothing to see.
    let first = course.runs.iter().map(begin).min().unwrap_or(i64::MAX);
    let empty = past.span.days.iter().take_while(|day| day.to <= first).count();
    let days = past.span.days.get(empty..).unwrap_or_default();
    let mut parts: Vec<&[Day]> = days.rchunks(shape.days).take(MAX_DRAWINGS).collect();
    parts.reverse();
    let columns = if parts.len() > 1 { shape.days } else { days.len() };
    let top = top(course);
    let drawn = parts.iter().enumerate().map(|(number, days)| {
        let span = past.span.part(days);
        let plot = Plot { past, course, safe, shape, columns, top, number, span };
        plot.draw()
    });
    drawn.collect()
}

/// A hundred and a little, or the next ten above what was used.
fn top(course: &Course) -> f64 {
    let peak = course.peak().unwrap_or_default();
    if peak > 100.0 { (peak / 10.0).ceil() * 10.0 } else { 100.0 }
}

struct Plot<'a> {
    past: &'a Past,
    course: &'a Course,
    safe: SafeLine<'a>,
    shape: Shape,
    /// The width has room for so many days.
    columns: usize,
    /// The percentage at the upper edge.
    top: f64,
    /// Which drawing of the window this is.
    number: usize,
    span: Span,
}

impl Plot<'_> {
    fn draw(&self) -> Element {
        let height = self.floor() + GAP + TRACK + BELOW;
        let name = self.course.window.name();
        let days = self.span.days.first().zip(self.span.days.last());
        let period = days.map_or_else(String::new, |(first, last)| {
            format!("{} to {}", first.weekday_and_date(), last.weekday_and_date())
        });
        let (title, desc) = (self.id("title"), self.id("desc"));
        el("svg")
            .with("viewBox", format!("0 0 {WIDTH} {height}"))
            .with("role", "img")
            .with("aria-labelledby", format!("{title} {desc}"))
            .add(el("title").with("id", &title).text(format!("{name}, {period}")))
            .add(el("desc").with("id", &desc).text(words::description(self.past, self.course)))
            .add_all(self.grid())
            .add_all(self.days())
            .add_all(self.runs())
            .add_all(self.resets())
            .add_all(self.delays())
            .add_all(self.now())
    }

    fn id(&self, what: &str) -> String {
        format!("{}-{}-{what}", self.course.window.key(), self.number)
    }

    /// Where nothing is used.
    fn floor(&self) -> f64 {
        ABOVE + self.shape.height
    }

    fn x(&self, at: i64) -> f64 {
        let day = (WIDTH - LEFT - RIGHT) / number(self.columns);
        let days = self.span.days.len();
        let length = span_secs(self.span.from(), self.span.to());
        LEFT + span_secs(self.span.from(), at) / length.max(1.0) * day * number(days)
    }

    fn y(&self, percent: f64) -> f64 {
        self.floor() - percent.clamp(0.0, self.top) / self.top * self.shape.height
    }

    /// The right edge of the days that are drawn.
    fn edge(&self) -> f64 {
        self.x(self.span.to())
    }

    fn grid(&self) -> Vec<Element> {
        let above = (self.top > 115.0).then_some(self.top);
        let marks = [0.0, 50.0, 100.0].into_iter().chain(above);
        let lines = marks.map(|percent| {
            let y = self.y(percent);
            let label = text(LEFT - 6.0, y + 4.0, "end", &format!("{percent:.0}"));
            let class = if percent == 0.0 { "axis" } else { "grid" };
            el("g").add(line(class, (LEFT, y), (self.edge(), y))).add(label)
        });
        lines.collect()
    }

    /// A tick at each midnight, and names where they have room.
    fn days(&self) -> Vec<Element> {
        let width = (WIDTH - LEFT - RIGHT) / number(self.columns);
        let (room, with_weekday) = if width >= 80.0 { (80.0, true) } else { (52.0, false) };
        let bottom = self.floor() + GAP + TRACK;
        let days = self.span.days.iter();
        let mut free_from = 0.0;
        let mut drawn: Vec<Element> = Vec::new();
        for day in days {
            let x = self.x(day.from);
            let is_named = x >= free_from && x + room - 12.0 <= WIDTH;
            let class = if is_named { "day named" } else { "day" };
            drawn.push(line(class, (x, ABOVE), (x, bottom + if is_named { 5.0 } else { 0.0 })));
            if is_named {
                free_from = x + room;
                let name = if with_weekday { day.weekday_and_date() } else { day.day_and_month() };
                drawn.push(text(x + 3.0, bottom + 14.0, "start", &name));
            }
            if self.columns <= 2 {
                drawn.extend(self.hours(day, bottom));
            }
        }
        drawn
    }

    /// The hours, where there are few days.
    fn hours(&self, day: &Day, bottom: f64) -> Vec<Element> {
        let hours = [6, 12, 18].map(|hour| day.from + hour * 3600);
        let drawn = hours.iter().flat_map(|at| {
            let x = self.x(*at);
            let name = text(x + 3.0, bottom + 14.0, "start", &self.span.clock(*at));
            [line("day named", (x, ABOVE), (x, bottom + 5.0)), name]
        });
        drawn.collect()
    }

    fn runs(&self) -> Vec<Element> {
        let in_view = self.course.runs.iter().enumerate();
        let in_view = in_view.filter(|(_, run)| run.until > self.span.from() && begin(run) < self.span.to());
        in_view.map(|(index, run)| self.run(index, run)).collect()
    }

    fn run(&self, index: usize, run: &Run) -> Element {
        let safe = self.safe_line(run);
        let clip = self.id(&format!("past-{index}"));
        let drawn = el("g");
        let (Some(first), Some(last)) = (safe.first(), safe.last()) else { return drawn };
        let above = format!("{}L{},0L{},0Z", polyline(&safe), coordinate(last.0), coordinate(first.0));
        let drawn = match self.steps(run) {
            Some((outline, area)) => drawn
                .add(el("clipPath").with("id", &clip).add(el("path").with("d", above)))
                .add(el("path").class("used-area").with("d", &area))
                .add(el("path").class("past-area").with("clip-path", format!("url(#{clip})")).with("d", area))
                .add(el("path").class("used").with("d", outline)),
            None => drawn,
        };
        drawn.add(el("path").class("safe").with("d", polyline(&safe)))
    }

    /// What was used, as a line and as the area below it.
    fn steps(&self, run: &Run) -> Option<(String, String)> {
        let from = begin(run).max(self.span.from());
        let to = run.until.min(self.span.to());
        let used = run.used_at(from)?;
        let start = self.x(from);
        let steps = run.points.iter().filter(|(at, _)| *at > from && *at <= to);
        let step = |(at, used): &(i64, f64)| {
            [format!("H{}", coordinate(self.x(*at))), format!("V{}", coordinate(self.y(*used)))]
        };
        let steps = steps.flat_map(step).collect::<Vec<_>>().concat();
        // A single reading of this very moment is a dot wide.
        let end = self.x(to).max(start + 1.5);
        let path = format!("M{},{}{steps}H{}", coordinate(start), coordinate(self.y(used)), coordinate(end));
        let floor = coordinate(self.floor());
        let area = format!("{path}V{floor}H{}Z", coordinate(start));
        Some((path, area))
    }

    /// What might be used, from the window's beginning to its end, as far as it is in view.
    fn safe_line(&self, run: &Run) -> Vec<(f64, f64)> {
        let from = run.resets_at.saturating_sub(self.course.window.length_secs()).max(self.span.from());
        let is_current = run.until == self.span.now;
        let to = if is_current { run.resets_at } else { run.until }.min(self.span.to());
        let step = self.shape.step;
        let times = (0..).map(|index| from + index * step).take_while(|at| *at < to).chain([to - 1]);
        let points = times
            .filter(|at| *at >= from)
            .map(|at| (self.x(at), self.y((self.safe)(self.course.window, run.resets_at, at))));
        straightened(points)
    }

    fn resets(&self) -> Vec<Element> {
        let shown = self.course.runs.iter().map(|run| run.resets_at);
        let shown = shown.filter(|at| (self.span.from()..self.span.to()).contains(at));
        let drawn = shown.map(|at| {
            let title = format!("Reset {}", self.span.date_and_clock(at));
            line("reset", (self.x(at), ABOVE), (self.x(at), self.floor())).add(el("title").text(title))
        });
        drawn.collect()
    }

    fn delays(&self) -> Vec<Element> {
        let is_ours = |delay: &&Delay| {
            delay.window == Some(self.course.window) && (self.span.from()..self.span.to()).contains(&delay.at)
        };
        let bottom = self.floor() + GAP + TRACK;
        let track = line("axis", (LEFT, bottom), (self.edge(), bottom));
        let ceiling = line("grid", (LEFT, bottom - TRACK), (self.edge(), bottom - TRACK));
        let highest = text(LEFT - 6.0, bottom - TRACK + 8.0, "end", &format!("{HIGHEST_DELAY} s"));
        let none = text(LEFT - 6.0, bottom, "end", "0 s");
        let bars = self.past.delays.iter().filter(is_ours).map(|delay| {
            let height = (number_of(delay.secs) / HIGHEST_DELAY).min(1.0) * TRACK;
            // Something is seen of the least.
            let height = height.max(2.0);
            let width = (self.x(delay.at + delay.secs) - self.x(delay.at)).max(2.0);
            let title = format!(
                "{}: {}, {}",
                self.span.date_and_clock(delay.at),
                spoken::duration(delay.secs),
                delay.strategy
            );
            el("rect")
                .class("delay")
                .with("x", coordinate(self.x(delay.at)))
                .with("y", coordinate(bottom - height))
                .with("width", coordinate(width))
                .with("height", coordinate(height))
                .add(el("title").text(title))
        });
        [ceiling, track, highest, none].into_iter().chain(bars).collect()
    }

    fn now(&self) -> Option<Element> {
        let now = self.span.now;
        let is_in_view = (self.span.from()..self.span.to()).contains(&now);
        is_in_view.then(|| {
            line("now", (self.x(now), ABOVE), (self.x(now), self.floor())).add(el("title").text("now"))
        })
    }
}

/// The first reading.
fn begin(run: &Run) -> i64 {
    run.points.first().map_or(run.until, |(at, _)| *at)
}

fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> Element {
    el("line")
        .class(class)
        .with("x1", coordinate(from.0))
        .with("y1", coordinate(from.1))
        .with("x2", coordinate(to.0))
        .with("y2", coordinate(to.1))
}

fn text(x: f64, y: f64, anchor: &str, text: &str) -> Element {
    el("text").with("x", coordinate(x)).with("y", coordinate(y)).with("text-anchor", anchor).text(text)
}

fn polyline(points: &[(f64, f64)]) -> String {
    let points: Vec<String> =
        points.iter().map(|(x, y)| format!("{},{}", coordinate(*x), coordinate(*y))).collect();
    format!("M{}", points.join("L"))
}

/// Without the points that lie on the line between their neighbours.
fn straightened(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    /// Nobody sees less.
    const UNSEEN: f64 = 0.02;
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for point in points {
        if let [.., (x0, y0), (x1, y1)] = *kept.as_slice() {
            let expected = y0 + (point.1 - y0) * (x1 - x0) / (point.0 - x0).max(f64::EPSILON);
            if (expected - y1).abs() < UNSEEN {
                kept.pop();
            }
        }
        kept.push(point);
    }
    kept
}

/// A tenth of a unit is less than is seen.
fn coordinate(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn span_secs(from: i64, to: i64) -> f64 {
    number_of(to.saturating_sub(from))
}

/// Seconds and small counts as numbers to reckon with.
#[expect(clippy::cast_precision_loss, reason = "seconds since the epoch are exact in it")]
const fn number_of(count: i64) -> f64 {
    count as f64
}

fn number(count: usize) -> f64 {
    i64::try_from(count).map_or(1.0, number_of).max(1.0)
}
