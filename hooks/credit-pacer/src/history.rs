//! `credit-pacer history`: what was used, as a chart in the terminal, and each day in numbers.

pub(crate) mod chart;
pub(crate) mod looking_back;
pub(crate) mod past;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod span;
pub(crate) mod spoken;
pub(crate) mod table;

use std::io::{self, Write as _};
use std::process::ExitCode;

use shared::host::Host;

use crate::history::chart::{Look, SafeLine, chart};
use crate::history::looking_back::LookingBack;
use crate::history::past::Past;
use crate::history::table::table;

/// Wrong usage; 2 would mean "block".
pub(crate) const USAGE: u8 = 64;

/// So many days without being asked for others.
const DAYS: u32 = 7;

/// The chart of the last days for a typed prompt.
pub(crate) fn typed(host: &Host, days: Option<&str>) -> Result<String, String> {
    let looking_back = LookingBack::open(host)?;
    let (past, safe) = looking_back.past(looking_back.days(days, DAYS)?)?;
    let look = Look { columns: 80, unicode: true };
    Ok(page(&past, &safe, &look, looking_back.asks_api()))
}

/// Draws what was used; `words` are those after `history`.
pub(crate) fn run(host: &Host, words: &[&str]) -> ExitCode {
    let looking_back = match LookingBack::open(host) {
        Ok(looking_back) => looking_back,
        Err(why) => return complain("history", &why, ExitCode::FAILURE),
    };
    let days = match asked_days(words).and_then(|days| looking_back.days(days, DAYS)) {
        Ok(days) => days,
        Err(why) => return complain("history", &why, ExitCode::from(USAGE)),
    };
    match looking_back.past(days) {
        Ok((past, safe)) => {
            let text = page(&past, &safe, &look(host), looking_back.asks_api());
            // A closed stdout is the reader's choice, not an error.
            let _ = writeln!(io::stdout(), "{text}");
            ExitCode::SUCCESS
        }
        Err(why) => complain("history", &why, ExitCode::FAILURE),
    }
}

/// Says on stderr what is wrong.
pub(crate) fn complain(verb: &str, why: &str, code: ExitCode) -> ExitCode {
    let _ = writeln!(io::stderr(), "credit-pacer {verb}: {why}");
    code
}

/// Where the numbers come from, for who has none; whether the usage API is asked.
pub(crate) fn sources(asks_api: bool) -> String {
    let api = if asks_api {
        "the usage API, which is asked but has told nothing of this time"
    } else {
        "the usage API, which is off (`usage_api.enabled`)"
    };
    format!(
        "The numbers come from the status line of a session in a terminal with a Pro or Max login (`req hooks statusline` \
         sets it up), or from {api}."
    )
}

/// The number of days as it is typed, if one is.
fn asked_days<'a>(words: &[&'a str]) -> Result<Option<&'a str>, String> {
    let attached = |word: &'a str| word.strip_prefix("--days=");
    match words {
        [] => Ok(None),
        ["--days", days] => Ok(Some(days)),
        [word] if attached(word).is_some() => Ok(attached(word)),
        _ => Err("it takes nothing, or --days N".to_owned()),
    }
}

fn page(past: &Past, safe: SafeLine<'_>, look: &Look, asks_api: bool) -> String {
    if past.is_empty() {
        let days = match past.span.days.len() {
            1 => "today".to_owned(),
            count => format!("the last {count} days"),
        };
        return format!("Nothing is recorded of {days}.\n{}", sources(asks_api));
    }
    let charts = past.courses.iter().map(|course| chart(course, &past.span, safe, look));
    let footer =
        format!("Times in {}; safe line and alerts by the settings of today.", past.span.zone_name());
    charts.chain([table(past, look), footer]).collect::<Vec<_>>().join("\n\n")
}

fn look(host: &Host) -> Look {
    let columns = host.variable("COLUMNS").and_then(|columns| columns.parse().ok()).unwrap_or(80);
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| host.variable(name));
    Look { columns, unicode: locale.is_some_and(|locale| is_utf8(&locale)) }
}

/// The locale's characters are those of Unicode, as in `de_DE.UTF-8`.
fn is_utf8(locale: &str) -> bool {
    let charset = locale.split_once('.').map(|(_, charset)| charset).unwrap_or_default();
    let charset = charset.split('@').next().unwrap_or_default().replace('-', "");
    charset.eq_ignore_ascii_case("utf8")
}

#[cfg(test)]
mod tests;
