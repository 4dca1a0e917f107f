//! One question to one model and its reply; the deadline, the second try and the fallback model.

use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use super::question::{Exchange, Reply};
use super::silence::Silence;
use super::{Asked, Backend, Caller, NoVerdict, OnFailure, Question, Settings};
use super::{budget, claude_cli, messages_api, question, silence};
use shared::journal::{self, Record};
use shared::messages::not_yet_reported;

const PAUSE: Duration = Duration::from_millis(400);

/// With less time than that a second question would be paid for and come too late.
const LEAST_TIME: Duration = Duration::from_secs(2);

impl Reply {
    /// The cost that the backend reports; without a report the most, if the model may have answered.
    fn cost(&self, settings: &Settings, model: &str, at_most: u64) -> u64 {
        let by_tokens = || Some(budget::price(settings, model, self.tokens?));
        let reported = self.micro_usd.filter(|cost| *cost > 0).or_else(by_tokens).filter(|cost| *cost > 0);
        let may_have_cost = matches!(self.verdict, Ok(_) | Err(Silence::Late | Silence::InvalidResponse));
        reported.unwrap_or(if may_have_cost { at_most } else { 0 })
    }
}

pub fn ask<V: DeserializeOwned>(question: &Question<'_>, caller: &Caller<'_>) -> Asked<V> {
    let send = |exchange: &Exchange<'_>| match caller.settings.backend {
        Some(Backend::MessagesApi) => messages_api::send(exchange, caller.host),
        Some(Backend::ClaudeCli) => claude_cli::send(exchange, caller),
        None => Err(Silence::NotStarted),
    };
    Conversation { question, caller, send: &send, now: &Instant::now, pause: &thread::sleep }.asked()
}

/// Tests script the last three.
struct Conversation<'a> {
    question: &'a Question<'a>,
    caller: &'a Caller<'a>,
    send: &'a dyn Fn(&Exchange<'_>) -> Result<Reply, Silence>,
    now: &'a dyn Fn() -> Instant,
    pause: &'a dyn Fn(Duration),
}

impl Conversation<'_> {
    fn asked<V: DeserializeOwned>(&self) -> Asked<V> {
        let verdict = self.verdict();
        let notice = verdict.as_ref().err().and_then(|why| {
            if !why.was_asked() {
                let text = format!("{}: no model was asked: {}", self.question.purpose, why.words());
                let rule = why.setting().map(|(setting, _)| setting.to_owned());
                self.write_journal(Record { rule, ..Record::of("let-go", text) });
            }
            self.notice(*why)
        });
        Asked { verdict: verdict.map_err(NoVerdict::from), notice }
    }

    fn verdict<V: DeserializeOwned>(&self) -> Result<V, Silence> {
        if let Some(why) = silence::obstacle(self.caller) {
            return Err(why);
        }
        let material = question::material(&self.question.parts);
        let deadline = (self.now)() + Duration::from_secs(self.caller.settings.deadline_secs.get().into());
        let first = self.once(self.question.model, &material, deadline);
        let Err(error) = first else { return first };
        match self.second_try(error, deadline).map(|model| self.once(model, &material, deadline)) {
            // No second question was worth the time, or within the limits.
            None | Some(Err(Silence::CallsSpent | Silence::MoneySpent | Silence::NoState)) => first,
            Some(second) => second,
        }
    }

    fn second_try(&self, error: Silence, deadline: Instant) -> Option<&str> {
        let model = self.question.model;
        let again = match error {
            Silence::Limited | Silence::Overloaded => self.question.fallback.unwrap_or(model),
            Silence::Unreachable | Silence::InvalidResponse => model,
            _ => return None,
        };
        if again == model {
            (self.pause)(PAUSE);
        }
        (deadline.saturating_duration_since((self.now)()) >= LEAST_TIME).then_some(again)
    }

    fn once<V: DeserializeOwned>(
        &self,
        model: &str,
        material: &str,
        deadline: Instant,
    ) -> Result<V, Silence> {
        let Caller { settings, host, store, .. } = *self.caller;
        let Question { instructions, verdicts, purpose, .. } = self.question;
        let store = store.ok_or(Silence::NoState)?;
        let bytes = instructions.len() + material.len() + verdicts.to_string().len();
        let at_most = budget::at_most(settings, model, bytes);
        let id = budget::reserve(store, host.now(), settings, at_most)?;
        let began = (self.now)();
        let reply = (self.send)(&Exchange { model, instructions, material, verdicts, deadline });
        if let Err(why @ (Silence::NoKey | Silence::NotStarted)) = reply {
            budget::release(store, host.now(), id);
            return Err(why);
        }
        let took = (self.now)().saturating_duration_since(began);
        let reply = reply.unwrap_or_else(Reply::from);
        let cost = reply.cost(settings, model, at_most);
        budget::settle(store, host.now(), id, cost);
        let verdict = reply
            .verdict
            .and_then(|verdict| serde_json::from_value(verdict).map_err(|_| Silence::InvalidResponse));
        let said = verdict.as_ref().err().map_or("answered", |why| why.words());
        self.write_journal(Record {
            model: Some(model.to_owned()),
            took_ms: u64::try_from(took.as_millis()).ok(),
            input_tokens: reply.tokens.map(|tokens| tokens.input),
            output_tokens: reply.tokens.map(|tokens| tokens.output),
            cost_micro_usd: Some(cost),
            ..Record::of("judge", format!("{purpose}: {said}"))
        });
        verdict
    }

    fn write_journal(&self, record: Record) {
        let Caller { hook, event, call, places, host, store, .. } = *self.caller;
        if let Some(store) = store {
            journal::write(store, host.now(), record.about(hook, event, places, call));
        }
    }

    /// Why there is no verdict, in a line, the first time in this session.
    fn notice(&self, why: Silence) -> Option<String> {
        let Caller { hook, event, call, places, settings, host, store, .. } = *self.caller;
        let file = silence::global_file(places.config_dir.as_deref(), host.environment.home.as_deref());
        let cause = match why {
            Silence::BlockedElsewhere => return None,
            _ if why.was_asked() => format!("{} gave no verdict: {}", self.question.model, why.words()),
            _ => format!("no model was asked: {}", why.explained(&file)),
        };
        let follows = match (settings.on_judge_failure, event) {
            (_, "Stop") => "turns end unjudged",
            (OnFailure::Allow, _) => "changes go on unreviewed",
            (OnFailure::Ask, _) => "you are asked instead",
        };
        not_yet_reported(store?, call.session_id.as_deref()?, &[format!("{hook}: {cause}; {follows}")]).pop()
    }
}

#[cfg(test)]
mod tests;
