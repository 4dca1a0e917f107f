//! The questions to the models, and their verdicts. A verdict that contradicts itself is none.

use judge::{Asked, NoVerdict, Part, Question};
use secrets::masked;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::digest;
use transcript::{Quotable, Words};

use crate::change::beginning;
use crate::checks::{self, Finding};
use crate::form::Part as FormPart;
use crate::prompts::cleaned;
use crate::settings::Settings;

/// The most characters of a path and of a declaration that are shown.
const MAX_SHORT: usize = 1_000;
const MAX_DECLARED: usize = 4_000;

/// The most rules that count, and the most characters of each.
const MAX_RULES: usize = 50;
const MAX_RULE: usize = 300;

const OF_A_PART: &str = "Of the diff only the beginning is shown, and where it ends is marked. Judge what you see; nothing is \
                         missing only because it could stand in the rest.";

const UNDECLARED: &str = "This change was not declared, and `declaration` is empty. Hold the change against what the user asked \
                          for in `conversation`, and against the rules.";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict")]
pub(crate) enum Announced {
    #[serde(rename = "YES")]
    Yes,
    /// Nothing was declared, or these parts are missing.
    #[serde(rename = "NO")]
    No {
        #[serde(default)]
        missing: Vec<FormPart>,
    },
    /// Declared, but for the test.
    #[serde(rename = "NO_TDD")]
    NoTest,
}

/// The findings of stage 2; without any the change is approved.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Verdict")]
pub(crate) struct Review(pub(crate) Vec<Finding>);

#[derive(Deserialize)]
#[serde(tag = "verdict", rename_all = "UPPERCASE")]
enum Verdict {
    Approved,
    Blocked {
        #[serde(default)]
        findings: Vec<Finding>,
    },
}

impl TryFrom<Verdict> for Review {
    type Error = &'static str;

    fn try_from(verdict: Verdict) -> Result<Self, Self::Error> {
        let Verdict::Blocked { mut findings } = verdict else { return Ok(Self(Vec::new())) };
        findings.retain(|finding| !finding.why.trim().is_empty() || !finding.fix.trim().is_empty());
        if findings.is_empty() { Err("BLOCKED without a finding") } else { Ok(Self(findings)) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply<V> {
    /// Without a verdict the reason to ask the user, if there is one.
    pub(crate) verdict: Result<V, Option<String>>,
    pub(crate) notice: Option<String>,
}

impl<V> From<Asked<V>> for Reply<V> {
    /// The user's own settings and limits, and another hook's block, are no failures.
    fn from(asked: Asked<V>) -> Self {
        let verdict = asked.verdict.map_err(|why| match why {
            NoVerdict::Failed(why) => Some(why),
            NoVerdict::BlockedElsewhere | NoVerdict::Unwanted => None,
        });
        Self { verdict, notice: asked.notice }
    }
}

pub(crate) fn announced<'a>(
    settings: &'a Settings,
    instructions: String,
    file: &str,
    words: &Words,
    user: &Quotable,
) -> Question<'a> {
    let most = settings.judge.max_conversation_chars.get() as usize / 2;
    let parts = [
        ("file", file, MAX_SHORT),
        ("said_before", &words.before.join("\n\n"), most),
        ("said", words.own.as_deref().unwrap_or_default(), most),
        ("user", &user.texts.join("\n\n"), most),
    ];
    let part = json!({ "type": "string", "enum": ["FILE", "CHANGES", "GOAL"] });
    Question {
        purpose: "declaration",
        model: &settings.stage1_model,
        fallback: None,
        instructions,
        parts: parts.map(part_of).into(),
        verdicts: schema(&["YES", "NO", "NO_TDD"], "missing", &part),
    }
}

/// The question of stage 2. A diff that is too long keeps its head and its first hunks. It is masked before it is cut: half a secret
/// may look like nothing.
pub(crate) fn reviewed<'a>(
    settings: &'a Settings,
    instructions: String,
    file: &str,
    declared: &str,
    diff: &str,
    conversation: &str,
) -> Question<'a> {
    let max_diff = settings.judge.max_diff_chars.get() as usize;
    let diff = masked(diff);
    let cut = beginning(&diff, max_diff);
    let notes = [(cut.is_some(), OF_A_PART), (declared.is_empty(), UNDECLARED)];
    let notes = notes.into_iter().filter(|(applies, _)| *applies);
    let parts = [
        ("file", file, MAX_SHORT),
        ("declaration", declared, MAX_DECLARED),
        ("diff", cut.as_deref().unwrap_or(&diff), max_diff),
        ("conversation", conversation, settings.judge.max_conversation_chars.get() as usize),
    ];
    let text = json!({ "type": "string" });
    let finding = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["rule", "line", "why", "fix"],
        "properties": { "rule": text, "line": { "type": "integer" }, "why": text, "fix": text }
    });
    Question {
        purpose: if cut.is_some() { "review of a part" } else { "review" },
        model: &settings.stage2_model,
        fallback: settings.stage2_fallback_model.as_deref(),
        instructions: notes.fold(instructions, |text, (_, note)| format!("{text}\n\n{note}")),
        parts: parts.map(part_of).into(),
        verdicts: schema(&["APPROVED", "BLOCKED"], "findings", &finding),
    }
}

fn schema(verdicts: &[&str], list: &str, items: &Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["verdict", list],
        "properties": {
            "verdict": { "type": "string", "enum": verdicts },
            list: { "type": "array", "items": items }
        }
    })
}

fn part_of((name, text, max_chars): (&'static str, &str, usize)) -> Part {
    Part { name, text: text.to_owned(), max_chars }
}

/// The rules for a model, without those that our own checks judge in this file. A project may set some, so each is one short line.
pub(crate) fn asked_rules(settings: &Settings, file: &str) -> String {
    let checked = checks::rules(file, &settings.checks);
    let rules = settings.rules.iter().filter(|(_, text)| !text.trim().is_empty()).take(MAX_RULES);
    let asked = rules.filter(|(name, _)| !checked.contains(&name.as_str()));
    let lines =
        asked.map(|(name, text)| format!("- {}: {}", cleaned(name, MAX_RULE), cleaned(text, MAX_RULE)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The identity of a review: the same change under the same declaration, rules and model has the same verdict.
pub(crate) fn key(settings: &Settings, file: &str, declared: &str, diff: &str) -> String {
    let question = (declared, diff, asked_rules(settings, file), &settings.stage2_model);
    digest::hex(format!("{question:?}"), 16)
}

#[cfg(test)]
mod tests;
