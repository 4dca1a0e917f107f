//! The facts of an event, in the order of their price: the tool, the file's name, links, the state, the file, the messages, and
//! last the models. `plan` decides which model is asked.

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
use transcript::{Patience, Quotable, Words, quotable, transcript_of, words_of_call};

use crate::IntentValidator;
use crate::change::{self, Change, Versions};
use crate::checks;
use crate::form::{Form, Heard, Quotable as Quotes};
use crate::plan::{Answers, Known, Local, Standing, local, standing};
use crate::prompts::{INTENT, TDD, filled};
use crate::settings::{Settings, Stage1, Stage2};
use crate::source::{self, Kind};
use crate::state::{Place, Recorded, State};
pub(crate) use spot::Spot;

/// A larger file is judged by its pieces, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// So many of the user's last messages count for a quote.
const USER_MESSAGES: usize = 5;

/// The line of a call is written within about 135 ms on a machine at rest (tests/client-facts.md, section 4), later on a busy
/// one. An edit whose message is not there yet is blocked in vain.
const CALL_WRITTEN: Patience = Patience { total: Duration::from_millis(300), step: Duration::from_millis(5) };

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Facts {
    /// A source file is about to be changed.
    Change(Box<ChangeFacts>),
    /// Changes were declared in a shell.
    Declared(DeclaredFacts),
    /// The answer to a prompt that is one of our commands.
    Command(cli::Reply),
    Start {
        text: String,
        notice: Option<String>,
    },
    SessionEnd,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ChangeFacts {
    pub(crate) known: Known,
    pub(crate) answers: Answers,
    /// Texts of the user that cannot be used.
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
            cli::prompted::<IntentValidator>(context, prompt, source.as_deref()).map(Facts::Command)
        }
        Event::SessionStart { .. } => context.settings.announce.then(|| announcement(context)),
        Event::SessionEnd { .. } => Some(Facts::SessionEnd),
        _ => None,
    }
}

fn before(context: &Context<'_, Settings>, tool: &ToolCall) -> Option<Facts> {
    context.request.call.session_id.as_ref()?;
    let change = change::read(tool)?;
    if !has_extension_of_source(&change.file, context.settings) {
        return None;
    }
    let spot = Spot::of(context, &change.file)?;
    let kind = source::kind(&spot.file, context.settings)?;
    Some(Facts::Change(Box::new(look(context, tool, &change, &spot, kind))))
}

/// Most files that are none show by their name alone, before links are resolved.
fn has_extension_of_source(file: &str, settings: &Settings) -> bool {
    let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|own| settings.extensions.iter().any(|known| known.eq_ignore_ascii_case(own)))
}

fn look(
    context: &Context<'_, Settings>,
    tool: &ToolCall,
    change: &Change,
    spot: &Spot,
    kind: Kind,
) -> ChangeFacts {
    let settings = context.settings;
    let call = &context.request.call;
    let state: State = context.peek();
    let versions = versions(change, &spot.path);
    let findings = checks::find(&spot.file, &versions, &settings.checks);
    let root = context.places.root.as_deref().unwrap_or(Path::new(""));
    // The names of the folders above the project say nothing of its files.
    let called = Path::new(&change.file).strip_prefix(root).unwrap_or(Path::new(&change.file));
    let place =
        Place { file: spot.file.clone(), in_project: spot.in_project.clone(), agent: call.agent_id.clone() };
    let wants_test = settings.tdd && kind == Kind::Core && !checks::is_comments_only(&place.file, &versions);
    let mut known = Known {
        prompt: call.prompt_id.clone(),
        names: names(&change.file, &spot.path, &place, call.cwd.as_deref()),
        wants_test,
        place,
        versions,
        findings,
        ..Known::default()
    };
    listen(context, tool, &state, &mut known);
    known.is_private = may_be_asked(settings, &known.local)
        && [&known.place.file, &known.place.in_project, called.to_string_lossy().as_ref()]
            .iter()
            .any(|file| source::is_private(file, &settings.judge.never_send));
    // Finding it costs a look along PATH, and only texts need it.
    if settings.stage1 == Stage1::Model || !matches!(known.local, Local::Declared { .. }) {
        known.program = context.host.own_command(IntentValidator::NAME, context.places);
    }
    let mut texts = Texts::new(&settings.message_files, context.host, context.places);
    let answers = ask(context, tool, &state, &known, &mut texts);
    ChangeFacts { known, answers, notice: notice(context, &texts) }
}

/// A model may come into it: only then it is worth the price of reading globs to know what none may see.
fn may_be_asked(settings: &Settings, local: &Local) -> bool {
    settings.stage2 == Stage2::Model
        || settings.stage1 == Stage1::Model
        || matches!(local, Local::Lacks { is_certain: false, .. })
}

/// The names that a form may give the file.
fn names(called: &str, path: &Path, place: &Place, cwd: Option<&Path>) -> Vec<String> {
    let from_here = cwd.and_then(|cwd| path.strip_prefix(cwd).ok());
    let paths = [Some(Path::new(called)), Some(path), from_here];
    let paths = paths.into_iter().flatten().map(|path| path.to_string_lossy().replace('\\', "/"));
    paths.chain([place.file.clone(), place.in_project.clone()]).filter(|name| !name.is_empty()).collect()
}

fn versions(change: &Change, path: &Path) -> Versions {
    change::versions(change, change::there(read_regular(path, MAX_FILE_BYTES)))
}

/// Reads the declaration and the messages; a recorded declaration that is complete spares the transcript.
fn listen(context: &Context<'_, Settings>, tool: &ToolCall, state: &State, known: &mut Known) {
    let call = &context.request.call;
    let ttl = Duration::from_secs(context.settings.declaration_ttl_secs.get().into());
    let agent = known.place.agent.as_deref();
    let recorded = state.declared(&known.place.in_project, agent, context.host.now(), ttl).cloned();
    let main = call.transcript_path.as_deref();
    if recorded
        .as_ref()
        .is_some_and(|recorded| !recorded.test.as_deref().is_some_and(|test| test.contains(['"', '\'', '“'])))
    {
        known.local = judge(recorded.as_ref(), &Words::default(), known);
        if matches!(known.local, Local::Declared { .. }) {
            return;
        }
    }
    Quotable { texts: known.user, is_whole: known.user_is_whole } =
        main.map(|path| quotable(path, USER_MESSAGES)).unwrap_or_default();
    let is_heard = state.is_heard();
    let patience = if is_heard { CALL_WRITTEN } else { Patience::NONE };
    let heard = transcript_of(call).zip(tool.tool_use_id.as_deref());
    known.words = heard.map(|(path, id)| words_of_call(&path, id, patience)).unwrap_or_default();
    known.was_unheard = is_heard && known.words.own.is_none();
    known.local = judge(recorded.as_ref(), &known.words, known);
    if matches!(known.local, Local::Lacks { is_certain: false, .. })
        && let Some(recorded) = &recorded
    {
        // A model that reads the messages reads the recorded form, too.
        known.words.before.push(recorded.lines());
    }
}

fn judge(recorded: Option<&Form>, words: &Words, known: &Known) -> Local {
    let user = Quotes { texts: &known.user, is_whole: known.user_is_whole };
    let heard = Heard { names: &known.names, wants_test: known.wants_test, own: "", before: &[], user };
    local(recorded, words, &heard)
}

/// Asks whom the plan wants asked: nobody, one, or one after the other.
fn ask(
    context: &Context<'_, Settings>,
    tool: &ToolCall,
    state: &State,
    known: &Known,
    texts: &mut Texts<'_>,
) -> Answers {
    let mut answers = Answers::default();
    if standing(known, &answers, context.settings, state, context.host.now()) == Standing::AskWhetherDeclared
    {
        answers.stage1 = Some(questions::whether_declared(context, tool, known, texts));
    }
    if let Standing::AskForReview { declared, .. } =
        standing(known, &answers, context.settings, state, context.host.now())
    {
        answers.stage2 = Some(questions::review(context, tool, known, &declared, texts));
    }
    answers
}

/// How a change is declared, in the words of the prompt files.
fn announcement(context: &Context<'_, Settings>) -> Facts {
    let mut texts = Texts::new(&context.settings.message_files, context.host, context.places);
    let program = context.host.own_command(IntentValidator::NAME, context.places);
    let mut text = format!("intent-validator: {}", how_to_declare(&mut texts, &program));
    if context.settings.tdd {
        text = format!("{text}\n{}", about_tests(&mut texts, context.settings));
    }
    Facts::Start { text, notice: notice(context, &texts) }
}

/// The notice about texts of the user that cannot be used.
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
