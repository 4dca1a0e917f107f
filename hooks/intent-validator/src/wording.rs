//! The messages, and the texts of config/prompts.

use secrets::masked;
use shared::messages::{Text, Texts};
use shared::text::quoted;

use crate::checks::{Finding, cleaned};
use crate::form::{self, Form, Lack};
use crate::plan::{Allowed, Known};
use crate::settings::Settings;
use crate::state::Cause;

macro_rules! texts {
    ($($constant:ident = $folder:literal / $name:literal),*) => {
        $(pub(crate) const $constant: Text = Text {
            name: $name,
            built_in: include_str!(concat!("../../../config/prompts/", $folder, "/", $name, ".md")),
        };)*
        pub(crate) const ALL: &[Text] = &[$($constant),*];
    };
}

texts! {
    STAGE1 = "pre_tool_use" / "stage1_declaration_check",
    STAGE2 = "pre_tool_use" / "stage2_code_review",
    INTENT = "common" / "intent_declaration_prompt",
    TDD = "common" / "tdd_declaration_prompt",
    STATUS = "user_commands" / "status_message"
}

pub(crate) fn how_to_declare(texts: &mut Texts<'_>, program: &str) -> String {
    filled(texts, INTENT, &[("declare", program)])
}

pub(crate) fn about_tests(texts: &mut Texts<'_>, settings: &Settings) -> String {
    filled(texts, TDD, &[("core_paths", &settings.core_paths.join(", "))])
}

/// The text with each value in the place of its `{name}`. Other braces stay as they are.
pub(crate) fn filled(texts: &mut Texts<'_>, text: Text, values: &[(&str, &str)]) -> String {
    let fill = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
    values.iter().fold(texts.read(text), fill)
}

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
    let file = cleaned(&known.place.file, MAX_FINDING);
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

/// The answer to a line of which it is not certain that `declare` ran as it stands there.
pub(crate) const NOT_RECORDED: &str = "intent-validator: this declaration was not recorded: it is not made of plain words, too long, or may not have run. \
     Give each value in quotes, without $, `, ! and backslashes between double ones, and run nothing else in the same line.";

/// The line that Claude is shown.
fn declare_line(program: &str, form: &Form) -> String {
    let option = |(label, value): (&str, String)| format!(" --{} {}", label.to_lowercase(), quoted(&value));
    format!("{program} declare{}", form.values().map(option).collect::<String>())
}

/// The findings of the checks or of a review.
pub(crate) fn found(known: &Known, findings: &[Finding], cause: Cause) -> Refusal {
    let file = cleaned(&known.place.file, MAX_FINDING);
    let one = |finding: &Finding| {
        let line = if finding.line > 0 { format!("line {}, ", finding.line) } else { String::new() };
        let rule = cleaned(&finding.rule, MAX_QUOTED);
        let [why, fix] = [&finding.why, &finding.fix].map(|text| cleaned(text, MAX_FINDING));
        let stop = if why.is_empty() || why.ends_with(['.', '!', '?', '…']) { "" } else { "." };
        format!("- {line}{rule}: {why}{stop} Fix: {fix}")
    };
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    let more = (more > 0).then(|| format!("- and {more} more"));
    let list = findings.iter().take(MAX_FINDINGS).map(one).chain(more).collect::<Vec<_>>().join("\n");
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
        let (file, words) = (cleaned(file, MAX_FINDING), self.words());
        format!("intent-validator: {file} is changed {words}: allowed after max_blocks ({max_blocks}) blocks")
    }
}

#[cfg(test)]
pub(crate) mod tests;
