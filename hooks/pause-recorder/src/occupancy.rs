//! How full the context is: the tokens of the last real reply, of the window's. Pure; `reading` finds the numbers.
//!
//! Tokens: input, cache creation, cache reads and output of the last reply of the main conversation; the client counts these
//! four for its own compaction (tests/client-facts.md, section 6).

use crate::settings::Settings;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    StatusLine,
    /// The last reply in the transcript.
    Transcript,
}

/// How full the context is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub tokens: u64,
    /// So many tokens fit; never fewer than there are.
    pub window: u64,
    /// The id of the model that replied last; empty where it is not known.
    pub model: String,
    pub source: Source,
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
}

#[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^52")]
pub(crate) fn percent_of(tokens: u64, window: u64) -> f64 {
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
pub(crate) fn window(settings: &Settings, model: &str, told: Option<u64>, tokens: u64) -> u64 {
    let set = settings.context_window_tokens.map(|set| u64::from(set.get()));
    let by_name = model.ends_with(MILLION).then_some(MILLION_WINDOW);
    let of_model = settings.context_windows_tokens.iter().filter(|(name, _)| model.starts_with(*name));
    let of_model = of_model.max_by_key(|(name, _)| name.len()).map(|(_, set)| u64::from(set.get()));
    let known = [told, set, by_name, of_model].into_iter().flatten().find(|size| *size > 0);
    let known = known.unwrap_or(USUAL_WINDOW);
    // Where the reported size was wrong, no window lies between the two.
    if tokens <= known { known } else { tokens.max(MILLION_WINDOW) }
}

/// A model by the name it was chosen by: replies leave out the `[1m]`. `chosen`: what the client called the session's model,
/// the latest first; one that is another model's says nothing of this one, because it may have been changed meanwhile.
pub(crate) fn full_name(reply: &str, chosen: &[&str]) -> String {
    let chosen = chosen.iter().find(|name| is_of(name, reply)).copied().unwrap_or_default();
    match reply {
        "" => chosen.to_owned(),
        _ if chosen.ends_with(MILLION) && !reply.ends_with(MILLION) => format!("{reply}{MILLION}"),
        _ => reply.to_owned(),
    }
}

/// This is what the model is called: its id, with or without a date, or a short name within it.
pub(crate) fn is_of(name: &str, model: &str) -> bool {
    let name = name.strip_suffix(MILLION).unwrap_or(name);
    let model = model.strip_suffix(MILLION).unwrap_or(model);
    !name.is_empty() && (model.contains(name) || name.contains(model))
}

#[cfg(test)]
mod tests;
