//! The rules at a stop, in this order: never-block cases, the mode, enough blocks, an error of the client, the model's
//! verdict. Pure.

use shared::blocks;
use shared::cli::Reply;
use shared::hook::{Audit, Input, Memory, Outcome, ReactionKind, Verdict};
use shared::protocol::{Event, Stop};
use shared::switches::Turn;

use crate::TempoStop;
use crate::observe::{Facts, StopFacts};
use crate::question::{self, Verdict as Judged};
use crate::settings::Mode;
use crate::state::State;
use crate::worth::{self, BLOCKED_ENOUGH};

pub(crate) fn decide(input: &Input<'_, TempoStop>) -> Outcome<State, Turn> {
    match (&input.request.event, input.facts) {
        (Event::Stop(stop), Facts::Stop(facts)) => at_stop(input, stop, facts),
        (Event::UserPromptSubmit { prompt, .. }, Facts::Prompt { .. }) => at_prompt(input, prompt),
        (Event::SessionStart { .. }, Facts::SessionStart { announcement, notice }) => {
            let verdict = announcement.clone().map_or(Verdict::Pass, |text| Verdict::Advise { text });
            Outcome { verdict, notice: notice.clone(), ..Outcome::pass() }
        }
        (Event::SessionEnd { .. }, _) => Outcome::pass().remembering(Memory::Drop),
        _ => Outcome::pass(),
    }
}

fn at_prompt(input: &Input<'_, TempoStop>, prompt: &str) -> Outcome<State, Turn> {
    let Facts::Prompt { answered, is_typed } = input.facts else { return Outcome::pass() };
    let state = is_typed.then(|| input.state.after_prompt(prompt, input.now)).flatten();
    let outcome = answered.as_ref().map_or_else(Outcome::pass, Reply::outcome);
    outcome.remembering(state.map_or(Memory::Keep, Memory::Note))
}

fn at_stop(input: &Input<'_, TempoStop>, stop: &Stop, facts: &StopFacts) -> Outcome<State, Turn> {
    let gate = blocks::StopFacts {
        call: &input.request.call,
        stop,
        work: facts.work,
        blocks: input.blocks,
        started: input.started,
    };
    let outcome = match worth::why_not(&gate, input.settings, input.state, input.now) {
        Some(BLOCKED_ENOUGH) => {
            let notice = format!(
                "tempo-stop: this turn ends with work left, as the last check found: allowed after max_blocks ({}) blocks",
                input.settings.max_blocks.get()
            );
            let outcome =
                Outcome::allow(BLOCKED_ENOUGH).with_reactions([ReactionKind::Overridden.of(rule(input))]);
            Outcome { notice: Some(notice), ..outcome }
        }
        Some(reason) => Outcome::allow(reason),
        None => by_verdict(input, facts),
    };
    let scheduled = input.state.with_scheduled(&stop.session_crons);
    let memory = scheduled.map_or(Memory::Keep, Memory::Note);
    let notice = facts.notice.clone().or(outcome.notice);
    Outcome { notice, memory, ..outcome }
}

fn by_verdict(input: &Input<'_, TempoStop>, facts: &StopFacts) -> Outcome<State, Turn> {
    match &facts.judged {
        Ok(Judged::Blocked(feedback)) => Outcome {
            verdict: Verdict::Block {
                reason: question::blocked(&facts.text, feedback),
                rule: rule(input).into(),
            },
            audit: Audit::to(feedback.as_str()),
            ..Outcome::pass()
        },
        Ok(Judged::Approved) => {
            let followed = (input.blocks.own > 0).then(|| ReactionKind::Followed.of(rule(input)));
            Outcome::allow("the model finds it done").with_reactions(followed)
        }
        Err(reason) => Outcome::allow(reason),
    }
}

/// The setting that blocks a stop.
fn rule(input: &Input<'_, TempoStop>) -> &'static str {
    match input.settings.mode {
        Mode::Auto => "mode",
        Mode::On | Mode::Off => "enabled",
    }
}

#[cfg(test)]
mod tests;
