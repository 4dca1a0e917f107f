//! The verdicts of the models. A verdict that contradicts itself is none.

use serde::{Deserialize, Serialize};
use shared::digest;

use crate::checks::{self, Finding};
use crate::form::{Lack, Part};
use crate::prompts::cleaned;
use crate::settings::Settings;

/// The most rules that count, and the most characters of each.
const MAX_RULES: usize = 50;
const MAX_RULE: usize = 300;

/// The verdict of stage 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Announced {
    Yes,
    /// Nothing was declared, or these parts are missing.
    No {
        #[serde(default)]
        missing: Vec<Part>,
    },
    /// Declared, but for the test.
    NoTdd,
}

impl Announced {
    /// What the declaration lacks.
    pub(crate) fn lack(&self) -> Option<Lack> {
        match self {
            Self::Yes => None,
            Self::No { missing } if missing.is_empty() => Some(Lack::Form),
            Self::No { missing } => Some(Lack::Parts(missing.clone())),
            Self::NoTdd => Some(Lack::Test),
        }
    }
}

/// The findings of stage 2; without any the change is approved.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "OfStage2")]
pub(crate) struct Review(pub(crate) Vec<Finding>);

#[derive(Deserialize)]
#[serde(tag = "verdict", rename_all = "UPPERCASE")]
enum OfStage2 {
    Approved,
    Blocked {
        #[serde(default)]
        findings: Vec<Finding>,
    },
}

impl TryFrom<OfStage2> for Review {
    type Error = &'static str;

    fn try_from(verdict: OfStage2) -> Result<Self, Self::Error> {
        let OfStage2::Blocked { mut findings } = verdict else { return Ok(Self(Vec::new())) };
        findings.retain(|finding| !finding.why.trim().is_empty() || !finding.fix.trim().is_empty());
        if findings.is_empty() { Err("BLOCKED without a finding") } else { Ok(Self(findings)) }
    }
}

/// A verdict as the state keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Verdict {
    OfStage1(Announced),
    OfStage2(Vec<Finding>),
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
