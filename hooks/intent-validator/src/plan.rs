//! The next step for a change: the facts settle it, or the hook asks a model. `observe` calls it before and after each question, and
//! `decide` once more under the lock. Pure.

use judge::{Asked, NoVerdict, OnFailure};
use shared::digest;

use crate::change::{Versions, diff};
use crate::checks::{self, Finding, cleaned};
use crate::form::{self, Form, Heard, Judgement, Lack};
use crate::settings::{Settings, Stage1, Stage2};
use crate::state::{Announced, Cause, Place, Review, State, Verdict};

/// The most rules that count, and the most characters of each.
const MAX_RULES: usize = 50;
const MAX_RULE: usize = 300;

/// The facts of a change, and the answers of the models that were asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) place: Place,
    pub(crate) prompt: Option<String>,
    pub(crate) heard: Heard,
    pub(crate) versions: Versions,
    pub(crate) local: Judgement,
    pub(crate) is_recorded: bool,
    /// The call's message did not come in time.
    pub(crate) was_unheard: bool,
    pub(crate) findings: Vec<Finding>,
    pub(crate) is_private: bool,
    pub(crate) program: String,
    pub(crate) stage1: Option<Asked<Announced>>,
    pub(crate) stage2: Option<Asked<Review>>,
    /// The user's own texts that cannot be used.
    pub(crate) notice: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    AskWhetherDeclared,
    /// An empty declaration: the change was allowed without one.
    AskForReview {
        declared: String,
        key: String,
    },
    Passes {
        why_allowed: Option<Allowed>,
        approved: Option<String>,
    },
    UserDecides(String),
    Lacks(Lack),
    Found(Vec<Finding>),
    Reviewed {
        findings: Vec<Finding>,
        key: String,
    },
}

/// The reason to allow a change that did not come through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    Enough(Cause),
    /// No model may see the file.
    Private,
}

/// Stage 1 without a model: the recorded form, then the messages; and whether the recorded form counts.
pub(crate) fn local(recorded: Option<&Form>, heard: &Heard) -> (Judgement, bool) {
    let recorded = recorded.map(|form| form::judge_one(form, heard, ""));
    if let Some(declared @ Judgement::Declared(_)) = recorded {
        return (declared, true);
    }
    let local = match (form::judge(heard), recorded) {
        (Judgement::Lacks { lack: Lack::Form, .. }, Some(recorded)) => recorded,
        (said, _) => said,
    };
    (local, false)
}

/// The declaration, which is empty where a change is allowed without one, and why it is.
type First = (String, Option<Allowed>);

pub(crate) struct Scene<'a> {
    pub(crate) known: &'a Known,
    pub(crate) settings: &'a Settings,
    pub(crate) state: &'a State,
}

impl Scene<'_> {
    pub(crate) fn standing(&self) -> Standing {
        let findings = &self.known.findings;
        let why_allowed = (!findings.is_empty()).then_some(Allowed::Enough(Cause::Checks));
        match self.first() {
            Err(lacks @ Standing::Lacks(_)) => lacks,
            // Whatever a model says, the checks block this change.
            _ if why_allowed.is_some() && !self.is_enough(Cause::Checks) => Standing::Found(findings.clone()),
            Ok((declared, allowed)) => self.second(&declared, allowed.or(why_allowed)),
            Err(Standing::Passes { .. }) => Standing::Passes { why_allowed, approved: None },
            Err(standing) => standing,
        }
    }

    fn is_enough(&self, cause: Cause) -> bool {
        let count = self.state.count(&self.known.place, self.known.prompt.as_deref(), cause);
        count >= self.settings.max_blocks.get() as usize
    }

    fn first(&self) -> Result<First, Standing> {
        let is_judged = self.settings.judge.backend.is_some() && !self.known.is_private;
        let may_ask = self.settings.stage1 != Stage1::Local && is_judged;
        let is_model = self.settings.stage1 == Stage1::Model && may_ask;
        match &self.known.local {
            Judgement::Declared(form) if self.known.is_recorded || !is_model => Ok((form.lines(), None)),
            // No model reads nothing, or believes words that the user never wrote.
            Judgement::Lacks { lack, is_certain: true }
                if !is_model || matches!(lack, Lack::Form | Lack::Quote(_)) =>
            {
                self.lacks(lack)
            }
            Judgement::Lacks { lack, .. } if !may_ask => self.lacks(lack),
            Judgement::Declared(_) | Judgement::Lacks { .. } => self.asked(),
        }
    }

    /// By a model's answer.
    fn asked(&self) -> Result<First, Standing> {
        let known = self.known;
        let announced = match &known.stage1 {
            Some(Asked { verdict: Ok(announced), .. }) => announced,
            Some(Asked { verdict: Err(why), .. }) => return Err(self.without_verdict(why, None)),
            None if self.is_enough(Cause::Declaration) => return self.lacks(&Lack::Form),
            None => match self.state.verdict(&known.announced_key(self.settings)) {
                Some(Verdict::OfStage1(announced)) => announced,
                _ => return Err(Standing::AskWhetherDeclared),
            },
        };
        match announced.lack() {
            Some(lack) if known.heard.wants_test || lack != Lack::Test => self.lacks(&lack),
            _ => Ok((known.said().join("\n\n"), None)),
        }
    }

    fn lacks(&self, lack: &Lack) -> Result<First, Standing> {
        if self.is_enough(Cause::Declaration) {
            Ok((String::new(), Some(Allowed::Enough(Cause::Declaration))))
        } else {
            Err(Standing::Lacks(lack.clone()))
        }
    }

    fn second(&self, declared: &str, why_allowed: Option<Allowed>) -> Standing {
        let passes = |why_allowed| Standing::Passes { why_allowed, approved: None };
        let Known { versions, place, is_private, stage2, .. } = self.known;
        if self.settings.stage2 == Stage2::Off || versions.before.as_deref() == Some(&versions.after) {
            return passes(why_allowed);
        }
        if *is_private {
            return passes(why_allowed.or(Some(Allowed::Private)));
        }
        if self.is_enough(Cause::Review) {
            return passes(why_allowed.or(Some(Allowed::Enough(Cause::Review))));
        }
        let key = key(self.settings, declared, &diff(&place.file, versions));
        let findings = match stage2 {
            Some(Asked { verdict: Ok(Review(findings)), .. }) => findings,
            Some(Asked { verdict: Err(why), .. }) => return self.without_verdict(why, why_allowed),
            None => match self.state.verdict(&key) {
                Some(Verdict::OfStage2(findings)) => findings,
                _ => return Standing::AskForReview { declared: declared.to_owned(), key },
            },
        };
        if findings.is_empty() {
            return Standing::Passes { why_allowed, approved: Some(key) };
        }
        Standing::Reviewed { findings: findings.clone(), key }
    }

    /// The user's own settings and limits, and another hook's block, are no failures.
    fn without_verdict(&self, why: &NoVerdict, why_allowed: Option<Allowed>) -> Standing {
        match why {
            NoVerdict::Failed(why) if self.settings.judge.on_judge_failure == OnFailure::Ask => {
                Standing::UserDecides(why.clone())
            }
            _ => Standing::Passes { why_allowed, approved: None },
        }
    }
}

impl Known {
    /// The messages since the prompt that hold words.
    fn said(&self) -> Vec<&str> {
        let texts = self.heard.words.before.iter().chain(&self.heard.words.own);
        texts.map(String::as_str).filter(|text| !text.trim().is_empty()).collect()
    }

    /// The identity of a question of stage 1.
    pub(crate) fn announced_key(&self, settings: &Settings) -> String {
        let Heard { user, wants_test, .. } = &self.heard;
        let question = (&settings.stage1_model, &self.place, self.said(), &user.texts, wants_test);
        digest::hex(format!("{question:?}"), 16)
    }
}

/// The rules for a model, without those that our own checks judge. A project may set some, so each is one short line.
pub(crate) fn asked_rules(settings: &Settings) -> String {
    let checked = checks::rules(&settings.checks);
    let rules = settings.rules.iter().filter(|(_, text)| !text.trim().is_empty()).take(MAX_RULES);
    let asked = rules.filter(|(name, _)| !checked.contains(&name.as_str()));
    let lines =
        asked.map(|(name, text)| format!("- {}: {}", cleaned(name, MAX_RULE), cleaned(text, MAX_RULE)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The identity of a review: the same change under the same declaration, rules and model has the same verdict.
fn key(settings: &Settings, declared: &str, diff: &str) -> String {
    let question = (declared, diff, asked_rules(settings), &settings.stage2_model);
    digest::hex(format!("{question:?}"), 16)
}

#[cfg(test)]
pub(crate) mod tests;
