//! The rules. A call pays from its bucket. A call that cannot, a repetition and an alternation are past a limit. The hook reports
//! calls past a limit at numbers 1, 2, 4, 8 ..., and denies each with `mode: deny`. Pure.

use std::borrow::Cow;
use std::time::Duration;

use shared::hook::{Audit, AuditEvent, Input, Memory, Outcome, Reaction, ReactionKind, Verdict};
use shared::protocol::Event;

use crate::RateAwareness;
use crate::observe::UNGATED;
use crate::settings::{Audience, Mode};
use crate::state::{Agent, Bucket, Loops, State, agent_key, bucket_key};
use crate::wording::{self, Past};

/// No model answers faster than this.
const READ_AFTER: Duration = Duration::from_millis(500);

pub(crate) fn decide(input: &Input<'_, RateAwareness>) -> Outcome<State> {
    match &input.request.event {
        // Without a session there is nothing to remember in.
        Event::PreToolUse(tool) if input.request.call.session_id.is_some() => {
            before_call(input, &tool.tool_name)
        }
        Event::SessionEnd { .. } => Outcome::pass().remembering(Memory::Drop),
        _ => Outcome::pass(),
    }
}

fn before_call(input: &Input<'_, RateAwareness>, tool: &str) -> Outcome<State> {
    let Input { request, facts, state, settings, now, .. } = input;
    let in_subagent = request.call.agent_id.is_some();
    let name = agent_key(request.call.agent_id.as_deref());
    let skill = state.skill(&name, facts.prompt).or(facts.around.as_deref()).unwrap_or(UNGATED);
    let (rate, entry) = settings.rate_of(skill);
    let key = bucket_key(&name, skill);
    let bucket = state.buckets.get(&key).cloned().unwrap_or_else(|| Bucket::full(rate, *now));
    let (bucket, refused) = bucket.take(rate, *now);
    let before = state.agent(&name, facts.prompt).cloned().unwrap_or_default();

    let empty = refused.map(|number| Past::empty(number, &bucket, (skill, entry, rate), in_subagent));
    let mut past: Vec<Past> = empty.into_iter().collect();
    let (mut loops, mut reaction) = (before.loops.clone(), None);
    // A call that is denied for want of a token may be made again: that is no loop.
    if refused.is_none() || settings.mode == Mode::Advise {
        loops = before.loops.after(facts.fingerprint);
        let beyond = |limit: Option<u32>, count: u32| {
            Some((count + 1).checked_sub(limit?)?).filter(|number| *number > 0)
        };
        let repeat = beyond(settings.repeat.get(), loops.in_a_row);
        past.extend(repeat.map(|number| Past::repeat(number, loops.in_a_row, tool, in_subagent)));
        let ping_pong = beyond(settings.ping_pong.get(), loops.rounds());
        past.extend(ping_pong.map(|number| Past::ping_pong(number, &loops, tool, in_subagent)));
        reaction = self::reaction(input, &before, &loops);
    }
    let runs = past.is_empty() || settings.mode == Mode::Advise;
    let skill = facts.skill.clone().filter(|_| runs).or(before.skill);
    let agent = Agent { prompt: facts.prompt, skill, loops, last: *now };
    let next = state.with((name, agent), (key, bucket));
    report(input, &past).with_reactions(reaction).remembering(Memory::Save(next))
}

/// The reaction to a report about a repetition, which Claude gets first at the limit itself: the next call is another one, or it is
/// not. A call that began at once was made beside it, and shows nothing.
fn reaction(input: &Input<'_, RateAwareness>, before: &Agent, after: &Loops) -> Option<Reaction> {
    let (limit, row) = (input.settings.repeat.get()?, before.loops.in_a_row);
    let was_reported = row == limit && (input.settings.mode == Mode::Deny || readers(input).1);
    if !was_reported || input.started.since(before.last) < READ_AFTER {
        return None;
    }
    let how = if after.in_a_row > row { ReactionKind::Overridden } else { ReactionKind::Followed };
    Some(how.of("repeat"))
}

/// The messages about a call, each reader's in one.
fn report(input: &Input<'_, RateAwareness>, past: &[Past]) -> Outcome<State> {
    let mode = input.settings.mode;
    let due: Vec<&Past> = past.iter().filter(|past| past.is_due).collect();
    let (to_user, to_model) = readers(input);
    let mut outcome = Outcome::pass();
    outcome.notice = (to_user && !due.is_empty()).then(|| wording::notice(&due, mode));
    if let Some(first) = past.first().filter(|_| mode == Mode::Deny) {
        let reason = wording::refusal(past, (input.origin)("mode").as_ref());
        outcome.verdict = Verdict::Deny { reason, rule: Cow::Owned(first.rule.clone()) };
        outcome.audit = Audit { also: vec!["mode".to_owned()], ..Audit::default() };
    } else if to_model && !due.is_empty() {
        outcome.verdict = Verdict::Advise { text: wording::advice(&due) };
    } else {
        // A verdict is in the journal anyway.
        outcome.audit_event = due.first().map(|first| AuditEvent::Advised(first.rule.clone()));
    }
    outcome
}

/// Whether the user gets a report, and whether Claude does. A script's result must not depend on us: in headless sessions,
/// what is meant for Claude goes where the user would read it.
const fn readers(input: &Input<'_, RateAwareness>) -> (bool, bool) {
    match input.settings.audience {
        Audience::User => (true, false),
        Audience::Model | Audience::Both if input.headless => (true, false),
        Audience::Model => (false, true),
        Audience::Both => (true, true),
    }
}

#[cfg(test)]
mod tests;
