//! The page: the template `page.html` with a picture of each limit and a table of the days. Pure.

use std::fmt::Write as _;

use crate::history::NOTHING;
use crate::history::past::{Course, Day, Past, Run};
use crate::wording::{duration, percent};
use pacing::seconds;

/// A file that begins like this is a report.
pub(crate) const MARK: &str = "<!DOCTYPE html>\n<!-- written by credit-pacer report -->\n";

/// The picture's size in its own units: the plot, and the band of delays below it.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 180.0;
const BAND: f64 = 24.0;

/// The longest delay, in seconds.
const LONGEST: f64 = 350.0;

pub(crate) fn page(past: &Past) -> String {
    let content = if past.is_empty() {
        format!("<p>Nothing is recorded of this time.</p><p>{NOTHING}</p>")
    } else {
        let windows: String = past.courses.iter().map(|course| section(past, course)).collect();
        format!("{windows}{}", table(past))
    };
    let period = format!("{} to {} ({})", past.date(past.from()), past.date(past.to() - 1), past.zone_name);
    let page = include_str!("page.html")
        .replace("{period}", &period)
        .replace("{version}", env!("CARGO_PKG_VERSION"))
        .replace("{now}", &past.date_and_time(past.now))
        .replace("{content}", &content);
    format!("{MARK}{page}")
}

fn section(past: &Past, course: &Course) -> String {
    let name = course.window.name();
    let Some(peak) = course.highest(&(past.from()..past.to())).map(percent) else {
        return format!("<section><h2>{name}</h2><p>Nothing is recorded of it in this time.</p></section>");
    };
    let key = "<b class=\"used\">used</b> <b class=\"safe\">safe line</b> <b class=\"delay\">delays</b>";
    let (width, height) = (WIDTH + 44.0, HEIGHT + BAND + 34.0);
    let picture = Picture { past, course }.draw();
    format!(
        "<section><h2>{name}: at most {peak} used</h2><p class=\"key\">{key}</p><svg viewBox=\"-34 -8 {width} {height}\" \
         role=\"img\" aria-label=\"{name}: at most {peak} used. The table below has each day.\">{picture}</svg></section>"
    )
}

struct Picture<'a> {
    past: &'a Past,
    course: &'a Course,
}

impl Picture<'_> {
    fn draw(&self) -> String {
        let mut drawn = String::new();
        for mark in [0.0, 50.0, 100.0] {
            let y = y(mark);
            let _ = write!(drawn, "<path class=\"grid\" d=\"M0 {y:.1}H{WIDTH}\"/>");
            let _ = write!(drawn, "<text x=\"-30\" y=\"{:.1}\">{mark}</text>", y + 4.0);
        }
        for day in self.past.days.iter().step_by(self.past.days.len().div_ceil(10).max(1)) {
            let (x, name) = (self.x(day.start), self.past.date(day.start));
            let _ = write!(drawn, "<path class=\"grid\" d=\"M{x:.1} 0V{HEIGHT}\"/>");
            let _ = write!(drawn, "<text x=\"{x:.1}\" y=\"{:.1}\">{name}</text>", HEIGHT + BAND + 16.0);
        }
        for run in &self.course.runs {
            let (used, safe) = (self.used(run), self.safe_line(run));
            let _ = write!(drawn, "<path class=\"used\" d=\"{used}\"/><path class=\"safe\" d=\"{safe}\"/>");
        }
        for delay in self.past.delays.iter().filter(|delay| delay.window == Some(self.course.window)) {
            let (x, height) = (self.x(delay.at), (seconds(delay.secs) / LONGEST * BAND).clamp(2.0, BAND));
            let (y, title) = (HEIGHT + BAND - height, self.past.date_and_time(delay.at));
            let _ = write!(
                drawn,
                "<rect class=\"delay\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"2\" height=\"{height:.1}\">"
            );
            let _ = write!(drawn, "<title>{title}: {}</title></rect>", duration(delay.secs));
        }
        drawn
    }

    fn x(&self, at: i64) -> f64 {
        let (from, to) = (self.past.from(), self.past.to());
        let share = seconds(at.saturating_sub(from)) / seconds((to - from).max(1));
        (share * WIDTH).clamp(0.0, WIDTH)
    }

    /// Steps from reading to reading, closed along the floor.
    fn used(&self, run: &Run) -> String {
        let begin = run.points.first().map_or(run.until, |(at, _)| *at);
        let step = |(at, used): &(i64, f64)| format!("H{:.1}V{:.1}", self.x(*at), y(*used));
        let steps = run.points.iter().map(step).collect::<Vec<_>>().concat();
        format!("M{:.1} {HEIGHT}{steps}H{:.1}V{HEIGHT}Z", self.x(begin), self.x(run.until))
    }

    /// From the window's beginning to its end.
    fn safe_line(&self, run: &Run) -> String {
        let length = self.course.window.length_secs();
        let points = (0..=48).map(|step| run.resets_at - length + length * step / 48);
        let end = run.until.max(self.past.now.min(run.resets_at));
        let points = points.filter(|at| *at >= self.past.from() && *at <= end);
        let point = |(index, at): (usize, i64)| {
            let safe = self.past.safe_at(self.course.window, run.resets_at, at.min(run.resets_at - 1));
            format!("{}{:.1} {:.1}", if index == 0 { 'M' } else { 'L' }, self.x(at), y(safe))
        };
        points.enumerate().map(point).collect::<Vec<_>>().concat()
    }
}

fn y(percent: f64) -> f64 {
    HEIGHT - percent.clamp(0.0, 100.0) / 100.0 * HEIGHT
}

/// The days, newest first.
fn table(past: &Past) -> String {
    let head = ["Day", "5-hour limit", "Weekly limit", "Delays", "Delayed"]
        .map(|name| format!("<th scope=\"col\">{name}</th>"))
        .concat();
    let row = |day: &Day| {
        let cells = past.row(day).map(|cell| format!("<td>{cell}</td>"));
        format!("<tr>{}</tr>", cells.concat())
    };
    let rows: String = past.days.iter().rev().map(row).collect();
    format!("<section><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></section>")
}
