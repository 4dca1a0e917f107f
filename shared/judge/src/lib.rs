//! Asking a model: bounded in money and time, isolated, and never a reason to hold up a session.
//!
//! A gate asks a [`Question`] and gets a verdict of its own type, or the reason why there is none; then the call goes on.
//!
//! - `settings`: the section `judge`, which only the global file may write
//! - `question`: our instructions, and everything else as data, masked and cut, behind a random boundary; the reply
//! - `silence`: the reasons to ask no model and to have no verdict, and their words
//! - `budget`: calls an hour and money a day, over all sessions together; the price of a question
//! - `exchange`: one question and its reply: the deadline, the second try, the fallback model
//! - `messages_api`, `claude_cli`: the two backends; `status`: the judge's lines of `status`

mod budget;
mod claude_cli;
mod exchange;
mod messages_api;
mod question;
mod settings;
mod silence;
mod status;
#[cfg(test)]
mod tests;

use shared::hook::Context;
use shared::host::{Host, Places};
use shared::protocol::Call;
use shared::state::Store;

pub use exchange::ask;
pub use question::{Part, Question, spoken};
pub use settings::{Backend, OnFailure, Price, Settings};
pub use status::status_lines;

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
