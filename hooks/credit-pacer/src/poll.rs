//! Asking the usage API: at most every ten minutes by all sessions together, in a process of its own, never in a tool call's
//! way.
//!
//! `slot` says when it may be asked next, and why there is no reading.
//!
//! Nobody asks while every hook is off, or this one, or where the global file does not switch it on.

mod slot;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use serde_json::Value;
use shared::cli::{Asker, off_file};
use shared::config::{MAX_LAYER_BYTES, read_text};
use shared::courier::{self, Answer, CourierError, Request, is_misled};
use shared::hook::Context;
use shared::host::{HOUR, Host, Places, Timestamp};
use shared::operator::Caller;
use shared::state::Store;
use shared::usage::{Source, Window};

use crate::readings::reported;
use crate::recorded::{self, Observed, Sight};
use crate::settings::{Settings, UsageApi};
use crate::state::exact;
use crate::{CreditPacer, database};
use slot::Failure;

pub(crate) use slot::Slot;

/// Sentences for the user on why there is no reading.
const NO_LOGIN: &str = "there is no login of Claude Code that is valid: start `claude` and log in";
const NO_COURIER: &str =
    "the program `courier`, which asks it, is missing beside credit-pacer or does not work: install again";
const NO_ANSWER: &str = "the server cannot be reached, or its answer holds no usage, and is asked again later: is \
                         credit-pacer.usage_api.url right, and Barbless up to date?";
const DENIED: &str = "the server does not take the login: start `claude` and log in again";
const TOO_MANY: &str = "the server was asked too often, and is left alone for a while";
const NOT_KEPT: &str = "what it said could not be written to the state folder";

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
    let is_on = context.settings.usage_api.enabled;
    let slot = context.store.filter(|_| is_on).map(Slot::peek);
    slot.is_some_and(|slot| slot.is_due(context.host.now()))
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
    let places = &Places::resolve(&host.environment, host.cwd().as_deref());
    let (store, session) = (places.open_store(), host.environment.session_id.as_deref());
    let asker = Asker { host, places, store: store.as_ref(), session, caller: Caller::Untyped };
    let Some((store, settings)) = asker.store.zip(allowed(&asker)) else { return ExitCode::SUCCESS };
    let interval = Duration::from_secs(settings.interval_secs.get().into());
    if Slot::take(store, host.now(), interval) {
        let result = ask(host, places, &settings).and_then(|windows| keep(store, windows, host));
        if let Err((why, _)) = &result {
            database::report(store, Err(format!("usage API: {why}")), host.now());
        }
        Slot::settle(store, result, host.now(), interval);
    }
    ExitCode::SUCCESS
}

/// The settings, if they and everything else allow to ask. The hook has looked at all of it before it started this process, but
/// anybody can start it.
fn allowed(asker: &Asker<'_>) -> Option<UsageApi> {
    let host = asker.host;
    if off_file(host, asker.places).is_some() || is_misled(host, host.cwd().as_deref()) {
        return None;
    }
    let section = asker.section_in_force::<CreditPacer>().ok()?;
    let settings = section.settings.usage_api;
    (section.enabled && settings.enabled).then_some(settings)
}

fn ask(host: &Host, places: &Places, settings: &UsageApi) -> Result<BTreeMap<String, Window>, Failure> {
    let courier = courier::beside_this_program().ok_or((NO_COURIER, None))?;
    let headers = [
        ("anthropic-beta", "oauth-2025-04-20".to_owned()),
        ("authorization", login(host, places.config_dir.as_deref()).ok_or((NO_LOGIN, None))?),
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
    let answer = courier::ask(&request, TIMEOUT + courier::MARGIN, &courier);
    let answer = answer.map_err(|error| match error {
        CourierError::NotStarted | CourierError::Speechless => (NO_COURIER, None),
        CourierError::Failed(_) => (NO_ANSWER, Some(Duration::ZERO)),
    })?;
    read(&answer)
}

/// The windows in an answer. Where a plan does not have one, it is null, as are its parts while nothing is used of it. Pure.
fn read(answer: &Answer) -> Result<BTreeMap<String, Window>, Failure> {
    let windows = reported(&serde_json::from_str(&answer.body).unwrap_or_default());
    if answer.status == 200 && !answer.truncated && !windows.is_empty() {
        return Ok(windows);
    }
    let retry_after = answer.headers.get("retry-after").and_then(|text| text.trim().parse().ok());
    let wait = retry_after.map_or(Duration::ZERO, Duration::from_secs);
    let (why, wait) = match answer.status {
        401 | 403 => (DENIED, wait.max(HOUR)),
        429 => (TOO_MANY, wait),
        _ => (NO_ANSWER, wait),
    };
    Err((why, Some(wait)))
}

/// The header that shows the login to the server: that of the environment, else of Claude Code's own file. It is used once, and
/// never renewed, shown, or asked of a keychain, which might open a dialog.
fn login(host: &Host, config_dir: Option<&Path>) -> Option<String> {
    let of_environment = host.variable("CLAUDE_CODE_OAUTH_TOKEN").and_then(|token| header(token.trim()));
    of_environment.or_else(|| {
        let text = read_text(&config_dir?.join(".credentials.json"), None, MAX_LAYER_BYTES).ok()?;
        of_credentials(&text, host.now())
    })
}

/// A token is one word; anything else would end up in another header, or nowhere.
fn header(token: &str) -> Option<String> {
    let is_word = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    is_word.then(|| format!("Bearer {token}"))
}

/// The login in Claude Code's own file, unless it has expired. Pure.
fn of_credentials(text: &str, now: Timestamp) -> Option<String> {
    let credentials: Value = serde_json::from_str(text).ok()?;
    let login = &credentials["claudeAiOauth"];
    let has_expired = login["expiresAt"].as_f64().is_some_and(|millis| millis / 1000.0 <= exact(now));
    header(login["accessToken"].as_str()?).filter(|_| !has_expired)
}

/// Keeps a reading: for pacing, and for looking back.
fn keep(store: &Store, windows: BTreeMap<String, Window>, host: &Host) -> Result<(), Failure> {
    let (at, source) = (host.now().secs(), Source::UsageApi);
    let observed = Observed { at, source, sight: Sight::Answered, windows };
    let known = recorded::record(store, &observed).map_err(|_| (NOT_KEPT, None))?;
    let kept = known.map(|known| database::add_snapshot(store, database::PATIENCE, &known, at, ""));
    kept.unwrap_or(Ok(())).map_err(|_| (NOT_KEPT, None))
}

#[cfg(test)]
mod tests;
