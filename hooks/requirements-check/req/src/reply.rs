//! The answer to a command. An error is an answer, too: its text says why the answer is no, and what to do.

use requirements_check::change::Change;
use serde::Serialize;
use shared::config::nearest;
use shared::operator::Caller;
use shared::text::cut;

#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    /// The text is a report, and it says no.
    pub(crate) is_no: bool,
    /// Changes of satisfactions, to be carried out.
    pub(crate) changes: Vec<Change>,
    /// The hook sees this command and records it where this process may not write.
    pub(crate) is_recorded: bool,
}

impl Reply {
    pub(crate) fn yes(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// A report for programs. Our own types always serialize.
pub(crate) fn json(report: &impl Serialize) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default()
}

/// Claude, a script or a schedule reads this; the user can type `line`.
pub(crate) fn refusal(caller: Caller, line: &str, why: &str) -> String {
    format!("req: denied, because {}", caller.refusal_because(why, line, true))
}

/// An unknown name, with the nearest known one.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str], otherwise: &str) -> String {
    let name = cut(name, 60);
    let near = nearest(&name, known).map(|near| format!("; did you mean {near}?"));
    format!("req: there is no {what} {name}{}", near.as_deref().unwrap_or(otherwise))
}

/// As much of a session's id as people need.
pub(crate) fn short(session: &str) -> String {
    session.chars().take(8).collect()
}

pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
