//! The world of a day: a home as the installer leaves it, a subscription, and four terminals side by side.

use super::account::Account;
use super::judges::Judges;
use super::worker::{self, Plan, Worker};
use crate::requirements_check::client;
use crate::typing::{SOON, ready};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use std::time::Duration;
use tests::binaries;
use tests::client::Client;
use tests::loopback::LoopbackOnly;
use tests::messages_api::{MessagesApi, Script};
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

/// What a team's first file asks for.
const TEAM: &str =
    "requirements:\n  commit_plan: { enabled: true, message: Say in which commits the work will land. }\n";

/// Terminals.
pub(super) const SESSIONS: usize = 4;

/// One whole turn.
const TURN: Duration = Duration::from_secs(240);

/// For hooks that ask a model beside a subscription: the client has been told not to use it for itself.
const JUDGES_KEY: &str = "made-up-key-that-only-the-judges-use";

/// How much of a key the client remembers.
const KEY_TAIL: usize = 20;

/// A day that is over.
pub(super) struct Day {
    pub(super) sandbox: Sandbox,
    /// Of each session what was to be done, and whom the client has asked.
    pub(super) sessions: Vec<(Plan, MessagesApi)>,
    /// In the project before it began.
    commits_before: usize,
}

impl Day {
    /// Of a user who has installed with these words, and has this global file.
    pub(super) fn of(nobody_hears: &LoopbackOnly, install: &[&str], global: &str) -> Self {
        let sandbox = installed(install, global);
        sandbox.requirements(Level::Project, TEAM);
        for session in 0..SESSIONS {
            sandbox.write(worker::file(session), "VALUE = 0\n");
        }
        sandbox.commit("the project");
        let mut day = Self { commits_before: commits(&sandbox), sandbox, sessions: Vec::new() };
        day.sessions = day.worked(nobody_hears);
        day
    }

    /// Side by side, as on a busy day; one after the other they take four times as long.
    fn worked(&self, nobody_hears: &LoopbackOnly) -> Vec<(Plan, MessagesApi)> {
        let plans: Vec<Plan> = (0..SESSIONS).map(Plan::of).collect();
        let account = Arc::new(Account::new(plans.iter().map(Plan::requests).sum()));
        let terminals: Vec<_> = plans
            .iter()
            .map(|plan| self.session(plan, &account))
            .map(|(api, client)| (api, client.subscribed(nobody_hears).env("ANTHROPIC_API_KEY", JUDGES_KEY)))
            .collect();
        self.keep_the_key_for_judges();
        std::thread::scope(|scope| {
            let begun: Vec<_> = plans
                .into_iter()
                .zip(terminals)
                .map(|(plan, (api, client))| {
                    scope.spawn(move || {
                        work(&plan, client);
                        (plan, api)
                    })
                })
                .collect();
            begun.into_iter().map(|session| session.join().expect("a session")).collect()
        })
    }

    fn session(&self, plan: &Plan, account: &Arc<Account>) -> (MessagesApi, Client<'_>) {
        let worker = Worker::new(&self.sandbox, plan.clone(), Arc::clone(account));
        let api = MessagesApi::start(worker.script(Script::new()).judge_with(Judges::default().script()));
        let client = client(&self.sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR");
        (api, client)
    }

    /// The user was asked once whether the client may use the key, and said no.
    fn keep_the_key_for_judges(&self) {
        let path = self.sandbox.home().join(".claude.json");
        let mut state: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let tail = &JUDGES_KEY[JUDGES_KEY.len() - KEY_TAIL..];
        state["customApiKeyResponses"] = json!({ "approved": [], "rejected": [tail] });
        fs::write(&path, state.to_string()).unwrap();
    }

    /// Everything our hooks have noted, in order.
    pub(super) fn journal(&self) -> Vec<Value> {
        let path = self.sandbox.home().join(".claude/hook-state/journal.jsonl");
        lines(&fs::read_to_string(path).unwrap_or_default())
    }

    /// What the client keeps of each session.
    pub(super) fn transcripts(&self) -> Vec<Vec<Value>> {
        let folders = fs::read_dir(self.sandbox.home().join(".claude/projects")).unwrap();
        let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
        let files = files.map(|file| file.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
        files.map(|path| lines(&fs::read_to_string(path).unwrap())).collect()
    }

    /// So many commits were made.
    pub(super) fn commits(&self) -> usize {
        commits(&self.sandbox) - self.commits_before
    }
}

fn commits(sandbox: &Sandbox) -> usize {
    sandbox.git(&["rev-list", "--count", "HEAD"]).parse().expect("a count")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn installed(words: &[&str], global: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let programs = binaries::for_client("credit-pacer").parent().unwrap().display().to_string();
    let installer = Invocation::new(binaries::installer(), &sandbox).unset("CLAUDE_HOOK_STATE_DIR");
    let installer = installer.args(["install", "--prebuilt", &programs, "--yes"]);
    installer.args(words.iter().copied()).run().assert_exit(0);
    if !global.is_empty() {
        sandbox.requirements(Level::User, global);
    }
    sandbox
}

/// One session in the terminal, prompt by prompt.
fn work(plan: &Plan, client: Client<'_>) {
    let mut terminal = ready(client);
    for (number, prompt) in plan.prompts.iter().enumerate() {
        terminal.enter(&plan.words(number));
        terminal.wait_for_within(&prompt.end, TURN);
        // The input line is back when the turn's last hook has ended.
        terminal.wait_until("the end of the turn", SOON, |screen| !screen.contains("esc to interrupt"));
    }
    assert!(terminal.quit().success());
}
