//! The command line, in a shell and as a typed prompt. Answers carry effects; nothing is done here.
//!
//! - `grammar`: the words
//! - `project`: the caller, its records and snapshots
//! - `reports`: status, list, show
//! - `changes`: start, finalize, discard, resume, prune

mod changes;
mod grammar;
mod project;
mod reports;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use shared::cli::{self, Asker, Commands, Line, Verb};
use shared::hook::Context;
use shared::protocol::{Call, Event, Request};
use transcript::kept;

use crate::PauseRecorder;
use crate::settings::Settings;
use crate::step::Step;
use project::Project;

pub(crate) use grammar::Asked;

/// The answer to a command.
pub(crate) type Reply = cli::Reply<Step>;

const fn verb(usage: &'static str, about: &'static str) -> Verb {
    Verb { usage, about }
}

/// The verbs beside those every hook has.
pub(crate) const VERBS: &[Verb] = &[
    verb("list", "the snapshots of this project, newest first, and records that are not finalized"),
    verb("show [ID]", "a snapshot, the latest without ID"),
    verb("start", "records this session from now on"),
    verb("finalize [--minimal] [ID]", "ends the record: writes its snapshot; --minimal: archives it only"),
    verb("discard [ID]", "removes the record, and leaves nothing of it"),
    verb("resume [ID]", "prints the brief of a snapshot; typed as a prompt, Claude gets it"),
    verb("prune [--older-than DAYS] [--dry-run]", "removes snapshots of this project that are older"),
];

impl Commands for PauseRecorder {
    type Asked = Asked;

    fn asked(line: &Line<'_>) -> Option<Asked> {
        grammar::asked(line)
    }

    fn answer(wanted: &Asked, asker: &Asker<'_>, context: Option<&Context<'_, Settings>>) -> Reply {
        match context {
            Some(context) => answer(wanted, *asker, context, true),
            None => in_shell(wanted, asker),
        }
    }
}

/// Answers as the asking session would.
fn in_shell(wanted: &Asked, asker: &Asker<'_>) -> Reply {
    let section = match asker.section_in_force::<PauseRecorder>() {
        Ok(section) => section,
        Err(why) => return Reply::no(why),
    };
    let call = Call {
        session_id: asker.session.map(ToOwned::to_owned),
        transcript_path: asker
            .session
            .and_then(|session| kept::of_session(asker.places.config_dir.as_deref()?, session)),
        ..Call::default()
    };
    let event = Event::UserPromptSubmit { prompt: String::new(), source: None };
    let context = Context {
        request: &Request { call, event },
        settings: &section.settings,
        places: asker.places,
        host: asker.host,
        locked: &section.locked,
        store: asker.store,
    };
    answer(wanted, *asker, &context, false)
}

fn answer(wanted: &Asked, asker: Asker<'_>, context: &Context<'_, Settings>, is_prompt: bool) -> Reply {
    let Some(project) = Project::new(asker, context, is_prompt) else {
        return Reply::no("pause-recorder: there is no project here, and no folder to keep records in");
    };
    let done = match wanted {
        Asked::Status { json } => Ok(reports::status(&project, *json)),
        Asked::List => Ok(reports::list(&project)),
        Asked::Show { id } => reports::show(&project, id.as_deref()),
        Asked::Start => changes::start(&project),
        Asked::Finalize { id, minimal } => changes::finalize(&project, id.as_deref(), *minimal),
        Asked::Discard { id } => changes::discard(&project, id.as_deref()),
        Asked::Resume { id } => changes::resume(&project, id.as_deref()),
        Asked::Prune { days, dry_run } => changes::prune(&project, *days, *dry_run),
    };
    done.unwrap_or_else(|why| Reply::no(format!("pause-recorder: {why}")))
}
