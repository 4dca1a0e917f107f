//! `credit-pacer statusline`: what Claude Code reports to its status line is recorded first; then a line is printed. Whatever
//! goes wrong, there is a line, and exit status 0.

mod chain;
mod line;
mod report;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use shared::cli::Asker;
use shared::host::{Host, Places, Timestamp, read_first_value};
use shared::operator::Caller;
use shared::usage::{SessionUsage, Source, Usage};

use crate::now::Now;
use crate::recorded::{self, Observed, Sight};
use crate::{CreditPacer, database};
use line::Shown;
use report::Report;

/// The database is waited for so long: Claude Code waits for us.
const PATIENCE: Duration = Duration::from_millis(50);

/// The width of a terminal that reports none.
const DEFAULT_COLUMNS: usize = 80;

/// Columns that Claude Code keeps beside the line.
const MARGIN: usize = 4;

/// Reads the object of Claude Code on stdin, records it, prints a line.
pub(crate) fn run(host: &Host) -> ExitCode {
    if host.variable(chain::VARIABLE).is_some() {
        return ExitCode::SUCCESS;
    }
    let input = if io::stdin().is_terminal() { Vec::new() } else { read_first_value().unwrap_or_default() };
    let mut report = Report::read(&input).unwrap_or_default();
    report.usage.written_at = host.now().secs();
    // The session's project, whatever the environment of this process names.
    let mut host = host.clone();
    host.environment.project_dir = report.project.clone().or(host.environment.project_dir);
    // The folders as the hook has them: it must read where this process writes.
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let store = places.open_store();
    let session = report.session.as_deref();
    let (host, places, store) = (&host, &places, store.as_ref());
    let asker = Asker { host, places, store, session, caller: Caller::Untyped };
    let (is_recorded, news) = record(&asker, &report);
    match asker.section_in_force::<CreditPacer>() {
        Ok(section) => {
            let is_lost = !is_recorded && !report.usage.windows.is_empty();
            let lost = is_lost.then(|| observed(&report.usage, Sight::Found));
            let shown = Shown { report: &report, now: &Now::of(&asker, &section, lost.as_ref()), is_lost };
            print(format!("{}\n", shown.line(columns(host), takes_colours(host))).as_bytes());
            let chained = section.settings.statusline.chain.as_deref();
            if let Some(printed) = chained.and_then(|command| chain::output(command, &input, chain::PATIENCE))
            {
                print(&printed);
            }
        }
        Err(why) => print(format!("{why}\n").as_bytes()),
    }
    keep(&asker, &report, news);
    ExitCode::SUCCESS
}

/// Writes down the report; false: that failed. Also what is known then, if that has changed.
fn record(asker: &Asker<'_>, report: &Report) -> (bool, Option<Usage>) {
    let (Some(store), Some(id)) = (asker.store, asker.session) else { return (false, None) };
    let mut news = Ok(None);
    let recorded = recorded::record_session(store, id, report.usage.clone(), |sight| {
        news = recorded::record(store, &observed(&report.usage, sight));
    });
    let is_recorded = recorded.is_ok() && news.is_ok();
    (is_recorded, news.ok().flatten())
}

/// Keeps news for looking back. The reading is recorded and the line printed before, so nothing else waits for the database.
fn keep(asker: &Asker<'_>, report: &Report, news: Option<Usage>) {
    let (Some(store), Some(id), Some(usage)) = (asker.store, asker.session, news) else { return };
    let now = report.usage.written_at;
    let kept = database::add_snapshot(store, PATIENCE, &usage, now, id);
    database::report(store, kept, Timestamp::from_secs(now));
}

fn observed(usage: &SessionUsage, sight: Sight) -> Observed {
    Observed { at: usage.written_at, source: Source::StatusLine, sight, windows: usage.windows.clone() }
}

/// See <https://no-color.org>.
fn takes_colours(host: &Host) -> bool {
    host.variable("NO_COLOR").is_none() && host.variable("TERM").as_deref() != Some("dumb")
}

fn print(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    // Claude Code may have closed it.
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

fn columns(host: &Host) -> usize {
    let columns = host.variable("COLUMNS").and_then(|columns| columns.trim().parse().ok());
    columns.filter(|columns| *columns > 0).unwrap_or(DEFAULT_COLUMNS).saturating_sub(MARGIN).max(1)
}
