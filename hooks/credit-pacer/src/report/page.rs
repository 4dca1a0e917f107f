//! The page: the template `page.html` with a picture of each limit and a table of the days. Pure.

use std::fmt::Write as _;

use crate::history::NOTHING;
use crate::history::past::{Course, DayInNumbers, Past, Run};
use crate::history::spoken::{duration, percent};
use pacing::seconds;

/// A file that begins like this is a report.
pub(crate) const MARK: &str = "<!DOCTYPE html>\n<!-- written by credit-pacer report -->\n";

/// The picture's size in its own units: the plot, and the band of delays below it.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 180.0;
const BAND: f64 = 24.0;

/// The longest delay, in seconds.
const LONGEST: f64 = 350.0;

/// The whole file.
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
    let Some(peak) = course.highest(past.from(), past.to()) else {
        return format!("<section><h2>{name}</h2><p>Nothing is recorded of it in this time.</p></section>");
    };
    let key = "<b class=\"used\">used</b> <b class=\"safe\">safe line</b> <b class=\"delay\">delays</b>";
    let picture = Picture { past, course }.draw(&percent(peak));
    format!(
        "<section><h2>{name}: at most {} used</h2><p class=\"key\">{key}</p>{picture}</section>",
        percent(peak)
    )
}

struct Picture<'a> {
    past: &'a Past,
    course: &'a Course,
}

impl Picture<'_> {
    fn draw(&self, peak: &str) -> String {
        let name = self.course.window.name();
        let (width, height) = (WIDTH + 44.0, HEIGHT + BAND + 34.0);
        let mut drawn = format!(
            "<svg viewBox=\"-34 -8 {width} {height}\" role=\"img\" aria-label=\"{name}: at most {peak} used. The table below \
             has each day.\">"
        );
        for mark in [0.0, 50.0, 100.0] {
            let y = y(mark);
            let _ = write!(drawn, "<path class=\"grid\" d=\"M0 {y:.1}H{WIDTH}\"/>");
            let _ = write!(drawn, "<text x=\"-30\" y=\"{:.1}\">{mark}</text>", y + 4.0);
        }
        for day in self.past.days.iter().step_by(self.past.days.len().div_ceil(10).max(1)) {
            let (x, name) = (self.x(day.from), self.past.date(day.from));
            let _ = write!(drawn, "<path class=\"grid\" d=\"M{x:.1} 0V{HEIGHT}\"/>");
            let _ = write!(drawn, "<text x=\"{x:.1}\" y=\"{:.1}\">{name}</text>", HEIGHT + BAND + 16.0);
        }
        for run in &self.course.runs {
            let (used, safe) = (self.used(run), self.safe_line(run));
            let _ = write!(drawn, "<path class=\"used\" d=\"{used}\"/><path class=\"safe\" d=\"{safe}\"/>");
        }
        for delay in self.past.delays.iter().filter(|delay| delay.window == Some(self.course.window)) {
            let (x, height) = (self.x(delay.at), (seconds(delay.secs) / LONGEST * BAND).clamp(2.0, BAND));
            let title = format!("{}: {}", self.past.date_and_time(delay.at), duration(delay.secs));
            let _ = write!(
                drawn,
                "<rect class=\"delay\" x=\"{x:.1}\" y=\"{:.1}\" width=\"2\" height=\"{height:.1}\"><title>{title}</title></rect>",
                HEIGHT + BAND - height
            );
        }
        drawn.push_str("</svg>");
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
    let head: String = ["Day", "5-hour limit", "Weekly limit", "Delays", "Delayed"]
        .map(|name| format!("<th scope=\"col\">{name}</th>"))
        .concat();
    let row = |day: &DayInNumbers| {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let [five_hour, weekly] = day.highest.map(|highest| or_dash(highest.map(percent)));
        let delays = or_dash((day.delays > 0).then(|| day.delays.to_string()));
        let delayed = or_dash((day.delays > 0).then(|| duration(day.delayed_secs)));
        let cells = [past.date(day.day.from), five_hour, weekly, delays, delayed];
        format!("<tr>{}</tr>", cells.map(|cell| format!("<td>{cell}</td>")).concat())
    };
    let rows: String = past.in_numbers().iter().rev().map(row).collect();
    format!("<section><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></section>")
}

#[cfg(test)]
mod tests {
    use super::{MARK, page};
    use crate::history::sample::{Sample, two_weeks};

    #[test]
    fn needs_nothing_but_itself_and_reads_in_light_and_dark() {
        let page = page(&two_weeks().past(14, "2026-11-20 18:00"));
        assert!(page.starts_with(MARK), "{page}");
        for part in [
            "default-src 'none'",
            "prefers-color-scheme: dark",
            "<p>Sat 7 Nov to Fri 20 Nov (Europe/Berlin)</p>",
            "<h2>5-hour limit: at most 90 % used</h2>",
            "aria-label=\"weekly limit: at most 100 % used. The table below has each day.\"",
            "<td>Thu 19 Nov</td><td>90 %</td><td>100 %</td><td>1</td><td>42 s</td>",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        for foreign in ["http://", "https://", "<script", "NaN", "inf", "{content}"] {
            assert!(!page.contains(foreign), "{foreign}\n{page}");
        }
        assert_eq!(page.matches("<svg").count(), 2);
    }

    #[test]
    fn names_the_sources_where_nothing_is_recorded() {
        let page = page(&Sample::of("UTC").past(30, "2026-11-20 18:00"));
        assert!(page.contains("Nothing is recorded of this time.") && page.contains("req hooks statusline"));
    }
}
