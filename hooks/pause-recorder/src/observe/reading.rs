//! How full the context is: by a fresh report of the status line, else by the transcript's last reply.

use std::time::Duration;

use shared::hook::Context;
use shared::host::Timestamp;
use shared::protocol::Event;
use shared::usage::session::{self, SessionUsage};
use transcript::last_reply;

use crate::levels::Thresholds;
use crate::models::{self, Model};
use crate::occupancy::{Reading, Source, WindowWords, full_name, is_of, window};
use crate::registry;
use crate::settings::Settings;
use crate::state::{Learnt, State};

/// Maximum age of a status-line report: an older one may lack the last reply, which the transcript has.
const FRESH: Duration = Duration::from_secs(60);

/// The client writes its transcript by a timer: within 135 ms every time (tests/client-facts.md, section 4).
const WRITTEN_WITHIN: Duration = Duration::from_millis(250);

/// How full the context is; `None` if that is unknown or irrelevant for this event.
pub(super) fn of(context: &Context<'_, Settings>, state: &State, is_recorded: bool) -> Option<Reading> {
    if !matters(&context.request.event, is_recorded) {
        return None;
    }
    let session = context.request.call.session_id.as_deref()?;
    let told = context.store.and_then(|store| session::read(store, session));
    if is_learnt_from(&context.request.event) {
        wait_for_the_last_reply();
        let reading = by_transcript(context, state, told.as_ref());
        if reading.is_some() {
            return reading;
        }
    }
    let fresh = told.as_ref().filter(|told| !state.compacted && is_fresh(told, context.host.now()));
    let reading = fresh.and_then(|told| by_status_line(context, state, told));
    reading.or_else(|| by_transcript(context, state, told.as_ref()))
}

/// Window and compaction of the replying model. A session looks them up once, because each lookup reads a file.
pub(super) fn learnt(
    context: &Context<'_, Settings>,
    state: &State,
    reading: Option<&Reading>,
) -> Option<Learnt> {
    let model = reading.map(|reading| &reading.model).filter(|model| !model.is_empty())?;
    Some(Learnt { model: model.clone(), what: of_model(context, state, model) })
}

pub(super) fn thresholds(
    settings: &Settings,
    reading: Option<&Reading>,
    learnt: Option<&Learnt>,
) -> Thresholds {
    let point =
        reading.zip(learnt).and_then(|(reading, learnt)| learnt.what.compacted_at_percent(reading.window));
    Thresholds::new(settings, point)
}

fn matters(event: &Event, is_recorded: bool) -> bool {
    match event {
        Event::PostToolUse(_)
        | Event::PostToolUseFailure(_)
        | Event::UserPromptSubmit { .. }
        | Event::Stop(_)
        | Event::StopFailure { .. }
        | Event::PreCompact { .. } => true,
        // The reported tokens are no longer in the context.
        Event::SessionStart { source, .. } if matches!(source.as_str(), "compact" | "clear") => false,
        _ => is_recorded,
    }
}

/// The occupancy now is where Claude Code compacts this model, so the last reply must be read.
fn is_learnt_from(event: &Event) -> bool {
    matches!(event, Event::PreCompact { trigger } if trigger == "auto")
}

/// A compaction takes many seconds, so a short wait does not matter.
fn wait_for_the_last_reply() {
    std::thread::sleep(WRITTEN_WITHIN);
}

fn is_fresh(told: &SessionUsage, now: Timestamp) -> bool {
    let written = Timestamp::from_secs(told.written_at);
    written <= now && now.since(written) <= FRESH
}

/// Before the first reply Claude Code reports 0, even for a resumed session.
fn by_status_line(context: &Context<'_, Settings>, state: &State, told: &SessionUsage) -> Option<Reading> {
    let tokens = told.context.used_tokens.filter(|tokens| *tokens > 0)?;
    let new_window = told.context.size.filter(|size| *size > 0 && is_news(context, &told.model, *size));
    Some(Reading {
        tokens,
        window: window_of(context, state, (&told.model, told.context.size), tokens),
        model: told.model.clone(),
        source: Source::StatusLine,
        new_window,
    })
}

/// Uses the window of an old status-line report, too: the window of a model does not change.
fn by_transcript(
    context: &Context<'_, Settings>,
    state: &State,
    told: Option<&SessionUsage>,
) -> Option<Reading> {
    let reply = last_reply(context.request.call.transcript_path.as_deref()?)?;
    let told_model = told.map_or("", |told| &told.model);
    let model = full_name(&reply.model, &[told_model, state.model.as_deref().unwrap_or_default()]);
    let size = told.filter(|_| is_of(told_model, &model)).and_then(|told| told.context.size);
    let tokens = reply.tokens();
    Some(Reading {
        tokens,
        window: window_of(context, state, (&model, size), tokens),
        model,
        source: Source::Transcript,
        new_window: None,
    })
}

fn window_of(
    context: &Context<'_, Settings>,
    state: &State,
    (model, told): (&str, Option<u64>),
    tokens: u64,
) -> u64 {
    let set = context.settings.context_window_tokens.map(|set| u64::from(set.get()));
    let mut words = WindowWords { told, set, model, by_model: None };
    if words.is_guess() {
        words.by_model = of_model(context, state, model).window.or_else(|| context.settings.window_of(model));
    }
    window(&words, tokens)
}

/// Checks at the end of a turn only, because a call has no time for it.
fn is_news(context: &Context<'_, Settings>, model: &str, size: u64) -> bool {
    matches!(context.request.event, Event::Stop(_))
        && !model.is_empty()
        && looked_up(context, model).window != Some(size)
}

/// The facts of the model: from the session's memory, else from the file.
fn of_model(context: &Context<'_, Settings>, state: &State, model: &str) -> Model {
    let known = state.learnt.as_ref().filter(|known| known.model == model);
    known.map_or_else(|| looked_up(context, model), |known| known.what)
}

fn looked_up(context: &Context<'_, Settings>, model: &str) -> Model {
    let own = context.store.and_then(registry::own_store);
    own.map(|own| models::read(&own, model)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
