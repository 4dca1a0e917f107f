//! Asking a model: bounded in money and time, isolated, and never a reason to hold up a session.
//!
//! A gate asks a [`Question`] and gets a verdict of its own type, or the reason why there is none; then the call goes on.
//!
//! This file has the section `judge`. Only the global file sets it: it chooses a model, starts a process, names a host and spends
//! money. Its defaults are in config/defaults.yaml.
//!
//! - `question`: our instructions, and everything else as data, masked and cut, behind a random boundary; the reply
//! - `silence`: the reasons to ask no model and to have no verdict, and their words
//! - `budget`: calls an hour and money a day, over all sessions together; the price of a question; the judge's lines of `status`
//! - `exchange`: one question and its reply: the deadline, the second try, the fallback model
//! - `messages_api`, `claude_cli`: the two backends

mod budget;
mod claude_cli;
mod exchange;
mod messages_api;
mod question;
mod silence;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use shared::config::{Bounded, Decimal};
use shared::hook::Context;
use shared::host::{Host, Places};
use shared::protocol::Call;
use shared::state::Store;

pub use budget::status_lines;
pub use exchange::ask;
pub use question::{Part, Question, message_lines};

/// The map `judge` at the top of the global file, common to all hooks that ask a model.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The way to reach a model. Empty: the hooks ask no model.
    pub backend: Option<Backend>,
    /// The program of `claude_cli`: a name looked for in PATH, or a path, absolute or from `~`.
    pub claude_program: PathBuf,
    /// Seconds until the call goes on without a verdict; a second try is within them.
    pub deadline_secs: Bounded<1, 50>,
    /// Questions in any hour, of all sessions together. 0: none.
    pub max_calls_per_hour: Bounded<0, 10_000>,
    /// Cost of the questions in any 24 hours, in US dollars, of all sessions together, by `prices`.
    pub max_cost_usd_per_day: Decimal<0, 10_000>,
    /// The hooks ask no model while your usage is past its safe line, as credit-pacer sees it.
    pub yield_to_pacing: bool,
    /// The outcome of a call when the judge fails.
    pub on_judge_failure: OnFailure,
    /// So many of the last messages of the conversation go to the model.
    pub context_messages: Bounded<1, 100>,
    /// Characters of the conversation that the model sees; the oldest are cut first.
    pub max_conversation_chars: Bounded<1_000, 200_000>,
    /// Characters of a change that the model sees.
    pub max_diff_chars: Bounded<1_000, 200_000>,
    /// Files whose content goes to no model: globs, matched against the file's name and against its path in the project.
    pub never_send: Vec<String>,
    /// Prices of models, in US dollars, by the beginning of the name. The longest that fits counts; a model that is not listed costs as
    /// much as the most expensive one.
    pub prices: BTreeMap<String, Price>,
}

/// A way to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Anthropic's Messages API, with the key in `ANTHROPIC_API_KEY`.
    MessagesApi,
    /// Your own `claude -p`, with your login.
    ClaudeCli,
}

/// The outcome of a call without a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// It goes on.
    Allow,
    /// Claude Code asks the user, where the event allows it; a stop goes on.
    Ask,
}

/// The price of a model, in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// So many dollars for a million tokens it reads.
    pub input: Decimal<0, 10_000>,
    /// So many dollars for a million tokens it writes.
    pub output: Decimal<0, 10_000>,
}

pub struct Caller<'a> {
    hook: &'static str,
    host: &'a Host,
    places: &'a Places,
    /// Without a state folder the judge calls no model, because it could count nothing.
    store: Option<&'a Store>,
    call: &'a Call,
    event: &'a str,
    settings: &'a Settings,
    /// Another hook of ours has blocked the call meanwhile.
    is_refused_elsewhere: &'a dyn Fn() -> bool,
}

impl<'a> Caller<'a> {
    pub fn of<S>(
        hook: &'static str,
        context: &'a Context<'a, S>,
        settings: &'a Settings,
        is_refused_elsewhere: &'a dyn Fn() -> bool,
    ) -> Self {
        let Context { host, places, store, request, .. } = *context;
        let (call, event) = (&request.call, request.event.name());
        Self { hook, host, places, store, call, event, settings, is_refused_elsewhere }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked<V> {
    pub verdict: Result<V, NoVerdict>,
    /// For the user: why there is no verdict, once a session for each cause.
    pub notice: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoVerdict {
    /// Another hook has blocked the call meanwhile.
    BlockedElsewhere,
    /// The user's own settings and limits forbid the question.
    Unwanted,
    Failed(String),
}
