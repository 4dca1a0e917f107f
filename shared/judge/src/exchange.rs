//! One question to one model and its reply; the deadline, the retry and the other model.

use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use super::model::{AskError, Exchange, Failure, Reply};
use super::settings::{Backend, OnFailure, Settings};
use super::{Asked, Caller, NotAsked, Outcome, Question};
use super::{claude_cli, ledger, messages_api, permission, price, question};
use shared::journal::{self, Entry, Spent};
use shared::notices::not_yet_told;
use shared::state::Store;

/// One that is overloaded is asked again after so long.
const BREATH: Duration = Duration::from_millis(400);

/// With less time than that nobody is asked a second time: it would be paid for and come too late.
const LEAST_TIME: Duration = Duration::from_secs(2);

impl Failure {
    /// What it counts for: what the backend says; where it says nothing, the most it may have cost, if it may have cost anything.
    fn cost(&self, settings: &Settings, model: &str, at_most: u64) -> u64 {
        let by_tokens = || Some(price::of(settings, model, self.tokens?));
        let said = self.micro_usd.filter(|cost| *cost > 0).or_else(by_tokens).filter(|cost| *cost > 0);
        said.unwrap_or(if self.error.may_have_cost() { at_most } else { 0 })
    }
}

/// How a question goes out, and by which clock. A test scripts all three.
struct Wire<'a> {
    send: &'a dyn Fn(&Exchange<'_>) -> Result<Reply, Failure>,
    now: &'a dyn Fn() -> Instant,
    pause: &'a dyn Fn(Duration),
}

/// See [`super::ask`].
pub(super) fn ask<V: DeserializeOwned>(question: &Question<'_>, caller: &Caller<'_>) -> Asked<V> {
    let send = |exchange: &Exchange<'_>| match caller.settings.backend {
        Some(Backend::MessagesApi) => messages_api::send(exchange, caller).map_err(Failure::from),
        Some(Backend::ClaudeCli) => claude_cli::send(exchange, caller),
        None => Err(AskError::NotStarted.into()),
    };
    ask_through(&Wire { send: &send, now: &Instant::now, pause: &thread::sleep }, question, caller)
}

fn ask_through<V: DeserializeOwned>(
    wire: &Wire<'_>,
    question: &Question<'_>,
    caller: &Caller<'_>,
) -> Asked<V> {
    let outcome = match (permission::obstacle(caller), caller.store) {
        (Some(why), _) => Outcome::NotAsked(why),
        (None, None) => Outcome::NotAsked(NotAsked::NoState),
        (None, Some(store)) => {
            let material = question::material(&question.parts);
            let total = Duration::from_secs(caller.settings.deadline_secs.get().into());
            let deadline = (wire.now)() + total;
            Conversation { wire, question, caller, store, material, total, deadline }.outcome()
        }
    };
    match outcome {
        Outcome::NotAsked(why) => keep_why(why, question, caller),
        Outcome::Answered(_) | Outcome::Failed(_) => {}
    }
    let notice = notice(&outcome, question, caller);
    Asked { outcome, notice }
}

/// A question and the time for it.
struct Conversation<'a> {
    wire: &'a Wire<'a>,
    question: &'a Question<'a>,
    caller: &'a Caller<'a>,
    store: &'a Store,
    material: String,
    total: Duration,
    deadline: Instant,
}

impl Conversation<'_> {
    /// Asked once, and once more where that may help.
    fn outcome<V: DeserializeOwned>(&self) -> Outcome<V> {
        let error = match self.once(self.question.model) {
            Err(why) => return Outcome::NotAsked(why),
            Ok(Ok(verdict)) => return Outcome::Answered(verdict),
            Ok(Err(error)) => error,
        };
        let Some(model) = self.second_try(error) else { return Outcome::Failed(error) };
        match self.once(model) {
            Ok(Ok(verdict)) => Outcome::Answered(verdict),
            Ok(Err(second)) => Outcome::Failed(second),
            // It was asked, and may not be asked again.
            Err(_) => Outcome::Failed(error),
        }
    }

    /// The model to ask after this, when it is time.
    fn second_try(&self, error: AskError) -> Option<&str> {
        let model = self.question.model;
        match error {
            AskError::Limited | AskError::Overloaded => {
                if let Some(fallback) = self.question.fallback.filter(|fallback| *fallback != model) {
                    return (self.left() >= LEAST_TIME).then_some(fallback);
                }
                (self.wire.pause)(BREATH.min(self.left()));
                (self.left() >= self.total / 3).then_some(model)
            }
            AskError::Unreachable | AskError::InvalidResponse => (self.left() >= LEAST_TIME).then_some(model),
            AskError::NoKey
            | AskError::NotStarted
            | AskError::Late
            | AskError::Unauthorized
            | AskError::Refused => None,
        }
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since((self.wire.now)())
    }

    /// One call of a model: counted before, settled and written down after.
    fn once<V: DeserializeOwned>(&self, model: &str) -> Result<Result<V, AskError>, NotAsked> {
        let Self { wire, question, caller, store, .. } = self;
        let bytes = question.instructions.len() + self.material.len() + question.verdicts.to_string().len();
        let at_most = price::at_most(caller.settings, model, bytes);
        let reservation = ledger::reserve(store, caller.host.now(), caller.settings, at_most)?;
        let began = (wire.now)();
        let said = (wire.send)(&Exchange {
            model,
            instructions: &question.instructions,
            material: &self.material,
            verdicts: &question.verdicts,
            deadline: self.deadline,
        });
        let took = (wire.now)().saturating_duration_since(began);
        let (result, tokens, cost) = match said {
            Ok(reply) => {
                let cost = reply.micro_usd.unwrap_or_else(|| price::of(caller.settings, model, reply.tokens));
                let verdict = serde_json::from_value(reply.verdict).map_err(|_| AskError::InvalidResponse);
                (verdict, Some(reply.tokens), cost)
            }
            Err(failure) => {
                (Err(failure.error), failure.tokens, failure.cost(caller.settings, model, at_most))
            }
        };
        ledger::settle(store, caller.host.now(), &reservation, cost);
        let spent = Spent {
            slept_ms: None,
            took_ms: u64::try_from(took.as_millis()).ok(),
            input_tokens: tokens.map(|tokens| tokens.input),
            output_tokens: tokens.map(|tokens| tokens.output),
            cost_micro_usd: Some(cost),
        };
        let outcome = result.as_ref().err().map_or_else(|| "answered".to_owned(), ToString::to_string);
        let text = format!("{}: {outcome}", question.purpose);
        keep(
            caller,
            &Entry { what: "judge", model: Some(model), text: Some(&text), spent, ..Entry::default() },
        );
        Ok(result)
    }
}

/// Nobody was asked: no call of a model, and so none in the journal.
fn keep_why(why: NotAsked, question: &Question<'_>, caller: &Caller<'_>) {
    let text = format!("{}: no model was asked: {why}", question.purpose);
    keep(caller, &Entry { what: "let-go", rule: why.setting(), text: Some(&text), ..Entry::default() });
}

fn keep(caller: &Caller<'_>, entry: &Entry<'_>) {
    let Some(store) = caller.store else { return };
    let project = caller.places.root.as_deref().map(journal::project_name);
    let entry = Entry {
        hook: caller.hook,
        event: caller.event,
        project: project.as_deref(),
        session: caller.call.session_id.as_deref(),
        prompt: caller.call.prompt_id.as_deref(),
        agent: caller.call.agent_id.as_deref(),
        ..*entry
    };
    journal::write(store, caller.host.now(), &entry);
}

/// Why there is no verdict, in a line, the first time in this session.
fn notice<V>(outcome: &Outcome<V>, question: &Question<'_>, caller: &Caller<'_>) -> Option<String> {
    let cause = match outcome {
        Outcome::Answered(_) | Outcome::NotAsked(NotAsked::RefusedElsewhere) => return None,
        Outcome::NotAsked(why) => {
            let config_dir = caller.places.config_dir.as_deref();
            let file = permission::global_file(config_dir, &caller.host.environment);
            format!("no model was asked: {}", why.explained(caller.settings, &file))
        }
        Outcome::Failed(error) => format!("{} gave no verdict: {error}", question.model),
    };
    let follows = match (caller.settings.on_judge_failure, caller.event) {
        (_, "Stop") => "turns end unjudged",
        (OnFailure::Allow, _) => "changes go on unreviewed",
        (OnFailure::Ask, _) => "you are asked instead",
    };
    let notice = format!("{}: {cause}; {follows}", caller.hook);
    not_yet_told(caller.store?, caller.call.session_id.as_deref()?, &[notice]).pop()
}

#[cfg(test)]
mod tests;
