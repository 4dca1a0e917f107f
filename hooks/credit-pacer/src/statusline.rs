//! `credit-pacer statusline`: what the client tells its status line is recorded first; then a line is printed. Whatever goes
//! wrong, there is a line, and exit status 0.

mod chain;
mod line;
mod told;

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use pacing::Pace;
use shared::config::Section;
use shared::hook::Hook;
use shared::host::{Environment, Host, Places, Timestamp, read_first_value};
use shared::run::configure;
use shared::state::{Store, is_off};
use shared::switches::Switches;
use shared::usage::session::{self, SessionUsage};
use shared::usage::{self, Observed, Sight, Source, Usage};

use crate::CreditPacer;
use crate::books;
use crate::database::{Database, SnapshotRow};
use crate::observe::{Scene, digest, known};
use crate::settings::Settings;
use crate::state::State;
use line::Shown;
use told::Told;

/// The database is waited for so long: the client waits for us.
const PATIENCE: Duration = Duration::from_millis(50);

/// The width of a terminal that says nothing.
const DEFAULT_COLUMNS: usize = 80;

/// Columns that Claude Code keeps beside the line.
const MARGIN: usize = 4;

/// Reads the client's object on stdin, records what it tells, prints a line.
pub(crate) fn run(host: &Host) -> ExitCode {
    answer_on_panic();
    let input = if io::stdin().is_terminal() { Vec::new() } else { read_first_value().unwrap_or_default() };
    let told = Told::read(&input).unwrap_or_default();
    let (environment, places) = places(host, &told);
    let store = places.open_store();
    let now = whole_secs(host.now());
    let told = Told { usage: SessionUsage { written_at: now, ..told.usage }, ..told };
    let (recorded, news) = record(store.as_ref(), &told);
    let switches = store.as_ref().map(Switches::read).unwrap_or_default();
    let switch = switches.position(CreditPacer::NAME, told.session.as_deref());
    let sources = places.sources(environment.home.as_deref());
    let Some(section) = configure::<CreditPacer>(&sources, switch) else {
        print(b"credit-pacer: the built-in defaults cannot be read; this is a bug\n");
        keep(store.as_ref(), &told, news);
        return ExitCode::SUCCESS;
    };
    let scene = scene(store.as_ref(), &told, recorded, &section.settings);
    let state = store.as_ref().and_then(State::peek).unwrap_or_default();
    let session = digest(told.session.as_deref().unwrap_or_default());
    let pace = state.pace(&scene, host.now());
    let shown = Shown {
        model: told.model_name.as_deref(),
        context_percent: told.usage.context.used_percent,
        delay_secs: delay_secs(&pace, &state, session, &section.settings, host.now()),
        pace: &pace,
        is_off: is_switched_off(host, &places, &section),
        is_lost: !recorded && !told.usage.windows.is_empty(),
        has_replied: told.has_replied(),
        now,
    };
    let line = line::line(&shown, columns(host), takes_colours(host));
    print(format!("{line}\n").as_bytes());
    if let Some(command) = &section.settings.statusline.chain
        && let Some(printed) = chain::output(host, command, &input)
    {
        print(&printed);
    }
    keep(store.as_ref(), &told, news);
    ExitCode::SUCCESS
}

/// The project is the one of the session, whatever this process was told.
fn places(host: &Host, told: &Told) -> (Environment, Places) {
    let mut environment = host.environment.clone();
    if let Some(project) = &told.project {
        environment.project_dir = Some(project.clone());
    }
    let places = Places::resolve(&environment, host.cwd().as_deref());
    let is_named = places.state_dir != places.default_state_dir;
    // As the hook does: what it reads must be where we write.
    if is_named && !places.open_store().as_ref().is_some_and(Store::is_writable) {
        return (environment, places.without_named_state_dir());
    }
    (environment, places)
}

/// Writes down what was told; false: it could not be. And what is known then, if that has changed.
fn record(store: Option<&Store>, told: &Told) -> (bool, Option<Usage>) {
    let (Some(store), Some(id)) = (store, told.session.as_deref()) else { return (false, None) };
    let news = RefCell::new(None);
    let mut is_lost = false;
    let recorded = session::record(store, id, told.usage.clone(), |sight| {
        match usage::record(store, &observed(&told.usage, sight)) {
            Ok(recorded) => *news.borrow_mut() = recorded.filter(Usage::has_just_changed),
            Err(_) => is_lost = true,
        }
    });
    (recorded.is_ok() && !is_lost, news.take())
}

/// Keeps news for looking back. The reading itself is recorded, and the line printed: nobody waits for more than that.
fn keep(store: Option<&Store>, told: &Told, news: Option<Usage>) {
    let (Some(store), Some(id), Some(usage)) = (store, told.session.as_deref(), news) else { return };
    let now = told.usage.written_at;
    let row = SnapshotRow::of(&usage.windows, usage.observed_at, now);
    let kept = Database::open_with(store, PATIENCE)
        .and_then(|database| database.add_snapshot(&row, id, usage.source));
    books::report(store, kept, Timestamp::from_secs(now));
}

fn observed(told: &SessionUsage, sight: Sight) -> Observed {
    Observed { at: told.written_at, source: Source::StatusLine, sight, windows: told.windows.clone() }
}

/// What the hook would see. Where nothing can be written it is at least what was told just now.
fn scene(store: Option<&Store>, told: &Told, recorded: bool, settings: &Settings) -> Scene {
    let known = store.and_then(|store| {
        known(store, told.session.as_deref(), settings, Timestamp::from_secs(told.usage.written_at))
    });
    let usage = if !recorded && session::is_observed(None, &told.usage) {
        Some(usage::merge(known.unwrap_or_default(), &observed(&told.usage, Sight::Found)))
    } else {
        known
    };
    Scene::of(usage, settings, told.usage.written_at)
}

/// What the next call of the session waits for.
fn delay_secs(pace: &Pace, state: &State, session: u64, settings: &Settings, now: Timestamp) -> f64 {
    let Some(limit) = settings.max_total_delay_per_hour_secs else { return pace.delay_secs };
    let slept = state.sessions.get(&session).map(|session| session.slept_lately(now)).unwrap_or_default();
    let left = Duration::from_secs(limit.get().into()).saturating_sub(slept);
    pace.delay_secs.min(left.as_secs_f64())
}

fn is_switched_off(host: &Host, places: &Places, section: &Section<Settings>) -> bool {
    let folders = [&places.state_dir, &places.default_state_dir];
    !section.enabled || folders.into_iter().flatten().any(|folder| is_off(folder, host.now()))
}

const fn whole_secs(time: Timestamp) -> i64 {
    time.micros().div_euclid(1_000_000)
}

fn print(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    // A client that has closed our stdout is not interested; there is nobody to tell.
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

/// The width of the line. Claude Code keeps some columns beside it for itself.
fn columns(host: &Host) -> usize {
    let columns = host.variable("COLUMNS").and_then(|columns| columns.trim().parse().ok());
    columns.filter(|columns| *columns > 0).unwrap_or(DEFAULT_COLUMNS).saturating_sub(MARGIN).max(1)
}

/// See <https://no-color.org>.
fn takes_colours(host: &Host) -> bool {
    host.variable("NO_COLOR").is_none() && host.variable("TERM").as_deref() != Some("dumb")
}

/// A panic is a bug, and the client's screen must not pay for it.
#[expect(clippy::exit, reason = "with panic = abort this is the only way to end with status 0")]
fn answer_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
        print(format!("credit-pacer: a bug{}\n", place.unwrap_or_default()).as_bytes());
        std::process::exit(0);
    }));
}
