//! Asking the usage API: at most every ten minutes by all sessions together, in a process of its own, never in a tool call's
//! way.
//!
//! Nobody asks while every hook is off, or this one, or where the global file does not switch it on.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::cli::{Asker, off_file};
use shared::config::{MAX_LAYER_BYTES, read_text};
use shared::courier::{self, Answer, CourierError, Request, is_misled};
use shared::hook::{Context, Hook, Remembered, configure};
use shared::host::{DAY, HOUR, Host, Places, Timestamp};
use shared::operator::Caller;
use shared::state::{MACHINE, Store};
use shared::usage::{Source, Window};

use crate::readings::{self, Observed, reported};
use crate::settings::{Settings, UsageApi};
use crate::state::exact;
use crate::{CreditPacer, database};

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

/// The longest of these waits.
const MAX_BACK_OFF: Duration = HOUR;

/// The longest wait that a server may ask for.
const MAX_RETRY_AFTER: Duration = DAY;

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
    // The login is the user's: a project switches the hook off, and never on.
    let switches = asker.switches().of(CreditPacer::NAME, asker.session);
    let own = configure::<CreditPacer>(&asker.sources().without_project(), switches)?;
    let settings = section.settings.usage_api;
    (section.enabled && own.enabled && settings.enabled).then_some(settings)
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
    let observed = Observed { at, source, is_answer: true, windows };
    let known = readings::record(store, &observed).map_err(|_| (NOT_KEPT, None))?;
    let kept = known.map(|known| database::add_snapshot(store, &known, at, ""));
    kept.unwrap_or(Ok(())).map_err(|_| (NOT_KEPT, None))
}

/// Why an attempt brought nothing, as a sentence for the user, and for how long at least the server is to be left alone; `None`: it
/// was not asked, or has answered.
type Failure = (&'static str, Option<Duration>);

/// When the usage API may be asked next: one slot for the whole machine, in `<state>/usage-poll.json`, so that neither many sessions
/// nor many new processes ask it more often than one would.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Slot {
    /// Nobody asks before this, in seconds since the epoch.
    pub(crate) next_at: i64,
    /// When somebody asked last, or began to.
    pub(crate) asked_at: i64,
    /// So many requests in a row have failed.
    pub(crate) failures: u32,
    /// The sentence about the last failure; `None` after a success.
    pub(crate) trouble: Option<String>,
}

impl Remembered for Slot {
    const FILE: &'static str = "usage-poll.json";
}

impl Slot {
    /// The slot as it is now, without the lock: only good for deciding whether to look closer.
    pub(crate) fn peek(store: &Store) -> Self {
        store.read(MACHINE).unwrap_or_default()
    }

    /// Somebody may ask. A clock that was set back must not keep everybody waiting.
    pub(crate) const fn is_due(&self, now: Timestamp) -> bool {
        let now = now.secs();
        now >= self.next_at || now < self.asked_at
    }

    /// Takes the slot for this process; `false`: it is not due, or cannot be kept, and nobody asks then.
    fn take(store: &Store, now: Timestamp, interval: Duration) -> bool {
        let mut is_taken = false;
        let kept = store.change::<Self>(MACHINE, |slot| {
            is_taken = slot.is_due(now);
            if is_taken {
                // A process that takes it and is killed has had its turn.
                slot.asked_at = now.secs();
                slot.next_at = slot.asked_at.saturating_add_unsigned(interval.as_secs());
            }
            is_taken
        });
        kept.is_ok() && is_taken
    }

    /// Keeps the result. If that fails, the next request comes after the interval.
    fn settle(store: &Store, result: Result<(), Failure>, now: Timestamp, interval: Duration) {
        let _ = store.change::<Self>(MACHINE, |slot| {
            *slot = slot.after(result, now, interval);
            true
        });
    }

    /// The slot after an attempt. Pure.
    fn after(&self, result: Result<(), Failure>, now: Timestamp, interval: Duration) -> Self {
        let Err((why, wait)) = result else {
            return Self { failures: 0, trouble: None, ..*self };
        };
        // Each failure doubles the wait: a server that asks for none can be stuck for hours.
        let doubled = interval.saturating_mul(2_u32.saturating_pow(self.failures)).min(MAX_BACK_OFF);
        let wait = wait.map(|wait| doubled.max(wait.min(MAX_RETRY_AFTER)));
        Self {
            next_at: now.secs().saturating_add_unsigned(wait.unwrap_or_default().max(interval).as_secs()),
            failures: self.failures.saturating_add(u32::from(wait.is_some())),
            trouble: Some(why.to_owned()),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests;
