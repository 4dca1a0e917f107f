//! The only place that looks at the world: git, satisfactions, files, other sessions. Nothing is decided here, and only what a
//! rule in force asks for is looked at.

pub(crate) mod after;
mod before;
mod commands;
mod files;
mod fingerprints;
mod look;
mod req_command;
mod sizes;
mod start;

use shared::cli::{self, Asker};
use shared::hook::Context;
use shared::operator::Caller;
use shared::protocol::{Event, Stop};
use shared::stop_gate::never_blocked_by_input;
use transcript::{Patience, TurnWork, turn_work};

use crate::RequirementsCheck;
use crate::decide;
use crate::facts::{Answered, Facts};
use crate::rule::Rule;
use crate::settings::Settings;
use crate::state::State;
use crate::typed;
use crate::view::View;
pub use look::Look;
pub use req_command::ReqCommand;

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    let session = context.request.call.session_id.as_deref()?;
    match &context.request.event {
        Event::PreToolUse(tool) => before::observe(context, tool).map(|facts| Facts::Before(Box::new(facts))),
        Event::PostToolUse(result) => after::observe(context, &after::Ended::of(result)),
        Event::PostToolUseFailure(failure) => after::observe(context, &after::Ended::of_failure(failure)),
        Event::UserPromptSubmit { prompt, source } => {
            Some(submitted(context, session, prompt, source.as_deref()))
        }
        Event::Stop(stop) => at_stop(context, stop),
        Event::SessionStart { source, .. } => {
            let mut look = Look::new(context);
            look.measure(&Rule::all(context.settings).collect::<Vec<_>>());
            look.look_for_start(source);
            Some(Facts::Start(Box::new(look.world)))
        }
        Event::SessionEnd { .. } => Some(Facts::End(Box::new(Look::new(context).world))),
        _ => None,
    }
}

fn submitted(context: &Context<'_, Settings>, session: &str, prompt: &str, source: Option<&str>) -> Facts {
    let world = Look::new(context).world;
    let asker = || Asker::of_prompt(context, prompt, source);
    let answered = if let Some(line) = typed::line(prompt) {
        let is_typed = asker().caller == Caller::Typed;
        let (session, project) = (session.to_owned(), context.places.root.clone());
        let asking = typed::Asking { session, is_typed, project };
        let answer = line.answer(&asking, context.places, &world.cwd);
        answer.map(|text| Answered { text, changes: Vec::new() })
    } else if cli::is_typed::<RequirementsCheck>(prompt) {
        let reply = cli::typed::<RequirementsCheck>(prompt, &asker());
        reply.map(|cli::Reply { text, effects, .. }| Answered { text, changes: effects })
    } else {
        None
    };
    Facts::Prompt(Box::new(world), answered)
}

fn at_stop(context: &Context<'_, Settings>, stop: &Stop) -> Option<Facts> {
    let call = &context.request.call;
    Rule::all(context.settings).next()?;
    if !context.settings.hooks.stop.verify_requirements || never_blocked_by_input(call, stop).is_some() {
        return None;
    }
    let state: State = context.peek();
    let mut look = Look::new(context);
    let session = call.session_id.as_deref();
    let view = View { session, call: None, state: &state, world: &look.world, now: context.host.now() };
    // Only requirements that are due are measured.
    let due: Vec<Rule<'_>> = decide::stop::due(context.settings, &view).collect();
    if due.is_empty() {
        return None;
    }
    look.measure(&due);
    let work = call
        .transcript_path
        .as_deref()
        .map_or(TurnWork::Unknown, |path| turn_work(path, call.prompt_id.as_deref(), Patience::FLUSH));
    Some(Facts::Stop(Box::new(look.world), work))
}
