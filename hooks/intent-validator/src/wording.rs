//! The messages. A test follows what each asks for.

use secrets::masked;

use crate::checks::Finding;
use crate::declare;
use crate::form::{self, Form, Lack};
use crate::plan::{Allowed, Known};
use crate::state::Cause;

/// So much of a text of others is repeated, in characters.
const MAX_QUOTED: usize = 100;
const MAX_FINDING: usize = 300;

/// So many findings are told.
const MAX_FINDINGS: usize = 5;

/// A refusal: the text, and what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) text: String,
    pub(crate) next: String,
}

pub(crate) fn lacks(known: &Known, lack: &Lack) -> Refusal {
    match lack {
        Lack::Form => asked_for(known, "this change is not declared."),
        Lack::Parts(parts) => {
            let labels: Vec<&str> = parts.iter().map(|part| part.label()).collect();
            let labels = labels.join(" and ");
            let verb = if parts.len() == 1 { "is" } else { "are" };
            asked_for(known, &format!("{labels} {verb} missing, one word, or not filled in."))
        }
        Lack::Test => asked_for(known, "this is core code, and TEST names no test file and no test."),
        Lack::Quote(quote) => {
            let quote = quoted(quote);
            asked_for(
                known,
                &format!(
                    "the user's last five messages do not contain \"{quote}\" as a sentence of its own."
                ),
            )
        }
    }
}

const WITHOUT_TEST: &str = "\nWithout a test, quote a whole sentence from the user's last five messages: TEST: none, the user said: \"...\"";

/// The form with FILE filled in. The rest is Claude's to write: a draft of ours would pass without a thought.
fn asked_for(known: &Known, why: &str) -> Refusal {
    // Another repository of the project may have a file of the same short name.
    let blank = Form::blank(&known.place.in_project, known.wants_test);
    let file = shown(&known.place.file);
    let lines = blank.lines();
    let example = form::example();
    let declare = declare::line(&known.program, &blank);
    let without = if known.wants_test { WITHOUT_TEST } else { "" };
    let text = format!(
        "intent-validator: {file}: {why} Write this form in the message that makes the edit, filled in, and make the edit again:\n\n\
         {lines}\n\n{example}{without}\nWhere a message carries no text, run this first, filled in: {declare}"
    );
    Refusal { text, next: format!("declare the change of {file}: FILE, CHANGES, GOAL") }
}

pub(crate) fn found(known: &Known, findings: &[Finding]) -> Refusal {
    let file = shown(&known.place.file);
    let list = listed(findings);
    Refusal {
        text: format!(
            "intent-validator: this change of {file} is not clean.\n{list}\nFix that, and make the edit again."
        ),
        next: "fix what was found, and make the edit again".to_owned(),
    }
}

/// What a model found.
pub(crate) fn reviewed(known: &Known, findings: &[Finding]) -> Refusal {
    let file = shown(&known.place.file);
    let list = listed(findings);
    Refusal {
        text: format!(
            "intent-validator: a model that reviewed this change of {file} against its declaration found fault with it.\n{list}\nFix \
             that, or declare what you mean to do, and make the edit again with its declaration in the same message."
        ),
        next: "fix what was found or declare it, and make the edit again".to_owned(),
    }
}

/// A sentence with its full stop.
fn ended(sentence: String) -> String {
    if sentence.is_empty() || sentence.ends_with(['.', '!', '?', '…', ':', ';']) {
        sentence
    } else {
        format!("{sentence}.")
    }
}

fn listed(findings: &[Finding]) -> String {
    let one = |finding: &Finding| {
        let line = if finding.line > 0 { format!("line {}, ", finding.line) } else { String::new() };
        let rule = cleaned(&finding.rule, MAX_QUOTED);
        let why = ended(cleaned(&finding.why, MAX_FINDING));
        let fix = ended(cleaned(&finding.fix, MAX_FINDING));
        format!("- {line}{rule}: {why} Fix: {fix}")
    };
    let mut list: Vec<String> = findings.iter().take(MAX_FINDINGS).map(one).collect();
    if findings.len() > MAX_FINDINGS {
        list.push(format!("- and {} more", findings.len() - MAX_FINDINGS));
    }
    list.join("\n")
}

impl Allowed {
    /// For the journal.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Enough(Cause::Declaration) => "blocked often enough for its declaration",
            Self::Enough(Cause::Test) => "blocked often enough for its test",
            Self::Enough(Cause::Checks) => "blocked often enough for what was found",
            Self::Enough(Cause::Review) => "blocked often enough for its review",
            Self::Private => "not sent to a model",
        }
    }

    /// For the user, where they should know.
    pub(crate) fn notice(self, file: &str, max_blocks: u32) -> Option<String> {
        let Self::Enough(cause) = self else { return None };
        let lack = match cause {
            Cause::Declaration => "without a declaration",
            Cause::Test => "without a test or your permission",
            Cause::Checks => "with what was found in it",
            Cause::Review => "with what a review had found in it",
        };
        let file = shown(file);
        Some(format!(
            "intent-validator: {file} is changed {lack}: allowed after max_blocks ({max_blocks}) blocks"
        ))
    }
}

/// A path as it is told.
fn shown(file: &str) -> String {
    cleaned(file, MAX_FINDING)
}

/// What somebody has said. Masked before it is cut: the journal would not know half a secret again.
fn quoted(text: &str) -> String {
    cleaned(&masked(text), MAX_QUOTED)
}

/// One line without anything that moves the cursor or turns the writing round, cut to so many characters.
pub(crate) fn cleaned(text: &str, max_chars: usize) -> String {
    let is_hidden = |char: char| {
        char.is_control()
            || matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let line: String = text.chars().map(|char| if is_hidden(char) { ' ' } else { char }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut kept: String = line.chars().take(max_chars).collect();
    if kept.len() < line.len() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests;
