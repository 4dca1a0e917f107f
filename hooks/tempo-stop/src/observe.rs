//! The facts of an event, in the order of their price: the request, the transcript, and last the model, which costs money. `worth`
//! says whether to look further.

use std::path::Path;
use std::time::Duration;

use judge::{Asked, NoVerdict, Question};
use shared::blocks;
use shared::cli::{self, Asker, Reply};
use shared::hook::{Context, Hook};
use shared::messages::Texts;
use shared::operator::Caller;
use shared::own_commands;
use shared::protocol::{Event, Stop};
use transcript::{Patience, TurnWork, conversation, requests, tool_calls, turn_work};

use crate::TempoStop;
use crate::question::{self, ANNOUNCEMENT, BLOCKED, MAX_ANNOUNCEMENT_CHARS, Material, PROMPT, Verdict};
use crate::settings::{Mode, Settings};
use crate::state::State;
use crate::worth;

/// So many of the user's requests are shown.
const MAX_REQUESTS: usize = 30;

/// So many tool calls are shown.
const MAX_CALLS: usize = 60;

const UNKNOWN_REQUEST: &str = "what the user asked for is not known";

/// How a notice of a background task begins, which comes as a prompt.
const TASK_NOTICE: &str = "<task-notification>";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Facts {
    Stop(StopFacts),
    Prompt {
        /// The answer to a command of ours.
        answered: Option<Reply>,
        /// A person typed it, as far as the request shows.
        is_typed: bool,
    },
    SessionStart {
        announcement: Option<String>,
        notice: Option<String>,
    },
    SessionEnd,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StopFacts {
    pub(crate) work: TurnWork,
    /// The model's verdict, or why there is none.
    pub(crate) judged: Result<Verdict, &'static str>,
    /// The text for a blocked stop.
    pub(crate) text: String,
    pub(crate) notice: Option<String>,
}

impl Default for StopFacts {
    fn default() -> Self {
        let judged = Err("the model was not asked");
        Self { work: TurnWork::default(), judged, text: String::new(), notice: None }
    }
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    match &context.request.event {
        Event::Stop(stop) => Some(Facts::Stop(at_stop(context, stop))),
        Event::UserPromptSubmit { prompt, source } => Some(at_prompt(context, prompt, source.as_deref())),
        Event::SessionStart { .. } => Some(at_start(context)),
        Event::SessionEnd { .. } => Some(Facts::SessionEnd),
        _ => None,
    }
}

fn at_start(context: &Context<'_, Settings>) -> Facts {
    let settings = context.settings;
    if !settings.announce || settings.mode == Mode::Off || settings.judge.backend.is_none() {
        return Facts::SessionStart { announcement: None, notice: None };
    }
    let mut texts = texts(context);
    let announcement = texts.read(ANNOUNCEMENT).chars().take(MAX_ANNOUNCEMENT_CHARS).collect();
    Facts::SessionStart { announcement: Some(announcement), notice: notice(context, &texts) }
}

fn at_prompt(context: &Context<'_, Settings>, prompt: &str, source: Option<&str>) -> Facts {
    if !cli::is_typed::<TempoStop>(prompt) {
        let is_notice = prompt.trim_start().starts_with(TASK_NOTICE);
        let is_typed = own_commands::comes_from_a_person(context.host, source) && !is_notice;
        return Facts::Prompt { answered: None, is_typed };
    }
    let asker = Asker::of_prompt(context, prompt, source);
    let is_typed = asker.caller == Caller::Typed;
    Facts::Prompt { answered: cli::typed::<TempoStop>(prompt, &asker), is_typed }
}

/// If the input alone allows the stop, the transcript is not read; if the transcript allows it, no model is called.
fn at_stop(context: &Context<'_, Settings>, stop: &Stop) -> StopFacts {
    let state: State = context.peek();
    let call = &context.request.call;
    let blocks = match (context.store, call.session_id.as_deref()) {
        (Some(store), Some(session)) => {
            blocks::read(store, session).count(call.prompt_id.as_deref(), TempoStop::NAME)
        }
        _ => blocks::BlockCount::default(),
    };
    let why_not = |work| {
        let gate = blocks::StopFacts { call, stop, work, blocks, started: context.host.started };
        worth::why_not(&gate, context.settings, &state, context.host.now())
    };
    if why_not(TurnWork::Unknown).is_some() {
        return StopFacts::default();
    }
    let path = call.transcript_path.as_deref();
    let prompt_id = call.prompt_id.as_deref();
    let work = path.map_or(TurnWork::Unknown, |path| turn_work(path, prompt_id, Patience::FLUSH));
    if why_not(work).is_some() {
        return StopFacts { work, ..StopFacts::default() };
    }
    let material = path.map(|path| material(context, stop, path, blocks.own)).unwrap_or_default();
    if material.requests.is_empty() {
        return StopFacts { work, judged: Err(UNKNOWN_REQUEST), ..StopFacts::default() };
    }
    StopFacts { work, ..judged(context, &material) }
}

const fn texts<'a>(context: &'a Context<'_, Settings>) -> Texts<'a> {
    Texts::new(&context.settings.message_files, context.host, context.places)
}

fn notice(context: &Context<'_, Settings>, texts: &Texts<'_>) -> Option<String> {
    texts.notice(TempoStop::NAME, context.store, context.request.call.session_id.as_deref())
}

pub(crate) fn material(
    context: &Context<'_, Settings>,
    stop: &Stop,
    transcript: &Path,
    blocks: u32,
) -> Material {
    let call = &context.request.call;
    let most = usize::try_from(context.settings.judge.context_messages.get()).unwrap_or(usize::MAX);
    Material {
        requests: requests(transcript, MAX_REQUESTS),
        conversation: conversation(transcript, most),
        last_message: stop.last_assistant_message.clone().unwrap_or_default(),
        tool_calls: tool_calls(transcript, call.prompt_id.as_deref(), MAX_CALLS),
        permission_mode: call.permission_mode,
        blocks,
    }
}

fn judged(context: &Context<'_, Settings>, material: &Material) -> StopFacts {
    let settings = context.settings;
    let mut texts = texts(context);
    let question = Question {
        purpose: "stop",
        model: &settings.model,
        fallback: settings.fallback_model.as_deref(),
        instructions: texts.read(PROMPT),
        parts: question::parts(material, &settings.judge),
        verdicts: question::schema(),
    };
    let is_blocked_elsewhere = || is_blocked_elsewhere(context, &material.last_message);
    let caller = judge::Caller::of(TempoStop::NAME, context, &settings.judge, &is_blocked_elsewhere);
    let Asked { verdict, notice: told } = judge::ask::<Verdict>(&question, &caller);
    let judged = verdict.map_err(|why| match why {
        NoVerdict::BlockedElsewhere => "another hook blocks this stop",
        NoVerdict::Unwanted | NoVerdict::Failed(_) => "there is no verdict",
    });
    let text = if matches!(judged, Ok(Verdict::Blocked(_))) { texts.read(BLOCKED) } else { String::new() };
    let told: Vec<String> = told.into_iter().chain(notice(context, &texts)).collect();
    let notice = (!told.is_empty()).then(|| told.join("\n"));
    StopFacts { judged, text, notice, ..StopFacts::default() }
}

/// Another hook may have blocked the same stop so long before this process began. The same message tells that it was the same.
const HEAD_START: Duration = Duration::from_secs(2);

fn is_blocked_elsewhere(context: &Context<'_, Settings>, message: &str) -> bool {
    let call = &context.request.call;
    let (Some(store), Some(session)) = (context.store, call.session_id.as_deref()) else { return false };
    let ledger = blocks::read(store, session);
    let began = context.host.started.minus(HEAD_START);
    let message = (!message.is_empty()).then_some(message);
    ledger.is_blocked_since(call.prompt_id.as_deref(), message, TempoStop::NAME, began)
}

#[cfg(test)]
mod tests;
