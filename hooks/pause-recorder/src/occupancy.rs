//! How full the context is: the tokens of the last real reply, of the window's. Pure; `observe` finds the numbers.
//!
//! Tokens: input, cache creation, cache reads and output of the last reply of the main conversation; the client counts these
//! four for its own compaction (tests/client-facts.md, section 6).

/// Where a reading comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// What the client told its status line.
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
    /// Who says so.
    pub source: Source,
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

/// What is known of a window, of whomever.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WindowWords<'a> {
    /// The client told its status line so.
    pub told: Option<u64>,
    /// The setting says so.
    pub set: Option<u64>,
    /// The model's id, or the name it was chosen by (`sonnet[1m]`).
    pub models: Vec<&'a str>,
    /// What this model's window was when the status line last told it, else what the settings say of models of this name.
    pub by_model: Option<u64>,
}

/// So many tokens fit where nobody says anything.
pub const USUAL_WINDOW: u64 = 200_000;

/// So many fit into the window of a model whose name ends in `[1m]`.
pub const MILLION_WINDOW: u64 = 1_000_000;

/// The window's size, by the first who knows; never smaller than what was seen in it.
#[must_use]
pub fn window(words: &WindowWords<'_>, tokens: u64) -> u64 {
    let is_million = words.models.iter().any(|model| model.ends_with("[1m]"));
    let said = words
        .told
        .or(words.set)
        .or(is_million.then_some(MILLION_WINDOW))
        .or(words.by_model)
        .filter(|size| *size > 0)
        .unwrap_or(USUAL_WINDOW);
    match tokens {
        tokens if tokens <= said => said,
        // Somebody was wrong; there is no window between the two.
        tokens if tokens <= MILLION_WINDOW => MILLION_WINDOW,
        tokens => tokens,
    }
}
