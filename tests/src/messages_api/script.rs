//! What the scripted model says: replies in order for the main loop, for subagents by a marker, and for the requests the
//! client makes on the side. It describes; choosing a reply for a request is its only logic.

use super::Route;
use super::recorded::{Recorded, first_user_text, last_message_text};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The script. An empty one answers every request with "done".
#[must_use]
pub struct Script {
    main: Vec<Answer>,
    marked: Vec<(String, Vec<Answer>)>,
    shown: Vec<(String, Vec<Answer>)>,
    judge: Vec<Answer>,
    aux: Answer,
    otherwise: Answer,
    pub(super) headers: Vec<(String, String)>,
    pub(super) input_tokens: u64,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            main: Vec::new(),
            marked: Vec::new(),
            shown: Vec::new(),
            judge: Vec::new(),
            aux: "ok".into(),
            otherwise: "done".into(),
            headers: Vec::new(),
            input_tokens: 100,
        }
    }
}

impl Script {
    /// A script of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next reply of the main loop.
    pub fn reply(mut self, answer: impl Into<Answer>) -> Self {
        self.main.push(answer.into());
        self
    }

    /// The next reply of the main loop, made from the request: for an answer that must contain what the model was shown.
    pub fn reply_with(self, reply: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) -> Self {
        self.reply(Answer::made_by(reply))
    }

    /// Replies for the conversation whose first user message contains `[[route:NAME]]`: put the marker into the prompt of
    /// the `Agent` call that starts the subagent.
    pub fn route<A: Into<Answer>>(mut self, name: &str, answers: impl IntoIterator<Item = A>) -> Self {
        self.marked.push((name.to_owned(), answers.into_iter().map(Into::into).collect()));
        self
    }

    /// Replies for requests whose last message contains `text`, or one of the role `system` behind it, with or without tools,
    /// before any other rule but the judges'; the last one repeats. For replies whose order is not known, and for judges that
    /// are clients.
    pub fn when_shown<A: Into<Answer>>(mut self, text: &str, answers: impl IntoIterator<Item = A>) -> Self {
        self.shown.push((text.to_owned(), answers.into_iter().map(Into::into).collect()));
        self
    }

    /// The next reply to a judge: to a request that sets its answer's form by a schema and wants it whole, as no client does
    /// it. The last one repeats; without any the judge hears a word that is no verdict. No other list is used up by it.
    pub fn judge(mut self, answer: impl Into<Answer>) -> Self {
        self.judge.push(answer.into());
        self
    }

    /// The reply to every request without tools.
    pub fn aux(mut self, answer: impl Into<Answer>) -> Self {
        self.aux = answer.into();
        self
    }

    /// The reply once a list has run out.
    pub fn otherwise(mut self, answer: impl Into<Answer>) -> Self {
        self.otherwise = answer.into();
        self
    }

    /// A header on every reply, for example `anthropic-ratelimit-unified-5h-utilization`.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The answer of `count_tokens`.
    pub fn input_tokens(mut self, count: u64) -> Self {
        self.input_tokens = count;
        self
    }

    pub(super) fn route_of(&self, body: &Value) -> Route {
        if body["output_config"]["format"].is_object() && body["stream"] != json!(true) {
            return Route::Judge;
        }
        let last = last_message_text(body);
        if let Some((text, _)) = self.shown.iter().find(|(text, _)| last.contains(text.as_str())) {
            return Route::Shown(text.clone());
        }
        if body["tools"].as_array().is_none_or(Vec::is_empty) {
            return Route::Aux;
        }
        let first = first_user_text(body);
        let marked = self.marked.iter().find(|(name, _)| first.contains(&format!("[[route:{name}]]")));
        marked.map_or(Route::Main, |(name, _)| Route::Marked(name.clone()))
    }

    pub(super) fn reply_to(&self, request: &Recorded, position: usize) -> Reply {
        let answer = match &request.route {
            Route::Main => self.main.get(position),
            Route::Marked(name) => list(&self.marked, name).get(position),
            Route::Shown(text) => list(&self.shown, text).get(position).or(list(&self.shown, text).last()),
            Route::Judge => self.judge.get(position).or(self.judge.last()).or(Some(&self.aux)),
            _ => Some(&self.aux),
        };
        (answer.unwrap_or(&self.otherwise).0)(request)
    }
}

fn list<'a>(lists: &'a [(String, Vec<Answer>)], name: &str) -> &'a [Answer] {
    lists.iter().find(|(own, _)| own == name).map_or(&[], |(_, answers)| answers)
}

/// A reply, fixed or made from the request.
#[derive(Clone)]
pub struct Answer(Arc<dyn Fn(&Recorded) -> Reply + Send + Sync>);

impl Answer {
    /// One made from the request.
    pub fn made_by(reply: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) -> Self {
        Self(Arc::new(reply))
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self::made_by(move |_| reply.clone())
    }
}

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        Reply::text(text).into()
    }
}

/// One reply of the model, or an error in its place.
#[derive(Clone, Debug)]
#[must_use]
pub struct Reply {
    pub(super) blocks: Vec<Map<String, Value>>,
    pub(super) usage: Usage,
    pub(super) stop_reason: Option<String>,
    pub(super) model: Option<String>,
    pub(super) status: u16,
    pub(super) error: Option<Value>,
    pub(super) delay: Duration,
    pub(super) pause_between_blocks: Duration,
    pub(super) headers: Vec<(String, String)>,
}

impl Reply {
    /// A reply of no block; add some.
    pub fn empty() -> Self {
        Self {
            blocks: Vec::new(),
            usage: Usage::default(),
            stop_reason: None,
            model: None,
            status: 200,
            error: None,
            delay: Duration::ZERO,
            pause_between_blocks: Duration::ZERO,
            headers: Vec::new(),
        }
    }

    /// Says this.
    pub fn text(text: &str) -> Self {
        Self::empty().and_text(text)
    }

    /// Says this JSON and nothing else, as a model does whose answer's form is set.
    pub fn json(answer: &Value) -> Self {
        Self::text(&answer.to_string())
    }

    pub fn thinking(thinking: &str) -> Self {
        Self::empty().and(json!({ "type": "thinking", "thinking": thinking, "signature": "c2NyaXB0ZWQ=" }))
    }

    /// Calls this tool.
    pub fn tool(name: &str, input: Value) -> Self {
        Self::empty().and_tool(name, input)
    }

    /// Runs this command with the Bash tool.
    pub fn bash(command: &str) -> Self {
        Self::tool("Bash", json!({ "command": command, "description": "run a command" }))
    }

    /// Starts a subagent; see [`Self::and_agent`].
    pub fn agent(route: &str, task: &str) -> Self {
        Self::empty().and_agent(route, task)
    }

    /// An error in place of a reply, for example 529 `overloaded_error`.
    pub fn error(status: u16, kind: &str, message: &str) -> Self {
        Self { status, error: Some(json!({ "type": kind, "message": message })), ..Self::empty() }
    }

    /// Also says this.
    pub fn and_text(self, text: &str) -> Self {
        self.and(json!({ "type": "text", "text": text }))
    }

    /// Also calls this tool, in the same message.
    pub fn and_tool(self, name: &str, input: Value) -> Self {
        let mut call = json!({ "type": "tool_use", "name": name });
        call["input"] = input;
        self.and(call)
    }

    /// Also calls this tool, under an id of the test's choice.
    pub fn and_tool_with_id(self, id: &str, name: &str, input: Value) -> Self {
        let mut call = json!({ "type": "tool_use", "id": id, "name": name });
        call["input"] = input;
        self.and(call)
    }

    /// Also starts a subagent that is answered by [`Script::route`] of this name, and waits for it: without
    /// `run_in_background: false` the client starts it in the background.
    pub fn and_agent(self, route: &str, task: &str) -> Self {
        let prompt = format!("[[route:{route}]] {task}");
        let mut input =
            json!({ "description": task, "subagent_type": "general-purpose", "run_in_background": false });
        input["prompt"] = prompt.into();
        self.and_tool("Agent", input)
    }

    /// Takes a content block as it is.
    pub fn and(mut self, block: Value) -> Self {
        let Value::Object(block) = block else { panic!("a content block is an object, not {block}") };
        self.blocks.push(block);
        self
    }

    /// The usage in the reply.
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Why the model stopped; without it `tool_use` when there is a tool call, else `end_turn`.
    pub fn stop_reason(mut self, reason: &str) -> Self {
        self.stop_reason = Some(reason.to_owned());
        self
    }

    /// The model's name in the reply; without it the one that was asked for.
    pub fn model(mut self, name: &str) -> Self {
        self.model = Some(name.to_owned());
        self
    }

    /// Waits before the first byte. A delay beyond the test's end is a server that hangs.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Waits between the content blocks of a streamed reply.
    pub fn pausing_between_blocks(mut self, pause: Duration) -> Self {
        self.pause_between_blocks = pause;
        self
    }

    /// A header of this reply.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// Tokens of one reply, as the API reports them.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// `input_tokens`: neither read from nor written to the cache.
    pub input: u64,
    /// `output_tokens`.
    pub output: u64,
    /// `cache_read_input_tokens`.
    pub cache_read: u64,
    /// `cache_creation_input_tokens`.
    pub cache_creation: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self { input: 10, output: 5, cache_read: 0, cache_creation: 0 }
    }
}
