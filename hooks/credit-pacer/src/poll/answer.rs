//! The answer of the usage API: an object of windows by their names, each with its usage and its reset. Where a plan does not have
//! a window, it is null, as are its parts while nothing is used of it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};
use shared::courier::Answer;
use shared::host::{HOUR, Timestamp};
use shared::usage::{Window, is_window_name};

use super::slot::Failure;
use crate::state::secs;

pub(super) const NO_ANSWER: &str = "the server cannot be reached, or its answer holds no usage, and is asked again later: is \
                                    credit-pacer.usage_api.url right, and Barbless up to date?";

const DENIED: &str = "the server does not take the login: start `claude` and log in again";

const TOO_MANY: &str = "the server was asked too often, and is left alone for a while";

/// The windows in an answer. Pure.
pub(super) fn read(answer: &Answer, now: Timestamp) -> Result<BTreeMap<String, Window>, Failure> {
    let is_whole = answer.status == 200 && !answer.truncated;
    if let Some(windows) = is_whole.then(|| windows(&answer.body, now)).flatten() {
        return Ok(windows);
    }
    let retry_after = answer.headers.get("retry-after").and_then(|text| text.trim().parse().ok());
    let wait = retry_after.map_or(Duration::ZERO, Duration::from_secs);
    let (why, wait) = match answer.status {
        401 | 403 => (DENIED, wait.max(HOUR)),
        429 => (TOO_MANY, wait),
        _ => (NO_ANSWER, wait),
    };
    Err(Failure { why, wait: Some(wait) })
}

/// The windows with a usage; `None`: there are none.
fn windows(body: &str, now: Timestamp) -> Option<BTreeMap<String, Window>> {
    let top: Map<String, Value> = serde_json::from_str(body).ok()?;
    let named = top.into_iter().filter(|(name, _)| is_window_name(name));
    let windows: BTreeMap<_, _> =
        named.filter_map(|(name, value)| Some((name, window(&value, now)?))).collect();
    (!windows.is_empty()).then_some(windows)
}

fn window(value: &Value, now: Timestamp) -> Option<Window> {
    let used_percent = value.get("utilization")?.as_f64().filter(|used| *used >= 0.0)?;
    let resets_at = Timestamp::from_rfc3339(value.get("resets_at")?.as_str()?)?;
    // The server's fractions of a second wander around the full hour.
    let resets_at = secs(resets_at.plus(Duration::from_millis(500)));
    Some(Window { used_percent, resets_at, observed_at: secs(now) })
}

#[cfg(test)]
mod tests;
