//! How full the context is: the tokens of the last real reply, of the window's. By a fresh report of the status line, else by the
//! transcript's last reply. Learns where Claude Code compacts each model.
//!
//! Tokens: input, cache creation, cache reads and output of the last reply of the main conversation; the client counts these
//! four for its own compaction (tests/client-facts.md, section 6).

use std::time::Duration;

use shared::hook::Context;
use shared::host::Timestamp;
use shared::protocol::Event;
use shared::usage::SessionUsage;
use transcript::last_reply;

use crate::levels::State;
use crate::registry;
use crate::settings::Settings;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    StatusLine,
    /// The last reply in the transcript.
    Transcript,
}

/// How full the context is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) tokens: u64,
    /// So many tokens fit; never fewer than there are.
    pub(crate) window: u64,
    /// The id of the model that replied last; empty where it is not known.
    pub(crate) model: String,
    pub(crate) source: Source,
    /// The tokens at which Claude Code last compacted this model by itself; 0 where that is not known.
    pub(crate) compacted_at: u64,
}

impl Reading {
    /// Percent of the window that is used, 0 to 100.
    pub(crate) fn percent(&self) -> f64 {
        percent_of(self.tokens, self.window).clamp(0.0, 100.0)
    }

    /// The same from 0 to 1, as the record has it.
    pub(crate) fn share(&self) -> f64 {
        self.percent() / 100.0
    }

    /// The percentage at which the model was last compacted; `None` where it is not known, or too low to be believed.
    pub(crate) fn compaction_percent(&self) -> Option<f64> {
        Some(percent_of(self.compacted_at, self.window)).filter(|percent| *percent >= LEAST_BELIEVED_PERCENT)
    }
}

#[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^52")]
fn percent_of(tokens: u64, window: u64) -> f64 {
    tokens as f64 * 100.0 / window.max(1) as f64
}

/// The window of an unknown model.
const USUAL_WINDOW: u64 = 200_000;

/// The window of a model whose name ends in `[1m]`.
const MILLION_WINDOW: u64 = 1_000_000;

/// Ending of the names of models with the long window.
const MILLION: &str = "[1m]";

/// The window's size by the first source that knows it: the status line, the settings for all models, the model's name, the
/// settings for the longest name with which it begins. It is never smaller than what was seen in it.
fn window(settings: &Settings, model: &str, told: Option<u64>, tokens: u64) -> u64 {
    let set = settings.context_window_tokens.map(|set| u64::from(set.get()));
    let by_name = model.ends_with(MILLION).then_some(MILLION_WINDOW);
    let of_model = settings.context_windows_tokens.iter().filter(|(name, _)| model.starts_with(*name));
    let of_model = of_model.max_by_key(|(name, _)| name.len()).map(|(_, set)| u64::from(set.get()));
    let known = [told, set, by_name, of_model].into_iter().flatten().find(|size| *size > 0);
    let known = known.unwrap_or(USUAL_WINDOW);
    // No known window lies between the two.
    if tokens <= known { known } else { tokens.max(MILLION_WINDOW) }
}

/// The name of a reply's model with the `[1m]` that replies leave out. `chosen` are the session's models as Claude Code called
/// them, the latest first. The name of another model does not count, because the user may have changed the model meanwhile.
fn full_name(reply: &str, chosen: &[&str]) -> String {
    let chosen = chosen.iter().find(|name| is_of(name, reply)).copied().unwrap_or_default();
    match reply {
        "" => chosen.to_owned(),
        _ if chosen.ends_with(MILLION) && !reply.ends_with(MILLION) => format!("{reply}{MILLION}"),
        _ => reply.to_owned(),
    }
}

/// The name is the model's id, with or without a date, or a short name within it.
fn is_of(name: &str, model: &str) -> bool {
    let name = name.strip_suffix(MILLION).unwrap_or(name);
    let model = model.strip_suffix(MILLION).unwrap_or(model);
    !name.is_empty() && (model.contains(name) || name.contains(model))
}

/// Maximum age of a status-line report: an older one may lack the last reply, which the transcript has.
const FRESH: Duration = Duration::from_secs(60);

/// The client writes its transcript by a timer: within 135 ms every time (tests/client-facts.md, section 4).
const WRITTEN_WITHIN: Duration = Duration::from_millis(250);

/// The hook ignores a compaction below this percentage: the user set an early one, or the window was another.
const LEAST_BELIEVED_PERCENT: f64 = 20.0;

pub(crate) fn is_automatic_compaction(event: &Event) -> bool {
    matches!(event, Event::PreCompact { trigger } if trigger == "auto")
}

/// How full the context is; `None` if that is unknown or irrelevant for this event.
pub(crate) fn reading(context: &Context<'_, Settings>, state: &State, is_recorded: bool) -> Option<Reading> {
    let event = &context.request.event;
    if !matters(event, is_recorded) {
        return None;
    }
    let session = context.request.call.session_id.as_deref()?;
    let told = context.store.and_then(|store| store.read::<SessionUsage>(session));
    let by_transcript = || by_transcript(context, state, told.as_ref());
    let last_reply = is_automatic_compaction(event).then(|| {
        // The hook learns from the last reply, and a compaction takes many seconds anyway.
        std::thread::sleep(WRITTEN_WITHIN);
        by_transcript()
    });
    let by_status_line = || by_status_line(context, told.as_ref().filter(|_| !state.compacted)?);
    let reading = last_reply.flatten().or_else(by_status_line).or_else(by_transcript)?;
    let compacted_at = compacted_at(context, state, &reading.model);
    Some(Reading { compacted_at, ..reading })
}

/// The tokens at the last compaction of a model. A session looks them up once, because each lookup reads a file.
fn compacted_at(context: &Context<'_, Settings>, state: &State, model: &str) -> u64 {
    if let Some(known) = state.learnt.as_ref().filter(|known| known.model == model) {
        return known.tokens;
    }
    registry::read(context.store).compacted_at.get(model).copied().unwrap_or_default()
}

fn matters(event: &Event, is_recorded: bool) -> bool {
    match event {
        // The reported tokens are no longer in the context.
        Event::SessionStart { source, .. } if matches!(source.as_str(), "compact" | "clear") => false,
        Event::SessionStart { .. }
        | Event::SessionEnd { .. }
        | Event::SubagentStart(_)
        | Event::SubagentStop(_) => is_recorded,
        _ => true,
    }
}

/// A fresh report. Before the first reply Claude Code reports 0, even for a resumed session.
fn by_status_line(context: &Context<'_, Settings>, told: &SessionUsage) -> Option<Reading> {
    let (now, written) = (context.host.now(), Timestamp::from_secs(told.written_at));
    let tokens = told.context.used_tokens.filter(|tokens| *tokens > 0)?;
    if written > now || now.since(written) > FRESH {
        return None;
    }
    let window = window(context.settings, &told.model, told.context.size, tokens);
    let (model, source) = (told.model.clone(), Source::StatusLine);
    Some(Reading { tokens, window, model, source, compacted_at: 0 })
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
    let window = window(context.settings, &model, size, reply.tokens);
    Some(Reading { tokens: reply.tokens, window, model, source: Source::Transcript, compacted_at: 0 })
}

#[cfg(test)]
mod tests;
