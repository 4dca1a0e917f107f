//! What every case needs: a sandbox, a scripted model, a recorder, and user settings with recording hooks. It knows no
//! fact about the client but how to tell that its terminal can be used.

use serde_json::{Value, json};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};
use tests::client::{CLIENT_VERSION, Client};
use tests::messages_api::{MessagesApi, Script};
use tests::recording::{Behaviour, Line, Recorder, Reply, What};
use tests::sandbox::{Level, Sandbox};
use tests::settings::{Hook, Settings};
use tests::terminal::Terminal;

/// For everything that happens at once on an idle machine.
pub(super) const SOON: Duration = Duration::from_secs(30);

/// The scene of one case.
#[must_use]
pub(super) struct Stage {
    pub(super) sandbox: Sandbox,
    pub(super) recorder: Recorder,
    pub(super) api: MessagesApi,
    settings: Settings,
}

impl Stage {
    pub(super) fn new(script: Script) -> Self {
        Self::in_sandbox(Sandbox::new(), script)
    }

    /// In a sandbox that exists already, for a script that needs its paths.
    pub(super) fn in_sandbox(sandbox: Sandbox, script: Script) -> Self {
        let recorder = Recorder::new(&sandbox);
        Self { sandbox, recorder, api: MessagesApi::start(script), settings: Settings::new() }
    }

    /// Records these events, each under its own name, and says nothing.
    pub(super) fn recording(self, events: &[&str]) -> Self {
        events.iter().fold(self, |stage, event| stage.hook(event, event, Behaviour::default()))
    }

    /// Records an event under an id and behaves so.
    pub(super) fn hook(self, event: &str, id: &str, behaviour: Behaviour) -> Self {
        let hook = self.recorder.hook(id, behaviour);
        self.registering(event, &hook)
    }

    /// Records an event under an id for the tools (or sources ...) that `matcher` names, and behaves so.
    pub(super) fn hook_on(mut self, event: &str, matcher: &str, id: &str, behaviour: Behaviour) -> Self {
        self.settings = self.settings.hook_on(event, matcher, &self.recorder.hook(id, behaviour));
        self
    }

    /// Registers any hook in the user's settings.
    pub(super) fn registering(mut self, event: &str, hook: &Hook) -> Self {
        self.settings = self.settings.hook(event, hook);
        self
    }

    /// Sets another key of the user's settings.
    pub(super) fn with(mut self, key: &str, value: Value) -> Self {
        self.settings = self.settings.with(key, value);
        self
    }

    /// The client, its user settings written.
    #[track_caller]
    pub(super) fn client(&self) -> Client<'_> {
        self.sandbox.settings(Level::User, &self.settings.clone().json());
        Client::new(&self.sandbox, &self.api)
    }

    /// The client in a terminal, ready to be typed into.
    #[track_caller]
    pub(super) fn terminal(&self) -> Terminal {
        ready(self.client())
    }

    /// Waits until the hook of this id has been started so often.
    #[track_caller]
    pub(super) fn wait_for_starts(&self, id: &str, count: usize) {
        let is_start = |line: &&Line| line.id == id && matches!(line.what, What::Start(_));
        let what = format!("start {count} of `{id}`");
        self.recorder.wait_until(&what, SOON, |lines| lines.iter().filter(is_start).count() >= count);
    }

    /// Waits until the hook of this id has ended so often.
    #[track_caller]
    pub(super) fn wait_for_ends(&self, id: &str, count: usize) {
        let is_end = |line: &&Line| line.id == id && matches!(line.what, What::End { .. });
        let what = format!("end {count} of `{id}`");
        self.recorder.wait_until(&what, SOON, |lines| lines.iter().filter(is_end).count() >= count);
    }

    /// One field of the input of every run of this hook, in order.
    pub(super) fn inputs(&self, id: &str, field: &str) -> Vec<Value> {
        self.recorder.runs(id).iter().map(|run| run.start.payload[field].clone()).collect()
    }

    /// The ids of the hooks in the order in which they were started.
    pub(super) fn order(&self) -> Vec<String> {
        self.recorder.all_runs().into_iter().map(|(id, _)| id).collect()
    }

    /// These ids, sorted by when the hook of that id ended for the first time.
    #[track_caller]
    pub(super) fn in_order_of_finishing<'a>(&self, ids: &[&'a str]) -> Vec<&'a str> {
        let mut ids = ids.to_vec();
        ids.sort_by_key(|id| self.recorder.runs(id)[0].ended());
        ids
    }

    /// The first line of the session's transcript that is meant; waits for it, because lines come late.
    #[track_caller]
    pub(super) fn transcript_line(&self, what: &str, is_meant: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + SOON;
        loop {
            let lines = self.transcript();
            if let Some(line) = lines.iter().find(|line| is_meant(line)) {
                return line.clone();
            }
            assert!(Instant::now() < until, "no line of the transcript is {what}: {lines:#?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The user's line of the session's transcript whose content is this text.
    #[track_caller]
    pub(super) fn user_line(&self, content: &str) -> Value {
        self.transcript_line(&format!("the user's `{content}`"), |line| {
            line["type"] == "user" && line["message"]["content"] == content
        })
    }

    fn transcript(&self) -> Vec<Value> {
        let runs = self.recorder.all_runs();
        let path = runs.iter().find_map(|(_, run)| run.start.payload["transcript_path"].as_str());
        let text = path.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

/// Starts the client in a terminal and waits until it can be typed into.
#[track_caller]
pub(super) fn ready(client: Client<'_>) -> Terminal {
    let terminal = client.terminal();
    let version = CLIENT_VERSION.trim();
    terminal.wait_until("the banner and the input line", SOON, |screen| {
        screen.contains(version) && screen.contains('❯')
    });
    terminal
}

/// A reply that blocks.
pub(super) fn block(reason: &str) -> Reply {
    Reply::stdout(json!({ "decision": "block", "reason": reason }))
}

/// Gives this reply to the first run and is silent from then on.
pub(super) fn once(reply: Reply) -> Behaviour {
    Behaviour::replying([reply, Reply::silent()])
}

/// A reply that adds context for the model.
pub(super) fn context(event: &str, text: &str) -> Reply {
    Reply::stdout(json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } }))
}
