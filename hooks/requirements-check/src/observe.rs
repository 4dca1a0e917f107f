//! The only place that looks at the world: git, satisfactions, files, other sessions. Nothing is decided here, and only what a
//! rule in force asks for is looked at.

pub(crate) mod after;
mod before;
mod evidence;
mod look;
mod sizes;

use std::path::PathBuf;

use shared::cli::{self, Asker, Reply};
use shared::hook::Context;
use shared::operator::Caller;
use shared::protocol::{Event, Stop};
use shared::proved;
use shared::state::Store;
use shared::stop_gate::never_blocked_by_input;
use transcript::{Patience, TurnWork, turn_work};

use crate::change::Change;
use crate::place::{Noted, is_writable};
use crate::rule::Rule;
use crate::settings::Settings;
use crate::state::State;
use crate::view::Facts;
use crate::view::{View, quoted};
use crate::{RequirementsCheck, decide, git, typed};
use after::Response;
pub use look::Look;

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
        Event::SessionStart { source, .. } => {
            let mut look = Look::new(context);
            look.measure(&Rule::all(context.settings).collect::<Vec<_>>());
            look.look_for_start(source);
            Some(Facts::Start(Box::new(look.world)))
        }
        Event::SessionEnd { .. } => Some(Facts::End(Box::new(Look::new(context).world))),
        _ => None,
    }
}

fn submitted(context: &HookContext<'_>, session: &str, prompt: &str, source: Option<&str>) -> Facts {
    let world = Look::new(context).world;
    let asker = || Asker::of_prompt(context, prompt, source);
    let answered = if let Some(line) = typed::line(prompt) {
        let is_typed = asker().caller == Caller::Typed;
        let (session, project) = (session.to_owned(), context.places.root.clone());
        let asking = typed::Asking { session, is_typed, project };
        // `req` has carried out its own changes.
        line.answer(&asking, context.places, &world.cwd).map(Reply::yes)
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
    let mut look = Look::new(context);
    let session = call.session_id.as_deref();
    let view = View { session, call: None, state: &state, world: &look.world, now: context.host.now() };
    // Only requirements that are due are measured.
    let due: Vec<Rule<'_>> = decide::due(context.settings, &view).collect();
    if due.is_empty() {
        return None;
    }
    look.measure(&due);
    let work = call
        .transcript_path
        .as_deref()
        .map_or(TurnWork::Unknown, |path| turn_work(path, call.prompt_id.as_deref(), Patience::FLUSH));
    Some(Facts::Stop(Box::new(look.world), work))
}

impl Look<'_> {
    /// Notices for the user.
    fn look_for_start(&mut self, source: &str) {
        self.note_tracked_local_file();
        let Some(store) = self.context.store else { return };
        // A notice that nobody remembers would come each time.
        if is_writable(store.dir()) {
            let newcomer = (source == "startup").then(|| self.of_a_newcomer(store)).flatten();
            self.world.once.extend(newcomer.map(|folder| (NEWCOMER.to_owned(), Change::ToldOfInit(folder))));
            self.note_new_client(store);
        }
    }

    /// A local file that git tracks is the team's; its owner wants to know.
    fn note_tracked_local_file(&mut self) {
        let folder = self.context.places.project_claude_dir.as_ref();
        let local = folder.map(|dir| dir.join("requirements.local.yaml")).filter(|file| file.is_file());
        let Some((local, worktree)) = local.zip(self.world.here.worktree.as_ref()) else { return };
        if git::is_tracked(worktree, &local) {
            let shown = local.display().to_string();
            self.world.notes.push(format!(
                "requirements-check: {shown} is tracked by git, so it is the team's and not yours alone; take it out with: \
                 git rm --cached {}",
                quoted(&shown)
            ));
        }
    }

    /// A version of Claude Code under which the hooks were not proved.
    fn note_new_client(&mut self, store: &Store) {
        let agent = self.context.host.environment.agent.as_deref();
        let Some(running) = agent.and_then(proved::version_of_agent) else { return };
        if let Some(before) = proved::untold_change(store, &running) {
            let text = format!(
                "requirements-check: Claude Code is {running} now; the hooks were last proved under {before}. To prove them again: \
                 req doctor (this is said once)"
            );
            self.world.once.push((text, Change::ToldOfClient(running)));
        }
    }

    /// A repository with a remote in which nothing is set up, and whose user has not read of `req init`.
    fn of_a_newcomer(&self, store: &Store) -> Option<PathBuf> {
        let common_dir = &self.world.here.worktree.as_ref()?.common_dir;
        let folder = self.context.places.project_claude_dir.as_ref()?;
        let files = ["requirements.yaml", "requirements.local.yaml"];
        let is_new = self.context.settings.requirements.is_empty()
            && !files.iter().any(|file| folder.join(file).exists())
            && !git::named_remotes(common_dir).is_empty()
            && Noted::told_of_init(Some(store.dir()), common_dir).since().is_none();
        is_new.then(|| common_dir.clone())
    }
}
