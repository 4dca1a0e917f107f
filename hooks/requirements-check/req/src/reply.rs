//! The answer to a command. An error is an answer, too: the text says why the answer is no, and what to do.

use requirements_check::change::Change;
use requirements_check::words::cut;
use serde::Serialize;
use shared::config::nearest;
use shared::operator::{Caller, Standing, UNTYPED};

/// What a command comes to.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    /// The text is a report, and it says no.
    pub(crate) is_no: bool,
    /// Changes of satisfactions, to be carried out.
    pub(crate) changes: Vec<Change>,
    /// Requirements whose approval or waiver ends with the changes, for the journal.
    pub(crate) ended: Vec<String>,
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

/// What Claude, a script or a schedule reads instead; `line` is what the user can type.
pub(crate) fn refusal(caller: Caller, line: &str, why: &str) -> String {
    let how = match caller {
        Caller::Shell(Standing::NoTerminal) => "run it in a terminal of your own",
        Caller::Untyped => &format!("{UNTYPED}; run it in a terminal of your own"),
        Caller::Typed | Caller::Shell(_) => "they can type it as a prompt, or in a terminal of their own",
    };
    format!("req: refused, because {why}. This is for the user to decide; {how}: {line}")
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
