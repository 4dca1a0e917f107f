//! The rules: a call pays from its bucket; a call that cannot, a repetition and an alternation are past a limit; a call past
//! a limit is told at numbers 1, 2, 4, 8 ..., and refused where that is wanted. Pure.

use std::borrow::Cow;
use std::time::Duration;

use shared::hook::{Audit, AuditEvent, Input, Memory, Outcome, Reaction, ReactionKind, Verdict};
use shared::protocol::{Event, ToolCall};

use crate::bucket::Bucket;
use crate::loops::Loops;
use crate::observe::{CallFacts, Facts};
use crate::settings::{Audience, Mode, Settings};
use crate::state::{Agent, State, agent_key, bucket_key};
use crate::wording::{Account, Past, Scene, Sign};
use crate::{RateAwareness, skill};

/// No model answers faster than this.
const READ_AFTER: Duration = Duration::from_millis(500);

pub(crate) fn decide(input: &Input<'_, RateAwareness>) -> Outcome<State> {
    match (&input.request.event, input.facts) {
        // Without a session there is nothing to remember in.
        (Event::PreToolUse(tool), Facts::Call(facts)) if input.request.call.session_id.is_some() => {
            before_call(input, tool, facts)
        }
        (Event::SessionEnd { .. }, _) => Outcome::pass().remembering(Memory::Drop),
        _ => Outcome::pass(),
    }
}

fn before_call(input: &Input<'_, RateAwareness>, tool: &ToolCall, facts: &CallFacts) -> Outcome<State> {
    let Input { request, state, settings, now, .. } = input;
    let name = agent_key(request.call.agent_id.as_deref());
    let (account, refused) = pay(input, facts, &name);
    let before = state.agent(&name, facts.prompt).cloned().unwrap_or_default();
    // A call that is refused for want of a token may be made again: that is no loop.
    let counts = refused.is_none() || settings.mode == Mode::Advise;
    let loops = if counts { before.loops.after(facts.fingerprint) } else { before.loops.clone() };

    let empty = refused.map(|number| Past { number, is_complete: true, sign: Sign::Empty(&account) });
    let mut past: Vec<Past<'_>> = empty.into_iter().collect();
    if counts {
        past.extend(circles(settings, &loops));
    }
    let reaction = reaction(input, &before, &loops).filter(|_| counts);
    let told = tell(input, tool, &past).with_reactions(reaction);

    let runs = past.is_empty() || settings.mode == Mode::Advise;
    let skill = facts.skill.clone().filter(|_| runs).or(before.skill);
    let agent = Agent { prompt: facts.prompt, skill, loops, last: *now };
    let bucket = (bucket_key(&name, account.skill), account.bucket);
    told.remembering(Memory::Save(state.with((name, agent), bucket, |skill| settings.rate_of(skill).0)))
}

/// What became of what the model was told of a row of the same call, which is told first at the limit itself: the next call
/// is another one, or it is not. A call that began at once was made beside it, and tells nothing.
fn reaction(input: &Input<'_, RateAwareness>, before: &Agent, after: &Loops) -> Option<Reaction> {
    let (limit, row) = (input.settings.repeat.get()?, before.loops.in_a_row());
    let was_told = row == limit && (input.settings.mode == Mode::Deny || readers(input).1);
    if !was_told || input.started.since(before.last) < READ_AFTER {
        return None;
    }
    let how = if after.in_a_row() > row { ReactionKind::Overridden } else { ReactionKind::Followed };
    Some(how.of("repeat"))
}

/// Takes a token from the bucket of the skill the call is made under; where there is none, with the call's number among
/// those of the empty spell.
fn pay<'a>(input: &Input<'a, RateAwareness>, facts: &CallFacts, agent: &str) -> (Account<'a>, Option<u32>) {
    let Input { request, state, settings, now, .. } = input;
    let around = || request.call.cwd.as_deref().and_then(skill::around);
    let skill = state.skill(agent, facts.prompt).or_else(around).unwrap_or(skill::UNGATED);
    let (rate, entry) = settings.rate_of(skill);
    let (bucket, refused) = match state.bucket(&bucket_key(agent, skill)) {
        Some(bucket) => bucket.take(rate, *now),
        None => Bucket::full(rate, *now).take(rate, *now),
    };
    (Account { skill, entry, rate, bucket }, refused)
}

/// What goes in a circle.
fn circles<'a>(settings: &Settings, loops: &Loops) -> Vec<Past<'a>> {
    let past =
        |limit: Option<u32>, count: u32| limit.filter(|limit| count >= *limit).map(|limit| count - limit + 1);
    let (in_a_row, rounds) = (loops.in_a_row(), loops.rounds());
    let repeat = past(settings.repeat.get(), in_a_row).map(|number| Past {
        number,
        is_complete: true,
        sign: Sign::Repeat(in_a_row),
    });
    let ping_pong = past(settings.ping_pong.get(), rounds).map(|number| Past {
        number,
        is_complete: loops.ends_round(),
        sign: Sign::PingPong(rounds),
    });
    repeat.into_iter().chain(ping_pong).collect()
}

/// Says what has to be said, once per reader.
fn tell(input: &Input<'_, RateAwareness>, tool: &ToolCall, past: &[Past<'_>]) -> Outcome<State> {
    let due: Vec<&Past<'_>> = past.iter().filter(|past| past.is_due()).collect();
    let scene = Scene { tool: &tool.tool_name, in_subagent: input.request.call.agent_id.is_some() };
    let (to_user, to_model) = readers(input);
    let mode = input.settings.mode;
    let notice = (to_user && !due.is_empty()).then(|| scene.notice(&due, mode));
    let verdict = match past.first() {
        Some(first) if mode == Mode::Deny => Verdict::Deny {
            reason: scene.refusal(first, &past.iter().collect::<Vec<_>>(), (input.origin)("mode").as_ref()),
            rule: Cow::Owned(first.sign.rule()),
        },
        _ if to_model && !due.is_empty() => Verdict::Advise { text: scene.advice(&due) },
        _ => Verdict::Pass,
    };
    // A verdict is in the journal anyway.
    let is_for_user = verdict == Verdict::Pass;
    let audit_event = due.first().filter(|_| is_for_user).map(|first| AuditEvent::Advised(first.sign.rule()));
    let also = if matches!(verdict, Verdict::Deny { .. }) { vec!["mode".to_owned()] } else { Vec::new() };
    let audit = Audit { also, ..Audit::default() };
    Outcome { verdict, notice, audit_event, audit, ..Outcome::pass() }
}

/// Whether the user is told, and whether the model is. A script's result must not depend on us: where nobody watches,
/// what is meant for the model alone goes where the user would read it.
fn readers(input: &Input<'_, RateAwareness>) -> (bool, bool) {
    match input.settings.audience {
        Audience::User => (true, false),
        Audience::Model | Audience::Both if input.headless => (true, false),
        Audience::Model => (false, true),
        Audience::Both => (true, true),
    }
}

#[cfg(test)]
mod tests;
