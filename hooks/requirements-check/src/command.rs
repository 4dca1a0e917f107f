//! The commands of `req`: one definition for the shell and for typed prompts, one pure answer for both.
//!
//! What loosens (approve, waive, others' marks) belongs to the user: a person at a terminal of their own, or a prompt that
//! somebody typed. Claude's shell is told the line the user can type.

mod answer;
mod clear;
mod listing;
mod parse;
mod status;

use shared::operator::Standing as Caller;

use crate::change::Change;

pub(crate) use answer::answer;
pub(crate) use parse::{Asked, Check, parse_prompt, parse_words};

/// Where a command comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standpoint {
    /// A prompt that somebody typed.
    TypedPrompt,
    /// A prompt of a script, a schedule, or a notice.
    UntypedPrompt,
    /// A shell.
    Shell(Caller),
}

impl Standpoint {
    /// It is the user, as far as can be told.
    pub(crate) fn is_operator(self) -> bool {
        matches!(self, Self::TypedPrompt | Self::Shell(Caller::Operator))
    }
}

/// What a command comes to.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// What is read.
    pub(crate) text: String,
    /// The answer is no: unsatisfied, not found, refused.
    pub(crate) is_no: bool,
    /// What is to be changed.
    pub(crate) changes: Vec<Change>,
}

impl Reply {
    fn yes(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    fn no(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_no: true, ..Self::default() }
    }
}

#[cfg(test)]
mod tests;
