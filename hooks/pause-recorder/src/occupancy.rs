//! How full the context is: the tokens of the last real reply, of the window's. Pure; `observe` finds the numbers.
//!
//! Tokens: input, cache creation, cache reads and output of the last reply of the main conversation; the client counts these
//! four for its own compaction (tests/client-facts.md, section 6).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    StatusLine,
    /// The last reply in the transcript.
    Transcript,
}

/// How full the context is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// So many tokens are in it.
    pub tokens: u64,
    /// So many fit; never fewer than there are, never 0.
    pub window: u64,
    /// The model that replied last, by its id; empty where it is not known.
    pub model: String,
    pub source: Source,
    /// The window, where the client has told one for this model that is not what was learnt before.
    pub new_window: Option<u64>,
}

impl Reading {
    /// Percent of the window that is used, 0 to 100.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^52")]
    pub fn percent(&self) -> f64 {
        (self.tokens as f64 * 100.0 / self.window.max(1) as f64).clamp(0.0, 100.0)
    }

    /// The same from 0 to 1, as the record has it.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.percent() / 100.0
    }
}

/// Sizes of a window by their source. A size of 0 counts as none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WindowWords<'a> {
    /// By the status line.
    pub told: Option<u64>,
    /// By the settings.
    pub set: Option<u64>,
    /// The model, see [`full_name`].
    pub model: &'a str,
    /// Window that the status line last reported for this model, else that of the settings.
    pub by_model: Option<u64>,
}

/// The window of an unknown model.
pub(crate) const USUAL_WINDOW: u64 = 200_000;

/// The window of a model whose name ends in `[1m]`.
pub(crate) const MILLION_WINDOW: u64 = 1_000_000;

/// Ending of the names of models with the long window.
const MILLION: &str = "[1m]";

impl WindowWords<'_> {
    /// The first size that is known of this window.
    fn first(&self) -> Option<u64> {
        let known = |size: Option<u64>| size.filter(|size| *size > 0);
        known(self.told)
            .or(known(self.set))
            .or_else(|| self.model.ends_with(MILLION).then_some(MILLION_WINDOW))
    }

    /// No source gives the size of this window.
    #[must_use]
    pub(crate) fn is_guess(&self) -> bool {
        self.first().is_none()
    }
}

/// The window's size, by the first who knows; never smaller than what was seen in it.
#[must_use]
pub(crate) fn window(words: &WindowWords<'_>, tokens: u64) -> u64 {
    let by_model = words.by_model.filter(|size| *size > 0);
    let said = words.first().or(by_model).unwrap_or(USUAL_WINDOW);
    match tokens {
        tokens if tokens <= said => said,
        // The reported size was wrong; no window lies between the two.
        tokens if tokens <= MILLION_WINDOW => MILLION_WINDOW,
        tokens => tokens,
    }
}

/// A model by the name it was chosen by: replies leave out the `[1m]`. `chosen`: what the client called the session's model,
/// the latest first; one that is another model's says nothing of this one, because it may have been changed meanwhile.
#[must_use]
pub(crate) fn full_name(reply: &str, chosen: &[&str]) -> String {
    let chosen = chosen.iter().find(|name| is_of(name, reply)).copied().unwrap_or_default();
    match reply {
        "" => chosen.to_owned(),
        _ if chosen.ends_with(MILLION) && !reply.ends_with(MILLION) => format!("{reply}{MILLION}"),
        _ => reply.to_owned(),
    }
}

/// This is what the model is called: its id, with or without a date, or a short name within it.
#[must_use]
pub(crate) fn is_of(name: &str, model: &str) -> bool {
    let name = name.strip_suffix(MILLION).unwrap_or(name);
    let model = model.strip_suffix(MILLION).unwrap_or(model);
    !name.is_empty() && (model.contains(name) || name.contains(model))
}

#[cfg(test)]
mod tests;
