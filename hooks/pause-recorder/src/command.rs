//! The command line, in a shell and as a typed prompt. Answers carry effects; nothing is done here.
//!
//! - `grammar`: the words
//! - `project`: the caller, its records and snapshots
//! - `status`, `list`: reports
//! - `records`, `snapshots`: changes

mod grammar;
mod list;
mod project;
mod records;
mod snapshots;
mod status;
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
    match (wanted, Project::new(asker, context, is_prompt)) {
        (Asked::SnapshotSchema, _) => Reply::yes(snapshot_schema()),
        (_, None) => Reply::no("pause-recorder: there is no project here, and no folder to keep records in"),
        (Asked::Status { json }, Some(project)) => status::answer(&project, *json),
        (Asked::List { json }, Some(project)) => list::list(&project, *json),
        (Asked::Show { id, json }, Some(project)) => list::show(&project, id.as_deref(), *json),
        (Asked::Start, Some(project)) => records::start(&project),
        (Asked::Finalize { id, minimal }, Some(project)) => {
            records::finalize(&project, id.as_deref(), *minimal)
        }
        (Asked::Discard { id }, Some(project)) => records::discard(&project, id.as_deref()),
        (Asked::Resume { id }, Some(project)) => snapshots::resume(&project, id.as_deref()),
        (Asked::Prune { days, dry_run }, Some(project)) => snapshots::prune(&project, *days, *dry_run),
    }
}
