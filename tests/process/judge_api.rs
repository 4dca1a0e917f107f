//! The Messages API as a judge meets it, played on loopback: one [`Manner`] a request, the last one for all that are left, and
//! every request kept. For the client's own conversation there is [`tests::messages_api`], which also answers a judge that
//! runs under the real client.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Manner};

pub(crate) struct JudgeApi(Endpoint);

impl JudgeApi {
    pub(crate) fn start(manners: impl IntoIterator<Item = Manner>) -> Self {
        let endpoint = Endpoint::start(empty());
        endpoint.behave(manners);
        Self(endpoint)
    }

    pub(crate) fn url(&self) -> String {
        self.0.url("")
    }

    pub(crate) fn requests(&self) -> Vec<Asked> {
        self.0.requests().into_iter().map(Asked::of).collect()
    }
}

#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    /// Null where it is no JSON.
    pub(crate) body: Value,
    /// As it was written, for looking for what must not be in it.
    pub(crate) text: String,
}

impl Asked {
    fn of(text: String) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let line = lines.next().unwrap_or_default().to_owned();
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_lowercase(), value.trim().to_owned()))
        };
        let headers = lines.filter_map(header).collect();
        let body = serde_json::from_str(body).unwrap_or_default();
        Self { line, headers, body, text }
    }
}

pub(crate) fn verdict(verdict: &Value) -> Manner {
    says(&verdict.to_string())
}

fn says(text: &str) -> Manner {
    Manner::answers(200, &["Content-Type: application/json"], &message(text))
}

fn message(text: &str) -> String {
    let message = json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": "scripted",
        "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": { "input_tokens": 700, "output_tokens": 30 },
    });
    message.to_string()
}

pub(crate) fn refuses(status: u16, headers: &[&str]) -> Manner {
    let error = json!({ "type": "error", "error": { "type": "scripted_error", "message": "scripted" } });
    Manner::answers(status, headers, &error.to_string())
}

pub(crate) fn leads_to(url: &str) -> Manner {
    Manner::answers(307, &[&format!("Location: {url}/v1/messages")], "")
}

pub(crate) fn hangs() -> Manner {
    Manner::HangsAfter(Vec::new())
}

pub(crate) fn hangs_half_way(verdict: &Value) -> Manner {
    let body = message(&verdict.to_string());
    let (half, _) = body.split_at(body.len() / 2);
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    Manner::HangsAfter(format!("{head}{half}").into_bytes())
}

pub(crate) fn empty() -> Manner {
    Manner::answers(200, &[], "")
}

/// A message of ten million letters, with the verdict at its end.
pub(crate) fn huge(verdict: &Value) -> Manner {
    let text = format!("{}{verdict}", " ".repeat(10_000_000));
    says(&text)
}
