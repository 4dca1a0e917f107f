//! The real Claude Code client, run against a scripted API in a sandbox. It is given an environment built from nothing, a
//! made-up key and one address, on loopback; it must never see the developer's home, login or network.

use crate::loopback::LoopbackOnly;
use crate::messages_api::MessagesApi;
use crate::process::{Invocation, Outcome};
use crate::sandbox::{Environment, Sandbox};
use crate::terminal::Terminal;
use serde_json::{Value, json};
use std::env;
use std::path::PathBuf;
use std::time::Duration;

/// Names the client's executable; set by `cargo xtask e2e`.
pub const CLIENT_VARIABLE: &str = "BARBLESS_E2E_CLAUDE";

/// The version every e2e test is written against; the one place that pins it.
pub const CLIENT_VERSION: &str = include_str!("../client-version");

const KEY: &str = "made-up-key-of-the-e2e-tests";

const TOKEN: &str = "made-up-token-of-the-e2e-tests";

/// How much of a key the client remembers as approved: its last characters.
const KEY_TAIL: usize = 20;

/// Tools that headless runs may use without asking: all that touch files and processes, and those that start agents.
const ALLOWED: [&str; 11] = [
    "Agent",
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "NotebookEdit",
    "Read",
    "Skill",
    "TaskCreate",
    "TaskUpdate",
    "Write",
];

/// A run of a headless client takes about two seconds; this is for a machine busy with something else.
const DEADLINE: Duration = Duration::from_secs(60);

/// The executable named by [`CLIENT_VARIABLE`].
#[track_caller]
pub fn executable() -> PathBuf {
    let path = env::var_os(CLIENT_VARIABLE).unwrap_or_else(|| {
        panic!("{CLIENT_VARIABLE} is not set: these tests need the real client; run `cargo xtask e2e`")
    });
    let path = PathBuf::from(path);
    assert!(
        path.is_file(),
        "{CLIENT_VARIABLE} names {}, which is no file; run `cargo xtask e2e`",
        path.display()
    );
    path
}

/// One run of the client: describe it, then [`Self::ask`], [`Self::ask_streaming`], [`Self::pipe`],
/// [`Self::feed`] or [`Self::terminal`].
#[must_use]
pub struct Client<'a> {
    sandbox: &'a Sandbox,
    args: Vec<String>,
    allowed: Vec<String>,
    permission_mode: Option<String>,
    env: Environment,
    cwd: PathBuf,
    stdin: Vec<u8>,
    deadline: Duration,
}

impl<'a> Client<'a> {
    /// A client in the sandbox's project, with all first-run questions answered and file and shell tools allowed.
    #[track_caller]
    pub fn new(sandbox: &'a Sandbox, api: &MessagesApi) -> Self {
        answer_first_run_questions(sandbox);
        Self {
            sandbox,
            args: Vec::new(),
            allowed: ALLOWED.map(str::to_owned).to_vec(),
            permission_mode: Some("default".to_owned()),
            env: client_env(sandbox, api),
            cwd: sandbox.project(),
            stdin: Vec::new(),
            deadline: DEADLINE,
        }
    }

    /// Adds arguments, for example `["--resume", id]`.
    pub fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|&arg| arg.to_owned()));
        self
    }

    /// Allows exactly these tools without asking.
    pub fn allow(mut self, tools: &[&str]) -> Self {
        self.allowed = tools.iter().map(|&tool| tool.to_owned()).collect();
        self
    }

    /// Another permission mode than `default`, which asks. The client's own choice may be `auto`, which asks the model.
    pub fn permission_mode(mut self, mode: &str) -> Self {
        self.permission_mode = Some(mode.to_owned());
        self
    }

    /// Lets the client choose its permission mode.
    pub fn own_permission_mode(mut self) -> Self {
        self.permission_mode = None;
        self
    }

    /// Sets a variable of the client, which its hooks inherit.
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }

    /// A login of a subscription in place of the key. With one the client takes [`MessagesApi`]'s word on the windows of
    /// credits, and may ask its maker's servers about it: so only where nothing but loopback can be reached.
    pub fn subscribed(self, _nobody_hears: &LoopbackOnly) -> Self {
        self.unset("ANTHROPIC_API_KEY").env("CLAUDE_CODE_OAUTH_TOKEN", TOKEN)
    }

    /// Takes a variable away.
    pub fn unset(mut self, name: &str) -> Self {
        self.env.remove(name);
        self
    }

    /// Starts in another folder than the project.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = folder.into();
        self
    }

    /// Gives these bytes on stdin of a headless run.
    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.stdin = bytes.as_ref().to_vec();
        self
    }

    /// Ends a headless run after this time instead of a minute.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// One headless prompt (`-p`), the result as one JSON object.
    #[track_caller]
    pub fn ask(self, prompt: &str) -> Run {
        self.headless(&["-p", prompt, "--output-format", "json"])
    }

    /// One headless prompt given on stdin, the result as one JSON object.
    #[track_caller]
    pub fn pipe(self, prompt: &str) -> Run {
        self.stdin(prompt).headless(&["-p", "--output-format", "json"])
    }

    /// One headless prompt, every message as a line of JSON.
    #[track_caller]
    pub fn ask_streaming(self, prompt: &str) -> Run {
        self.headless(&["-p", prompt, "--output-format", "stream-json", "--verbose"])
    }

    /// Several prompts of one headless session, fed through stdin as lines of JSON, every message as a line of JSON.
    #[track_caller]
    pub fn feed(self, prompts: &[&str]) -> Run {
        let line = |prompt: &&str| {
            format!("{}\n", json!({ "type": "user", "message": { "role": "user", "content": prompt } }))
        };
        let lines: String = prompts.iter().map(line).collect();
        let formats = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
        self.stdin(lines).headless(&formats)
    }

    #[track_caller]
    fn headless(self, mode: &[&str]) -> Run {
        let args = self.arguments(mode);
        let mut invocation = Invocation::new(executable(), self.sandbox).args(args).stdin(self.stdin);
        invocation = invocation.only_env(self.env).cwd(self.cwd).deadline(self.deadline);
        Run::new(invocation.run())
    }

    /// The client in a terminal of its own, as a person sees it.
    #[track_caller]
    pub fn terminal(self) -> Terminal {
        let args = self.arguments(&[]);
        Terminal::start(&executable(), &args, &self.env, &self.cwd)
    }

    fn arguments(&self, mode: &[&str]) -> Vec<String> {
        let mut args: Vec<String> = mode.iter().map(|&arg| arg.to_owned()).collect();
        if let Some(mode) = &self.permission_mode {
            args.extend(["--permission-mode".to_owned(), mode.clone()]);
        }
        if !self.allowed.is_empty() {
            args.extend(["--allowedTools".to_owned(), self.allowed.join(",")]);
        }
        args.extend(self.args.clone());
        args
    }
}

fn client_env(sandbox: &Sandbox, api: &MessagesApi) -> Environment {
    let mut env = sandbox.env();
    let own = [
        ("ANTHROPIC_API_KEY", KEY.to_owned()),
        ("ANTHROPIC_BASE_URL", api.url()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("SHELL", "/bin/sh".to_owned()),
        ("TERM", "xterm-256color".to_owned()),
    ];
    env.extend(own.map(|(name, value)| (name.to_owned(), value)));
    env
}

/// Claude Code asks for theme, trust and use of the key once per home.
fn answer_first_run_questions(sandbox: &Sandbox) {
    if sandbox.home().join(".claude.json").exists() {
        return;
    }
    let project = sandbox.project().display().to_string();
    let state = json!({
        "hasCompletedOnboarding": true,
        "lastOnboardingVersion": CLIENT_VERSION.trim(),
        "theme": "dark",
        "numStartups": 5,
        "customApiKeyResponses": { "approved": [&KEY[KEY.len() - KEY_TAIL..]], "rejected": [] },
        "projects": { project: { "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true } },
    });
    sandbox.write_home(".claude.json", state.to_string());
}

/// A finished headless run.
#[derive(Debug)]
pub struct Run {
    pub outcome: Outcome,
    /// The JSON lines of stdout.
    pub events: Vec<Value>,
}

impl Run {
    #[track_caller]
    fn new(outcome: Outcome) -> Self {
        assert!(!outcome.killed, "the client ran into its deadline: {outcome}");
        let text = outcome.stdout_text();
        let events = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Self { outcome, events }
    }

    /// The closing line: `type` is `result`.
    #[track_caller]
    pub fn result(&self) -> &Value {
        let mut results = self.events.iter().rev().filter(|event| event["type"] == "result");
        results.next().unwrap_or_else(|| panic!("the client printed no result: {}", self.outcome))
    }

    /// The text the client ends with.
    #[track_caller]
    pub fn text(&self) -> &str {
        self.result()["result"].as_str().unwrap_or_default()
    }

    /// Whether the client calls its result an error.
    #[track_caller]
    pub fn is_error(&self) -> bool {
        self.result()["is_error"].as_bool().unwrap_or_default()
    }

    /// The session's id.
    #[track_caller]
    pub fn session_id(&self) -> &str {
        self.result()["session_id"].as_str().unwrap_or_default()
    }
}
