//! What the scripted model says: replies in order for the main loop, for subagents by a marker, for judges, and for the
//! requests the client makes on the side. It describes; choosing a reply for a request is its only logic.

use super::Route;
use super::recorded::{Recorded, list, texts};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The script. An empty one answers every request with "done".
#[derive(Default)]
#[must_use]
pub struct Script {
    main: Vec<Answer>,
    agents: Vec<(String, Vec<Answer>)>,
    judge: Vec<Answer>,
    pub(super) headers: Vec<(String, String)>,
}

/// A script of these replies of the main loop, in order: texts, [`Reply`]s and [`Answer`]s.
#[macro_export]
macro_rules! script {
    ($($answer:expr),* $(,)?) => { $crate::messages_api::Script::default()$(.reply($answer))* };
}

impl Script {
    pub fn reply(mut self, answer: impl Into<Answer>) -> Self {
        self.main.push(answer.into());
        self
    }

    /// Replies for the subagent that [`Reply::agent`] of this name starts.
    pub fn agent<A: Into<Answer>>(mut self, name: &str, answers: impl IntoIterator<Item = A>) -> Self {
        self.agents.push((name.to_owned(), answers.into_iter().map(Into::into).collect()));
        self
    }

    /// The next reply to a judge; the last one repeats. A judge that is a client gets JSON as the call of a tool.
    pub fn judge(mut self, answer: impl Into<Answer>) -> Self {
        self.judge.push(answer.into());
        self
    }

    /// A header on every reply, for example `anthropic-ratelimit-unified-5h-utilization`.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn route_of(&self, body: &Value) -> Route {
        let tools = list(&body["tools"]);
        let has_schema = body["output_config"]["format"].is_object() && body["stream"] != json!(true);
        if has_schema || tools.iter().any(|tool| tool["name"] == STRUCTURED) {
            return Route::Judge;
        }
        let mut messages = list(&body["messages"]).iter().filter(|message| message["role"] == "user");
        let first = messages.next().map(|message| texts(&message["content"]).join("\n")).unwrap_or_default();
        let last = messages.next_back().map(|message| texts(&message["content"]).join("\n"));
        if last.as_ref().unwrap_or(&first).contains("summary of the conversation") {
            return Route::Summary;
        }
        if tools.is_empty() {
            return Route::Aux;
        }
        let agent = self.agents.iter().find(|(name, _)| first.contains(&format!("[[route:{name}]]")));
        agent.map_or(Route::Main, |(name, _)| Route::Agent(name.clone()))
    }

    pub(super) fn reply_to(&self, request: &Recorded, position: usize) -> Reply {
        let answer = match &request.route {
            Route::Main => self.main.get(position),
            Route::Agent(name) => {
                let own = self.agents.iter().find(|(own, _)| own == name);
                own.and_then(|(_, answers)| answers.get(position))
            }
            Route::Judge => self.judge.get(position).or(self.judge.last()),
            Route::Summary => return Reply::text("<analysis>a</analysis><summary>short</summary>"),
            Route::Aux => None,
        };
        let reply = answer.map_or_else(|| Reply::text("done"), |answer| (answer.0)(request));
        let structured = list(&request.body["tools"]).iter().find(|tool| tool["name"] == STRUCTURED);
        structured.map_or(reply.clone(), |tool| reply.structured(tool))
    }
}

/// The tool through which a client gives a structured answer.
const STRUCTURED: &str = "StructuredOutput";

/// A reply, fixed or made from the request.
#[derive(Clone)]
pub struct Answer(Arc<dyn Fn(&Recorded) -> Reply + Send + Sync>);

impl Answer {
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
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Reply {
    pub(super) blocks: Vec<Map<String, Value>>,
    pub(super) tokens: u64,
    pub(super) error: Option<(u16, Value)>,
    pub(super) delay: Duration,
    pub(super) pause_between_blocks: Duration,
}

impl Reply {
    fn block(block: Value) -> Self {
        let Value::Object(block) = block else { panic!("a content block is an object, not {block}") };
        Self { blocks: vec![block], ..Self::default() }
    }

    /// Says this; nothing where it is empty.
    pub fn text(text: &str) -> Self {
        if text.is_empty() { Self::default() } else { Self::block(json!({ "type": "text", "text": text })) }
    }

    /// Says this JSON and nothing else, as a model does whose answer's form is set.
    pub fn json(answer: &Value) -> Self {
        Self::text(&answer.to_string())
    }

    pub fn thinking(thinking: &str) -> Self {
        Self::block(json!({ "type": "thinking", "thinking": thinking, "signature": "c2NyaXB0ZWQ=" }))
    }

    pub fn tool(name: &str, input: &Value) -> Self {
        Self::block(json!({ "type": "tool_use", "name": name, "input": input }))
    }

    pub fn bash(command: &str) -> Self {
        Self::tool("Bash", &json!({ "command": command, "description": "run a command" }))
    }

    /// Starts a subagent that is answered by [`Script::agent`] of this name, and waits for it.
    pub fn agent(name: &str) -> Self {
        Self::agent_of("general-purpose", name, false)
    }

    pub fn background_agent(name: &str) -> Self {
        Self::agent_of("general-purpose", name, true)
    }

    /// The same of another type.
    pub fn agent_of(subagent_type: &str, name: &str, in_background: bool) -> Self {
        let prompt = format!("[[route:{name}]] do it");
        let input = json!({
            "description": "the task", "prompt": prompt, "subagent_type": subagent_type,
            "run_in_background": in_background,
        });
        Self::tool("Agent", &input)
    }

    /// An error in place of a reply, for example 529 `overloaded_error`.
    pub fn error(status: u16, kind: &str) -> Self {
        Self { error: Some((status, json!({ "type": kind, "message": "scripted" }))), ..Self::default() }
    }

    /// No reply before the end of the test.
    pub fn hanging() -> Self {
        Self::default().after(Duration::from_secs(3600))
    }

    /// Also says or calls this, in the same message.
    pub fn also(mut self, more: Self) -> Self {
        self.blocks.extend(more.blocks);
        self
    }

    /// Brings the context to so many tokens: fresh ones, cached ones and the model's own.
    pub fn filling(mut self, tokens: u64) -> Self {
        self.tokens = tokens;
        self
    }

    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub fn pausing_between_blocks(mut self, pause: Duration) -> Self {
        self.pause_between_blocks = pause;
        self
    }

    /// JSON as the call of the tool for structured answers, with the keys that it has; anything else stays.
    fn structured(self, tool: &Value) -> Self {
        let text = self.blocks.first().and_then(|block| block.get("text")?.as_str());
        let answer = text.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
        let Some(mut answer) = answer else { return self };
        answer.retain(|key, _| !tool["input_schema"]["properties"][key].is_null());
        Self { blocks: Self::tool(STRUCTURED, &answer.into()).blocks, ..self }
    }
}
