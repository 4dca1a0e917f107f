//! A prompt: a sign of life, and sometimes one of our commands, which is answered here and never reaches Claude.

use shared::hook::{Input, Outcome, Verdict};

use super::{Answer, remember, start::sign_of_life};
use crate::RequirementsCheck;
use crate::facts::Prompt;

pub(super) fn submitted(input: &Input<'_, RequirementsCheck>, facts: &Prompt) -> Answer {
    let mut effects = sign_of_life(input, &facts.world);
    if let Some(answered) = &facts.answered {
        effects.extend(answered.changes.iter().cloned());
        let verdict = Verdict::Reply { text: answered.text.clone() };
        return Outcome { verdict, effects, ..Outcome::pass() };
    }
    let mut state = input.state.clone();
    state.release_all();
    Outcome { effects, ..remember(input, state) }
}
