//! The rules under the lock: the outcome for a change, and the new state. Pure.

use std::borrow::Cow;

use judge::Asked;
use shared::hook::{Audit, AuditEvent, Input, Memory, ReactionKind, Verdict as HookVerdict};
use shared::switches::Turn;

use crate::IntentValidator;
use crate::observe::Facts;
use crate::plan::{Allowed, Known, Scene, Standing};
use crate::settings::Settings;
use crate::state::{Cause, Place, Recorded, State, Verdict};
use crate::wording::{self, Refusal};

type Outcome = shared::hook::Outcome<State, Turn>;

pub(crate) fn decide(input: &Input<'_, IntentValidator>) -> Outcome {
    match input.facts {
        Facts::Change(known) => change(input, known),
        Facts::Declared(declared) => recorded(input, declared),
        Facts::Command(reply) => reply.outcome(),
        Facts::Advice(text) => {
            Outcome { verdict: HookVerdict::Advise { text: text.clone() }, ..Outcome::pass() }
        }
        Facts::SessionEnd => Outcome::pass().remembering(Memory::Drop),
    }
}

fn recorded(input: &Input<'_, IntentValidator>, declared: &[Recorded]) -> Outcome {
    let mut state = input.state.clone();
    for recorded in declared {
        state.declare(recorded.clone());
    }
    Outcome::pass().remembering(Memory::Note(state))
}

fn change(input: &Input<'_, IntentValidator>, known: &Known) -> Outcome {
    let mut state = input.state.clone();
    if known.was_unheard {
        state.not_heard();
    }
    let mut refuse = |cause: Cause, (reason, next): Refusal| {
        state.block(&known.place, known.prompt.as_deref(), cause);
        let verdict = HookVerdict::Deny { reason, rule: Cow::Borrowed(cause.rule()) };
        Outcome { verdict, audit: Audit::to(next), ..Outcome::pass() }
    };
    let outcome = match (Scene { known, settings: input.settings, state: input.state }).standing() {
        Standing::Lacks(lack) => refuse(Cause::Declaration, wording::lacks(known, &lack)),
        Standing::Found(findings) => refuse(Cause::Checks, wording::found(known, &findings, Cause::Checks)),
        Standing::Reviewed { findings, key } => {
            let outcome = refuse(Cause::Review, wording::found(known, &findings, Cause::Review));
            state.forget_declared(&known.place);
            state.keep(key, Verdict::OfStage2(findings));
            outcome
        }
        Standing::UserDecides(why) => {
            let reason =
                format!("intent-validator: no model looked at this change of {}: {why}", known.place.file);
            let rule = Cow::Borrowed("judge.on_judge_failure");
            Outcome { verdict: HookVerdict::Ask { reason, rule }, ..Outcome::pass() }
        }
        Standing::Passes { why_allowed, approved } => {
            if let Some(key) = approved {
                state.keep(key, Verdict::OfStage2(Vec::new()));
            }
            passed(input.settings, &known.place, why_allowed, &mut state)
        }
        // The state has changed since `observe`: no model was asked, and no edit is blocked for that.
        Standing::AskWhetherDeclared | Standing::AskForReview { .. } => Outcome::pass(),
    };
    if let Some(Asked { verdict: Ok(announced), .. }) = &known.stage1 {
        state.keep(known.announced_key(input.settings), Verdict::OfStage1(announced.clone()));
    }
    let stage1 = known.stage1.iter().filter_map(|asked| asked.notice.clone());
    let stage2 = known.stage2.iter().filter_map(|asked| asked.notice.clone());
    let told = outcome.notice.clone().into_iter().chain(stage1).chain(stage2).chain(known.notice.clone());
    let told: Vec<String> = told.collect();
    let memory = match outcome.verdict {
        _ if state == *input.state => Memory::Keep,
        // A block that is not counted could be repeated for ever.
        HookVerdict::Deny { .. } => Memory::Save(state),
        _ => Memory::Note(state),
    };
    Outcome { notice: (!told.is_empty()).then(|| told.join("\n")), memory, ..outcome }
}

fn passed(settings: &Settings, place: &Place, why_allowed: Option<Allowed>, state: &mut State) -> Outcome {
    let cause = if let Some(Allowed::Enough(cause)) = why_allowed { Some(cause) } else { None };
    let reactions = state.settle(place, cause);
    // The user is notified of the first call after the blocks.
    let is_news = reactions.iter().any(|reaction| reaction.how == ReactionKind::Overridden);
    let notice = why_allowed.filter(|_| is_news).map(|it| it.notice(&place.file, settings.max_blocks.get()));
    let audit_event = why_allowed.map(|why_allowed| AuditEvent::Allowed(why_allowed.words()));
    Outcome { audit_event, notice, ..Outcome::pass().with_reactions(reactions) }
}

#[cfg(test)]
mod tests;
