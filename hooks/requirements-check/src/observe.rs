//! The only place that looks at the world: git, satisfactions, files, other sessions. Nothing is decided here, and only what a
//! rule in force asks for is looked at.

pub(crate) mod after;
mod before;
mod measure;

use shared::blocks::never_blocked_by_input;
use shared::cli::{self, Asker, Reply};
use shared::hook::Context;
use shared::operator::Caller;
use shared::protocol::{Event, Stop};
use shared::proved;
use shared::state::{Store, file_key};
use transcript::{Patience, TurnWork, turn_work};

use crate::change::Change;
use crate::place::{World, is_writable};
use crate::rule::Rule;
use crate::settings::Settings;
use crate::state::State;
use crate::view::{Facts, View, quoted};
use crate::{RequirementsCheck, decide, git, typed};
use after::Response;

const NEWCOMER: &str = "requirements-check: nothing is required of Claude's work in this repository yet. To set something up, \
    type in a terminal: req init (this is said once)";

type HookContext<'a> = Context<'a, Settings>;

pub(crate) fn observe(context: &HookContext<'_>) -> Option<Facts> {
    let session = context.request.call.session_id.as_deref()?;
    match &context.request.event {
        Event::PreToolUse(tool) => before::observe(context, tool).map(|facts| Facts::Before(Box::new(facts))),
        Event::PostToolUse(result) => after::observe(context, &result.call, &Response::of(result)),
        Event::PostToolUseFailure(failure) => {
            after::observe(context, &failure.call, &Response::of_failure(failure))
        }
        Event::UserPromptSubmit { prompt, source } => {
            Some(submitted(context, session, prompt, source.as_deref()))
        }
        Event::Stop(stop) => at_stop(context, stop),
        Event::SessionStart { source, .. } => Some(at_start(context, source)),
        Event::SessionEnd { .. } => Some(Facts::End(Box::new(World::new(context)))),
        _ => None,
    }
}

fn submitted(context: &HookContext<'_>, session: &str, prompt: &str, source: Option<&str>) -> Facts {
    let world = World::new(context);
    let asker = || Asker::of_prompt(context, prompt, source);
    let answered = if let Some(words) = typed::words(prompt) {
        let is_typed = asker().caller == Caller::Typed;
        let (session, project) = (session.to_owned(), context.places.root.clone());
        let asking = typed::Asking { session, is_typed, project };
        // `req` has carried out its own changes.
        typed::answer(&words, &asking, context.places, &world.cwd).map(Reply::yes)
    } else if cli::is_typed::<RequirementsCheck>(prompt) {
        cli::typed::<RequirementsCheck>(prompt, &asker())
    } else {
        None
    };
    Facts::Prompt(Box::new(world), answered)
}

fn at_stop(context: &HookContext<'_>, stop: &Stop) -> Option<Facts> {
    let call = &context.request.call;
    Rule::all(context.settings).next()?;
    if !context.settings.hooks.stop.verify_requirements || never_blocked_by_input(call, stop).is_some() {
        return None;
    }
    let state: State = context.peek();
    let mut world = World::new(context);
    let session = call.session_id.as_deref();
    let view = View { session, call: None, state: &state, world: &world, now: context.host.now() };
    // Only requirements that are due are measured.
    let due: Vec<Rule<'_>> = decide::due(context.settings, &view).collect();
    if due.is_empty() {
        return None;
    }
    world.measure(context, &due);
    let transcript = call.transcript_path.as_deref();
    let work = transcript.map(|path| turn_work(path, call.prompt_id.as_deref(), Patience::FLUSH));
    Some(Facts::Stop(Box::new(world), work.unwrap_or(TurnWork::Unknown)))
}

fn at_start(context: &HookContext<'_>, source: &str) -> Facts {
    let mut world = World::new(context);
    world.measure(context, &Rule::all(context.settings).collect::<Vec<_>>());
    world.notes.extend(tracked_local_file(context, &world));
    // A notice that nobody remembers would come each time.
    let store = context.store.filter(|store| is_writable(store.dir()));
    let newcomer = store.filter(|_| source == "startup").and_then(|store| newcomer(context, store, &world));
    let once = newcomer.into_iter().chain(store.and_then(|store| new_client(context, store)));
    Facts::Start(Box::new(world), once.collect())
}

/// A local file that git tracks is the team's; its owner wants to know.
fn tracked_local_file(context: &HookContext<'_>, world: &World) -> Option<String> {
    let local = context.places.project_claude_dir.as_ref()?.join("requirements.local.yaml");
    let worktree = world.worktree.as_ref().filter(|_| local.is_file())?;
    let shown = local.display().to_string();
    git::is_tracked(worktree, &local).then(|| {
        format!(
            "requirements-check: {shown} is tracked by git, so it is the team's and not yours alone; take it out with: \
             git rm --cached {}",
            quoted(&shown)
        )
    })
}

/// A repository with a remote in which nothing is set up, and whose user has not read of `req init`.
fn newcomer(context: &HookContext<'_>, store: &Store, world: &World) -> Option<(String, Change)> {
    let common_dir = &world.worktree.as_ref()?.common_dir;
    let folder = context.places.project_claude_dir.as_ref()?;
    let files = ["requirements.yaml", "requirements.local.yaml"];
    let told = store.dir().join("told-of-init").join(file_key(&common_dir.to_string_lossy()));
    let is_new = context.settings.requirements.is_empty()
        && !files.iter().any(|file| folder.join(file).exists())
        && git::has_remote(common_dir)
        && !told.exists();
    is_new.then(|| (NEWCOMER.to_owned(), Change::ToldOfInit(told)))
}

/// A version of Claude Code under which the hooks were not proved.
fn new_client(context: &HookContext<'_>, store: &Store) -> Option<(String, Change)> {
    let running = proved::version_of_agent(context.host.environment.agent.as_deref()?)?;
    let before = proved::untold_change(store, &running)?;
    let text = format!(
        "requirements-check: Claude Code is {running} now; the hooks were last proved under {before}. To prove them again: \
         req doctor (this is said once)"
    );
    Some((text, Change::ToldOfClient(running)))
}
