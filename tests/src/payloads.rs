//! What the client writes to a hook's stdin. The recordings in `fixtures/payloads` are inputs of the real client, one
//! file per event and case; every builder here starts from one of them and changes values, so a payload made for a test
//! has exactly the keys the client sends. No key is invented here.

use crate::sandbox::Sandbox;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Every recorded input: file name without `.json`, and content; sorted by name.
pub fn recordings() -> Vec<(String, Payload)> {
    let entries = fs::read_dir(fixtures().join("payloads")).expect("the folder of recordings");
    let name = |path: PathBuf| path.file_stem().expect("a file name").to_string_lossy().into_owned();
    let mut names: Vec<_> = entries.map(|entry| name(entry.expect("a recording").path())).collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), recorded(&name))).collect()
}

/// A recorded input by its file name without `.json`, for example `PostToolUse-Bash`.
#[track_caller]
pub fn recorded(name: &str) -> Payload {
    let bytes = fs::read(fixtures().join(format!("payloads/{name}.json")));
    let bytes = bytes.unwrap_or_else(|error| panic!("{name}: {error}"));
    Payload(serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// A recorded transcript: `main` (a session with one subagent) or `subagent` (that subagent's own file).
pub fn transcript(name: &str) -> PathBuf {
    fixtures().join(format!("transcripts/{name}.jsonl"))
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// One input of a hook, keys in the client's order.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Payload(Map<String, Value>);

impl Payload {
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    pub fn without(mut self, key: &str) -> Self {
        self.0.shift_remove(key);
        self
    }

    /// Makes it the event of a subagent: the two keys stand where the client puts them, the rest stays the parent's.
    pub fn in_subagent(mut self, agent_id: &str, agent_type: &str) -> Self {
        let before = ["effort", "hook_event_name"];
        let place = self.0.keys().position(|key| before.contains(&key.as_str())).unwrap_or(self.0.len());
        self.0.shift_insert(place, "agent_type".to_owned(), json!(agent_type));
        self.0.shift_insert(place, "agent_id".to_owned(), json!(agent_id));
        self
    }

    pub fn get(&self, key: &str) -> &Value {
        self.0.get(key).unwrap_or(&Value::Null)
    }

    pub fn keys(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// As the client writes it: one line of JSON and a line break.
    pub fn to_bytes(&self) -> Vec<u8> {
        format!("{}\n", Value::Object(self.0.clone())).into_bytes()
    }
}

/// The session that payloads speak for. Its methods build the inputs of one event each.
#[derive(Clone, Debug)]
#[must_use]
pub struct Session {
    pub id: String,
    /// `prompt_id`: the turn.
    pub prompt_id: String,
    pub cwd: PathBuf,
    /// `transcript_path`: where the client would write; nothing lies there unless the test writes it.
    pub transcript: PathBuf,
}

impl Session {
    /// A session in the sandbox's project, with ids like the client's.
    pub fn new(sandbox: &Sandbox) -> Self {
        let id = "5e55104e-0000-4000-8000-000000000001";
        let file = sandbox.home().join(".claude/projects/-project").join(format!("{id}.jsonl"));
        Self {
            id: id.to_owned(),
            prompt_id: "9c0fe5a1-0000-4000-8000-000000000001".to_owned(),
            cwd: sandbox.project(),
            transcript: file,
        }
    }

    /// The same place under another session id.
    pub fn with_id(mut self, id: &str) -> Self {
        self.transcript.set_file_name(format!("{id}.jsonl"));
        id.clone_into(&mut self.id);
        self
    }

    /// A recording told as if it had happened in this session.
    #[track_caller]
    pub fn replay(&self, recording: &str) -> Payload {
        let payload = recorded(recording).with("session_id", self.id.as_str());
        let payload = payload.with("transcript_path", json!(self.transcript)).with("cwd", json!(self.cwd));
        let has_prompt = !payload.get("prompt_id").is_null();
        if has_prompt { payload.with("prompt_id", self.prompt_id.as_str()) } else { payload }
    }

    /// `SessionStart` with `source` startup, resume, clear or compact.
    pub fn session_start(&self, source: &str) -> Payload {
        let case = if source == "startup" { String::new() } else { format!("-{source}") };
        self.replay(&format!("SessionStart{case}"))
    }

    pub fn user_prompt_submit(&self, prompt: &str) -> Payload {
        self.replay("UserPromptSubmit").with("prompt", prompt)
    }

    pub fn pre_tool_use(&self, tool: &str, input: Value) -> Payload {
        self.replay("PreToolUse-Bash").with("tool_name", tool).with("tool_input", input)
    }

    /// `PostToolUse` of a call that succeeded; `response` is the tool's own object.
    pub fn post_tool_use(&self, tool: &str, input: Value, response: Value) -> Payload {
        let payload = self.replay("PostToolUse-Bash").with("tool_name", tool);
        payload.with("tool_input", input).with("tool_response", response)
    }

    /// `PostToolUse` of a Bash command that ended with 0 and printed `stdout`.
    pub fn bash_succeeded(&self, command: &str, stdout: &str) -> Payload {
        let mut response = self.replay("PostToolUse-Bash").get("tool_response").clone();
        response["stdout"] = json!(stdout);
        self.post_tool_use("Bash", json!({ "command": command }), response)
    }

    /// `PostToolUseFailure`, for example `Exit code 3\n...` of Bash.
    pub fn post_tool_use_failure(&self, tool: &str, input: Value, error: &str) -> Payload {
        let payload = self.replay("PostToolUseFailure-Bash").with("tool_name", tool);
        payload.with("tool_input", input).with("error", error)
    }

    /// The first `Stop` of a turn.
    pub fn stop(&self, last_assistant_message: &str) -> Payload {
        self.replay("Stop").with("last_assistant_message", last_assistant_message)
    }

    /// A later `Stop` of a turn that went on after the first.
    pub fn stop_again(&self, last_assistant_message: &str) -> Payload {
        self.replay("Stop-stop_hook_active").with("last_assistant_message", last_assistant_message)
    }

    pub fn subagent_start(&self, agent_id: &str) -> Payload {
        self.replay("SubagentStart").with("agent_id", agent_id)
    }

    pub fn subagent_stop(&self, agent_id: &str, last_assistant_message: &str) -> Payload {
        let file = self.transcript.with_extension("").join(format!("subagents/agent-{agent_id}.jsonl"));
        let payload = self.replay("SubagentStop").with("agent_id", agent_id);
        payload
            .with("agent_transcript_path", json!(file))
            .with("last_assistant_message", last_assistant_message)
    }

    /// `PreCompact` with `trigger` manual or auto.
    pub fn pre_compact(&self, trigger: &str) -> Payload {
        self.replay("PreCompact-manual").with("trigger", trigger)
    }

    /// `SessionEnd` with `reason` other, clear or `prompt_input_exit`.
    pub fn session_end(&self, reason: &str) -> Payload {
        self.replay("SessionEnd").with("reason", reason)
    }

    /// Input of the status line command after a reply, with the `rate_limits` of a subscription.
    pub fn status_line(&self) -> Payload {
        let payload = self.replay("statusLine-rate_limits");
        let mut workspace = payload.get("workspace").clone();
        for folder in ["current_dir", "project_dir"] {
            workspace[folder] = json!(self.cwd);
        }
        payload.with("workspace", workspace)
    }
}
