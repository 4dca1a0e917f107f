//! Anthropic's Messages API with the user's own key: one request, no stream, no tools, an answer in the form of a JSON Schema.
//! The caller has checked that no project leads the request elsewhere, see [`super::silence`].

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::question::{Exchange, MAX_OUTPUT_TOKENS, Reply, Tokens};
use super::silence::Silence;
use shared::courier::{self, Answer, CourierError, Kind, Request};
use shared::host::Host;

const PUBLIC: &str = "https://api.anthropic.com";

/// The longest answer in bytes: the most tokens, thoughts included, take some ten thousand.
const MAX_BYTES: u64 = 256 * 1024;

/// The courier needs this time to start, and to report a timeout itself.
const MARGIN: Duration = Duration::from_millis(200);

pub(super) fn send(exchange: &Exchange<'_>, host: &Host) -> Result<Reply, Silence> {
    let key = key(host).ok_or(Silence::NoKey)?;
    let url = url(host.variable("ANTHROPIC_BASE_URL").as_deref());
    let proxy = courier::proxy_for(&url, host);
    let courier = courier::beside_this_program().ok_or(Silence::NotStarted)?;
    let left = exchange.deadline.saturating_duration_since(Instant::now());
    let timeout = left.checked_sub(MARGIN).ok_or(Silence::Late)?;
    let headers = [
        ("anthropic-version", "2023-06-01"),
        ("content-type", "application/json"),
        ("user-agent", concat!("barbless/", env!("CARGO_PKG_VERSION"))),
        ("x-api-key", &key),
    ];
    let request = Request {
        method: "POST".to_owned(),
        url,
        headers: headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        body: Some(body(exchange).to_string()),
        proxy,
        timeout_ms: timeout.as_millis(),
        max_bytes: MAX_BYTES,
    };
    read(courier::ask(&request, left, &courier))
}

/// Newer models refuse sampling, thinking and a prefilled answer. A model without `output_config` refuses that, with 400.
fn body(exchange: &Exchange<'_>) -> Value {
    json!({
        "model": exchange.model,
        "max_tokens": MAX_OUTPUT_TOKENS,
        "system": exchange.instructions,
        "messages": [{ "role": "user", "content": exchange.material }],
        "output_config": { "format": { "type": "json_schema", "schema": exchange.verdicts } },
    })
}

/// The user's key: one word, because anything else would end up in another header.
pub(super) fn key(host: &Host) -> Option<String> {
    host.variable("ANTHROPIC_API_KEY").and_then(|key| one_word(&key))
}

fn one_word(key: &str) -> Option<String> {
    let key = key.trim();
    (!key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic())).then(|| key.to_owned())
}

fn url(base: Option<&str>) -> String {
    let base = base.map(|base| base.trim().trim_end_matches('/')).filter(|base| !base.is_empty());
    format!("{}/v1/messages", base.unwrap_or(PUBLIC))
}

fn read(asked: Result<Answer, CourierError>) -> Result<Reply, Silence> {
    let answer = asked.map_err(of_courier)?;
    match Silence::of_status(answer.status.into()) {
        Some(error) => Err(error),
        None if answer.truncated => Err(Silence::InvalidResponse),
        None => reply(&answer.body).ok_or(Silence::InvalidResponse),
    }
}

/// The verdict is the whole text: a JSON object with words beside it came about without the schema. A model that thinks answers
/// in several blocks, and one that did not finish keeps to no schema. An answer without tokens could not be counted.
fn reply(body: &str) -> Option<Reply> {
    let message: Value = serde_json::from_str(body).ok()?;
    if !matches!(message["stop_reason"].as_str()?, "end_turn" | "stop_sequence") {
        return None;
    }
    let texts = message["content"].as_array()?.iter().filter(|block| block["type"] == "text");
    let text: String = texts.filter_map(|block| block["text"].as_str()).collect();
    let verdict: Value = serde_json::from_str(&text).ok()?;
    let tokens = Tokens::of(&message["usage"])?;
    verdict.is_object().then_some(Reply { verdict: Ok(verdict), tokens: Some(tokens), micro_usd: None })
}

const fn of_courier(error: CourierError) -> Silence {
    match error {
        CourierError::NotStarted => Silence::NotStarted,
        CourierError::Failed(Kind::Timeout) => Silence::Late,
        // A second question would be as long.
        CourierError::Failed(Kind::TooLarge) => Silence::Refused,
        CourierError::Speechless | CourierError::Failed(Kind::Other) => Silence::Unreachable,
    }
}

#[cfg(test)]
mod tests;
