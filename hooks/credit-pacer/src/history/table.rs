//! The days in numbers, as lines of text. Pure.

use crate::history::chart::Look;
use crate::history::past::{DayInNumbers, Past};
use crate::history::spoken;

/// A narrower terminal is told the days without their months, and delays without their number.
const WIDE_COLUMNS: usize = 56;

/// The table, newest day last, without a line end after its last line.
pub(crate) fn table(past: &Past, look: &Look) -> String {
    let head = line(["day", "5-hour", "weekly", "delays", "alerts"], look);
    let days = past.days();
    let lines = days.iter().map(|day| row(day, look));
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

fn row(day: &DayInNumbers, look: &Look) -> String {
    let nothing = if look.unicode { "–" } else { "-" };
    let [five_hours, seven_days] =
        day.highest.map(|highest| highest.map_or_else(|| nothing.to_owned(), spoken::percent));
    let delayed = spoken::duration(day.delayed_secs);
    let delays = match day.delays {
        0 => nothing.to_owned(),
        1 if look.is_wide() => format!("1 delay, {delayed}"),
        count if look.is_wide() => format!("{count} delays, {delayed}"),
        _ => delayed,
    };
    let alerts = if day.alerts == 0 { nothing.to_owned() } else { day.alerts.to_string() };
    let date = if look.is_wide() { day.day.weekday_and_date() } else { day.day.weekday_and_day() };
    line([&date, &five_hours, &seven_days, &delays, &alerts], look)
}

fn line([day, five_hours, seven_days, delays, alerts]: [&str; 5], look: &Look) -> String {
    let (date, used, delayed) = if look.is_wide() { (10, 7, 22) } else { (6, 6, 11) };
    format!("{day:<date$} {five_hours:>7} {seven_days:>used$} {delays:>delayed$} {alerts:>6}")
}

impl Look {
    const fn is_wide(&self) -> bool {
        self.columns >= WIDE_COLUMNS
    }
}

#[cfg(test)]
mod tests;
