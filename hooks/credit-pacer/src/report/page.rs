//! The page: one template. Pure.

use std::fmt::Write as _;

use pacing::Window;

use crate::history::chart::SafeLine;
use crate::history::past::{Course, Past, Run};
use crate::history::sources;
use crate::history::spoken::{capitalised, duration, percent};

/// A file that begins like this is a report.
pub(crate) const MARK: &str = "<!DOCTYPE html>\n<!-- written by credit-pacer report -->\n";

/// Delays that are listed.
const DELAYS: usize = 50;

/// The picture's size in its own units: the plot, and the band of delays below it.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 180.0;
const BAND: f64 = 24.0;

/// The longest delay, in seconds.
const LONGEST: f64 = 350.0;

/// The whole file.
pub(crate) fn page(past: &Past, safe: SafeLine<'_>, asks_api: bool) -> String {
    let days = &past.span.days;
    let period = match (days.first(), days.last()) {
        (Some(first), Some(last)) if days.len() > 1 => format!("{} to {}", first.in_full(), last.in_full()),
        _ => days.first().map(crate::history::span::Day::in_full).unwrap_or_default(),
    };
    let since = past.first_recorded_day().map(|day| format!(", recorded since {}", day.day_and_month()));
    let (period, zone) = (escaped(&period), escaped(past.span.zone_name()));
    let content = if past.is_empty() {
        format!("<p>Nothing is recorded of this time.</p><p>{}</p>", escaped(&sources(asks_api)))
    } else {
        let windows: String = past.courses.iter().map(|course| window(past, course, safe)).collect();
        format!("{}{windows}{}{}", figures(past), table_of_days(past), table_of_delays(past))
    };
    format!(
        "{MARK}<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>Claude usage, {period}</title>\
         <style>{style}</style></head><body><main><h1>Claude usage</h1><p>{period} ({zone}){since}</p>{content}\
         <footer>Written by credit-pacer {version} on {now}. Between readings the last one holds. Safe line and alerts by the \
         settings of today.</footer></main></body></html>\n",
        style = include_str!("style.css"),
        since = since.unwrap_or_default(),
        version = env!("CARGO_PKG_VERSION"),
        now = past.span.date_and_clock(past.span.now),
    )
}

/// The numbers a reader looks for first.
fn figures(past: &Past) -> String {
    let peak = |course: &Course| course.peak().map_or_else(|| "–".to_owned(), percent);
    let highest = past
        .courses
        .iter()
        .map(|course| (format!("{}, highest", capitalised(course.window.name())), peak(course)));
    let delays = [
        ("Delays".to_owned(), past.delays.len().to_string()),
        ("Delayed in all".to_owned(), duration(past.delayed_secs())),
    ];
    let entries = joined(
        highest.chain(delays).map(|(what, number)| format!("<div><dt>{what}</dt><dd>{number}</dd></div>")),
    );
    format!("<dl>{entries}</dl>")
}

fn window(past: &Past, course: &Course, safe: SafeLine<'_>) -> String {
    let name = capitalised(course.window.name());
    if course.runs.is_empty() {
        return format!("<section><h2>{name}</h2><p>Nothing is recorded of it in this time.</p></section>");
    }
    format!(
        "<section><h2>{name}</h2><p class=\"key\"><b class=\"used\">used</b> <b class=\"safe\">safe line</b> \
         <b class=\"delay\">delays</b></p>{}</section>",
        Picture { past, course, safe }.draw()
    )
}

struct Picture<'a> {
    past: &'a Past,
    course: &'a Course,
    safe: SafeLine<'a>,
}

impl Picture<'_> {
    fn draw(&self) -> String {
        let mut drawn = format!(
            "<svg viewBox=\"-34 -8 {} {}\" role=\"img\" aria-label=\"{}\">",
            WIDTH + 44.0,
            HEIGHT + BAND + 34.0,
            escaped(&self.description())
        );
        for mark in [0.0, 50.0, 100.0] {
            let y = Self::y(mark);
            let _ = write!(
                drawn,
                "<path class=\"grid\" d=\"M0 {y:.1}H{WIDTH}\"/><text x=\"-30\" y=\"{:.1}\">{mark}</text>",
                y + 4.0
            );
        }
        let step = self.past.span.days.len().div_ceil(10).max(1);
        for day in self.past.span.days.iter().step_by(step) {
            let x = self.x(day.from);
            let _ = write!(
                drawn,
                "<path class=\"grid\" d=\"M{x:.1} 0V{HEIGHT}\"/><text x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                HEIGHT + BAND + 16.0,
                day.day_and_month()
            );
        }
        for run in &self.course.runs {
            let _ = write!(
                drawn,
                "<path class=\"used\" d=\"{}\"/><path class=\"safe\" d=\"{}\"/>",
                self.used(run),
                self.safe_line(run)
            );
        }
        for delay in self.past.delays.iter().filter(|delay| delay.window == Some(self.course.window)) {
            let height = (pacing::seconds(delay.secs) / LONGEST * BAND).clamp(2.0, BAND);
            let title = format!("{}: {}", self.past.span.date_and_clock(delay.at), duration(delay.secs));
            let _ = write!(
                drawn,
                "<rect class=\"delay\" x=\"{:.1}\" y=\"{:.1}\" width=\"2\" height=\"{height:.1}\"><title>{title}</title></rect>",
                self.x(delay.at),
                HEIGHT + BAND - height
            );
        }
        drawn.push_str("</svg>");
        drawn
    }

    fn description(&self) -> String {
        let peak = self.course.peak().map_or_else(|| "nothing".to_owned(), percent);
        format!("{}: at most {peak} used. The table below has each day.", self.course.window.name())
    }

    fn x(&self, at: i64) -> f64 {
        let (from, to) = (self.past.span.from(), self.past.span.to());
        let share = pacing::seconds(at.saturating_sub(from)) / pacing::seconds((to - from).max(1));
        (share * WIDTH).clamp(0.0, WIDTH)
    }

    fn y(percent: f64) -> f64 {
        HEIGHT - percent.clamp(0.0, 100.0) / 100.0 * HEIGHT
    }

    /// Steps from reading to reading, closed along the floor.
    fn used(&self, run: &Run) -> String {
        let begin = run.points.first().map_or(run.until, |(at, _)| *at);
        let steps =
            joined(run.points.iter().map(|(at, used)| format!("H{:.1}V{:.1}", self.x(*at), Self::y(*used))));
        format!("M{:.1} {HEIGHT}{steps}H{:.1}V{HEIGHT}Z", self.x(begin), self.x(run.until))
    }

    /// From the window's beginning to its end.
    fn safe_line(&self, run: &Run) -> String {
        let length = self.course.window.length_secs();
        let points = (0..=48).map(|step| run.resets_at - length + length * step / 48);
        let end = run.until.max(self.past.span.now.min(run.resets_at));
        let points = points.filter(|at| *at >= self.past.span.from() && *at <= end);
        let drawn = points.enumerate().map(|(index, at)| {
            let safe = (self.safe)(self.course.window, run.resets_at, at.min(run.resets_at - 1));
            format!("{}{:.1} {:.1}", if index == 0 { 'M' } else { 'L' }, self.x(at), Self::y(safe))
        });
        drawn.collect()
    }
}

fn table_of_days(past: &Past) -> String {
    let [five_hours, week] = Window::ALL.map(|window| capitalised(window.name()));
    let first = past.first_recorded_day().map_or(i64::MIN, |day| day.from);
    let rows = past.days().into_iter().rev().filter(|day| day.day.from >= first).map(|day| {
        let [five_hours, seven_days] = day.highest.map(|highest| optional(highest.map(percent)));
        let count = |number: usize| optional((number > 0).then(|| number.to_string()));
        let delayed = optional((day.delays > 0).then(|| duration(day.delayed_secs)));
        [day.day.weekday_and_date(), five_hours, seven_days, count(day.delays), delayed, count(day.alerts)]
    });
    table("Days, with the highest usage", ["Day", &five_hours, &week, "Delays", "Delayed", "Alerts"], rows)
}

fn table_of_delays(past: &Past) -> String {
    if past.delays.is_empty() {
        return String::new();
    }
    let rows = past.delays.iter().rev().take(DELAYS).map(|delay| {
        [
            past.span.date_and_clock(delay.at),
            optional(delay.window.map(|window| window.name().to_owned())),
            optional(delay.used.map(percent)),
            optional(delay.safe.map(percent)),
            duration(delay.secs),
            delay.strategy.to_string(),
        ]
    });
    table(
        &format!("The last delays, {DELAYS} at most"),
        ["Time", "Limit", "Used", "Safe", "Delay", "Strategy"],
        rows,
    )
}

fn optional(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

fn table(caption: &str, head: [&str; 6], rows: impl Iterator<Item = [String; 6]>) -> String {
    let cells = |cells: &[String]| joined(cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))));
    let head = joined(head.iter().map(|name| format!("<th scope=\"col\">{}</th>", escaped(name))));
    let rows = joined(rows.map(|row| format!("<tr>{}</tr>", cells(&row))));
    format!(
        "<section><table><caption>{}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></section>",
        escaped(caption)
    )
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<String>>().concat()
}

/// Characters that mean something in markup.
fn escaped(text: &str) -> String {
    let characters = text.chars().map(|character| match character {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        character if character.is_control() => "\u{fffd}".to_owned(),
        character => character.to_string(),
    });
    characters.collect()
}

#[cfg(test)]
mod tests {
    use super::{MARK, escaped, page};
    use crate::history::sample::{Sample, even, two_weeks};

    #[test]
    fn page_needs_nothing_but_itself_and_reads_in_light_and_dark() {
        let page = page(&two_weeks().past(14, "2026-11-20 18:00"), &even, false);
        assert!(page.starts_with(MARK), "{page}");
        for part in [
            "default-src 'none'",
            "content=\"light dark\"",
            "prefers-color-scheme: dark",
            "<dt>5-hour limit, highest</dt><dd>90 %</dd>",
            "<dt>Weekly limit, highest</dt><dd>100 %</dd>",
            "aria-label=\"weekly limit: at most 100 % used. The table below has each day.\"",
            "<td>Thu 19 Nov</td><td>90 %</td><td>100 %</td><td>1</td><td>42 s</td><td>2</td>",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        for foreign in ["http://", "https://", "<script", "NaN", "inf"] {
            assert!(!page.contains(foreign), "{foreign}\n{page}");
        }
        assert_eq!(page.matches("<svg").count(), 2);
    }

    #[test]
    fn page_without_data_names_the_sources() {
        let page = page(&Sample::of("UTC").past(30, "2026-11-20 18:00"), &even, false);
        assert!(
            page.contains("Nothing is recorded of this time.") && page.contains("req hooks statusline"),
            "{page}"
        );
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(escaped("a < b & \"c\"\u{0}"), "a &lt; b &amp; &quot;c&quot;\u{fffd}");
    }
}
