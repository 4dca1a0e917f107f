//! `credit-pacer statusline`: what Claude Code reports to its status line is recorded first; then a line is printed. Whatever
//! goes wrong, there is a line, and exit status 0.

mod chain;
mod line;
mod report;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use shared::cli::off_file;
use shared::hook::Hook;
use shared::host::{Environment, Host, Places, Timestamp, read_first_value};
use shared::run::configure;
use shared::state::Store;
use shared::switches::Switches;
use shared::usage::session::{self, SessionUsage};
use shared::usage::{self, Observed, Sight, Source, Usage};

use crate::decide::allowed;
use crate::readings::{Scene, known};
use crate::settings::Settings;
use crate::state::{State, digest, secs};
use crate::{CreditPacer, database, wording};
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
    answer_on_panic();
    let input = if io::stdin().is_terminal() { Vec::new() } else { read_first_value().unwrap_or_default() };
    let mut report = Report::read(&input).unwrap_or_default();
    report.usage.written_at = secs(host.now());
    let (environment, places) = places(host, &report);
    let store = places.open_store();
    let (is_recorded, news) = record(store.as_ref(), &report);
    let switches = store.as_ref().map(Switches::read).unwrap_or_default();
    let switch = switches.position(CreditPacer::NAME, report.session.as_deref());
    let section = configure::<CreditPacer>(&places.sources(environment.home.as_deref()), switch);
    match &section {
        Some(section) => {
            let is_off = !section.enabled || off_file(host, &places).is_some();
            let line = line_of(host, store.as_ref(), &report, &section.settings, (is_recorded, is_off));
            print(format!("{line}\n").as_bytes());
            let chained = section.settings.statusline.chain.as_deref();
            if let Some(printed) = chained.and_then(|command| chain::output(host, command, &input)) {
                print(&printed);
            }
        }
        None => print(format!("{}\n", wording::UNREADABLE).as_bytes()),
    }
    keep(store.as_ref(), &report, news);
    ExitCode::SUCCESS
}

/// The folders for the session's project, whatever the environment of this process names.
fn places(host: &Host, report: &Report) -> (Environment, Places) {
    let mut environment = host.environment.clone();
    if report.project.is_some() {
        environment.project_dir.clone_from(&report.project);
    }
    let places = Places::resolve(&environment, host.cwd().as_deref());
    let is_named = places.state_dir != places.default_state_dir;
    // As the hook does: it must read where this process writes.
    if is_named && !places.open_store().as_ref().is_some_and(Store::is_writable) {
        return (environment, places.without_named_state_dir());
    }
    (environment, places)
}

/// Writes down the report; false: that failed. Also what is known then, if that has changed.
fn record(store: Option<&Store>, report: &Report) -> (bool, Option<Usage>) {
    let (Some(store), Some(id)) = (store, report.session.as_deref()) else { return (false, None) };
    let mut news = Ok(None);
    let recorded = session::record(store, id, report.usage.clone(), |sight| {
        news = usage::record(store, &observed(&report.usage, sight));
    });
    match news {
        Ok(news) => (recorded.is_ok(), news.filter(Usage::has_just_changed)),
        Err(_) => (false, None),
    }
}

/// Keeps news for looking back. The reading is recorded and the line printed before, so nothing else waits for the database.
fn keep(store: Option<&Store>, report: &Report, news: Option<Usage>) {
    let (Some(store), Some(id), Some(usage)) = (store, report.session.as_deref(), news) else { return };
    let now = report.usage.written_at;
    let (times, by) = ((usage.observed_at, now), (id, usage.source));
    let kept = database::add_snapshot(store, PATIENCE, &usage.windows, times, by);
    database::report(store, kept, Timestamp::from_secs(now));
}

fn observed(usage: &SessionUsage, sight: Sight) -> Observed {
    Observed { at: usage.written_at, source: Source::StatusLine, sight, windows: usage.windows.clone() }
}

fn line_of(
    host: &Host,
    store: Option<&Store>,
    report: &Report,
    settings: &Settings,
    (is_recorded, is_off): (bool, bool),
) -> String {
    let now = host.now();
    let scene = scene(store, report, is_recorded, settings);
    let state = store.and_then(State::peek).unwrap_or_default();
    let pace = state.pace(&scene, now);
    let session = state.sessions.get(&digest(report.session.as_deref().unwrap_or_default()));
    let shown = Shown {
        model: report.model_name.as_deref(),
        context_percent: report.usage.context.used_percent,
        delay_secs: allowed(&pace, session, settings, false, now).as_secs_f64(),
        pace: &pace,
        is_off,
        is_lost: !is_recorded && !report.usage.windows.is_empty(),
        has_replied: report.has_replied(),
        now: report.usage.written_at,
    };
    // See <https://no-color.org>.
    let takes_colours =
        host.variable("NO_COLOR").is_none() && host.variable("TERM").as_deref() != Some("dumb");
    line::line(&shown, columns(host), takes_colours)
}

/// The readings as the hook would find them. Where nothing can be written, the report itself counts.
fn scene(store: Option<&Store>, report: &Report, is_recorded: bool, settings: &Settings) -> Scene {
    let now = report.usage.written_at;
    let mut usage = store.and_then(|store| known(store, report.session.as_deref(), settings, now));
    if !is_recorded && session::observed(None, &report.usage).is_some() {
        usage = Some(usage::merge(usage.unwrap_or_default(), &observed(&report.usage, Sight::Found)));
    }
    Scene::of(usage, settings, now)
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

/// Reports a panic as a line: it is a bug, and the screen of Claude Code must not pay for it.
#[expect(clippy::exit, reason = "with panic = abort this is the only way to end with status 0")]
fn answer_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
        print(format!("credit-pacer: a bug{}\n", place.unwrap_or_default()).as_bytes());
        std::process::exit(0);
    }));
}
