//! The rules under the lock: the outcome for a change, and the new state. Pure.

use std::borrow::Cow;

use shared::hook::{Audit, AuditEvent, Input, Memory, Outcome, ReactionKind, Verdict};
use shared::switches::Turn;

use crate::IntentValidator;
use crate::observe::{ChangeFacts, Facts};
use crate::plan::{Allowed, Standing, standing};
use crate::review::Reply;
use crate::state::{Cause, State};
use crate::wording::{self, Refusal};

pub(crate) fn decide(input: &Input<'_, IntentValidator>) -> Outcome<State, Turn> {
    match input.facts {
        Facts::Change(facts) => change(input, facts),
        Facts::Declared(declared) => {
            let mut state = input.state.clone();
            for recorded in &declared.recorded {
                state.declare(recorded.clone());
            }
            let outcome = Outcome::pass().remembering(Memory::Note(state));
            match &declared.unheard {
                Some(text) => Outcome { verdict: Verdict::Advise { text: text.clone() }, ..outcome },
                None => outcome,
            }
        }
        Facts::Command(reply) => reply.outcome(),
        Facts::Start { text, notice } => {
            let verdict = Verdict::Advise { text: text.clone() };
            Outcome { verdict, notice: notice.clone(), ..Outcome::pass() }
        }
        Facts::SessionEnd => Outcome::pass().remembering(Memory::Drop),
    }
}

fn change(input: &Input<'_, IntentValidator>, facts: &ChangeFacts) -> Outcome<State, Turn> {
    let ChangeFacts { known, answers, notice } = facts;
    let mut state = input.state.clone();
    if known.was_unheard {
        state.not_heard();
    }
    let prompt = known.prompt.as_deref();
    let mut refuse = |cause: Cause, refusal: Refusal| {
        state.block(&known.place, prompt, cause);
        denial(cause, refusal)
    };
    let outcome = match standing(known, answers, input.settings, input.state, input.now) {
        Standing::Lacks(lack) => refuse(lack.cause(), wording::lacks(known, &lack)),
        Standing::Found(findings) => refuse(Cause::Checks, wording::found(known, &findings)),
        Standing::Reviewed { findings, key } => {
            let outcome = refuse(Cause::Review, wording::reviewed(known, &findings));
            state.forget_declared(&known.place);
            state.reviewed(&key, &findings, input.now);
            outcome
        }
        Standing::UserDecides(why) => Outcome {
            verdict: Verdict::Ask {
                reason: format!(
                    "intent-validator: no model looked at this change of {}: {why}",
                    known.place.file
                ),
                rule: Cow::Borrowed("judge.on_judge_failure"),
            },
            ..Outcome::pass()
        },
        Standing::Passes { let_go, approved } => {
            if let Some(key) = approved {
                state.reviewed(&key, &[], input.now);
            }
            passed(input, facts, let_go, &mut state)
        }
        // The state has changed since `observe`: no model was asked, and no edit is blocked for that.
        Standing::AskWhetherDeclared | Standing::AskForReview { .. } => Outcome::pass(),
    };
    if let Some(Reply { verdict: Ok(announced), .. }) = &answers.stage1 {
        state.answered(&known.announced_key(input.settings), announced.clone(), input.now);
    }
    let notices = answers.stage1.iter().filter_map(|reply| reply.notice.clone());
    let notices = notices.chain(answers.stage2.iter().filter_map(|reply| reply.notice.clone()));
    let outcome = notices.chain(notice.clone()).fold(outcome, noticing);
    remembering(state, input, outcome)
}

fn denial(cause: Cause, refusal: Refusal) -> Outcome<State, Turn> {
    Outcome {
        verdict: Verdict::Deny { reason: refusal.text, rule: Cow::Borrowed(cause.rule()) },
        audit: Audit::to(refusal.next),
        ..Outcome::pass()
    }
}

fn passed(
    input: &Input<'_, IntentValidator>,
    facts: &ChangeFacts,
    let_go: Option<Allowed>,
    state: &mut State,
) -> Outcome<State, Turn> {
    let place = &facts.known.place;
    let cause = match let_go {
        Some(Allowed::Enough(cause)) => Some(cause),
        Some(Allowed::Private) | None => None,
    };
    let reactions = state.settle(place, cause);
    if !cause.is_some_and(Cause::is_of_stage1) {
        state.forget_asked(place);
    }
    // Told at the first call after the refusals, not at each that follows.
    let is_news = reactions.iter().any(|reaction| reaction.how == ReactionKind::Overridden);
    let notice = let_go.and_then(|let_go| let_go.notice(&place.file, input.settings.max_blocks.get()));
    let outcome = Outcome {
        audit_event: let_go.map(|let_go| AuditEvent::Allowed(let_go.words())),
        ..Outcome::pass().with_reactions(reactions)
    };
    let notice = notice.filter(|_| is_news);
    notice.into_iter().fold(outcome, noticing)
}

fn noticing(outcome: Outcome<State, Turn>, notice: String) -> Outcome<State, Turn> {
    let notice = match &outcome.notice {
        Some(before) => format!("{before}\n{notice}"),
        None => notice,
    };
    Outcome { notice: Some(notice), ..outcome }
}

/// With the state, if it changed. A block that is not remembered could be repeated for ever.
fn remembering(
    state: State,
    input: &Input<'_, IntentValidator>,
    outcome: Outcome<State, Turn>,
) -> Outcome<State, Turn> {
    let memory = match outcome.verdict {
        _ if state == *input.state => Memory::Keep,
        Verdict::Deny { .. } => Memory::Save(state),
        _ => Memory::Note(state),
    };
    outcome.remembering(memory)
}

#[cfg(test)]
mod tests;
