//! Looking back: `credit-pacer history` draws the usage of each limit as a line of blocks, and shows each day in numbers.

pub(crate) mod chart;
pub(crate) mod past;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod spoken;

use std::process::ExitCode;

use pacing::{DAY_SECS, Window};
use shared::cli;
use shared::host::{Host, Places};
use shared::run::configure;
use shared::switches::Position;

use crate::CreditPacer;
use crate::database::Database;
use crate::rules;
use chart::chart;
use past::{DayInNumbers, Past};
use spoken::{duration, percent};

/// Days that are shown by default.
const DAYS: u32 = 7;

const COLUMNS: usize = 80;

/// Why there is no look back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The words are wrong.
    Usage(String),
    /// It cannot be done.
    Failed(String),
}

impl Refusal {
    /// Reports it on stderr. The status 2 would mean "block".
    pub(crate) fn report(&self, verb: &str) -> ExitCode {
        match self {
            Self::Usage(why) => cli::wrong_usage(&format!("credit-pacer {verb}: {why}")),
            Self::Failed(why) => cli::fail(&format!("credit-pacer {verb}: {why}")),
        }
    }
}

/// Prints the chart; `words` are those after `history`.
pub(crate) fn run(host: &Host, words: &[&str]) -> ExitCode {
    let days = match words {
        [] => Ok(None),
        ["--days", days] => days_of(days).map(Some),
        _ => Err(Refusal::Usage("it takes nothing, or --days N".to_owned())),
    };
    let columns = host.variable("COLUMNS").and_then(|columns| columns.parse().ok()).unwrap_or(COLUMNS);
    match days.and_then(|days| look_back(host, days, DAYS)) {
        Ok(past) => cli::say(&page(&past, columns)),
        Err(refusal) => refusal.report("history"),
    }
}

/// The chart for a typed prompt.
pub(crate) fn typed(host: &Host, days: Option<u32>) -> Result<String, String> {
    match look_back(host, days, DAYS) {
        Ok(past) => Ok(page(&past, COLUMNS)),
        Err(Refusal::Usage(why) | Refusal::Failed(why)) => Err(why),
    }
}

/// A number of days as it is typed.
pub(crate) fn days_of(word: &str) -> Result<u32, Refusal> {
    word.parse().map_err(|_| Refusal::Usage("--days takes a number of days".to_owned()))
}

/// The recorded usage of the last days: of those typed, else of the usual number.
pub(crate) fn look_back(host: &Host, typed: Option<u32>, usual: u32) -> Result<Past, Refusal> {
    let failed = |why: &str| Refusal::Failed(why.to_owned());
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let sources = places.sources(host.environment.home.as_deref());
    let section = configure::<CreditPacer>(&sources, Position::Auto);
    let settings =
        section.ok_or_else(|| failed("the built-in defaults cannot be read; this is a bug"))?.settings;
    let kept = settings.retention_days.get();
    let days = typed.unwrap_or(usual.min(kept));
    if !(1..=kept).contains(&days) {
        return Err(Refusal::Usage(format!(
            "--days takes a number from 1 to {kept}: usage is kept for {kept} days (retention_days)"
        )));
    }
    let store = places.open_store().ok_or_else(|| failed("there is no state folder; set HOME"))?;
    let now = host.now().micros().div_euclid(1_000_000);
    let since = now - (i64::from(days) + 8) * DAY_SECS;
    let (snapshots, delays) = match Database::open_existing(&store).map_err(Refusal::Failed)? {
        Some(database) => (
            database.snapshots(since).map_err(Refusal::Failed)?,
            database.delays(since).map_err(Refusal::Failed)?,
        ),
        None => (Vec::new(), Vec::new()),
    };
    let zone_name = rules::zone_name(&settings).unwrap_or_else(|| "local time".to_owned());
    let rules = rules::between(&settings, since, now + 9 * DAY_SECS);
    Ok(Past::of(days, now, rules, zone_name, &snapshots, &delays))
}

/// What to do where nothing is recorded.
pub(crate) const NOTHING: &str = "Usage comes from the status line of a session in a terminal with a Pro or Max login \
                                  (`req hooks statusline` sets it up), or from the usage API (`usage_api.enabled`).";

fn page(past: &Past, columns: usize) -> String {
    if past.is_empty() {
        return format!("Nothing is recorded of the last {} days.\n{NOTHING}", past.days.len());
    }
    let charts = past.courses.iter().map(|course| chart(past, course, columns));
    let footer = format!("Times in {}; safe line by the settings of today.", past.zone_name);
    charts.chain([table(past), footer]).collect::<Vec<_>>().join("\n\n")
}

/// The days in numbers, oldest first.
fn table(past: &Past) -> String {
    let [five_hour, weekly] = Window::ALL.map(|window| window.name().replace(" limit", ""));
    let head = format!("{:<10} {five_hour:>7} {weekly:>7} {:>22}", "day", "delays");
    let row = |day: &DayInNumbers| {
        let [five_hour, weekly] = day.highest.map(|highest| highest.map_or_else(|| "–".to_owned(), percent));
        let delays = match day.delays {
            0 => "–".to_owned(),
            count => format!("{count}, {}", duration(day.delayed_secs)),
        };
        format!("{:<10} {five_hour:>7} {weekly:>7} {delays:>22}", past.date(day.day.from))
    };
    std::iter::once(head).chain(past.in_numbers().iter().map(row)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::history::sample::{Sample, two_weeks};

    #[test]
    fn shows_both_limits_and_the_days() {
        let text = page(&two_weeks().past(4, "2026-11-20 18:00"), 80);
        let (charts, rest) = text.split_once("\n\nday").unwrap();
        assert!(charts.starts_with("5-hour limit: at most 90 % used\n"), "{text}");
        assert!(charts.contains("\nweekly limit: at most 100 % used\n"), "{text}");
        let expected = "         5-hour  weekly                 delays
Tue 17 Nov    90 %    60 %                1, 42 s
Wed 18 Nov    90 %    92 %                1, 42 s
Thu 19 Nov    90 %   100 %                1, 42 s
Fri 20 Nov       –   100 %                      –

Times in Europe/Berlin; safe line by the settings of today.";
        assert_eq!(rest, expected, "{text}");
    }

    #[test]
    fn names_the_sources_where_nothing_is_recorded() {
        let text = page(&Sample::of("UTC").past(7, "2026-11-22 12:00"), 80);
        assert!(text.starts_with("Nothing is recorded of the last 7 days.\n"), "{text}");
        assert!(text.contains("req hooks statusline"), "{text}");
    }
}
