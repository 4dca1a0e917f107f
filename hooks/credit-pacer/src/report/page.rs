//! The page. Pure.

use crate::history::chart::SafeLine;
use crate::history::past::{Course, DayInNumbers, Delay, Past};
use crate::history::sources;
use crate::history::spoken::{capitalised, duration, percent};
use crate::pacing::Window;
use crate::report::markup::{Element, el, style};
use crate::report::plot::plots;
use crate::report::words::{period, summary};

/// A file that begins like this is a report.
pub(crate) const MARK: &str = "<!DOCTYPE html>\n<!-- written by credit-pacer report -->\n";

/// So many delays are listed.
const DELAYS: usize = 50;

/// Nothing but what is in the page is loaded.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The whole file.
pub(crate) fn page(past: &Past, safe: SafeLine<'_>, asks_api: bool) -> String {
    let title = format!("Use of Claude credits, {}", period(past));
    let head = el("head")
        .add(el("meta").with("charset", "utf-8"))
        .add(el("meta").with("http-equiv", "Content-Security-Policy").with("content", POLICY))
        .add(el("meta").with("name", "viewport").with("content", "width=device-width, initial-scale=1"))
        .add(el("meta").with("name", "color-scheme").with("content", "light dark"))
        .add(el("title").text(title))
        .add(style(include_str!("style.css")));
    let html = el("html").with("lang", "en").add(head).add(el("body").add(body(past, safe, asks_api)));
    format!("{MARK}{html}\n")
}

fn body(past: &Past, safe: SafeLine<'_>, asks_api: bool) -> Element {
    let zone = past.span.zone_name();
    let since = past.first_recorded_day().map(|day| format!(", recorded since {}", day.day_and_month()));
    let period = format!("{} ({zone}){}", period(past), since.unwrap_or_default());
    let header =
        el("header").add(el("h1").text("Use of Claude credits")).add(el("p").class("period").text(period));
    let main = el("main").add(header);
    let main = if past.is_empty() {
        main.add(el("p").text("Nothing is recorded of this time.")).add(el("p").text(sources(asks_api)))
    } else {
        main.add(figures(past))
            .add_all(summary(past).into_iter().map(|sentence| el("p").text(sentence)))
            .add_all(past.courses.iter().map(|course| window(past, course, safe)))
            .add(days(past))
            .add_all(delays(past))
    };
    main.add(footer(past))
}

/// What is looked for first.
fn figures(past: &Past) -> Element {
    let peak = |course: &Course| course.peak().map_or_else(|| "–".to_owned(), percent);
    let highest = past
        .courses
        .iter()
        .map(|course| (format!("{}, highest", capitalised(course.window.name())), peak(course)));
    let delayed = [
        ("Delays".to_owned(), past.delays.len().to_string()),
        ("Delayed in all".to_owned(), duration(past.delayed_secs())),
    ];
    let entry =
        |(what, number): (String, String)| el("div").add(el("dt").text(what)).add(el("dd").text(number));
    el("dl").class("figures").add_all(highest.chain(delayed).map(entry))
}

fn window(past: &Past, course: &Course, safe: SafeLine<'_>) -> Element {
    let section = el("section").add(el("h2").text(capitalised(course.window.name())));
    if course.runs.is_empty() {
        return section.add(el("p").text("Nothing is recorded of it in this time."));
    }
    section.add(legend()).add(el("div").class("scroll").add_all(plots(past, course, safe)))
}

fn legend() -> Element {
    let entries = [
        ("key-used", "used, in percent"),
        ("key-past", "past the safe line"),
        ("key-safe", "safe line"),
        ("key-reset", "reset"),
        ("key-now", "now"),
        ("key-delay", "delays, the higher the longer"),
    ];
    let entry = |(class, what): (&str, &str)| el("li").add(el("span").class(class)).text(what);
    el("ul").class("legend").add_all(entries.map(entry))
}

fn days(past: &Past) -> Element {
    let [five_hours, week] = Window::ALL.map(|window| capitalised(window.name()));
    let head = ["Day", &five_hours, &week, "Delays", "Delayed", "Alerts"];
    let first = past.first_recorded_day().map_or(i64::MIN, |day| day.from);
    let recorded = past.days().into_iter().filter(|day| day.day.from >= first);
    let rows = recorded.collect::<Vec<_>>().into_iter().rev().map(|day| day_row(&day));
    let table = table("Days, with the highest use of each window", &head, rows);
    el("section").add(el("h2").text("Days")).add(table)
}

fn day_row(day: &DayInNumbers) -> Vec<String> {
    let [five_hours, seven_days] = day.highest.map(|highest| optional(highest.map(percent)));
    let count = |number: usize| optional((number > 0).then(|| number.to_string()));
    let delayed = optional((day.delays > 0).then(|| duration(day.delayed_secs)));
    vec![day.day.weekday_and_date(), five_hours, seven_days, count(day.delays), delayed, count(day.alerts)]
}

fn delays(past: &Past) -> Option<Element> {
    let last: Vec<&Delay> = past.delays.iter().rev().take(DELAYS).collect();
    let heading = if last.len() < past.delays.len() {
        format!("The last {DELAYS} delays")
    } else {
        "Delays".to_owned()
    };
    let head = ["Time", "Window", "Used", "Safe", "Delay", "Strategy"];
    let rows = last.iter().map(|delay| {
        vec![
            past.span.date_and_clock(delay.at),
            optional(delay.window.map(|window| window.name().to_owned())),
            optional(delay.used.map(percent)),
            optional(delay.safe.map(percent)),
            duration(delay.secs),
            delay.strategy.to_string(),
        ]
    });
    let table = table("Delays, the last first", &head, rows);
    (!last.is_empty()).then(|| el("section").add(el("h2").text(heading)).add(table))
}

fn optional(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

fn table(caption: &str, head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Element {
    let head = el("tr").add_all(head.iter().map(|name| el("th").with("scope", "col").text(name)));
    let rows = rows.map(|cells| {
        let cells = cells.into_iter().enumerate().map(|(index, cell)| match index {
            0 => el("th").with("scope", "row").text(cell),
            _ => el("td").text(cell),
        });
        el("tr").add_all(cells)
    });
    let table = el("table")
        .add(el("caption").text(caption))
        .add(el("thead").add(head))
        .add(el("tbody").add_all(rows));
    el("div").class("scroll").add(table)
}

fn footer(past: &Past) -> Element {
    let version = env!("CARGO_PKG_VERSION");
    let now = past.span.date_and_clock(past.span.now);
    el("footer").add(el("p").text(format!(
        "Written by credit-pacer {version} on {now}. Readings are as the client told them, often in whole percents; \
         between readings the last one holds. Safe line and alerts are by the settings of today."
    )))
}

#[cfg(test)]
mod tests;
