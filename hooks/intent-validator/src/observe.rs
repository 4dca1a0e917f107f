//! The facts of an event, in the order of their price: the tool, the file's name, links, the state, the file, the messages, and
//! last the models. `plan` chooses the question.

use std::path::Path;
use std::time::Duration;

use shared::cli;
use shared::hook::{Context, Hook};
use shared::messages::Texts;
use shared::protocol::{Event, ToolCall};
use shared::state::read_regular;
use shared::switches::Position;
use transcript::{Patience, quotable, transcript_of, words_of_call};

use crate::IntentValidator;
use crate::change::{self, Change};
use crate::checks;
use crate::command;
use crate::form::{Form, Heard, Judgement};
use crate::plan::{Known, Scene, Standing, local};
use crate::review::{about_declaration, ask_for_review, asked};
use crate::settings::{Settings, Stage1};
use crate::source::{self, Kind, Location};
use crate::state::{Place, Recorded, State};
use crate::wording::{about_tests, how_to_declare};

/// A larger file is judged by its pieces, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The user's messages that a quote may come from.
const USER_MESSAGES: usize = 5;

/// Claude Code writes the line of a call within about 135 ms on a machine at rest (tests/client-facts.md, section 4).
const CALL_WRITTEN: Patience = Patience { total: Duration::from_millis(300), step: Duration::from_millis(5) };

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Facts {
    Change(Box<Known>),
    Declared(Vec<Recorded>),
    Command(cli::Reply),
    /// At a session's start, or after a declaration that was not recorded.
    Advice(String),
    SessionEnd,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    match &context.request.event {
        Event::PreToolUse(tool) => before(context, tool),
        Event::PostToolUse(result) => {
            let heard = command::after_call(context, result)?;
            Some(heard.map_or_else(Facts::Advice, Facts::Declared))
        }
        Event::UserPromptSubmit { prompt, source } => {
            let asker = cli::Asker::of_prompt(context, prompt, source.as_deref());
            cli::typed::<IntentValidator>(prompt, &asker).map(Facts::Command)
        }
        Event::SessionStart { .. } => context.settings.announce.then(|| announcement(context)),
        Event::SessionEnd { .. } => Some(Facts::SessionEnd),
        _ => None,
    }
}

fn before(context: &Context<'_, Settings>, tool: &ToolCall) -> Option<Facts> {
    context.request.call.session_id.as_ref()?;
    let change = change::read(tool)?;
    // Most files show by their name alone that they are no source, before links are resolved.
    if !source::is_source(&change.file, &context.settings.extensions) {
        return None;
    }
    let location = Location::find(context.places, context.request.call.cwd.as_deref(), &change.file)?;
    let kind = source::kind(&location.file, context.settings)?;
    Some(Facts::Change(Box::new(look(context, tool, change, location, kind))))
}

fn look(
    context: &Context<'_, Settings>,
    tool: &ToolCall,
    change: Change,
    location: Location,
    kind: Kind,
) -> Known {
    let Context { settings, places, host, .. } = *context;
    let call = &context.request.call;
    let names = names(&change.file, &location, call.cwd.as_deref(), places.root.as_deref());
    let versions = change::versions(change, read_regular(&location.path, MAX_FILE_BYTES));
    let findings = checks::find(&location.file, &versions, &settings.checks);
    let wants_test =
        settings.tdd && kind == Kind::Core && !checks::is_comments_only(&location.file, &versions);
    let prompt = call.prompt_id.clone();
    let place = Place { file: location.file, agent: call.agent_id.clone() };
    let heard = Heard { names, wants_test, ..Heard::default() };
    let mut known = Known { place, prompt, heard, versions, findings, ..Known::default() };
    let state: State = context.peek();
    listen(context, tool, &state, &mut known);
    // The folders above the project do not count.
    let mut in_project = known.heard.names.iter().filter(|name| Path::new(name).is_relative());
    known.is_private = in_project.any(|name| source::is_private(name, &settings.judge.never_send))
        || is_kept_back(context, &known.place.file);
    // The way to our command costs a look along PATH, and only texts need it.
    if settings.stage1 == Stage1::Model || !matches!(known.local, Judgement::Declared(_)) {
        known.program = host.own_command(IntentValidator::NAME, places);
    }
    ask(context, tool, &state, &mut known);
    known
}

/// The user's own file leaves this one out: a project's file does not send it to a model.
fn is_kept_back(context: &Context<'_, Settings>, file: &str) -> bool {
    let is_asking = context.settings.judge.backend.is_some();
    let own = is_asking.then(|| context.own_settings::<IntentValidator>(Position::Auto)).flatten();
    own.is_some_and(|own| source::kind(file, &own).is_none())
}

/// The names that FILE may give the file, as in the call or its own.
fn names(called: &str, location: &Location, cwd: Option<&Path>, root: Option<&Path>) -> Vec<String> {
    let (called, own) = (Path::new(called), Path::new(&location.file));
    let from_here = cwd.and_then(|cwd| location.path.strip_prefix(cwd).ok());
    let from_root = root.and_then(|root| called.strip_prefix(root).ok());
    let paths = [Some(called), from_root, Some(&location.path), from_here, Some(own)].into_iter().flatten();
    let names = paths.map(|path| path.to_string_lossy().replace('\\', "/"));
    names.filter(|name| !name.is_empty()).collect()
}

/// Reads the declaration and the messages; a recorded declaration that is complete spares the transcript.
fn listen(context: &Context<'_, Settings>, tool: &ToolCall, state: &State, known: &mut Known) {
    let call = &context.request.call;
    let ttl = Duration::from_secs(context.settings.declaration_ttl_secs.get().into());
    let recorded = state.declared(&known.place, context.host.now(), ttl);
    (known.local, known.is_recorded) = local(recorded, &known.heard);
    if known.is_recorded {
        return;
    }
    let main = call.transcript_path.as_deref();
    known.heard.user = main.map(|path| quotable(path, USER_MESSAGES)).unwrap_or_default();
    let patience = if state.is_heard() { CALL_WRITTEN } else { Patience::NONE };
    let own = transcript_of(call).zip(tool.tool_use_id.as_deref());
    known.heard.words = own.map(|(path, id)| words_of_call(&path, id, patience)).unwrap_or_default();
    known.was_unheard = state.is_heard() && known.heard.words.own.is_none();
    (known.local, known.is_recorded) = local(recorded, &known.heard);
    if matches!(known.local, Judgement::Lacks { is_certain: false, .. }) {
        // A model that reads the messages reads the recorded form, too.
        known.heard.words.before.extend(recorded.map(Form::lines));
    }
}

/// Asks the models, as far as a change needs them.
fn ask(context: &Context<'_, Settings>, tool: &ToolCall, state: &State, known: &mut Known) {
    let mut texts = Texts::new(&context.settings.message_files, context.host, context.places);
    let stands = |known: &Known| Scene { known, settings: context.settings, state }.standing();
    if stands(known) == Standing::AskWhetherDeclared {
        let question = about_declaration(context.settings, known, &mut texts);
        known.stage1 = Some(asked(context, tool, &question));
    }
    if let Standing::AskForReview { declared, .. } = stands(known) {
        known.stage2 = Some(ask_for_review(context, tool, known, &declared, &mut texts));
    }
    let session = context.request.call.session_id.as_deref();
    known.notice = texts.notice(IntentValidator::NAME, context.store, session);
}

fn announcement(context: &Context<'_, Settings>) -> Facts {
    let Context { settings, places, host, .. } = *context;
    let mut texts = Texts::new(&settings.message_files, host, places);
    let program = host.own_command(IntentValidator::NAME, places);
    let mut text = format!("intent-validator: {}", how_to_declare(&mut texts, &program));
    if settings.tdd {
        text = format!("{text}\n{}", about_tests(&mut texts, settings));
    }
    Facts::Advice(text)
}

#[cfg(test)]
mod tests;
