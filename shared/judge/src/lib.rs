//! Asking a model: bounded in money and time, isolated, and never a reason to hold up a session.
//!
//! A gate asks a [`Question`]; what is not ours in it is data, masked and cut. The answer is a verdict of the gate's own
//! type, or the reason why there is none, and then the call goes on: a judge that fails never blocks.
//!
//! - `settings`: the section `judge`, which the global file alone may write: it spends money
//! - `question`: what is asked, and how it is put: instructions of ours, and the rest as data behind a boundary nobody knows
//! - `permission`: when nobody is asked: no backend chosen, a project that leads requests elsewhere, pacing, a call that is
//!   denied anyway
//! - `ledger`, `price`: calls an hour and money a day, over all sessions together
//! - `exchange`: one question to one model and its reply; the deadline, the retry and the other model
//! - `messages_api`, `claude_cli`: the two ways to a model
//! - `report`: what `status` says of it

mod claude_cli;
mod exchange;
mod ledger;
mod messages_api;
mod model;
mod permission;
mod price;
mod question;
mod report;
mod settings;
#[cfg(test)]
mod tests;

use serde::de::DeserializeOwned;

use shared::hook::Context;
use shared::host::{Host, Places};
use shared::protocol::Call;
use shared::state::Store;

pub use model::AskError;
pub use permission::NotAsked;
pub use question::{Part, Question, spoken};
pub use report::status_lines;
pub use settings::{Backend, OnFailure, Price, Settings};

/// The hook that asks, and the call it asks about.
pub struct Caller<'a> {
    /// The hook that asks.
    pub hook: &'static str,
    /// Clock and environment.
    pub host: &'a Host,
    /// The folders of the call.
    pub places: &'a Places,
    /// The state folder; without one nobody is asked, because nothing could be counted.
    pub store: Option<&'a Store>,
    /// The call that is judged.
    pub call: &'a Call,
    /// The event's name, for the journal.
    pub event: &'a str,
    /// The settings.
    pub settings: &'a Settings,
    /// Another hook of ours has refused the call, or blocked the stop, meanwhile.
    pub is_refused_elsewhere: &'a dyn Fn() -> bool,
}

impl<'a> Caller<'a> {
    /// The hook that looks at this event.
    #[must_use]
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

/// The outcome of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<V> {
    /// The model's verdict.
    Answered(V),
    /// Nobody was asked.
    NotAsked(NotAsked),
    /// It was asked and there is no verdict.
    Failed(AskError),
}

/// The outcome of a question, and a notice for the user: once a session for each cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked<V> {
    /// What came of it.
    pub outcome: Outcome<V>,
    /// Why there is no verdict, the first time in this session.
    pub notice: Option<String>,
}

/// Asks. The journal has what it took, or why there is no verdict.
#[must_use]
pub fn ask<V: DeserializeOwned>(question: &Question<'_>, caller: &Caller<'_>) -> Asked<V> {
    exchange::ask(question, caller)
}
