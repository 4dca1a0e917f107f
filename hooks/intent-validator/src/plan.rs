//! Where a change stands: what is known settles it, or a model is to be asked. The same function is asked before a model is,
//! with what it said, and once more under the lock. Pure.

use shared::host::Timestamp;
use shared::judge::OnFailure;
use shared::transcript::Words;

use crate::change::{Versions, diff, in_words};
use crate::checks::Finding;
use crate::declaration::{self, Declaration, Heard, Judgement, Missing, TestLack};
use crate::review::{self, Announced, Reply, Review};
use crate::settings::{Settings, Stage1, Stage2};
use crate::state::{Cause, Place, State};

/// Of what was said, so many of the messages before the call's own are shown to the reviewer.
const SAID_BEFORE: usize = 3;

/// What is known of a change without asking anybody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Known {
    pub(crate) place: Place,
    pub(crate) prompt: Option<String>,
    /// A test has to be named, or the user's permission quoted.
    pub(crate) wants_test: bool,
    pub(crate) versions: Versions,
    pub(crate) local: Local,
    /// What was said, where that was looked at.
    pub(crate) words: Words,
    /// The call's words were waited for, and were not to be had.
    pub(crate) was_unheard: bool,
    /// The user's last messages, oldest first.
    pub(crate) user: Vec<String>,
    /// No message of theirs is missing that could not be read.
    pub(crate) user_is_whole: bool,
    /// What was found without a model.
    pub(crate) findings: Vec<Finding>,
    /// What is in the file goes to no model.
    pub(crate) is_private: bool,
    /// How our own command is called in a shell.
    pub(crate) program: String,
}

/// What stage 1 comes to without a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Local {
    /// Declared, in these words.
    Declared {
        text: String,
        /// With `declare`.
        is_recorded: bool,
    },
    /// What was said cannot be seen, or nothing was.
    #[default]
    NotSeen,
    /// Something is missing.
    Lacks(Lack),
    /// A reader is needed.
    Undecidable,
}

/// What a declaration lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lack {
    Parts(Vec<Missing>),
    Test,
    /// The user did not say this.
    Quote(String),
}

impl Lack {
    pub(crate) const fn cause(&self) -> Cause {
        match self {
            Self::Parts(_) => Cause::Declaration,
            Self::Test | Self::Quote(_) => Cause::Test,
        }
    }
}

/// What the models said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    pub(crate) stage1: Option<Reply<Announced>>,
    pub(crate) stage2: Option<Reply<Review>>,
}

/// Where a change stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A model is to say whether it was declared.
    AskWhetherDeclared,
    /// A model is to hold it against this declaration.
    AskForReview { declared: String, key: String },
    /// It is made.
    Passes { let_go: Option<LetGo>, approved: Option<String> },
    /// The user is asked: there is no verdict.
    UserDecides(String),
    /// Nothing was seen to be said about it.
    NotSeen,
    /// It may have been declared, and nobody here can tell.
    Unclear,
    /// Something is missing.
    Lacks(Lack),
    /// Found without a model.
    Found(Vec<Finding>),
    /// A model found fault with it.
    Reviewed { findings: Vec<Finding>, key: String },
}

/// Why a change is made though it did not come through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LetGo {
    /// It was asked for once.
    NotSeen,
    /// The same.
    Unclear,
    /// It was refused often enough.
    Enough(Cause),
    /// No model may see the file.
    Private,
}

/// What was declared where, and judged here.
pub(crate) fn local(recorded: Option<&Declaration>, words: &Words, heard: &Heard<'_>) -> Local {
    let recorded = recorded.map(|declaration| {
        let user_permission = declaration.user_permission.as_deref().map(in_marks);
        let declaration = Declaration { file: heard.file.to_owned(), user_permission, ..declaration.clone() };
        judged(declaration::judge_recorded(&declaration, heard), true)
    });
    if let Some(declared @ Local::Declared { .. }) = recorded {
        return declared;
    }
    let said = said(words, heard);
    match (recorded, &said) {
        // The quote in it, or the test that is missing, is more to go by than silence.
        (Some(lacks @ Local::Lacks(_)), Local::NotSeen | Local::Lacks(Lack::Parts(_))) => lacks,
        // What was recorded may be declared; silence beside it does not make it undeclared.
        (Some(Local::Undecidable), Local::NotSeen | Local::Lacks(Lack::Parts(_) | Lack::Test)) => {
            Local::Undecidable
        }
        _ => said,
    }
}

/// A quote given to `declare` has lost its marks to the shell; what is read as a quote stands in some.
fn in_marks(quote: &str) -> String {
    if quote.contains(['"', '“', '„', '«', '「']) { quote.to_owned() } else { format!("\"{quote}\"") }
}

fn said(words: &Words, heard: &Heard<'_>) -> Local {
    let own = words.own.as_deref().unwrap_or_default();
    let judged = judged(declaration::judge(&Heard { own, ..*heard }), false);
    let is_silent = own.trim().is_empty();
    match judged {
        Local::Declared { .. } => judged,
        // What the call's own message adds is not known.
        _ if words.own.is_none() => Local::NotSeen,
        Local::Lacks(Lack::Parts(missing)) if is_silent && missing.contains(&Missing::Everything) => {
            Local::NotSeen
        }
        judged => judged,
    }
}

fn judged(judgement: Judgement, is_recorded: bool) -> Local {
    match judgement {
        Judgement::Yes(declared) => Local::Declared { text: declaration::lines(&declared), is_recorded },
        Judgement::No(missing) => Local::Lacks(Lack::Parts(missing)),
        Judgement::NoTdd(TestLack::Nothing) => Local::Lacks(Lack::Test),
        Judgement::NoTdd(TestLack::QuoteNotFound(quote)) => Local::Lacks(Lack::Quote(quote)),
        Judgement::Undecidable => Local::Undecidable,
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
    let checks_let_go = (!known.findings.is_empty()).then_some(LetGo::Enough(Cause::Checks));
    match first {
        First::Declared(declared) => scene.second(&declared, answers.stage2.as_ref(), checks_let_go, now),
        First::LetGo(let_go) => Standing::Passes { let_go: Some(let_go), approved: None },
        First::NoVerdict(why) => scene.without_verdict(why, checks_let_go),
    }
}

/// How stage 1 lets a change through.
enum First {
    Declared(String),
    LetGo(LetGo),
    NoVerdict(Option<String>),
}

struct Scene<'a> {
    known: &'a Known,
    settings: &'a Settings,
    state: &'a State,
}

impl Scene<'_> {
    fn is_enough(&self, cause: Cause) -> bool {
        // What nobody can tell is asked for once.
        let most = if cause == Cause::Unclear { 1 } else { self.settings.max_blocks.get() };
        self.state.count(&self.known.place, self.known.prompt.as_deref(), cause) >= most
    }

    /// Something was found without a model, and was not refused often enough for it.
    fn is_found(&self) -> bool {
        !self.known.findings.is_empty() && !self.is_enough(Cause::Checks)
    }

    fn first(&self, reply: Option<&Reply<Announced>>, now: Timestamp) -> Result<First, Standing> {
        let may_ask = self.settings.stage1 != Stage1::Local && !self.known.is_private;
        let is_model = self.settings.stage1 == Stage1::Model && may_ask;
        match &self.known.local {
            Local::Declared { text, is_recorded } if *is_recorded || !is_model => {
                Ok(First::Declared(text.clone()))
            }
            Local::NotSeen if self.state.was_asked(&self.known.place) => Ok(First::LetGo(LetGo::NotSeen)),
            Local::NotSeen => Err(Standing::NotSeen),
            // Whoever makes up the user's words is not heard by a model.
            Local::Lacks(lack @ Lack::Quote(_)) => self.lacks(lack.clone()),
            Local::Lacks(lack) if !is_model => self.lacks(lack.clone()),
            Local::Undecidable if !may_ask && self.is_enough(Cause::Unclear) => {
                Ok(First::LetGo(LetGo::Unclear))
            }
            Local::Undecidable if !may_ask => Err(Standing::Unclear),
            Local::Declared { .. } | Local::Lacks(_) | Local::Undecidable => self.asked(reply, now),
        }
    }

    fn asked(&self, reply: Option<&Reply<Announced>>, now: Timestamp) -> Result<First, Standing> {
        match reply.map(|reply| &reply.verdict) {
            Some(Ok(announced)) => self.announced(announced),
            Some(Err(why)) => Ok(First::NoVerdict(why.clone())),
            None if self.is_enough(Cause::Declaration) => Ok(First::LetGo(LetGo::Enough(Cause::Declaration))),
            None => match self.state.announced(&self.known.announced_key(self.settings), now) {
                Some(announced) => self.announced(announced),
                None => Err(Standing::AskWhetherDeclared),
            },
        }
    }

    fn announced(&self, announced: &Announced) -> Result<First, Standing> {
        match announced {
            Announced::No(missing) if missing.is_empty() => {
                self.lacks(Lack::Parts(vec![Missing::Everything]))
            }
            Announced::No(missing) => self.lacks(Lack::Parts(missing.clone())),
            Announced::NoTest if self.known.wants_test => self.lacks(Lack::Test),
            Announced::Yes | Announced::NoTest => Ok(First::Declared(self.known.all_said())),
        }
    }

    fn lacks(&self, lack: Lack) -> Result<First, Standing> {
        let cause = lack.cause();
        if self.is_enough(cause) {
            Ok(First::LetGo(LetGo::Enough(cause)))
        } else {
            Err(Standing::Lacks(lack))
        }
    }

    fn second(
        &self,
        declared: &str,
        reply: Option<&Reply<Review>>,
        let_go: Option<LetGo>,
        now: Timestamp,
    ) -> Standing {
        let passes = |let_go| Standing::Passes { let_go, approved: None };
        let Known { versions, place, is_private, .. } = self.known;
        if self.settings.stage2 == Stage2::Off || versions.before.as_deref() == Some(&versions.after) {
            return passes(let_go);
        }
        if *is_private {
            return passes(let_go.or(Some(LetGo::Private)));
        }
        if self.is_enough(Cause::Review) {
            return passes(Some(LetGo::Enough(Cause::Review)));
        }
        let key = review::key(self.settings, declared, &diff(&place.in_project, versions));
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

    fn without_verdict(&self, why: Option<String>, let_go: Option<LetGo>) -> Standing {
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

    /// What tells one question of stage 1 from another. The words count as they follow each other: made again without a
    /// word, a call has the same.
    pub(crate) fn announced_key(&self, settings: &Settings) -> String {
        let Self { place, words, user, versions, wants_test, .. } = self;
        let said = words.before.iter().map(String::as_str).chain(words.own.as_deref());
        let said: Vec<&str> = said.filter(|text| !text.trim().is_empty()).collect();
        let change = in_words(&place.file, versions);
        let agent = place.agent.as_deref().unwrap_or_default();
        let question = (&settings.stage1_model, &place.in_project, agent, change, said, user, wants_test);
        review::key(settings, "declaration", &format!("{question:?}"))
    }
}

#[cfg(test)]
pub(crate) mod tests;
