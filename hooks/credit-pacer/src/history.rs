//! Looking back: `credit-pacer history` draws the usage of each limit as a line of blocks, and shows each day in numbers.

pub(crate) mod chart;
pub(crate) mod past;
#[cfg(test)]
pub(crate) mod tests;

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
use past::{Day, Past};

const DAYS: u32 = 7;

const COLUMNS: usize = 80;

pub(crate) enum Refusal {
    Usage(String),
    Failed(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
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
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let section = configure::<CreditPacer>(&places.sources(host.environment.home.as_deref()), Position::Auto);
    let settings = section.ok_or_else(|| crate::command::UNREADABLE.to_owned())?.settings;
    let kept = settings.retention_days.get();
    let days = typed.unwrap_or(usual.min(kept));
    if !(1..=kept).contains(&days) {
        return Err(Refusal::Usage(format!(
            "--days takes a number from 1 to {kept}: usage is kept for {kept} days (retention_days)"
        )));
    }
    let store = places.open_store().ok_or_else(|| "there is no state folder; set HOME".to_owned())?;
    let now = host.now().micros().div_euclid(1_000_000);
    let since = now - (i64::from(days) + 8) * DAY_SECS;
    let (mut readings, mut delays) = ([Vec::new(), Vec::new()], Vec::new());
    if let Some(database) = Database::open_existing(&store)? {
        readings = [database.readings(Window::FiveHour, since)?, database.readings(Window::SevenDay, since)?];
        delays = database.delays(since)?;
    }
    let zone_name = rules::zone_name(&settings).unwrap_or_else(|| "local time".to_owned());
    let rules = rules::between(&settings, since, now + 9 * DAY_SECS);
    Ok(Past::of(days, now, (rules, zone_name), readings, delays))
}

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
    let head = format!("{:<10} {:>7} {:>7} {:>22}", "day", "5-hour", "weekly", "delays");
    let row = |day: &Day| {
        let [date, five_hour, weekly, count, sum] = past.row(day);
        let delays = if past.delays_on(day).0 == 0 { count } else { format!("{count}, {sum}") };
        format!("{date:<10} {five_hour:>7} {weekly:>7} {delays:>22}")
    };
    std::iter::once(head).chain(past.days.iter().map(row)).collect::<Vec<_>>().join("\n")
}
