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
use crate::registry;
use crate::settings::Settings;
use crate::snapshot::snapshot_schema;
use crate::step::Step;
use grammar::What;
use project::Project;

pub(crate) use grammar::Asked;

/// The answer to a command.
pub(crate) type Reply = cli::Reply<Step>;

const fn verb(usage: &'static str, about: &'static str) -> Verb {
    Verb { usage, about }
}

/// The verbs beside those every hook has.
pub(crate) const VERBS: &[Verb] = &[
    verb("list [--json]", "the snapshots of this project, newest first, and records that are not finalized"),
    verb("show [ID] [--json]", "a snapshot, the latest without ID"),
    verb("start", "records this session from now on"),
    verb("finalize [--minimal] [ID]", "ends the record: writes its snapshot; --minimal: archives it only"),
    verb("discard [ID]", "removes the record, and leaves nothing of it"),
    verb("resume [ID]", "prints the brief of a snapshot; typed as a prompt, Claude gets it"),
    verb("prune [--older-than DAYS] [--dry-run]", "removes snapshots of this project that are older"),
    verb("schema snapshot", "JSON Schema of a snapshot"),
];

impl Commands for PauseRecorder {
    type Asked = Asked;

    fn asked(line: &Line<'_>) -> Option<Asked> {
        grammar::asked(line)
    }

    fn misused(line: &Line<'_>) -> Option<String> {
        grammar::misused(line)
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
    let request = request(asker);
    let context = Context {
        request: &request,
        settings: &section.settings,
        places: asker.places,
        host: asker.host,
        locked: &section.locked,
        store: asker.store,
    };
    answer(wanted, *asker, &context, false)
}

/// The request that a prompt of the session would carry. Its transcript is that of its record, or the one of its name.
fn request(asker: &Asker<'_>) -> Request {
    let session = asker.session;
    let registry = registry::read(asker.store);
    let entry = registry.entries.iter().rev().find(|entry| Some(entry.session.as_str()) == session);
    let recorded = entry.and_then(|entry| entry.transcript.clone());
    let by_name = || kept::of_session(&kept::projects_dir(asker.places.config_dir.as_deref()?), session?);
    let call = Call {
        session_id: session.map(ToOwned::to_owned),
        transcript_path: recorded.or_else(by_name),
        ..Call::default()
    };
    Request { call, event: Event::UserPromptSubmit { prompt: String::new(), source: None } }
}

fn answer(wanted: &Asked, asker: Asker<'_>, context: &Context<'_, Settings>, is_prompt: bool) -> Reply {
    let Asked { what, flag, days, .. } = *wanted;
    let id = wanted.id.as_deref();
    if what == What::Schema {
        return Reply::yes(snapshot_schema());
    }
    let Some(project) = Project::new(asker, context, is_prompt) else {
        return Reply::no("pause-recorder: there is no project here, and no folder to keep records in");
    };
    let done = match what {
        What::Status => Ok(reports::status(&project, flag)),
        What::List => Ok(reports::list(&project, flag)),
        What::Show => reports::show(&project, id, flag),
        What::Start => changes::start(&project),
        What::Finalize => changes::finalize(&project, id, flag),
        What::Discard => changes::discard(&project, id),
        What::Resume => changes::resume(&project, id),
        What::Prune => changes::prune(&project, days, flag),
        What::Schema => Ok(Reply::yes(snapshot_schema())),
    };
    done.unwrap_or_else(|why| Reply::no(format!("pause-recorder: {why}")))
}
