//! Asking Anthropic's Messages API, with the user's own key: one request, no stream, no tools, and the answer's form set by a
//! JSON Schema. Whoever asks has made sure that no project leads the request elsewhere, see [`super::permission`].
//!
//! - `answer`: what comes back

mod answer;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Caller;
use super::model::{AskError, Exchange, MAX_OUTPUT_TOKENS, Reply};
use shared::courier::{self, Request};
use shared::host::Host;

/// Where the API is, unless the user has it elsewhere.
const PUBLIC: &str = "https://api.anthropic.com";

/// The version of the API that is spoken here.
const VERSION: &str = "2023-06-01";

/// Who asks.
const AGENT: &str = concat!("barbless/", env!("CARGO_PKG_VERSION"));

/// A longer answer is none, in bytes: so many tokens, thoughts included, take some ten thousand.
const MAX_BYTES: u64 = 256 * 1024;

/// In less time nobody answers.
const LEAST: Duration = Duration::from_millis(200);

/// What the courier needs at the end to say itself that the time is over.
const MARGIN: Duration = Duration::from_millis(100);

/// How this user reaches the API. It cannot be printed: the key stands in it.
struct Access {
    key: String,
    url: String,
    proxy: Option<String>,
}

impl Access {
    fn of(host: &Host) -> Option<Self> {
        let key = key(host)?;
        let url = url(host.api_base().as_deref());
        let proxy = courier::proxy_for(&url, host);
        Some(Self { key, url, proxy })
    }
}

/// Asks.
///
/// # Errors
/// Why there is no reply.
pub(super) fn send(exchange: &Exchange<'_>, caller: &Caller<'_>) -> Result<Reply, AskError> {
    let access = Access::of(caller.host).ok_or(AskError::NoKey)?;
    let courier = courier::beside_this_program().ok_or(AskError::NotStarted)?;
    carry(exchange, &access, &courier)
}

/// Whatever the server or the courier does, it is over at the deadline.
fn carry(exchange: &Exchange<'_>, access: &Access, courier: &Path) -> Result<Reply, AskError> {
    let left = exchange.deadline.saturating_duration_since(Instant::now());
    if left < LEAST {
        return Err(AskError::Late);
    }
    let request = request(exchange, access, left.saturating_sub(MARGIN));
    answer::read(courier::ask_within(&request, left, courier))
}

fn request(exchange: &Exchange<'_>, access: &Access, timeout: Duration) -> Request {
    let headers = [
        ("anthropic-version", VERSION),
        ("content-type", "application/json"),
        ("user-agent", AGENT),
        ("x-api-key", &access.key),
    ];
    Request {
        method: "POST".to_owned(),
        url: access.url.clone(),
        headers: headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        body: Some(body(exchange).to_string()),
        proxy: access.proxy.clone(),
        timeout,
        max_bytes: MAX_BYTES,
    }
}

/// Nothing of a sampling, of thinking or of the answer's beginning: newer models refuse it. A model that knows no
/// `output_config` refuses that, with 400.
fn body(exchange: &Exchange<'_>) -> Value {
    json!({
        "model": exchange.model,
        "max_tokens": MAX_OUTPUT_TOKENS,
        "system": exchange.instructions,
        "messages": [{ "role": "user", "content": exchange.material }],
        "output_config": { "format": { "type": "json_schema", "schema": exchange.verdicts } },
    })
}

/// The user has a key that can be used.
pub(super) fn has_key(host: &Host) -> bool {
    key(host).is_some()
}

fn key(host: &Host) -> Option<String> {
    host.api_key().and_then(|key| one_word(&key))
}

fn url(base: Option<&str>) -> String {
    let base = base.map(|base| base.trim().trim_end_matches('/')).filter(|base| !base.is_empty());
    format!("{}/v1/messages", base.unwrap_or(PUBLIC))
}

/// A key is one word; anything else would end up in another header, or nowhere.
fn one_word(key: &str) -> Option<String> {
    let key = key.trim();
    (!key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic())).then(|| key.to_owned())
}
