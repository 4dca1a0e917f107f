//! The wire format of a reply: one JSON message, or the same message as server-sent events. It must not choose replies.

use super::recorded::Recorded;
use super::script::Reply;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// A reply, made ready for the request it answers.
pub(super) struct Message {
    id: String,
    model: String,
    blocks: Vec<Map<String, Value>>,
    tokens: u64,
}

impl Message {
    pub(super) fn new(reply: &Reply, request: &Recorded) -> Self {
        let mut blocks = reply.blocks.clone();
        for (index, call) in blocks.iter_mut().filter(|block| block["type"] == "tool_use").enumerate() {
            call.insert("id".to_owned(), format!("toolu_scripted_{:04}_{index}", request.number).into());
        }
        let id = format!("msg_scripted_{:06}", request.number);
        Self { id, model: request.model().to_owned(), blocks, tokens: reply.tokens.max(20) }
    }

    fn stop_reason(&self) -> &'static str {
        let calls = self.blocks.iter().any(|block| block["type"] == "tool_use");
        if calls { "tool_use" } else { "end_turn" }
    }

    /// The reply to a request that did not ask for a stream.
    pub(super) fn whole(&self) -> Value {
        self.message(&json!(self.blocks), &json!(self.stop_reason()))
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
        let message = self.message(&json!([]), &Value::Null);
        event(&mut to, &json!({ "type": "message_start", "message": message }))?;
        for (index, block) in self.blocks.iter().enumerate() {
            if !pause() {
                return Ok(());
            }
            let (opened, deltas) = opened_and_deltas(block);
            event(
                &mut to,
                &json!({ "type": "content_block_start", "index": index, "content_block": opened }),
            )?;
            for delta in deltas {
                event(&mut to, &json!({ "type": "content_block_delta", "index": index, "delta": delta }))?;
            }
            event(&mut to, &json!({ "type": "content_block_stop", "index": index }))?;
        }
        let delta = json!({ "stop_reason": self.stop_reason(), "stop_sequence": null });
        event(&mut to, &json!({ "type": "message_delta", "delta": delta, "usage": self.usage() }))?;
        event(&mut to, &json!({ "type": "message_stop" }))?;
        to.write_all(b"0\r\n\r\n")?;
        to.flush()
    }

    fn message(&self, content: &Value, stop_reason: &Value) -> Value {
        json!({
            "id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": content,
            "stop_reason": stop_reason, "stop_sequence": null, "usage": self.usage(),
        })
    }

    fn usage(&self) -> Value {
        let (input, output, creation) = (10, 5, self.tokens / 50);
        json!({
            "input_tokens": input, "output_tokens": output, "cache_creation_input_tokens": creation,
            "cache_read_input_tokens": self.tokens - input - output - creation, "service_tier": "standard",
        })
    }
}

/// A block as it is announced, without its content, and the content as deltas.
fn opened_and_deltas(block: &Map<String, Value>) -> (Value, Vec<Value>) {
    match block["type"].as_str() {
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
        _ => (
            json!({ "type": "text", "text": "" }),
            vec![json!({ "type": "text_delta", "text": block["text"] })],
        ),
    }
}

fn event(to: &mut impl Write, data: &Value) -> io::Result<()> {
    let name = data["type"].as_str().unwrap_or_default();
    let text = format!("event: {name}\ndata: {data}\n\n");
    write!(to, "{:x}\r\n{text}\r\n", text.len())?;
    to.flush()
}
