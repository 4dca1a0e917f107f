//! The facts of an event, in the order of their price: the tool, the file's name, links, the state, the file, the messages, and
//! last the models. `plan` chooses the question.

mod declared;
mod questions;
mod spot;

use std::path::Path;
use std::time::Duration;

use shared::cli;
use shared::hook::{Context, Hook};
use shared::messages::Texts;
use shared::protocol::{Event, ToolCall};
use shared::state::read_regular;
use transcript::{Patience, quotable, transcript_of, words_of_call};

use crate::IntentValidator;
use crate::change::{self, Change};
use crate::checks;
use crate::form::{Form, Heard, Judgement};
use crate::plan::{Answers, Known, Standing, local, standing};
use crate::prompts::{INTENT, TDD, filled};
use crate::settings::{Settings, Stage1, Stage2};
use crate::source::{self, Kind};
use crate::state::{Place, Recorded, State};
pub(crate) use spot::Spot;

/// A larger file is judged by its pieces, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The user's messages that a quote may come from.
const USER_MESSAGES: usize = 5;

/// Claude Code writes the line of a call within about 135 ms on a machine at rest (tests/client-facts.md, section 4).
const CALL_WRITTEN: Patience = Patience { total: Duration::from_millis(300), step: Duration::from_millis(5) };

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Facts {
    Change(Box<ChangeFacts>),
    Declared(DeclaredFacts),
    Command(cli::Reply),
    Start { text: String, notice: Option<String> },
    SessionEnd,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ChangeFacts {
    pub(crate) known: Known,
    pub(crate) answers: Answers,
    pub(crate) notice: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DeclaredFacts {
    pub(crate) recorded: Vec<Recorded>,
    /// The message on a line that could not be read.
    pub(crate) unheard: Option<String>,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    match &context.request.event {
        Event::PreToolUse(tool) => before(context, tool),
        Event::PostToolUse(result) => declared::after(context, result).map(Facts::Declared),
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
    let spot = Spot::find(context.places, context.request.call.cwd.as_deref(), &change.file)?;
    let kind = source::kind(&spot.file, context.settings)?;
    Some(Facts::Change(Box::new(look(context, tool, &change, spot, kind))))
}

fn look(
    context: &Context<'_, Settings>,
    tool: &ToolCall,
    change: &Change,
    spot: Spot,
    kind: Kind,
) -> ChangeFacts {
    let Context { settings, places, host, .. } = *context;
    let call = &context.request.call;
    let versions = change::versions(change, read_regular(&spot.path, MAX_FILE_BYTES));
    let findings = checks::find(&spot.file, &versions, &settings.checks);
    let wants_test = settings.tdd && kind == Kind::Core && !checks::is_comments_only(&spot.file, &versions);
    let names = names(&change.file, &spot, call.cwd.as_deref());
    let prompt = call.prompt_id.clone();
    let place = Place { file: spot.file, in_project: spot.in_project, agent: call.agent_id.clone() };
    let mut known = Known { place, prompt, names, wants_test, versions, findings, ..Known::default() };
    let state: State = context.peek();
    listen(context, tool, &state, &mut known);
    // Globs are read only where a model may come into it.
    let may_be_asked = settings.stage2 == Stage2::Model
        || settings.stage1 == Stage1::Model
        || matches!(known.local, Judgement::Lacks { is_certain: false, .. });
    // The folders above the project do not count.
    let root = places.root.as_deref().unwrap_or(Path::new(""));
    let called = Path::new(&change.file).strip_prefix(root).unwrap_or(Path::new(&change.file));
    let called = [&known.place.file, &known.place.in_project, called.to_string_lossy().as_ref()]
        .map(|name| may_be_asked && source::is_private(name, &settings.judge.never_send));
    known.is_private = called.contains(&true);
    // The way to our command costs a look along PATH, and only texts need it.
    if settings.stage1 == Stage1::Model || !matches!(known.local, Judgement::Declared(_)) {
        known.program = host.own_command(IntentValidator::NAME, places);
    }
    let mut texts = Texts::new(&settings.message_files, host, places);
    let answers = ask(context, tool, &state, &known, &mut texts);
    ChangeFacts { known, answers, notice: notice(context, &texts) }
}

fn names(called: &str, spot: &Spot, cwd: Option<&Path>) -> Vec<String> {
    let from_here = cwd.and_then(|cwd| spot.path.strip_prefix(cwd).ok());
    let paths = [Some(Path::new(called)), Some(&spot.path), from_here];
    let paths = paths.into_iter().flatten().map(|path| path.to_string_lossy().replace('\\', "/"));
    let names = paths.chain([spot.file.clone(), spot.in_project.clone()]);
    names.filter(|name| !name.is_empty()).collect()
}

/// Reads the declaration and the messages; a recorded declaration that is complete spares the transcript.
fn listen(context: &Context<'_, Settings>, tool: &ToolCall, state: &State, known: &mut Known) {
    let call = &context.request.call;
    let ttl = Duration::from_secs(context.settings.declaration_ttl_secs.get().into());
    let agent = known.place.agent.as_deref();
    let recorded = state.declared(&known.place.in_project, agent, context.host.now(), ttl);
    let may_quote = |form: &Form| form.test.as_deref().is_some_and(|test| test.contains(['"', '\'', '“']));
    if recorded.is_some_and(|form| !may_quote(form)) {
        judge(recorded, known);
        if known.is_recorded {
            return;
        }
    }
    let main = call.transcript_path.as_deref();
    known.user = main.map(|path| quotable(path, USER_MESSAGES)).unwrap_or_default();
    let patience = if state.is_heard() { CALL_WRITTEN } else { Patience::NONE };
    let heard = transcript_of(call).zip(tool.tool_use_id.as_deref());
    known.words = heard.map(|(path, id)| words_of_call(&path, id, patience)).unwrap_or_default();
    known.was_unheard = state.is_heard() && known.words.own.is_none();
    judge(recorded, known);
    if matches!(known.local, Judgement::Lacks { is_certain: false, .. }) {
        // A model that reads the messages reads the recorded form, too.
        known.words.before.extend(recorded.map(Form::lines));
    }
}

fn judge(recorded: Option<&Form>, known: &mut Known) {
    let Known { names, wants_test, words, user, .. } = &*known;
    let heard = Heard { names, wants_test: *wants_test, words, user };
    (known.local, known.is_recorded) = local(recorded, &heard);
}

fn ask(
    context: &Context<'_, Settings>,
    tool: &ToolCall,
    state: &State,
    known: &Known,
    texts: &mut Texts<'_>,
) -> Answers {
    let mut answers = Answers::default();
    let stands = |answers: &Answers| standing(known, answers, context.settings, state, context.host.now());
    if stands(&answers) == Standing::AskWhetherDeclared {
        answers.stage1 = Some(questions::whether_declared(context, tool, known, texts));
    }
    if let Standing::AskForReview { declared, .. } = stands(&answers) {
        answers.stage2 = Some(questions::review(context, tool, known, &declared, texts));
    }
    answers
}

fn announcement(context: &Context<'_, Settings>) -> Facts {
    let Context { settings, places, host, .. } = *context;
    let mut texts = Texts::new(&settings.message_files, host, places);
    let program = host.own_command(IntentValidator::NAME, places);
    let mut text = format!("intent-validator: {}", how_to_declare(&mut texts, &program));
    if settings.tdd {
        text = format!("{text}\n{}", about_tests(&mut texts, settings));
    }
    Facts::Start { text, notice: notice(context, &texts) }
}

fn notice(context: &Context<'_, Settings>, texts: &Texts<'_>) -> Option<String> {
    texts.notice(IntentValidator::NAME, context.store, context.request.call.session_id.as_deref())
}

fn how_to_declare(texts: &mut Texts<'_>, program: &str) -> String {
    filled(texts, INTENT, &[("declare", program)])
}

fn about_tests(texts: &mut Texts<'_>, settings: &Settings) -> String {
    filled(texts, TDD, &[("core_paths", &settings.core_paths.join(", "))])
}

#[cfg(test)]
mod tests;
