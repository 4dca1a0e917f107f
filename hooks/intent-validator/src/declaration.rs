//! Reading what Claude says about a change: the local part of stage 1. It decides where a reader could not doubt it, and says
//! so where it cannot tell. Pure.

use serde::{Deserialize, Serialize};

/// What is known when a change is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard<'a> {
    /// The file, from the project's root, with `/`.
    pub(crate) file: &'a str,
    /// A test has to be named, or the user's permission quoted.
    pub(crate) wants_test: bool,
    /// The prose of the message that makes the call.
    pub(crate) own: &'a str,
    /// The prose of the messages before it since the last prompt, oldest first.
    pub(crate) before: &'a [String],
    /// The user's own last messages, oldest first.
    pub(crate) user: &'a [String],
}

/// What was declared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Declaration {
    /// The file, as it was named.
    pub(crate) file: String,
    /// What is changed.
    pub(crate) changes: String,
    /// To what end.
    pub(crate) goal: String,
    /// The test.
    pub(crate) test: Option<String>,
    /// What the user said that permits to go without one.
    pub(crate) user_permission: Option<String>,
}

/// What stage 1 comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// Declared.
    Yes(Declaration),
    /// Not, or not wholly: these are missing.
    No(Vec<Missing>),
    /// Declared, but for the test.
    NoTdd(TestLack),
    /// A reader is needed.
    Undecidable,
}

/// A part of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Missing {
    /// Nothing was declared at all.
    Everything,
    /// Which file.
    File,
    /// What is changed.
    Changes,
    /// To what end.
    Goal,
}

/// Why core code may not be changed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TestLack {
    /// No test is named, and no permission quoted.
    Nothing,
    /// The quote is not to be found in what the user said.
    QuoteNotFound(String),
}

/// Judges what was said about a change.
pub(crate) fn judge(_heard: &Heard<'_>) -> Judgement {
    Judgement::Undecidable
}

/// Judges a declaration that was recorded for this file.
pub(crate) fn judge_recorded(_declaration: &Declaration, _heard: &Heard<'_>) -> Judgement {
    Judgement::Undecidable
}

/// The lines that declare, as they are to be written: what [`judge`] reads for certain.
pub(crate) fn lines(_declaration: &Declaration) -> String {
    String::new()
}
