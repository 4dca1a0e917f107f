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

/// How much of a key the client remembers as approved: its last characters.
const KEY_TAIL: usize = 20;

/// Tools that a run may use without asking: all that touch files and processes, and those that start agents.
const ALLOWED: &str = "Agent,Bash,Edit,Glob,Grep,NotebookEdit,Read,Skill,TaskCreate,TaskUpdate,Write";

/// A run of a headless client takes about two seconds; this is for a machine busy with something else.
const DEADLINE: Duration = Duration::from_secs(60);

#[track_caller]
pub fn executable() -> PathBuf {
    let path = env::var_os(CLIENT_VARIABLE).map(PathBuf::from).filter(|path| path.is_file());
    path.unwrap_or_else(|| panic!("{CLIENT_VARIABLE} names no client: run `cargo xtask e2e`"))
}

/// One run of the client: describe it, then [`Self::ask`], [`Self::pipe`] or [`Self::feed`] it, or open its
/// [`Self::terminal`].
#[must_use]
pub struct Client<'a> {
    sandbox: &'a Sandbox,
    args: Vec<String>,
    allowed: String,
    permission_mode: String,
    env: Environment,
    cwd: PathBuf,
}

impl<'a> Client<'a> {
    /// A client in the sandbox's project, with all first-run questions answered and file and shell tools allowed.
    #[track_caller]
    pub fn new(sandbox: &'a Sandbox, api: &MessagesApi) -> Self {
        answer_first_run_questions(sandbox);
        let mut env = sandbox.env();
        for (name, value) in [
            ("ANTHROPIC_API_KEY", KEY),
            ("ANTHROPIC_BASE_URL", &api.url()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("SHELL", "/bin/sh"),
            ("TERM", "xterm-256color"),
        ] {
            env.insert(name.to_owned(), value.to_owned());
        }
        let (allowed, permission_mode) = (ALLOWED.to_owned(), "default".to_owned());
        Self { sandbox, args: Vec::new(), allowed, permission_mode, env, cwd: sandbox.project() }
    }

    pub fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|&arg| arg.to_owned()));
        self
    }

    pub fn model(self, name: &str) -> Self {
        self.args(&["--model", name])
    }

    /// Allows exactly these tools, separated by commas, without asking.
    pub fn allow(mut self, tools: &str) -> Self {
        tools.clone_into(&mut self.allowed);
        self
    }

    /// Another permission mode than `default`, which asks. The client's own choice may be `auto`, which asks the model.
    pub fn permission_mode(mut self, mode: &str) -> Self {
        mode.clone_into(&mut self.permission_mode);
        self
    }

    /// Sets a variable of the client, which its hooks inherit.
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }

    /// A login of a subscription in place of the key. With one the client takes [`MessagesApi`]'s word on the usage
    /// limits, and may ask its maker's servers about it: so only where nothing but loopback can be reached.
    pub fn subscribed(self, _nobody_hears: &LoopbackOnly) -> Self {
        self.unset("ANTHROPIC_API_KEY").env("CLAUDE_CODE_OAUTH_TOKEN", "made-up-token-of-the-e2e-tests")
    }

    pub fn unset(mut self, name: &str) -> Self {
        self.env.remove(name);
        self
    }

    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = folder.into();
        self
    }

    /// One headless prompt (`-p`).
    #[track_caller]
    pub fn ask(self, prompt: &str) -> Run {
        self.headless(&["-p", prompt, "--output-format", "json"], "")
    }

    #[track_caller]
    pub fn pipe(self, prompt: &str) -> Run {
        self.headless(&["-p", "--output-format", "json"], prompt)
    }

    /// Several prompts of one headless session, fed through stdin as lines of JSON.
    #[track_caller]
    pub fn feed(self, prompts: &[&str]) -> Run {
        let line = |prompt: &&str| {
            format!("{}\n", json!({ "type": "user", "message": { "role": "user", "content": prompt } }))
        };
        let lines: String = prompts.iter().map(line).collect();
        let formats = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
        self.headless(&formats, &lines)
    }

    #[track_caller]
    fn headless(self, mode: &[&str], stdin: &str) -> Run {
        let args = self.arguments(mode);
        let run = Invocation::new(executable(), self.sandbox).args(args).stdin(stdin).only_env(self.env);
        let outcome = run.cwd(self.cwd).deadline(DEADLINE).run();
        assert!(!outcome.killed, "the client ran into its deadline: {outcome}");
        let lines = outcome.stdout_text();
        let mut results = lines.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let result = results.find(|line| line["type"] == "result");
        Run { result: result.unwrap_or_else(|| panic!("the client printed no result: {outcome}")), outcome }
    }

    /// The client in a terminal of its own, as a person sees it.
    #[track_caller]
    pub fn terminal(self) -> Terminal {
        Terminal::start(&executable(), &self.arguments(&[]), &self.env, &self.cwd)
    }

    fn arguments(&self, mode: &[&str]) -> Vec<String> {
        let own = [("--permission-mode", &self.permission_mode), ("--allowedTools", &self.allowed)];
        let own = own.into_iter().filter(|(_, value)| !value.is_empty());
        let mode = mode.iter().map(|&arg| arg.to_owned());
        mode.chain(own.flat_map(|(name, value)| [name.to_owned(), value.clone()]))
            .chain(self.args.clone())
            .collect()
    }
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

#[derive(Debug)]
pub struct Run {
    pub outcome: Outcome,
    /// The closing line.
    pub result: Value,
}

impl Run {
    /// The text the client ends with.
    pub fn text(&self) -> &str {
        self.result["result"].as_str().unwrap_or_default()
    }

    pub fn session_id(&self) -> &str {
        self.result["session_id"].as_str().unwrap_or_default()
    }
}
