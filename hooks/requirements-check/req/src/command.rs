//! The commands of `req`: one definition for the shell and for typed prompts, one pure answer for both.
//!
//! What loosens (approve, waive, others' marks) belongs to the user: a person at a terminal of their own, or a prompt that
//! somebody typed. Claude's shell is told the line the user can type.

mod answer;
pub(crate) mod arguments;
mod clear;
mod help;
mod listing;
mod parse;
mod status;

use shared::operator::{Caller, Standing, UNTYPED};

use requirements_check::change::Change;

pub(crate) use answer::answer;
pub(crate) use help::{about, examples, groups};
pub(crate) use listing::{ListReport, SessionsReport};
pub(crate) use parse::{Asked, Check, clap_command, parse_words, usage_error};
pub(crate) use status::StatusReport;

/// What Claude, a script or a schedule is told instead; `line` is what the user can type.
pub(crate) fn refusal(caller: Caller, line: &str, why: &str) -> String {
    let how = match caller {
        Caller::Shell(Standing::NoTerminal) => "run it in a terminal of your own",
        Caller::Untyped => &format!("{UNTYPED}; run it in a terminal of your own"),
        Caller::Typed | Caller::Shell(_) => "they can type it as a prompt, or in a terminal of their own",
    };
    format!("req: refused, because {why}. This is for the user to decide; {how}: {line}")
}

/// What a command comes to.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// What is read.
    pub(crate) text: String,
    /// The answer is no: unsatisfied, not found, refused.
    pub(crate) is_no: bool,
    /// The text is what was asked for, even if the answer is no; else it says why nothing was done.
    pub(crate) is_report: bool,
    /// What is to be changed.
    pub(crate) changes: Vec<Change>,
}

impl Reply {
    pub(crate) fn yes(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(crate) fn no(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_no: true, ..Self::default() }
    }
}

#[cfg(test)]
mod tests;
