//! The rules at a stop, in this order: never-block cases, the mode, enough blocks, an error of the client, the model's
//! verdict. Pure.

use shared::cli::Reply;
use shared::hook::{Given, Heeded, Memory, Outcome, Trail, Verdict};
use shared::protocol::{Event, Stop};
use shared::stop_gate;
use shared::switches::Turn;

use crate::TempoStop;
use crate::observe::{Facts, Judged, StopFacts};
use crate::settings::Mode;
use crate::state::State;
use crate::texts;
use crate::worth::{self, HELD_OFTEN_ENOUGH, Scene};

pub(crate) fn decide(given: &Given<'_, TempoStop>) -> Outcome<State, Turn> {
    match (&given.input.event, given.facts) {
        (Event::Stop(stop), Facts::Stop(facts)) => at_stop(given, stop, facts),
        (Event::UserPromptSubmit { prompt, .. }, Facts::Prompt { .. }) => at_prompt(given, prompt),
        (Event::SessionStart { .. }, Facts::SessionStart { announcement, notice }) => {
            let verdict = announcement.clone().map_or(Verdict::Pass, |text| Verdict::Advise { text });
            Outcome { verdict, notice: notice.clone(), ..Outcome::pass() }
        }
        (Event::SessionEnd { .. }, _) => Outcome::pass().remembering(Memory::Drop),
        _ => Outcome::pass(),
    }
}

fn at_prompt(given: &Given<'_, TempoStop>, prompt: &str) -> Outcome<State, Turn> {
    let Facts::Prompt { answered, is_typed } = given.facts else { return Outcome::pass() };
    let state = is_typed.then(|| given.state.after_prompt(prompt, given.now)).flatten();
    let outcome = answered.as_ref().map_or_else(Outcome::pass, Reply::outcome);
    outcome.remembering(state.map_or(Memory::Keep, Memory::Note))
}

fn at_stop(given: &Given<'_, TempoStop>, stop: &Stop, facts: &StopFacts) -> Outcome<State, Turn> {
    let gate = stop_gate::StopFacts {
        call: &given.input.call,
        stop,
        work: facts.work,
        blocks: given.blocks,
        started: given.started,
    };
    let (typed_at, now) = (given.state.typed_at, given.now);
    let scene = Scene { gate, settings: given.settings, typed_at, now };
    let outcome = match worth::why_not(&scene) {
        Some(HELD_OFTEN_ENOUGH) => {
            let notice = format!(
                "tempo-stop: this turn ends with work left, as the last check saw it: let go after max_blocks ({}) held stops",
                given.settings.max_blocks.get()
            );
            let outcome = Outcome::let_go(HELD_OFTEN_ENOUGH).heeding([Heeded::Overridden.of(rule(given))]);
            Outcome { notice: Some(notice), ..outcome }
        }
        Some(reason) => Outcome::let_go(reason),
        None => by_verdict(given, facts),
    };
    let scheduled = given.state.with_scheduled(&stop.session_crons);
    let memory = scheduled.map_or(Memory::Keep, Memory::Note);
    let notice = facts.notice.clone().or(outcome.notice);
    Outcome { notice, memory, ..outcome }
}

fn by_verdict(given: &Given<'_, TempoStop>, facts: &StopFacts) -> Outcome<State, Turn> {
    match &facts.judged {
        Judged::Blocked(feedback) => Outcome {
            verdict: Verdict::Block { reason: texts::held(&facts.text, feedback), rule: rule(given).into() },
            trail: Trail::to(feedback.as_str()),
            ..Outcome::pass()
        },
        Judged::Approved => {
            let followed = (given.blocks.own > 0).then(|| Heeded::Followed.of(rule(given)));
            Outcome::let_go("the model finds it done").heeding(followed)
        }
        Judged::NothingRequested => Outcome::let_go("what the user asked for is not known"),
        Judged::HeldElsewhere => Outcome::let_go("another hook holds this stop"),
        Judged::NoVerdict => Outcome::let_go("there is no verdict"),
        Judged::NotAsked => Outcome::let_go("the model was not asked"),
    }
}

/// The setting that holds a stop.
fn rule(given: &Given<'_, TempoStop>) -> &'static str {
    match given.settings.mode {
        Mode::Auto => "mode",
        Mode::On | Mode::Off => "enabled",
    }
}

#[cfg(test)]
mod tests;
