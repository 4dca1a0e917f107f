//! The command line, in a shell and as a typed prompt. `answers` carry effects; nothing is done here.

mod answers;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use shared::cli::{self, Asker, Commands, Line, Verb};
use shared::config::Section;
use shared::hook::Context;
use shared::protocol::{Call, Event, Request};
use transcript::transcript_of_session;

use crate::PauseRecorder;
use crate::record::{Sessions, is_record_id};
use crate::registry;
use crate::settings::Settings;
use crate::step::Step;
use answers::Project;

pub(crate) type Reply = cli::Reply<Step>;

const fn verb(usage: &'static str, about: &'static str) -> Verb {
    Verb { usage, about }
}

/// The verbs beside those every hook has.
pub(crate) const VERBS: &[Verb] = &[
    verb("list", "the snapshots of this project, newest first, and records that are not finalized"),
    verb("show [ID]", "a snapshot, the latest without ID"),
    verb("start", "records this session from now on"),
    verb("finalize [--minimal] [ID]", "ends the record and writes its snapshot, with --minimal without one"),
    verb("discard [ID]", "removes the record, and leaves nothing of it"),
    verb("resume [ID]", "prints the brief of a snapshot; typed as a prompt, Claude gets it"),
    verb("prune [--older-than DAYS] [--dry-run]", "removes snapshots of this project that are older"),
];

/// The days that `prune` keeps by default.
const DAYS: u32 = 90;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    Status { json: bool },
    List,
    Show { id: Option<String> },
    Start,
    Finalize { id: Option<String>, minimal: bool },
    Discard { id: Option<String> },
    Resume { id: Option<String> },
    Prune { days: u32, dry_run: bool },
}

impl Commands for PauseRecorder {
    type Asked = Asked;

    fn asked(line: &Line<'_>) -> Option<Asked> {
        // At most one id. In a prompt another word makes the line prose.
        let id = |words: &[&str]| match words {
            [] => Some(None),
            [id] => (!id.starts_with('-') && (!line.is_prompt || is_id(id))).then(|| Some((*id).to_owned())),
            _ => None,
        };
        Some(match line.words {
            ["status"] => Asked::Status { json: false },
            ["status", "--json"] => Asked::Status { json: true },
            ["list"] => Asked::List,
            ["show", words @ ..] => Asked::Show { id: id(words)? },
            ["start"] => Asked::Start,
            ["finalize", "--minimal", words @ ..] | ["finalize", words @ .., "--minimal"] => {
                Asked::Finalize { id: id(words)?, minimal: true }
            }
            ["finalize", words @ ..] => Asked::Finalize { id: id(words)?, minimal: false },
            ["discard", words @ ..] => Asked::Discard { id: id(words)? },
            ["resume", words @ ..] => Asked::Resume { id: id(words)? },
            ["prune"] => Asked::Prune { days: DAYS, dry_run: false },
            ["prune", "--dry-run"] => Asked::Prune { days: DAYS, dry_run: true },
            ["prune", "--older-than", days] => Asked::Prune { days: days.parse().ok()?, dry_run: false },
            ["prune", "--older-than", days, "--dry-run"] | ["prune", "--dry-run", "--older-than", days] => {
                Asked::Prune { days: days.parse().ok()?, dry_run: true }
            }
            _ => return None,
        })
    }

    fn answer(wanted: &Asked, asker: &Asker<'_>, context: Option<&Context<'_, Settings>>) -> Reply {
        if let Some(context) = context {
            return answer(wanted, *asker, context);
        }
        // In a shell it is answered as for a prompt of the asking session.
        let Section { settings, locked, .. } = match asker.section_in_force::<Self>() {
            Ok(section) => section,
            Err(why) => return Reply::no(why),
        };
        let session_id = asker.session.map(ToOwned::to_owned);
        let config_dir = asker.places.config_dir.as_deref();
        let transcript_path =
            session_id.as_deref().and_then(|session| transcript_of_session(config_dir?, session));
        let call = Call { session_id, transcript_path, ..Call::default() };
        let event = Event::UserPromptSubmit { prompt: String::new(), source: None };
        let (request, Asker { host, places, store, .. }) = (&Request { call, event }, *asker);
        let context = Context { request, settings: &settings, places, host, locked: &locked, store };
        answer(wanted, *asker, &context)
    }
}

/// `session-20260106-120000`, or the end of an active record's name.
fn is_id(word: &str) -> bool {
    is_record_id(word) || (word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn answer(wanted: &Asked, asker: Asker<'_>, context: &Context<'_, Settings>) -> Reply {
    let Some(sessions) = Sessions::of(asker.places) else {
        return Reply::no("pause-recorder: there is no project here, and no folder to keep records in");
    };
    let project = Project { asker, context, sessions, registry: registry::read(asker.store) };
    let done = match wanted {
        Asked::Status { json } => Ok(answers::status(&project, *json)),
        Asked::List => Ok(answers::list(&project)),
        Asked::Show { id } => answers::show(&project, id.as_deref()),
        Asked::Start => answers::start(&project),
        Asked::Finalize { id, minimal } => answers::finalize(&project, id.as_deref(), *minimal),
        Asked::Discard { id } => answers::discard(&project, id.as_deref()),
        Asked::Resume { id } => answers::resume(&project, id.as_deref()),
        Asked::Prune { days, dry_run } => answers::prune(&project, *days, *dry_run),
    };
    done.unwrap_or_else(|why| Reply::no(format!("pause-recorder: {why}")))
}
