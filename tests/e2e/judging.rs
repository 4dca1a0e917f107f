//! Hooks that ask a model, under the real client: a global file that switches one on, verdicts as the scripted judge says
//! them, what it was shown, and what the user was told.

mod deployed;
mod misled;

use crate::registered::{installed, journal};
use crate::requirements_check::{HOOKS, client};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use std::time::Duration;
use tests::client::{Client, Run};
use tests::messages_api::{MessagesApi, Recorded, Reply, Script};
use tests::sandbox::Sandbox;

/// Longer than any test waits.
const FOR_EVER: Duration = Duration::from_secs(3600);

/// A user who has these hooks and the courier, and this global file, in which the Messages API is chosen.
pub(crate) fn sandbox(hooks: &[&str], judge: &str, requirements: &str) -> Sandbox {
    let judge = if judge.is_empty() { String::new() } else { format!(", {judge}") };
    installed(hooks, HOOKS, &format!("judge: {{backend: messages_api{judge}}}\n{requirements}"))
}

/// One headless run of one prompt, and what was asked meanwhile.
pub(crate) struct Asked {
    pub(crate) api: MessagesApi,
    pub(crate) run: Run,
}

/// Runs it; the client must come to its end.
#[track_caller]
pub(crate) fn ask(sandbox: &Sandbox, prompt: &str, script: Script) -> Asked {
    ask_as(sandbox, prompt, script, |client| client)
}

/// The same, with something else about the client.
#[track_caller]
pub(crate) fn ask_as<'a>(
    sandbox: &'a Sandbox,
    prompt: &str,
    script: Script,
    with: impl FnOnce(Client<'a>) -> Client<'a>,
) -> Asked {
    let api = MessagesApi::start(script);
    let run = with(client(sandbox, &api)).ask(prompt);
    run.outcome.assert_exit(0);
    Asked { api, run }
}

impl Asked {
    /// What judges were asked, in order.
    pub(crate) fn judged(&self) -> Vec<Arc<Recorded>> {
        self.api.judge_requests()
    }

    /// The last request of the main loop: the whole conversation.
    #[track_caller]
    pub(crate) fn last(&self) -> Arc<Recorded> {
        self.api.main_requests().pop().expect("the model was asked")
    }

    /// How often the client showed the user a message of a hook's with this in it: it keeps them in the transcript.
    #[track_caller]
    pub(crate) fn told(&self, sandbox: &Sandbox, text: &str) -> usize {
        let transcript = sandbox.transcript(self.run.session_id()).expect("the transcript");
        let lines = fs::read_to_string(transcript).unwrap();
        let lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let told = lines.filter(|line| line["attachment"]["type"] == "hook_system_message");
        told.filter(|line| line["attachment"]["content"].to_string().contains(text)).count()
    }
}

/// One part of what a judge was shown.
#[track_caller]
pub(crate) fn part(request: &Recorded, name: &str) -> String {
    let material = request.body["messages"][0]["content"].as_str().expect("material");
    let behind = material.split_once(&format!("\n\n{name}:\nBEGIN "));
    let line = behind.and_then(|(_, behind)| behind.lines().nth(1));
    let text = line.and_then(|line| serde_json::from_str(line).ok());
    text.unwrap_or_else(|| panic!("no part `{name}` in {material}"))
}

/// What a model says of a change or of a turn that is fine.
pub(crate) fn approved() -> Reply {
    Reply::json(&json!({ "verdict": "APPROVED", "findings": [], "feedback": "" }))
}

/// No answer before the end of the test.
pub(crate) fn hanging() -> Reply {
    Reply::empty().after(FOR_EVER)
}

/// What a cheap hook refuses beside one that asks a model is not paid for, as far as the cheap one is done by the time the other
/// looks: on a busy machine not every time. So one run of a few is enough.
#[track_caller]
pub(crate) fn assert_unpaid_in_one_of_five(mut paid: impl FnMut() -> Option<String>) {
    let paid: Vec<String> = (0..5).map_while(|_| paid()).collect();
    assert!(paid.len() < 5, "paid for every time: {paid:#?}");
}

/// What the journal says of each question to a model, in order.
pub(crate) fn questions(sandbox: &Sandbox) -> Vec<String> {
    let journal = journal(sandbox);
    let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let asked = lines.filter(|line| line["what"] == "judge");
    asked.map(|line| line["text"].as_str().unwrap_or_default().to_owned()).collect()
}
