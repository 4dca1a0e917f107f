//! What the models are asked, and their verdicts. A verdict that contradicts itself is none.

use judge::{Asked, NotAsked, Outcome, Part, Question};
use secrets::masked;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::change::beginning;
use crate::checks::{self, Finding};
use crate::form::Part as FormPart;
use crate::settings::Settings;

/// Of a path, of a few words, and of what was declared, so many characters are shown.
const MAX_SHORT: usize = 1_000;
const MAX_DECLARED: usize = 4_000;

/// Said where a diff is cut.
const OF_A_PART: &str = "Of the diff only the beginning is shown, and where it ends is marked. Judge what you see; nothing is \
                         missing only because it could stand in the rest.";

/// The note on a change that was allowed without a declaration.
const UNDECLARED: &str = "This change was not declared, and `declaration` is empty. Hold the change against what the user asked \
                          for in `conversation`, and against the rules.";

/// The verdict of stage 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RawAnnounced", into = "RawAnnounced")]
pub(crate) enum Announced {
    Yes,
    /// These are missing; none of them: nothing was declared.
    No(Vec<FormPart>),
    /// Declared, but for the test.
    NoTest,
}

#[derive(Serialize, Deserialize)]
struct RawAnnounced {
    verdict: String,
    #[serde(default)]
    missing: Vec<String>,
}

impl TryFrom<RawAnnounced> for Announced {
    type Error = &'static str;

    fn try_from(raw: RawAnnounced) -> Result<Self, Self::Error> {
        const PARTS: [FormPart; 3] = [FormPart::File, FormPart::Changes, FormPart::Goal];
        let part = |name: &String| PARTS.into_iter().find(|part| part.label() == name);
        match raw.verdict.as_str() {
            "YES" => Ok(Self::Yes),
            "NO" => Ok(Self::No(raw.missing.iter().filter_map(part).collect())),
            "NO_TDD" => Ok(Self::NoTest),
            _ => Err("a verdict is YES, NO or NO_TDD"),
        }
    }
}

impl From<Announced> for RawAnnounced {
    fn from(announced: Announced) -> Self {
        let (verdict, missing) = match announced {
            Announced::Yes => ("YES", Vec::new()),
            Announced::No(missing) => ("NO", missing),
            Announced::NoTest => ("NO_TDD", Vec::new()),
        };
        let missing = missing.into_iter().map(|part| part.label().to_owned()).collect();
        Self { verdict: verdict.to_owned(), missing }
    }
}

/// What a model of stage 2 found; nothing: approved.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawReview")]
pub(crate) struct Review(pub(crate) Vec<Finding>);

#[derive(Deserialize)]
struct RawReview {
    verdict: String,
    #[serde(default)]
    findings: Vec<RawFinding>,
}

#[derive(Deserialize)]
struct RawFinding {
    #[serde(default)]
    rule: String,
    #[serde(default)]
    line: i64,
    #[serde(default)]
    why: String,
    #[serde(default)]
    fix: String,
}

impl TryFrom<RawReview> for Review {
    type Error = &'static str;

    fn try_from(raw: RawReview) -> Result<Self, Self::Error> {
        let says = |finding: &RawFinding| !finding.why.trim().is_empty() || !finding.fix.trim().is_empty();
        let findings: Vec<Finding> = raw.findings.into_iter().filter(says).map(Finding::from).collect();
        match raw.verdict.as_str() {
            "APPROVED" => Ok(Self(Vec::new())),
            "BLOCKED" if findings.is_empty() => Err("BLOCKED says what is wrong"),
            "BLOCKED" => Ok(Self(findings)),
            _ => Err("a verdict is APPROVED or BLOCKED"),
        }
    }
}

impl From<RawFinding> for Finding {
    fn from(raw: RawFinding) -> Self {
        let RawFinding { rule, line, why, fix } = raw;
        Self { rule, line: u32::try_from(line).unwrap_or(0), why, fix }
    }
}

/// What came back of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply<V> {
    /// The verdict; without one, why, where that is a reason to ask the user.
    pub(crate) verdict: Result<V, Option<String>>,
    /// What the user is told of it.
    pub(crate) notice: Option<String>,
}

impl<V> From<Asked<V>> for Reply<V> {
    /// That a limit of the user's own is reached, that nobody is to be asked, and that another hook has refused the call
    /// already, are no failures.
    fn from(asked: Asked<V>) -> Self {
        let verdict = match asked.outcome {
            Outcome::Answered(verdict) => Ok(verdict),
            Outcome::Failed(trouble) => Err(Some(trouble.to_string())),
            Outcome::NotAsked(NotAsked::Misled) => {
                Err(Some("the project's settings could lead the question elsewhere".to_owned()))
            }
            Outcome::NotAsked(_) => Err(None),
        };
        Self { verdict, notice: asked.notice }
    }
}

/// What stage 1 looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Announcement<'a> {
    pub(crate) file: &'a str,
    pub(crate) own: &'a str,
    pub(crate) before: &'a [String],
    pub(crate) user: &'a [String],
}

/// The question of stage 1.
pub(crate) fn announced<'a>(
    settings: &'a Settings,
    instructions: String,
    shown: &Announcement<'_>,
) -> Question<'a> {
    let conversation = characters(settings.judge.max_conversation_chars.get());
    Question {
        purpose: "declaration",
        model: &settings.stage1_model,
        fallback: None,
        instructions,
        parts: vec![
            part("file", shown.file, MAX_SHORT),
            part("said_before", &shown.before.join("\n\n"), conversation / 2),
            part("said", shown.own, conversation / 2),
            part("user", &shown.user.join("\n\n"), conversation / 2),
        ],
        verdicts: json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["verdict", "missing"],
            "properties": {
                "verdict": { "type": "string", "enum": ["YES", "NO", "NO_TDD"] },
                "missing": {
                    "type": "array",
                    "items": { "type": "string", "enum": ["FILE", "CHANGES", "GOAL"] }
                }
            }
        }),
    }
}

/// The question of stage 2. A diff that is too long keeps its head and its first hunks, and is masked before it is cut: of a
/// secret that was cut in half the rest may look like nothing.
pub(crate) fn reviewed<'a>(
    settings: &'a Settings,
    instructions: String,
    file: &str,
    declared: &str,
    diff: &str,
    conversation: &str,
) -> Question<'a> {
    let judge = &settings.judge;
    let max_diff = characters(judge.max_diff_chars.get());
    let diff = masked(diff);
    let cut = beginning(&diff, max_diff);
    let purpose = if cut.is_some() { "review of a part" } else { "review" };
    let notes = [(cut.is_some(), OF_A_PART), (declared.is_empty(), UNDECLARED)];
    let notes = notes.into_iter().filter(|(applies, _)| *applies);
    let instructions = notes.fold(instructions, |text, (_, note)| format!("{text}\n\n{note}"));
    Question {
        purpose,
        model: &settings.stage2_model,
        fallback: settings.stage2_fallback_model.as_deref(),
        instructions,
        parts: vec![
            part("file", file, MAX_SHORT),
            part("declaration", declared, MAX_DECLARED),
            part("diff", cut.as_deref().unwrap_or(&diff), max_diff),
            part("conversation", conversation, characters(judge.max_conversation_chars.get())),
        ],
        verdicts: review_schema(),
    }
}

fn review_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["verdict", "findings"],
        "properties": {
            "verdict": { "type": "string", "enum": ["APPROVED", "BLOCKED"] },
            "findings": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["rule", "line", "why", "fix"],
                    "properties": {
                        "rule": { "type": "string" },
                        "line": { "type": "integer" },
                        "why": { "type": "string" },
                        "fix": { "type": "string" }
                    }
                }
            }
        }
    })
}

fn part(name: &'static str, text: &str, max_chars: usize) -> Part {
    Part { name, text: text.to_owned(), max_chars }
}

fn characters(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The rules in force, a line each.
pub(crate) fn rule_lines(settings: &Settings) -> Vec<String> {
    let rules = settings.rules.iter().filter(|(_, text)| !text.trim().is_empty());
    rules.map(|(name, text)| format!("- {}: {}", one_line(name), one_line(text))).collect()
}

/// The rules for a model: those that our own checks do not judge in this file.
pub(crate) fn asked_rules(settings: &Settings, file: &str) -> Vec<String> {
    let checked = checks::rules(file, &settings.checks);
    let is_asked = |line: &String| !checked.iter().any(|rule| line.starts_with(&format!("- {rule}: ")));
    rule_lines(settings).into_iter().filter(is_asked).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The identity of a review: the same change under the same declaration, rules and model has the same verdict.
pub(crate) fn key(settings: &Settings, declared: &str, diff: &str) -> String {
    digest(&[declared, diff, &rule_lines(settings).join("\n"), &settings.stage2_model])
}

/// The beginning of a hash, in hexadecimal.
pub(crate) fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(16).fold(String::new(), |key, byte| format!("{key}{byte:02x}"))
}

#[cfg(test)]
mod tests;
