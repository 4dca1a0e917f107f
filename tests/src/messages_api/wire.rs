//! The wire format of a reply: one JSON message, or the same message as server-sent events. It must not choose replies.

use super::recorded::Recorded;
use super::script::{Reply, Usage};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// A reply, made ready for the request it answers.
pub(super) struct Message {
    id: String,
    model: String,
    blocks: Vec<Map<String, Value>>,
    stop_reason: String,
    usage: Usage,
}

impl Message {
    pub(super) fn new(
        reply: &Reply,
        request: &Recorded,
        mut next_tool_call_id: impl FnMut() -> String,
    ) -> Self {
        let mut blocks = reply.blocks.clone();
        let calls = blocks.iter_mut().filter(|block| block["type"] == "tool_use");
        let calls = calls.map(|call| call.entry("id").or_insert_with(|| next_tool_call_id().into())).count();
        let natural = if calls > 0 { "tool_use" } else { "end_turn" };
        Self {
            id: format!("msg_scripted_{:06}", request.number),
            model: reply.model.as_deref().unwrap_or(request.model()).to_owned(),
            blocks,
            stop_reason: reply.stop_reason.as_deref().unwrap_or(natural).to_owned(),
            usage: reply.usage,
        }
    }

    /// The reply to a request that did not ask for a stream.
    pub(super) fn whole(&self) -> Value {
        self.message(json!(self.blocks), json!(self.stop_reason), self.usage.output)
    }

    /// Writes the reply as server-sent events, each a chunk of its own, so that the client sees them one by one; `pause`
    /// is called before each content block and says whether to go on.
    pub(super) fn stream(
        &self,
        mut to: impl Write,
        headers: &[(String, String)],
        pause: impl Fn() -> bool,
    ) -> io::Result<()> {
        to.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n",
        )?;
        for (name, value) in headers {
            write!(to, "{name}: {value}\r\n")?;
        }
        to.write_all(b"\r\n")?;
        event(
            &mut to,
            &json!({ "type": "message_start", "message": self.message(json!([]), Value::Null, 1) }),
        )?;
        for (index, block) in self.blocks.iter().enumerate() {
            if !pause() {
                return Ok(());
            }
            block_events(&mut to, index, block)?;
        }
        let delta = json!({ "stop_reason": self.stop_reason, "stop_sequence": null });
        event(
            &mut to,
            &json!({ "type": "message_delta", "delta": delta, "usage": usage(self.usage, self.usage.output) }),
        )?;
        event(&mut to, &json!({ "type": "message_stop" }))?;
        to.write_all(b"0\r\n\r\n")?;
        to.flush()
    }

    fn message(&self, content: Value, stop_reason: Value, output_tokens: u64) -> Value {
        let mut message = json!({
            "id": self.id, "type": "message", "role": "assistant", "model": self.model,
            "stop_sequence": null, "usage": usage(self.usage, output_tokens),
        });
        message["content"] = content;
        message["stop_reason"] = stop_reason;
        message
    }
}

fn block_events(to: &mut impl Write, index: usize, block: &Map<String, Value>) -> io::Result<()> {
    let (opened, deltas) = opened_and_deltas(block);
    event(to, &json!({ "type": "content_block_start", "index": index, "content_block": opened }))?;
    for delta in deltas {
        event(to, &json!({ "type": "content_block_delta", "index": index, "delta": delta }))?;
    }
    event(to, &json!({ "type": "content_block_stop", "index": index }))
}

/// A block as it is announced, without its content, and the content as deltas.
fn opened_and_deltas(block: &Map<String, Value>) -> (Value, Vec<Value>) {
    match block["type"].as_str() {
        Some("text") => (
            json!({ "type": "text", "text": "" }),
            vec![json!({ "type": "text_delta", "text": block["text"] })],
        ),
        Some("thinking") => (
            json!({ "type": "thinking", "thinking": "", "signature": "" }),
            vec![
                json!({ "type": "thinking_delta", "thinking": block["thinking"] }),
                json!({ "type": "signature_delta", "signature": block["signature"] }),
            ],
        ),
        Some("tool_use") => (
            json!({ "type": "tool_use", "id": block["id"], "name": block["name"], "input": {} }),
            vec![json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })],
        ),
        _ => (json!(block), Vec::new()),
    }
}

fn usage(usage: Usage, output_tokens: u64) -> Value {
    json!({
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_creation,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": output_tokens,
        "service_tier": "standard",
    })
}

fn event(to: &mut impl Write, data: &Value) -> io::Result<()> {
    let name = data["type"].as_str().unwrap_or_default();
    let text = format!("event: {name}\ndata: {data}\n\n");
    write!(to, "{:x}\r\n{text}\r\n", text.len())?;
    to.flush()
}
