//! What the client has written of a session when a hook looks: the transcript, line by line, each from a recorded line
//! with other values. It knows the client's file format and no hook.

use crate::payloads::{self, Session};
use serde_json::{Value, json};
use std::fs;

/// A transcript in the making; [`Self::write`] puts it where the session says.
#[must_use]
pub struct Transcript<'a> {
    session: &'a Session,
    lines: Vec<String>,
    /// Message id of the model's next lines; `None`: that of the recording.
    message: Option<String>,
    /// Model and tokens of the model's next lines; none: the recorded ones.
    context: Option<(String, u64)>,
}

impl<'a> Transcript<'a> {
    /// An empty one of this session, in its present turn.
    pub fn of(session: &'a Session) -> Self {
        Self { session, lines: Vec::new(), message: None, context: None }
    }

    /// What the model says and calls from here on is one message, of this id.
    pub fn message(mut self, id: &str) -> Self {
        self.message = Some(id.to_owned());
        self
    }

    /// What the model says and calls from here on is this model's, with so many tokens in its context: fresh ones, cached ones
    /// and its own.
    pub fn context(mut self, model: &str, tokens: u64) -> Self {
        self.context = Some((model.to_owned(), tokens));
        self
    }

    /// A tool call that has no result yet.
    pub fn call(self, id: &str, tool: &str, input: &Value) -> Self {
        let call = json!([{ "type": "tool_use", "id": id, "name": tool, "input": input }]);
        self.add(|content| content[0]["type"] == "tool_use", call)
    }

    pub fn result(self, id: &str, content: &str, is_error: bool) -> Self {
        let result =
            json!([{ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error }]);
        self.add(|content| content[0]["type"] == "tool_result", result)
    }

    pub fn prompt(self, text: &str) -> Self {
        self.add(Value::is_string, json!(text))
    }

    pub fn tool_call(self, tool: &str, input: &Value) -> Self {
        self.call("toolu_1", tool, input).result("toolu_1", "ok", false)
    }

    pub fn text(self, text: &str) -> Self {
        self.add(|content| content[0]["type"] == "text", json!([{ "type": "text", "text": text }]))
    }

    /// The first recorded line with such content, told as if it had happened here.
    fn add(mut self, like: impl Fn(&Value) -> bool, content: Value) -> Self {
        let mut told = recorded_line(like);
        told["sessionId"] = json!(self.session.id);
        let message = &mut told["message"];
        message["content"] = content;
        if let (Some(id), false) = (&self.message, message["id"].is_null()) {
            message["id"] = json!(id);
        }
        if let (Some((model, tokens)), false) = (&self.context, message["usage"].is_null()) {
            message["model"] = json!(model);
            // Some of each kind.
            let (input, creation, output) = (tokens / 100, tokens / 50, tokens / 200);
            message["usage"]["input_tokens"] = json!(input);
            message["usage"]["cache_creation_input_tokens"] = json!(creation);
            message["usage"]["cache_read_input_tokens"] = json!(tokens - input - creation - output);
            message["usage"]["output_tokens"] = json!(output);
        }
        if !told["promptId"].is_null() {
            told["promptId"] = json!(self.session.prompt_id);
        }
        self.lines.push(told.to_string() + "\n");
        self
    }

    /// Writes it to the session's `transcript_path`.
    pub fn write(&self) {
        let path = &self.session.transcript;
        fs::create_dir_all(path.parent().expect("a transcript lies in a folder"))
            .and_then(|()| fs::write(path, self.lines.concat()))
            .expect("the transcript");
    }
}

fn recorded_line(like: impl Fn(&Value) -> bool) -> Value {
    let text = fs::read_to_string(payloads::transcript("main")).expect("the recorded transcript");
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let is_message = |line: &Value| line["type"] == "user" || line["type"] == "assistant";
    let found =
        lines.find(|line| is_message(line) && line["isMeta"].is_null() && like(&line["message"]["content"]));
    found.expect("the recording has such a line")
}
