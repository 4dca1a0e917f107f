//! The facts of an event. Nothing is decided here.

use pacing::DAY_SECS;
use shared::cli;
use shared::digest;
use shared::hook::{Context, Hook};
use shared::protocol::{Event, ToolCall};
use shared::switches::Switches;

use crate::decide::{Facts, What};
use crate::readings::{Scene, known};
use crate::settings::Settings;
use crate::{CreditPacer, database, poll};

/// Tools that wait for the user, or do nothing but keep a list.
const IDLE_TOOLS: &str =
    "AskUserQuestion EnterPlanMode ExitPlanMode TaskCreate TaskGet TaskList TaskStop TaskUpdate TodoWrite";

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    let event = match &context.request.event {
        Event::PostToolUse(result) => after_call(context, &result.call, false)?,
        Event::PostToolUseFailure(failure) => after_call(context, &failure.call, failure.is_interrupt)?,
        Event::UserPromptSubmit { prompt, source } => {
            What::Command(cli::prompted::<CreditPacer>(context, prompt, source.as_deref())?)
        }
        Event::SessionStart { .. } => {
            clean_up(context);
            What::Start(scene(context)?)
        }
        _ => return None,
    };
    let poll = !matches!(event, What::Command(_)) && poll::is_due(context);
    let session = digest::number(context.request.call.session_id.as_deref().unwrap_or_default());
    Some(Facts { session, poll, event })
}

fn after_call(context: &Context<'_, Settings>, tool: &ToolCall, is_interrupted: bool) -> Option<What> {
    let prompt = digest::number(context.request.call.prompt_id.as_deref().unwrap_or_default());
    let is_exempt = is_interrupted || IDLE_TOOLS.split(' ').any(|name| name == tool.tool_name);
    let own = context.set_in_project.then(|| {
        // A key of its own may be switched.
        let switches = context.store.map(Switches::read).unwrap_or_default();
        let switches = switches.of(CreditPacer::NAME, context.request.call.session_id.as_deref());
        scene_by(context, &context.own_settings::<CreditPacer>(switches)?)
    });
    let own = own.flatten();
    Some(What::Call { scene: scene(context)?, own, prompt, is_exempt })
}

/// `None`: the event names no session.
fn scene(context: &Context<'_, Settings>) -> Option<Box<Scene>> {
    scene_by(context, context.settings)
}

fn scene_by(context: &Context<'_, Settings>, settings: &Settings) -> Option<Box<Scene>> {
    let (id, now) = (context.request.call.session_id.as_deref()?, context.host.now().secs());
    let usage = known(context.store, Some(id), settings, now);
    Some(Box::new(Scene::of(usage, settings, now)))
}

/// At a session's start: removes what is older than `retention_days`.
fn clean_up(context: &Context<'_, Settings>) {
    let (Some(store), now) = (context.store, context.host.now()) else { return };
    let before = now.secs() - i64::from(context.settings.retention_days.get()) * DAY_SECS;
    database::report(store, database::clean_up(store, before), now);
}
