//! What the usage API answers: an object of windows by their names, each with how much is used of it and when it begins anew.
//! Seen: `five_hour`, `seven_day`, `seven_day_opus`, `seven_day_sonnet`, `seven_day_oauth_apps`, and others that are no
//! windows. Where a plan does not have one, it is null, as are its parts while nothing is used of it.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::DateTime;
use serde_json::{Map, Value};
use shared::courier::Answer;
use shared::host::Timestamp;
use shared::usage::Window;

use super::slot::secs;
use super::trouble::{Kind, Trouble};

/// A longer name is none of the client's.
const MAX_NAME: usize = 40;

/// What an answer says, at this time. Pure.
pub(super) fn read(answer: &Answer, now: Timestamp) -> Result<BTreeMap<String, Window>, Trouble> {
    let retry_after = answer.headers.get("retry-after").and_then(|text| retry_after(text, now));
    let trouble = |kind| Trouble { kind, retry_after };
    match answer.status {
        200 if answer.truncated => Err(trouble(Kind::Garbage)),
        200 => windows(&answer.body, now).ok_or(trouble(Kind::Garbage)),
        401 | 403 => Err(trouble(Kind::Refused)),
        429 => Err(trouble(Kind::TooMany)),
        500..=599 => Err(trouble(Kind::Server)),
        _ => Err(trouble(Kind::Strange)),
    }
}

/// The windows of which anything is known; `None` if the text tells of no window at all, not even that there is none.
fn windows(body: &str, now: Timestamp) -> Option<BTreeMap<String, Window>> {
    let top: Map<String, Value> = serde_json::from_str(body).ok()?;
    let is_about_windows = |value: &Value| value.is_null() || as_window(value).is_some();
    if !top.values().any(is_about_windows) {
        return None;
    }
    let told = top.into_iter().filter(|(name, _)| is_name(name));
    Some(told.filter_map(|(name, value)| Some((name, window(&value, now)?))).collect())
}

/// Both parts of a window, whatever they are.
fn as_window(value: &Value) -> Option<(&Value, &Value)> {
    let parts = value.as_object()?;
    Some((parts.get("utilization")?, parts.get("resets_at")?))
}

/// A window of which both is known.
fn window(value: &Value, now: Timestamp) -> Option<Window> {
    let (used, resets_at) = as_window(value)?;
    let used_percent = used.as_f64().filter(|used| used.is_finite() && *used >= 0.0)?;
    let resets_at = Timestamp::from_rfc3339(resets_at.as_str()?)?;
    // The server's fractions of a second wander around the full hour.
    let resets_at = secs(resets_at.plus(Duration::from_millis(500)));
    Some(Window { used_percent, resets_at, observed_at: secs(now) })
}

/// It is shown to people, so it must be a plain word.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() <= MAX_NAME && name.bytes().all(is_plain)
}

/// The header in either of its forms, seconds or a date. What is too large to be read is the longest time there is, and no
/// reason to ask sooner.
fn retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if is_number(text) {
        return Some(text.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let date = DateTime::parse_from_rfc2822(text).ok()?;
    Some(Timestamp::from_secs(date.timestamp()).since(now))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
