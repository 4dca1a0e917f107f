//! Asking the usage API: at most every ten minutes by all sessions together, in a process of its own, never in a tool call's
//! way.
//!
//! - `slot`: when it may be asked next
//! - `login`: what it is asked with
//! - `answer`: what it says; `trouble`: why there is no answer
//!
//! Nothing of it is asked while every hook is off, or this one, or where its section in the global file does not say so.

mod answer;
mod login;
mod slot;
mod trouble;

use std::collections::BTreeMap;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use shared::courier::{self, Request};
use shared::hook::{Context, Hook};
use shared::host::{Host, Places};
use shared::journal::{self, Entry};
use shared::project_env::is_misled;
use shared::state::{Store, is_off};
use shared::switches::Switches;
use shared::usage::{self, Observed, Sight, Source, Window};

use crate::CreditPacer;
use crate::database::{Database, SnapshotRow};
use crate::settings::{Settings, UsageApi};
use slot::secs;
use trouble::Trouble;

pub(crate) use slot::Slot;
pub(crate) use trouble::Kind;

/// The verb that asks. It is in no help: nobody needs to type it.
const VERB: &str = "poll";

/// A server that takes longer is given up.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A longer answer is none, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// It is switched on, nothing speaks against it here, and its time has come.
pub(crate) fn is_due(context: &Context<'_, Settings>) -> bool {
    if !context.settings.usage_api.enabled {
        return false;
    }
    let Some(store) = context.store else { return false };
    Slot::peek(store).is_due(context.host.now())
        && !is_misled(context.host, context.request.call.cwd.as_deref())
}

/// Starts the process that asks, and does not wait for it. It holds nothing that the client waits for.
pub(crate) fn start() -> Result<(), String> {
    let started = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.arg(VERB).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        detach(&mut command);
        command.spawn()
    });
    let why = |error| format!("credit-pacer: the usage API is not asked: no process can be started: {error}");
    started.map(drop).map_err(why)
}

/// A group of its own: what ends the hook does not end it.
#[cfg(unix)]
fn detach(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Without a console, which would close with the client's.
#[cfg(windows)]
fn detach(command: &mut Command) {
    const DETACHED_PROCESS: u32 = 8;
    std::os::windows::process::CommandExt::creation_flags(command, DETACHED_PROCESS);
}

#[cfg(not(any(unix, windows)))]
fn detach(_command: &mut Command) {}

/// Asks: `credit-pacer poll`, started by [`start`].
pub(crate) fn run(host: &Host) -> ExitCode {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    if let Some(store) = places.open_store()
        && let Some(settings) = allowed(host, &places, &store)
        && Slot::take(&store, host.now(), interval(&settings))
    {
        let result = ask(host, &places, &settings).and_then(|windows| keep(&store, windows, host));
        settle(&store, result, host, interval(&settings));
    }
    ExitCode::SUCCESS
}

fn interval(settings: &UsageApi) -> Duration {
    Duration::from_secs(settings.least_interval_secs().into())
}

/// The settings, if they and everything else allow to ask. What started this process has looked at all of it, but
/// anybody can start it.
fn allowed(host: &Host, places: &Places, store: &Store) -> Option<UsageApi> {
    let now = host.now();
    let is_off = store.is_off(now) || places.default_state_dir.as_deref().is_some_and(|dir| is_off(dir, now));
    if is_off || is_misled(host, host.cwd().as_deref()) {
        return None;
    }
    let environment = &host.environment;
    let switch = Switches::read(store).position(CreditPacer::NAME, environment.session_id.as_deref());
    let sources = places.sources(environment.home.as_deref());
    let section = shared::run::configure::<CreditPacer>(&sources, switch)?;
    let settings = section.settings.usage_api;
    (section.enabled && settings.enabled).then_some(settings)
}

fn ask(host: &Host, places: &Places, settings: &UsageApi) -> Result<BTreeMap<String, Window>, Trouble> {
    let login = login::find(host, places.config_dir.as_deref())?;
    let courier = courier::beside_this_program().ok_or(Kind::NoCourier)?;
    let headers = [
        ("anthropic-beta", "oauth-2025-04-20".to_owned()),
        ("authorization", login.header()),
        ("content-type", "application/json".to_owned()),
        ("user-agent", concat!("barbless/", env!("CARGO_PKG_VERSION")).to_owned()),
    ];
    let request = Request {
        method: "GET".to_owned(),
        url: settings.url.clone(),
        headers: headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        body: None,
        proxy: courier::proxy_for(&settings.url, host),
        timeout: TIMEOUT,
        max_bytes: MAX_BYTES,
    };
    answer::read(&courier::ask(&request, TIMEOUT + courier::MARGIN, &courier)?, host.now())
}

/// Keeps a reading: for pacing, and for looking back.
fn keep(store: &Store, windows: BTreeMap<String, Window>, host: &Host) -> Result<(), Trouble> {
    if windows.is_empty() {
        return Ok(());
    }
    let at = secs(host.now());
    let row = SnapshotRow::of(&windows, at, at);
    let observed = Observed { at, source: Source::UsageApi, sight: Sight::Answered, windows };
    usage::record(store, &observed).map_err(|_| Kind::NotKept)?;
    let kept = Database::open(store).and_then(|database| database.add_snapshot(&row, "", Source::UsageApi));
    kept.map_err(|_| Kind::NotKept.into())
}

/// Remembers when to ask again, and tells the journal of a trouble that was not there before.
fn settle(store: &Store, result: Result<(), Trouble>, host: &Host, interval: Duration) {
    let before = Slot::settle(store, result, host.now(), interval);
    let kind = result.err().map(|trouble| trouble.kind);
    if let Some(kind) = kind
        && before.and_then(|slot| slot.trouble) != Some(kind)
    {
        let text = format!("usage API: {}", kind.words());
        let entry = Entry { hook: CreditPacer::NAME, what: "error", text: Some(&text), ..Entry::default() };
        journal::write(store, host.now(), &entry);
    }
}
