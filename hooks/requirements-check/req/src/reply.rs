//! The answer to a command. An error is an answer, too: its text says why the answer is no, and what to do.

use anyhow::{Error, anyhow};
use requirements_check::change::Change;
use serde::Serialize;
use shared::config::nearest;
use shared::journal::Record;
use shared::text::cut;

pub(crate) type Answer = anyhow::Result<Reply>;

#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    /// The text is a report, and it says no.
    pub(crate) is_no: bool,
    /// Changes of satisfactions, to be carried out.
    pub(crate) changes: Vec<Change>,
    /// Goes into the journal when they are.
    pub(crate) record: Option<Record>,
    /// The hook sees this command and records it where this process may not write.
    pub(crate) is_recorded: bool,
}

#[derive(Serialize)]
struct Versioned<'r, T> {
    version: u32,
    #[serde(flatten)]
    report: &'r T,
}

impl Reply {
    pub(crate) fn yes(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(crate) fn lines(lines: impl IntoIterator<Item = String>) -> Self {
        Self::yes(lines.into_iter().collect::<Vec<_>>().join("\n"))
    }

    /// A report for programs, as config/req describes it.
    pub(crate) fn json(report: &impl Serialize) -> Self {
        Self::yes(json(&Versioned { version: 1, report }))
    }
}

/// Our own types always serialize.
pub(crate) fn json(report: &impl Serialize) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default()
}

/// An unknown name, with the nearest known one.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str], otherwise: &str) -> Error {
    let name = cut(name, 60);
    let near = nearest(&name, known).map(|near| format!("; did you mean {near}?"));
    anyhow!("there is no {what} {name}{}", near.as_deref().unwrap_or(otherwise))
}

/// As much of a session's id as people need.
pub(crate) fn short(session: &str) -> String {
    session.chars().take(8).collect()
}

pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
