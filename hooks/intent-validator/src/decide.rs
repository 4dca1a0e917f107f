//! The rules under the lock: the outcome for a change, and the new state. Pure.

use std::borrow::Cow;

use shared::hook::{Audit, AuditEvent, Input, Memory, ReactionKind, Verdict as HookVerdict};
use shared::switches::Turn;

use crate::IntentValidator;
use crate::observe::{ChangeFacts, DeclaredFacts, Facts};
use crate::plan::{Allowed, Standing, standing};
use crate::review::Reply;
use crate::state::{Cause, State, Verdict};
use crate::wording::{self, Refusal};

type Outcome = shared::hook::Outcome<State, Turn>;

pub(crate) fn decide(input: &Input<'_, IntentValidator>) -> Outcome {
    match input.facts {
        Facts::Change(facts) => change(input, facts),
        Facts::Declared(declared) => recorded(input, declared),
        Facts::Command(reply) => reply.outcome(),
        Facts::Start { text, notice } => Outcome { notice: notice.clone(), ..advice(text) },
        Facts::SessionEnd => Outcome::pass().remembering(Memory::Drop),
    }
}

fn advice(text: &str) -> Outcome {
    Outcome { verdict: HookVerdict::Advise { text: text.to_owned() }, ..Outcome::pass() }
}

fn recorded(input: &Input<'_, IntentValidator>, declared: &DeclaredFacts) -> Outcome {
    let mut state = input.state.clone();
    for recorded in &declared.recorded {
        state.declare(recorded.clone());
    }
    let outcome = declared.unheard.as_deref().map_or_else(Outcome::pass, advice);
    outcome.remembering(Memory::Note(state))
}

fn change(input: &Input<'_, IntentValidator>, facts: &ChangeFacts) -> Outcome {
    let ChangeFacts { known, answers, notice } = facts;
    let mut state = input.state.clone();
    if known.was_unheard {
        state.not_heard();
    }
    let prompt = known.prompt.as_deref();
    let mut refuse = |cause: Cause, (reason, next): Refusal| {
        state.block(&known.place, prompt, cause);
        let verdict = HookVerdict::Deny { reason, rule: Cow::Borrowed(cause.rule()) };
        Outcome { verdict, audit: Audit::to(next), ..Outcome::pass() }
    };
    let outcome = match standing(known, answers, input.settings, input.state, input.now) {
        Standing::Lacks(lack) => refuse(lack.cause(), wording::lacks(known, &lack)),
        Standing::Found(findings) => refuse(Cause::Checks, wording::found(known, &findings, Cause::Checks)),
        Standing::Reviewed { findings, key } => {
            let outcome = refuse(Cause::Review, wording::found(known, &findings, Cause::Review));
            state.forget_declared(&known.place);
            state.keep(key, Verdict::OfStage2(findings), input.now);
            outcome
        }
        Standing::UserDecides(why) => {
            let reason =
                format!("intent-validator: no model looked at this change of {}: {why}", known.place.file);
            let rule = Cow::Borrowed("judge.on_judge_failure");
            Outcome { verdict: HookVerdict::Ask { reason, rule }, ..Outcome::pass() }
        }
        Standing::Passes { let_go, approved } => {
            if let Some(key) = approved {
                state.keep(key, Verdict::OfStage2(Vec::new()), input.now);
            }
            passed(input, facts, let_go, &mut state)
        }
        // The state has changed since `observe`: no model was asked, and no edit is blocked for that.
        Standing::AskWhetherDeclared | Standing::AskForReview { .. } => Outcome::pass(),
    };
    if let Some(Reply { verdict: Ok(announced), .. }) = &answers.stage1 {
        let key = known.announced_key(input.settings);
        state.keep(key, Verdict::OfStage1(announced.clone()), input.now);
    }
    let told = answers.stage1.iter().filter_map(|reply| reply.notice.clone());
    let told = told.chain(answers.stage2.iter().filter_map(|reply| reply.notice.clone()));
    let told: Vec<String> = outcome.notice.clone().into_iter().chain(told).chain(notice.clone()).collect();
    let memory = match outcome.verdict {
        _ if state == *input.state => Memory::Keep,
        // A block that is not counted could be repeated for ever.
        HookVerdict::Deny { .. } => Memory::Save(state),
        _ => Memory::Note(state),
    };
    Outcome { notice: (!told.is_empty()).then(|| told.join("\n")), memory, ..outcome }
}

fn passed(
    input: &Input<'_, IntentValidator>,
    facts: &ChangeFacts,
    let_go: Option<Allowed>,
    state: &mut State,
) -> Outcome {
    let place = &facts.known.place;
    let cause = match let_go {
        Some(Allowed::Enough(cause)) => Some(cause),
        Some(Allowed::Private) | None => None,
    };
    let reactions = state.settle(place, cause);
    if !cause.is_some_and(Cause::is_of_stage1) {
        state.forget_asked(place);
    }
    // The user is notified of the first call after the blocks.
    let is_news = reactions.iter().any(|reaction| reaction.how == ReactionKind::Overridden);
    let notice = let_go.and_then(|let_go| let_go.notice(&place.file, input.settings.max_blocks.get()));
    let audit_event = let_go.map(|let_go| AuditEvent::Allowed(let_go.words()));
    Outcome { audit_event, notice: notice.filter(|_| is_news), ..Outcome::pass().with_reactions(reactions) }
}

#[cfg(test)]
mod tests;
