//! Asking the usage API: at most every ten minutes by all sessions together, in a process of its own, never in a tool call's
//! way.
//!
//! - `slot`: when it may be asked next, and why there is no reading
//! - `login`: the token of a request; `answer`: its result
//!
//! Nobody asks while every hook is off, or this one, or where the global file does not switch it on.

mod answer;
mod login;
mod slot;

use std::collections::BTreeMap;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use shared::cli::off_file;
use shared::courier::{self, CourierError, Request};
use shared::hook::{Context, Hook};
use shared::host::{Host, Places};
use shared::project_env::is_misled;
use shared::run::configure;
use shared::state::Store;
use shared::switches::Switches;
use shared::usage::{self, Observed, Sight, Source, Window};

use crate::settings::{Settings, UsageApi};
use crate::state::secs;
use crate::{CreditPacer, database};
use slot::{Failure, Kind};

pub(crate) use slot::Slot;

/// The verb that asks. It is in no help: nobody needs to type it.
const VERB: &str = "poll";

/// A process without a console, which would close with Claude Code's.
#[cfg(windows)]
const DETACHED_PROCESS: u32 = 8;

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

/// Starts the process that asks, and does not wait for it. It holds nothing that Claude Code waits for.
pub(crate) fn start() -> Result<(), String> {
    let started = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.arg(VERB).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // In a group of its own, and without a console: what ends the hook does not end it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut command, DETACHED_PROCESS);
        command.spawn()
    });
    started.map(drop).map_err(|error| {
        format!("credit-pacer: the usage API is not asked: no process can be started: {error}")
    })
}

/// Asks: `credit-pacer poll`, started by [`start`].
pub(crate) fn run(host: &Host) -> ExitCode {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    if let Some(store) = places.open_store()
        && let Some(settings) = allowed(host, &places, &store)
    {
        let interval = Duration::from_secs(settings.interval_secs.get().into());
        if Slot::take(&store, host.now(), interval) {
            let result = ask(host, &places, &settings).and_then(|windows| Ok(keep(&store, windows, host)?));
            if let Some(news) = Slot::settle(&store, result, host.now(), interval) {
                database::report(&store, Err(format!("usage API: {}", news.words())), host.now());
            }
        }
    }
    ExitCode::SUCCESS
}

/// The settings, if they and everything else allow to ask. The hook has looked at all of it before it started this process, but
/// anybody can start it.
fn allowed(host: &Host, places: &Places, store: &Store) -> Option<UsageApi> {
    if off_file(host, places).is_some() || is_misled(host, host.cwd().as_deref()) {
        return None;
    }
    let environment = &host.environment;
    let switch = Switches::read(store).position(CreditPacer::NAME, environment.session_id.as_deref());
    let section = configure::<CreditPacer>(&places.sources(environment.home.as_deref()), switch)?;
    let settings = section.settings.usage_api;
    (section.enabled && settings.enabled).then_some(settings)
}

fn ask(host: &Host, places: &Places, settings: &UsageApi) -> Result<BTreeMap<String, Window>, Failure> {
    let courier = courier::beside_this_program().ok_or(Kind::NoCourier)?;
    let headers = [
        ("anthropic-beta", "oauth-2025-04-20".to_owned()),
        ("authorization", login::find(host, places.config_dir.as_deref())?),
        ("content-type", "application/json".to_owned()),
        ("user-agent", concat!("barbless/", env!("CARGO_PKG_VERSION")).to_owned()),
    ];
    let request = Request {
        method: "GET".to_owned(),
        url: settings.url.clone(),
        headers: headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        body: None,
        proxy: courier::proxy_for(&settings.url, host),
        timeout_ms: TIMEOUT.as_millis(),
        max_bytes: MAX_BYTES,
    };
    let answer =
        courier::ask(&request, TIMEOUT + courier::MARGIN, &courier).map_err(|error| match error {
            CourierError::NotStarted(..) | CourierError::Speechless => Kind::NoCourier,
            CourierError::Late
            | CourierError::Failed { kind: courier::Kind::Timeout | courier::Kind::Unreachable, .. } => {
                Kind::Unreachable
            }
            CourierError::Failed { .. } => Kind::Garbage,
        })?;
    answer::read(&answer, host.now())
}

/// Keeps a reading: for pacing, and for looking back.
fn keep(store: &Store, windows: BTreeMap<String, Window>, host: &Host) -> Result<(), Kind> {
    if windows.is_empty() {
        return Ok(());
    }
    let (at, source) = (secs(host.now()), Source::UsageApi);
    let observed = Observed { at, source, sight: Sight::Answered, windows };
    usage::record(store, &observed).map_err(|_| Kind::NotKept)?;
    database::add_snapshot(store, database::PATIENCE, &observed.windows, (at, at), ("", source))
        .map_err(|_| Kind::NotKept)
}
