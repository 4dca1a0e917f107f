//! How full the context is, and the levels. The tokens are those of the last real reply of the main conversation (input, cache
//! creation, cache reads and output: Claude Code counts these four for its own compaction, tests/client-facts.md, section 6), by a
//! fresh report of the status line, else by the transcript.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::{Context, Remembered};
use shared::host::Timestamp;
use shared::protocol::Event;
use shared::usage::SessionUsage;
use transcript::last_reply;

use crate::registry;
use crate::settings::Settings;
use crate::text::full;

/// A level. The user gets one message for each until the context falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    Caution,
    Warning,
    /// The record begins.
    AutoPause,
    Critical,
}

pub(crate) const LEVELS: [Level; 4] = [Level::Caution, Level::Warning, Level::AutoPause, Level::Critical];

impl Level {
    /// The percentage of the window at which it is reached. The record begins before the place where Claude Code last compacted
    /// this model by itself.
    pub(crate) fn percent(self, settings: &Settings, compacted_at: Option<f64>) -> f64 {
        let levels = &settings.levels;
        let margin = f64::from(settings.compaction_margin_points.get());
        let latest = compacted_at.map_or(100.0, |point| (point - margin).max(1.0));
        match self {
            Self::Caution => levels.caution.get().into(),
            Self::Warning => levels.warning.get().into(),
            Self::AutoPause => f64::from(levels.auto_pause.get()).min(latest),
            Self::Critical => levels.critical.get().into(),
        }
    }
}

/// The memory of one session. Whether it is recorded does not stand here: the record's file says that.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    /// The levels that were reported since the context last fell. With `auto_pause` no record begins by itself.
    #[serde(alias = "told")]
    pub(crate) reported: BTreeSet<Level>,
    /// The model as Claude Code named it at the session's start; it may say `[1m]`.
    pub(crate) model: Option<String>,
    /// The context was compacted and no reply has come since: older numbers do not count.
    pub(crate) compacted: bool,
    /// The session's model, and its tokens at its last compaction, looked up once; 0 where none is known.
    pub(crate) compacted_at: Option<(String, u64)>,
    /// The actions that were only counted since the last line, because the record is full.
    pub(crate) left_out: u64,
}

impl Remembered for State {
    const FILE: &'static str = "*-pause.json";
}

/// How full the context is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) tokens: u64,
    /// So many tokens fit; never fewer than there are.
    pub(crate) window: u64,
    /// The id of the model that replied last; empty where it is not known.
    pub(crate) model: String,
    /// The tokens at which Claude Code last compacted this model by itself; 0 where that is not known.
    pub(crate) compacted_at: u64,
}

/// The hook ignores a compaction below this percentage: one long result may have filled the context since the last reply.
const LEAST_BELIEVED_PERCENT: f64 = 20.0;

impl Reading {
    pub(crate) fn percent(&self) -> f64 {
        percent_of(self.tokens, self.window).clamp(0.0, 100.0)
    }

    /// `71 % full (142,000 of 200,000 tokens)`.
    pub(crate) fn words(&self) -> String {
        full(self.percent(), self.tokens, self.window)
    }

    /// The percentage at which the model was last compacted.
    pub(crate) fn compaction_percent(&self) -> Option<f64> {
        Some(percent_of(self.compacted_at, self.window)).filter(|percent| *percent >= LEAST_BELIEVED_PERCENT)
    }
}

#[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^52")]
fn percent_of(tokens: u64, window: u64) -> f64 {
    tokens as f64 * 100.0 / window.max(1) as f64
}

const USUAL_WINDOW: u64 = 200_000;
const LONG_WINDOW: u64 = 1_000_000;

/// Ending of the names of models with the long window.
const LONG: &str = "[1m]";

/// The window's size by the first source that knows it: the status line, the settings for all models, the model's name, the
/// settings for the longest name with which it begins. It is never smaller than what was seen in it.
fn window(settings: &Settings, model: &str, reported: Option<u64>, tokens: u64) -> u64 {
    let set = settings.context_window_tokens.map(|set| u64::from(set.get()));
    let by_name = model.ends_with(LONG).then_some(LONG_WINDOW);
    let of_model = settings.context_windows_tokens.iter().filter(|(name, _)| model.starts_with(*name));
    let of_model = of_model.max_by_key(|(name, _)| name.len()).map(|(_, set)| u64::from(set.get()));
    let known = [reported, set, by_name, of_model].into_iter().flatten().find(|size| *size > 0);
    let known = known.unwrap_or(USUAL_WINDOW);
    // No known window lies between the two.
    if tokens <= known { known } else { tokens.max(LONG_WINDOW) }
}

/// The name of a reply's model with the `[1m]` that replies leave out. `chosen` are the session's models as Claude Code called
/// them, the latest first. The name of another model does not count, because the user may have changed the model meanwhile.
fn full_name(reply: &str, chosen: &[&str]) -> String {
    match chosen.iter().find(|name| is_of(name, reply)) {
        Some(chosen) if chosen.ends_with(LONG) && !reply.ends_with(LONG) => format!("{reply}{LONG}"),
        _ => reply.to_owned(),
    }
}

/// The name is the model's id, with or without a date, or a short name within it.
fn is_of(name: &str, model: &str) -> bool {
    let [name, model] = [name, model].map(|name| name.strip_suffix(LONG).unwrap_or(name));
    !name.is_empty() && (model.contains(name) || name.contains(model))
}

/// Maximum age of a status-line report: an older one may lack the last reply, which the transcript has.
const FRESH: Duration = Duration::from_secs(60);

/// Claude Code writes its transcript by a timer: within 135 ms every time (tests/client-facts.md, section 4).
const WRITTEN_WITHIN: Duration = Duration::from_millis(250);

pub(crate) fn is_automatic_compaction(event: &Event) -> bool {
    matches!(event, Event::PreCompact { trigger } if trigger == "auto")
}

/// How full the context is; `None` if that is unknown or irrelevant for this event.
pub(crate) fn reading(context: &Context<'_, Settings>, state: &State, is_recorded: bool) -> Option<Reading> {
    let matters = match &context.request.event {
        // The reported tokens are no longer in the context.
        Event::SessionStart { source, .. } if matches!(source.as_str(), "compact" | "clear") => false,
        Event::SessionStart { .. }
        | Event::SessionEnd { .. }
        | Event::SubagentStart(_)
        | Event::SubagentStop(_) => is_recorded,
        _ => true,
    };
    let session = context.request.call.session_id.as_deref().filter(|_| matters)?;
    let reported = context.store.and_then(|store| store.read::<SessionUsage>(session));
    let is_compaction = is_automatic_compaction(&context.request.event);
    if is_compaction {
        // The hook learns from the last reply, and a compaction takes many seconds anyway.
        std::thread::sleep(WRITTEN_WITHIN);
    }
    let is_current = !state.compacted && !is_compaction;
    let by_status_line = || by_status_line(context, reported.as_ref().filter(|_| is_current)?);
    let reading = by_status_line().or_else(|| by_transcript(context, state, reported.as_ref()))?;
    // A session looks up the last compaction once, because each lookup reads a file.
    let compacted_at = match &state.compacted_at {
        Some((model, tokens)) if *model == reading.model => *tokens,
        _ => registry::read(context.store).compacted_at.get(&reading.model).copied().unwrap_or_default(),
    };
    Some(Reading { compacted_at, ..reading })
}

/// A fresh report. Before the first reply Claude Code reports 0, even for a resumed session.
fn by_status_line(context: &Context<'_, Settings>, reported: &SessionUsage) -> Option<Reading> {
    let age = context.host.now().since(Timestamp::from_secs(reported.written_at));
    let tokens = reported.context.used_tokens.filter(|tokens| *tokens > 0 && age <= FRESH)?;
    let window = window(context.settings, &reported.model, reported.context.size, tokens);
    Some(Reading { tokens, window, model: reported.model.clone(), compacted_at: 0 })
}

/// Uses the window of an old status-line report, too: the window of a model does not change.
fn by_transcript(
    context: &Context<'_, Settings>,
    state: &State,
    reported: Option<&SessionUsage>,
) -> Option<Reading> {
    let reply = last_reply(context.request.call.transcript_path.as_deref()?)?;
    let reported_model = reported.map_or("", |reported| &reported.model);
    let model = full_name(&reply.model, &[reported_model, state.model.as_deref().unwrap_or_default()]);
    let size = reported.filter(|_| is_of(reported_model, &model)).and_then(|reported| reported.context.size);
    let window = window(context.settings, &model, size, reply.tokens);
    Some(Reading { tokens: reply.tokens, window, model, compacted_at: 0 })
}

#[cfg(test)]
mod tests;
