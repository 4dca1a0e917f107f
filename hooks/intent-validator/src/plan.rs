//! The next step for a change: the facts settle it, or a model is asked. `observe` calls it before and after each question, and
//! `decide` once more under the lock. Pure.

use judge::OnFailure;
use shared::digest;
use shared::host::Timestamp;
use transcript::{Quotable, Words};

use crate::change::{Versions, diff};
use crate::checks::Finding;
use crate::form::{self, Form, Heard, Judgement, Lack};
use crate::review::{self, Announced, Reply, Review};
use crate::settings::{Settings, Stage1, Stage2};
use crate::state::{Cause, Place, State, Verdict};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Known {
    pub(crate) place: Place,
    pub(crate) prompt: Option<String>,
    pub(crate) names: Vec<String>,
    pub(crate) wants_test: bool,
    pub(crate) versions: Versions,
    pub(crate) local: Judgement,
    pub(crate) is_recorded: bool,
    pub(crate) words: Words,
    /// The call's message did not come in time.
    pub(crate) was_unheard: bool,
    pub(crate) user: Quotable,
    pub(crate) findings: Vec<Finding>,
    pub(crate) is_private: bool,
    pub(crate) program: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    pub(crate) stage1: Option<Reply<Announced>>,
    pub(crate) stage2: Option<Reply<Review>>,
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
        let_go: Option<Allowed>,
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

impl Lack {
    pub(crate) const fn cause(&self) -> Cause {
        match self {
            Self::Form | Self::Parts(_) => Cause::Declaration,
            Self::Test | Self::Quote(_) => Cause::Test,
        }
    }
}

/// Stage 1 without a model: the recorded form, then the messages; and whether the recorded form counts.
pub(crate) fn local(recorded: Option<&Form>, heard: &Heard<'_>) -> (Judgement, bool) {
    let recorded = recorded.map(|form| form::judge_recorded(form, heard));
    if let Some(declared @ Judgement::Declared(_)) = recorded {
        return (declared, true);
    }
    let mut texts = heard.words.before.iter().chain(&heard.words.own);
    let is_silent = heard.words.own.is_none() || texts.all(|text| text.trim().is_empty());
    let local = match (form::judge(heard), recorded) {
        (Judgement::Lacks { lack: Lack::Form, .. }, Some(recorded)) => recorded,
        (Judgement::Lacks { .. }, None) if is_silent => form::SILENT,
        (said, _) => said,
    };
    (local, false)
}

pub(crate) fn standing(
    known: &Known,
    answers: &Answers,
    settings: &Settings,
    state: &State,
    now: Timestamp,
) -> Standing {
    Scene { known, answers, settings, state, now }.standing()
}

enum First {
    Declared(String),
    Allowed(Allowed),
    NoVerdict(Option<String>),
}

struct Scene<'a> {
    known: &'a Known,
    answers: &'a Answers,
    settings: &'a Settings,
    state: &'a State,
    now: Timestamp,
}

impl Scene<'_> {
    fn standing(&self) -> Standing {
        let findings = &self.known.findings;
        let is_found = !findings.is_empty() && !self.is_enough(Cause::Checks);
        let first = match self.first() {
            // Whatever a model says, the checks block this change.
            Ok(_) | Err(Standing::AskWhetherDeclared) if is_found => {
                return Standing::Found(findings.clone());
            }
            Ok(first) => first,
            Err(standing) => return standing,
        };
        let let_go = (!findings.is_empty()).then_some(Allowed::Enough(Cause::Checks));
        match first {
            First::Declared(declared) => self.second(&declared, let_go),
            First::Allowed(let_go) => self.second("", Some(let_go)),
            First::NoVerdict(why) => self.without_verdict(why, let_go),
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
            Judgement::Declared(form) if self.known.is_recorded || !is_model => {
                Ok(First::Declared(form.lines()))
            }
            // No model reads nothing, or believes words that the user never wrote.
            Judgement::Lacks { lack, is_certain: true }
                if !is_model || matches!(lack, Lack::Form | Lack::Quote(_)) =>
            {
                self.lacks(lack.clone())
            }
            Judgement::Lacks { lack, .. } if !may_ask => self.lacks(lack.clone()),
            Judgement::Declared(_) | Judgement::Lacks { .. } => self.asked(),
        }
    }

    fn asked(&self) -> Result<First, Standing> {
        match self.answers.stage1.as_ref().map(|reply| &reply.verdict) {
            Some(Ok(announced)) => self.announced(announced),
            Some(Err(why)) => Ok(First::NoVerdict(why.clone())),
            None if self.is_enough(Cause::Declaration) => {
                Ok(First::Allowed(Allowed::Enough(Cause::Declaration)))
            }
            None => match self.state.verdict(&self.known.announced_key(self.settings), self.now) {
                Some(Verdict::OfStage1(announced)) => self.announced(announced),
                _ => Err(Standing::AskWhetherDeclared),
            },
        }
    }

    fn announced(&self, announced: &Announced) -> Result<First, Standing> {
        match announced {
            Announced::No { missing } if missing.is_empty() => self.lacks(Lack::Form),
            Announced::No { missing } => self.lacks(Lack::Parts(missing.clone())),
            Announced::NoTest if self.known.wants_test => self.lacks(Lack::Test),
            Announced::Yes | Announced::NoTest => Ok(First::Declared(self.known.said().join("\n\n"))),
        }
    }

    fn lacks(&self, lack: Lack) -> Result<First, Standing> {
        let cause = lack.cause();
        let is_enough = self.is_enough(cause);
        if is_enough { Ok(First::Allowed(Allowed::Enough(cause))) } else { Err(Standing::Lacks(lack)) }
    }

    fn second(&self, declared: &str, let_go: Option<Allowed>) -> Standing {
        let passes = |let_go| Standing::Passes { let_go, approved: None };
        let Known { versions, place, is_private, .. } = self.known;
        if self.settings.stage2 == Stage2::Off || versions.before.as_deref() == Some(&versions.after) {
            return passes(let_go);
        }
        if *is_private {
            return passes(let_go.or(Some(Allowed::Private)));
        }
        if self.is_enough(Cause::Review) {
            return passes(let_go.or(Some(Allowed::Enough(Cause::Review))));
        }
        let key = review::key(self.settings, &place.file, declared, &diff(&place.in_project, versions));
        let findings = match self.answers.stage2.as_ref().map(|reply| &reply.verdict) {
            Some(Ok(Review(findings))) => findings,
            Some(Err(why)) => return self.without_verdict(why.clone(), let_go),
            None => match self.state.verdict(&key, self.now) {
                Some(Verdict::OfStage2(findings)) => findings,
                _ => return Standing::AskForReview { declared: declared.to_owned(), key },
            },
        };
        if findings.is_empty() {
            return Standing::Passes { let_go, approved: Some(key) };
        }
        Standing::Reviewed { findings: findings.clone(), key }
    }

    fn without_verdict(&self, why: Option<String>, let_go: Option<Allowed>) -> Standing {
        match why {
            Some(why) if self.settings.judge.on_judge_failure == OnFailure::Ask => Standing::UserDecides(why),
            _ => Standing::Passes { let_go, approved: None },
        }
    }
}

impl Known {
    /// The messages since the prompt that hold words.
    fn said(&self) -> Vec<&str> {
        let texts = self.words.before.iter().chain(&self.words.own);
        texts.map(String::as_str).filter(|text| !text.trim().is_empty()).collect()
    }

    /// The identity of a question of stage 1.
    pub(crate) fn announced_key(&self, settings: &Settings) -> String {
        let Self { place: Place { in_project, agent, .. }, user, wants_test, .. } = self;
        let question = (&settings.stage1_model, in_project, agent, self.said(), &user.texts, wants_test);
        digest::hex(format!("{question:?}"), 16)
    }
}

#[cfg(test)]
pub(crate) mod tests;
