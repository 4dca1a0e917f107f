//! What can be typed: in a shell, and as a prompt. What is to be done is returned as steps.
//!
//! - `grammar`: the words; `desk`: what the answers are made from
//! - `status`, `list`: how things stand; `records`, `snapshots`: what is done by a word

mod desk;
mod grammar;
mod list;
mod records;
mod snapshots;
mod status;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::process::ExitCode;

use shared::cli::{self, Asker, Verb};
use shared::hook::{Effect, Hook, Seen};
use shared::host::Host;
use shared::operator::typed::caller;
use shared::protocol::{Call, Event, Input};
use shared::transcript::kept;

use crate::PauseRecorder;
use crate::settings::Settings;
use crate::shelf;
use crate::snapshot::snapshot_schema;
use crate::step::Step;
use desk::Desk;
use grammar::Asked;

/// The answer to a command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// What is read.
    pub text: String,
    /// It was refused, or cannot be done.
    pub is_no: bool,
    /// The text is for the model too: the prompt goes on to it.
    pub is_for_model: bool,
    /// What the user reads beside a text for the model.
    pub notice: Option<String>,
    /// What is to be done.
    pub steps: Vec<Step>,
}

impl Reply {
    fn yes(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    fn no(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_no: true, ..Self::default() }
    }
}

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
    verb("resume [ID]", "what a new session is told of a snapshot; typed as a prompt, Claude reads it"),
    verb("prune [--older-than DAYS] [--dry-run]", "removes snapshots of this project that are older"),
    verb("schema snapshot", "JSON Schema of a snapshot"),
];

/// The prompt is one of our commands.
pub(crate) fn is_command(prompt: &str) -> bool {
    grammar::prompted(prompt).is_some()
        || cli::is_typed::<PauseRecorder>(prompt)
        || grammar::misused(prompt).is_some()
}

/// Runs a verb of ours in a shell; `None`: it is one that every hook has, or none.
pub(crate) fn run(host: &Host, words: &[&str]) -> Option<ExitCode> {
    let wanted = grammar::parse(words)?;
    Some(cli::in_shell(host, |asker| in_shell(&wanted, asker)))
}

/// Does what is to be done before anything is said of it.
fn in_shell(wanted: &Asked, asker: &Asker<'_>) -> cli::Reply {
    let Some(section) = asker.section::<PauseRecorder>(&asker.switches()) else {
        return cli::Reply::no(format!(
            "{}: the built-in defaults cannot be read; this is a bug",
            PauseRecorder::NAME
        ));
    };
    let input = input(asker);
    let seen = Seen {
        input: &input,
        settings: &section.settings,
        places: asker.places,
        host: asker.host,
        locked: &section.locked,
        store: asker.store,
    };
    let reply = answer(wanted, *asker, &seen, false);
    for step in reply.steps {
        if let Err(why) = step.carry_out(asker.places, asker.host.now()) {
            return cli::Reply::no(why);
        }
    }
    cli::Reply { is_no: reply.is_no, ..cli::Reply::yes(reply.text) }
}

/// What a prompt of the session would carry. Its transcript is the one its record was begun with, or the one of its name.
fn input(asker: &Asker<'_>) -> Input {
    let session = asker.session;
    let shelf = asker.store.and_then(shelf::own_store).map(|own| shelf::read(&own)).unwrap_or_default();
    let entry = shelf.entries.iter().rev().find(|entry| Some(entry.session.as_str()) == session);
    let recorded = entry.and_then(|entry| entry.transcript.clone());
    let by_name = || kept::of_session(&kept::projects_dir(asker.places.config_dir.as_deref()?), session?);
    let call = Call {
        session_id: session.map(ToOwned::to_owned),
        transcript_path: recorded.or_else(by_name),
        ..Call::default()
    };
    Input { call, event: Event::UserPromptSubmit { prompt: String::new(), source: None } }
}

/// The answer to a prompt, if it is one of our commands.
pub(crate) fn typed(seen: &Seen<'_, Settings>, prompt: &str, source: Option<&str>) -> Option<Reply> {
    let asker = Asker {
        host: seen.host,
        places: seen.places,
        store: seen.store,
        session: seen.input.call.session_id.as_deref(),
        caller: caller(seen.host, seen.store, prompt, source),
    };
    if let Some(wanted) = grammar::prompted(prompt) {
        return Some(answer(&wanted, asker, seen, true));
    }
    let Some(cli::Reply { text, is_no, turns }) = cli::typed::<PauseRecorder>(prompt, &asker) else {
        return grammar::misused(prompt).map(Reply::no);
    };
    Some(Reply { text, is_no, steps: turns.into_iter().map(Step::Turn).collect(), ..Reply::default() })
}

fn answer(wanted: &Asked, asker: Asker<'_>, seen: &Seen<'_, Settings>, is_prompt: bool) -> Reply {
    if *wanted == Asked::SnapshotSchema {
        return Reply::yes(snapshot_schema());
    }
    let Some(desk) = Desk::new(asker, seen, is_prompt) else {
        return Reply::no("pause-recorder: there is no project here, and no folder to keep records in");
    };
    match wanted {
        Asked::Status { json } => status::answer(&desk, *json),
        Asked::List { json } => list::list(&desk, *json),
        Asked::Show { id, json } => list::show(&desk, id.as_deref(), *json),
        Asked::Start => records::start(&desk),
        Asked::Finalize { id, minimal } => records::finalize(&desk, id.as_deref(), *minimal),
        Asked::Discard { id } => records::discard(&desk, id.as_deref()),
        Asked::Resume { id } => snapshots::resume(&desk, id.as_deref()),
        Asked::Prune { days, dry_run } => snapshots::prune(&desk, *days, *dry_run),
        Asked::SnapshotSchema => Reply::default(),
    }
}
