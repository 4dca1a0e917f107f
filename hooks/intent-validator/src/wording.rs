//! The messages. A test follows what each asks for.

use secrets::masked;

use crate::checks::Finding;
use crate::command::declare_line;
use crate::form::{self, Form, Lack};
use crate::plan::{Allowed, Known};
use crate::prompts::cleaned;
use crate::state::Cause;

const MAX_QUOTED: usize = 100;
const MAX_FINDING: usize = 300;

const MAX_FINDINGS: usize = 5;

/// A message, and the next step that it asks for.
pub(crate) type Refusal = (String, String);

const WITHOUT_TEST: &str = "\nWithout a test, quote a whole sentence from the user's last five messages, as in TEST: none, the user said: \"...\"";

/// The form with FILE filled in. Claude writes the rest: it would copy a draft without a thought.
pub(crate) fn lacks(known: &Known, lack: &Lack) -> Refusal {
    let why = match lack {
        Lack::Form => "this change is not declared.".to_owned(),
        Lack::Parts(parts) => {
            let labels = parts.iter().map(|part| part.label()).collect::<Vec<_>>().join(" and ");
            let verb = if parts.len() == 1 { "is" } else { "are" };
            format!("{labels} {verb} missing, one word, or not filled in.")
        }
        Lack::Test => "this is core code, and TEST names no test file and no test.".to_owned(),
        Lack::Quote(quote) => {
            // Masked before it is cut: half a secret may look like nothing.
            let quote = cleaned(&masked(quote), MAX_QUOTED);
            format!("the user's last five messages do not contain \"{quote}\" as a sentence of its own.")
        }
    };
    let blank = Form::blank(&known.place.file, known.heard.wants_test);
    let file = shown(&known.place.file);
    let lines = blank.lines();
    let example = form::EXAMPLE.map(|line| format!("\"{line}\"")).join(", ");
    let declare = declare_line(&known.program, &blank);
    let without = if known.heard.wants_test { WITHOUT_TEST } else { "" };
    let text = format!(
        "intent-validator: {file}: {why} Write this form in the message that makes the edit, filled in, and make the edit again:\n\n\
         {lines}\n\nExample: {example}.{without}\nWhere a message carries no text, run this first, filled in and alone on a line: {declare}"
    );
    (text, format!("declare the change of {file}: FILE, CHANGES, GOAL"))
}

/// The findings of the checks or of a review.
pub(crate) fn found(known: &Known, findings: &[Finding], cause: Cause) -> Refusal {
    let (file, list) = (shown(&known.place.file), listed(findings));
    let (why, fix) = match cause {
        Cause::Review => (
            "a model that reviewed it found fault with it",
            "Fix that, or declare what you mean to do, and make the edit again with its declaration in the same message.",
        ),
        _ => ("it is not clean", "Fix that, and make the edit again."),
    };
    let text = format!("intent-validator: this change of {file}: {why}.\n{list}\n{fix}");
    (text, "fix what was found, and make the edit again".to_owned())
}

fn listed(findings: &[Finding]) -> String {
    let one = |finding: &Finding| {
        let line = if finding.line > 0 { format!("line {}, ", finding.line) } else { String::new() };
        let rule = cleaned(&finding.rule, MAX_QUOTED);
        let [why, fix] = [&finding.why, &finding.fix].map(|text| cleaned(text, MAX_FINDING));
        format!("- {line}{rule}: {why} Fix: {fix}")
    };
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    let more = (more > 0).then(|| format!("- and {more} more"));
    findings.iter().take(MAX_FINDINGS).map(one).chain(more).collect::<Vec<_>>().join("\n")
}

impl Allowed {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Enough(Cause::Declaration) => "without a declaration that is whole",
            Self::Enough(Cause::Checks) => "with what was found in it",
            Self::Enough(Cause::Review) => "without another review",
            Self::Private => "not sent to a model",
        }
    }

    pub(crate) fn notice(self, file: &str, max_blocks: u32) -> String {
        let (file, words) = (shown(file), self.words());
        format!("intent-validator: {file} is changed {words}: allowed after max_blocks ({max_blocks}) blocks")
    }
}

fn shown(file: &str) -> String {
    cleaned(file, MAX_FINDING)
}

#[cfg(test)]
mod tests;
