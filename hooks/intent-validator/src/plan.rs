//! The next step for a change: the facts settle it, or a model is to be asked. `observe` calls it before and after each question,
//! and `decide` once more under the lock. Pure.

use judge::OnFailure;
use shared::host::Timestamp;
use transcript::Words;

use crate::change::{Versions, diff};
use crate::checks::Finding;
use crate::form::{self, Form, Heard, Judgement, Lack};
use crate::review::{self, Announced, Reply, Review};
use crate::settings::{Settings, Stage1, Stage2};
use crate::state::{Cause, Place, State};

/// So many of the messages before the call's own are shown to the reviewer.
const SAID_BEFORE: usize = 3;

/// The facts of a change that need no model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Known {
    pub(crate) place: Place,
    pub(crate) prompt: Option<String>,
    /// The names that FILE may give the file.
    pub(crate) names: Vec<String>,
    /// A test has to be named, or the user quoted.
    pub(crate) wants_test: bool,
    pub(crate) versions: Versions,
    pub(crate) local: Local,
    pub(crate) words: Words,
    /// The call's words were waited for, and were not to be had.
    pub(crate) was_unheard: bool,
    /// Oldest first.
    pub(crate) user: Vec<String>,
    /// No message of theirs is missing that could not be read.
    pub(crate) user_is_whole: bool,
    pub(crate) findings: Vec<Finding>,
    /// What is in the file goes to no model.
    pub(crate) is_private: bool,
    /// How our own command is called in a shell.
    pub(crate) program: String,
}

/// The outcome of stage 1 without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Local {
    /// Declared, in these lines.
    Declared {
        text: String,
        /// With `declare`.
        is_recorded: bool,
    },
    Lacks {
        lack: Lack,
        is_certain: bool,
    },
}

/// Claude wrote nothing, or the transcript does not show it yet.
const SILENT: Local = Local::Lacks { lack: Lack::Form, is_certain: true };

impl Default for Local {
    fn default() -> Self {
        SILENT
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    pub(crate) stage1: Option<Reply<Announced>>,
    pub(crate) stage2: Option<Reply<Review>>,
}

/// The next step for a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A model is to say whether it was declared.
    AskWhetherDeclared,
    /// A model is to review it against this declaration; an empty one: nothing was declared.
    AskForReview {
        declared: String,
        key: String,
    },
    Passes {
        let_go: Option<Allowed>,
        approved: Option<String>,
    },
    UserDecides(String),
    /// The form is asked for.
    Lacks(Lack),
    /// Found without a model.
    Found(Vec<Finding>),
    /// Found by a model.
    Reviewed {
        findings: Vec<Finding>,
        key: String,
    },
}

/// The reason to allow a change that did not come through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// It was blocked often enough.
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

/// Stage 1 without a model: the recorded form, then the messages.
pub(crate) fn local(recorded: Option<&Form>, words: &Words, heard: &Heard<'_>) -> Local {
    let recorded = recorded.map(|form| judged(form::judge_recorded(form, heard), true));
    if let Some(declared @ Local::Declared { .. }) = recorded {
        return declared;
    }
    let own = words.own.as_deref().unwrap_or_default();
    let said = judged(form::judge(&Heard { own, before: &words.before, ..*heard }), false);
    let is_silent = words.own.is_none()
        || words.before.iter().map(String::as_str).chain([own]).all(|text| text.trim().is_empty());
    match (said, recorded) {
        (declared @ Local::Declared { .. }, _) => declared,
        (Local::Lacks { lack: Lack::Form, .. }, Some(recorded)) => recorded,
        (_, None) if is_silent => SILENT,
        (said, _) => said,
    }
}

fn judged(judgement: Judgement, is_recorded: bool) -> Local {
    match judgement {
        Judgement::Declared(form) => Local::Declared { text: form.lines(), is_recorded },
        Judgement::Lacks { lack, is_certain } => Local::Lacks { lack, is_certain },
    }
}

/// Where the change stands with what is known and what was answered.
pub(crate) fn standing(
    known: &Known,
    answers: &Answers,
    settings: &Settings,
    state: &State,
    now: Timestamp,
) -> Standing {
    let scene = Scene { known, settings, state };
    let first = match scene.first(answers.stage1.as_ref(), now) {
        Ok(first) => first,
        // Whatever a model said, this would be refused.
        Err(Standing::AskWhetherDeclared) if scene.is_found() => {
            return Standing::Found(known.findings.clone());
        }
        Err(standing) => return standing,
    };
    if scene.is_found() {
        return Standing::Found(known.findings.clone());
    }
    let checks_let_go = (!known.findings.is_empty()).then_some(Allowed::Enough(Cause::Checks));
    match first {
        First::Declared(declared) => scene.second(&declared, answers.stage2.as_ref(), checks_let_go, now),
        First::Allowed(let_go) => scene.second("", answers.stage2.as_ref(), Some(let_go), now),
        First::NoVerdict(why) => scene.without_verdict(why, checks_let_go),
    }
}

/// How stage 1 lets a change through.
enum First {
    Declared(String),
    Allowed(Allowed),
    NoVerdict(Option<String>),
}

struct Scene<'a> {
    known: &'a Known,
    settings: &'a Settings,
    state: &'a State,
}

impl Scene<'_> {
    fn is_enough(&self, cause: Cause) -> bool {
        let count = self.state.count(&self.known.place, self.known.prompt.as_deref(), cause);
        count >= self.settings.max_blocks.get()
    }

    /// Something was found without a model, and was not refused often enough for it.
    fn is_found(&self) -> bool {
        !self.known.findings.is_empty() && !self.is_enough(Cause::Checks)
    }

    fn first(&self, reply: Option<&Reply<Announced>>, now: Timestamp) -> Result<First, Standing> {
        let is_judged = self.settings.judge.backend.is_some() && !self.known.is_private;
        let may_ask = self.settings.stage1 != Stage1::Local && is_judged;
        let is_model = self.settings.stage1 == Stage1::Model && may_ask;
        match &self.known.local {
            Local::Declared { text, is_recorded } if *is_recorded || !is_model => {
                Ok(First::Declared(text.clone()))
            }
            // A model neither reads nothing nor believes words that the user never wrote.
            Local::Lacks { lack, is_certain: true }
                if !is_model || matches!(lack, Lack::Form | Lack::Quote(_)) =>
            {
                self.lacks(lack.clone())
            }
            Local::Lacks { lack, .. } if !may_ask => self.lacks(lack.clone()),
            Local::Declared { .. } | Local::Lacks { .. } => self.asked(reply, now),
        }
    }

    fn asked(&self, reply: Option<&Reply<Announced>>, now: Timestamp) -> Result<First, Standing> {
        match reply.map(|reply| &reply.verdict) {
            Some(Ok(announced)) => self.announced(announced),
            Some(Err(why)) => Ok(First::NoVerdict(why.clone())),
            None if self.is_enough(Cause::Declaration) => {
                Ok(First::Allowed(Allowed::Enough(Cause::Declaration)))
            }
            None => match self.state.announced(&self.known.announced_key(self.settings), now) {
                Some(announced) => self.announced(announced),
                None => Err(Standing::AskWhetherDeclared),
            },
        }
    }

    fn announced(&self, announced: &Announced) -> Result<First, Standing> {
        match announced {
            Announced::No { missing } if missing.is_empty() => self.lacks(Lack::Form),
            Announced::No { missing } => self.lacks(Lack::Parts(missing.clone())),
            Announced::NoTest if self.known.wants_test => self.lacks(Lack::Test),
            Announced::Yes | Announced::NoTest => Ok(First::Declared(self.known.all_said())),
        }
    }

    fn lacks(&self, lack: Lack) -> Result<First, Standing> {
        let cause = lack.cause();
        if self.is_enough(cause) {
            Ok(First::Allowed(Allowed::Enough(cause)))
        } else {
            Err(Standing::Lacks(lack))
        }
    }

    fn second(
        &self,
        declared: &str,
        reply: Option<&Reply<Review>>,
        let_go: Option<Allowed>,
        now: Timestamp,
    ) -> Standing {
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
        let findings = match reply.map(|reply| &reply.verdict) {
            Some(Ok(Review(findings))) => findings.as_slice(),
            Some(Err(why)) => return self.without_verdict(why.clone(), let_go),
            None => match self.state.review(&key, now) {
                Some(findings) => findings,
                None => return Standing::AskForReview { declared: declared.to_owned(), key },
            },
        };
        if findings.is_empty() {
            return Standing::Passes { let_go, approved: Some(key) };
        }
        Standing::Reviewed { findings: findings.to_vec(), key }
    }

    fn without_verdict(&self, why: Option<String>, let_go: Option<Allowed>) -> Standing {
        match why {
            Some(why) if self.settings.judge.on_judge_failure == OnFailure::Ask => Standing::UserDecides(why),
            _ => Standing::Passes { let_go, approved: None },
        }
    }
}

impl Known {
    /// What was said about the change, for a reviewer, where it is in no form of ours.
    fn all_said(&self) -> String {
        let before = &self.words.before;
        let before = &before[before.len().saturating_sub(SAID_BEFORE)..];
        let said = before.iter().map(String::as_str).chain(self.words.own.as_deref());
        said.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// The identity of a question of stage 1: its file, its words and its model. A message without a word changes nothing.
    pub(crate) fn announced_key(&self, settings: &Settings) -> String {
        let Self { place, words, user, wants_test, .. } = self;
        let said = words.before.iter().map(String::as_str).chain(words.own.as_deref());
        let said: Vec<&str> = said.filter(|text| !text.trim().is_empty()).collect();
        let agent = place.agent.as_deref().unwrap_or_default();
        let question = (&settings.stage1_model, &place.in_project, agent, said, user, wants_test);
        review::digest(&[&format!("{question:?}")])
    }
}

#[cfg(test)]
pub(crate) mod tests;
