//! The only place that looks at the world: git, satisfactions, files, other sessions. Nothing is decided here, and only what a
//! rule in force asks for is looked at.

pub(crate) mod after;
mod measure;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use shared::blocks::never_blocked_by_input;
use shared::cli::{self, Asker, Reply};
use shared::hook::Context;
use shared::host::{flat, real};
use shared::operator::Caller;
use shared::protocol::{Event, Stop, ToolCall};
use shared::proved;
use shared::state::{Store, file_key};
use shared::text::{cut, quoted};
use transcript::{Patience, TurnWork, turn_work};

use crate::call::Call;
use crate::evidence::{command_of, may_prove};
use crate::facts::{Before, Facts};
use crate::rails::{self, Guarded};
use crate::rule::Rule;
use crate::settings::{Kind, Settings};
use crate::state::{Registry, Run, State};
use crate::world::{Deadlines, View, World, cwd, is_writable};
use crate::{RequirementsCheck, decide, git, typed};
use after::Response;

const NEWCOMER: &str = "requirements-check: nothing is required of Claude's work in this repository yet. To set something up, \
    type in a terminal: req init (this is said once)";

type HookContext<'a> = Context<'a, Settings>;

pub(crate) fn observe(context: &HookContext<'_>) -> Option<Facts> {
    let session = context.request.call.session_id.as_deref()?;
    match &context.request.event {
        Event::PreToolUse(tool) => before(context, session, tool).map(|facts| Facts::Before(Box::new(facts))),
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

/// Before a tool call: what it needs is measured where it acts, and the files are noted where it may prove something.
fn before(context: &HookContext<'_>, session: &str, tool: &ToolCall) -> Option<Before> {
    let rules = || Rule::all(context.settings);
    rules().next()?;
    let rails = rules().find_map(|rule| Some((rule.key(), rule.reserved(context.locked)?)));
    let home = context.host.environment.home.as_deref();
    let mut call = Call::read(tool, home);
    let rails = rails.filter(|_| rails::may_breach(&call));
    let registry = context.store.map(|store| Registry::new(store.dir()));
    let registers = registry.is_some_and(|registry| registry.is_quiet(session, context.host.now()));
    let triggered: Vec<Rule<'_>> =
        rules().filter(|rule| rule.is_for_calls() && rule.is_triggered_by(&call)).collect();
    // A command of the line may become evidence, or the line may change files and so make evidence due.
    let may_change = call.line.is_some() && !call.only_reads();
    let state: State = if may_change { context.peek() } else { State::default() };
    let may_make_due = |rule: &Rule<'_>| may_change && rule.is_for_stops() && !state.due.contains(rule.name);
    let noting: Vec<Rule<'_>> = rules()
        .filter(|rule| rule.kind() == Kind::Evidence && call.line.is_some())
        .filter(|rule| may_prove(rule, &call) || may_make_due(rule))
        .collect();
    if triggered.is_empty() && noting.is_empty() && rails.is_none() && !registers {
        return None;
    }
    let (cwd, named) = (cwd(context), call.file.clone());
    let place = resolved_place(&mut call, &cwd, &noting);
    if is_plan(context, &call) {
        return None;
    }
    let mut worlds = by_work_tree(context, &triggered, &call, &cwd, &place);
    let breach = rails.and_then(|rails| {
        let input = tool.tool_input.as_ref().map_or("{}", |raw| raw.get());
        let common_dir = worlds[0].worktree.as_ref().map(|worktree| worktree.common_dir.as_path());
        Guarded::new(context.places, common_dir, &cwd).breach(&call, named.as_deref(), input, rails)
    });
    let mut runs = Vec::new();
    if breach.is_none() {
        for world in &mut worlds {
            world.measure_for(context, &triggered, &call);
        }
        runs = noting.iter().filter_map(|rule| begin(context, rule, &call, &mut worlds[0])).collect();
    }
    Some(Before { call, worlds, breach, runs, registers })
}

/// The work trees in which the triggered rules are judged, that of the call first: each command of a line acts in its own folder,
/// git in the one that its options name.
fn by_work_tree(
    context: &HookContext<'_>,
    triggered: &[Rule<'_>],
    call: &Call,
    cwd: &Path,
    place: &Path,
) -> Vec<World> {
    // The call's own place is the first in order.
    let mut by_place = BTreeMap::from([((false, place.to_path_buf()), Vec::new())]);
    for rule in triggered {
        let commands = call.commands().iter().filter(|command| rule.is_triggered_by_command(call, command));
        let mut places: Vec<PathBuf> = commands.map(|command| real(&command.place(cwd))).collect();
        if places.is_empty() || rule.is_triggered_by_tool(call) {
            places.push(place.to_path_buf());
        }
        for at in places {
            by_place.entry((at != place, at)).or_default().push(rule.name.to_owned());
        }
    }
    let mut worlds: Vec<World> = Vec::new();
    for ((_, at), judged) in by_place {
        let world = World::at(context, cwd, &at);
        let deadlines = worlds.first().map_or(world.deadlines, |own| own.deadlines);
        match worlds.iter_mut().find(|known| known.worktree == world.worktree) {
            Some(known) => known.judged.extend(judged),
            None => worlds.push(World { judged, deadlines, ..world }),
        }
    }
    worlds
}

/// Notes the files as they are when the command begins: their digest and the time, `9f86d081884c7d65@1795300000000000`.
fn begin(context: &HookContext<'_>, rule: &Rule<'_>, call: &Call, world: &mut World) -> Option<Run> {
    let Deadlines { all, of_files, .. } = world.deadlines;
    let deadline = if may_prove(rule, call) { of_files } else { all };
    let now = context.host.now().micros();
    let files = format!("{}@{now}", world.taken(rule, deadline).ok()?.digest);
    let shown = command_of(rule, call).map(|found| found.shown).unwrap_or_default();
    Some(Run { call: call.id.clone()?, name: rule.name.to_owned(), command: cut(&shown, 200), files })
}

/// Plans need nothing: those of Claude Code, and those a project keeps.
fn is_plan(context: &HookContext<'_>, call: &Call) -> bool {
    // Resolving links is dear, and most files are no plans by their path already.
    let is_named = |file: &&PathBuf| call.is_edit() && file.iter().any(|part| part == "plans");
    let Some(file) = call.file.as_ref().filter(is_named) else { return false };
    let root = context.places.root.as_deref().map(real);
    let own = context.places.config_dir.as_ref().map(|dir| real(&dir.join("plans")));
    // A project's folder of plans that is itself a link would exempt whatever it leads to.
    let of_project = ["docs/plans", ".claude/plans"].map(|folder| Some(root.as_ref()?.join(folder)));
    of_project.into_iter().chain([own]).flatten().any(|folder| file.starts_with(folder))
}

/// Resolves the links in what the call names, as git does in the paths of work trees, and returns the place where it acts: that of
/// a command that proves something, else that of the first one.
fn resolved_place(call: &mut Call, cwd: &Path, rules: &[Rule<'_>]) -> PathBuf {
    for command in call.line.iter_mut().flat_map(|line| line.commands.iter_mut().flatten()) {
        if let Some(folder) = command.directory.as_mut().filter(|folder| !folder.as_os_str().is_empty()) {
            // A `cd` to a folder that is not there fails, and the line may go on where it was.
            let there = real(&cwd.join(&*folder));
            if !there.is_dir() {
                folder.clear();
            } else if folder.is_absolute() || !there.starts_with(cwd) {
                *folder = there;
            }
        }
        for file in command.writes.iter_mut().filter(|file| file.starts_with('/')) {
            *file = real(Path::new(file)).display().to_string();
        }
    }
    if let Some(file) = &mut call.file {
        *file = real(&flat(&cwd.join(&file)));
        return file.clone();
    }
    let proving = rules.iter().find_map(|rule| command_of(rule, call)?.simple.folder(cwd));
    real(&proving.unwrap_or_else(|| call.place(cwd)))
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
    } else {
        let is_ours = cli::is_typed::<RequirementsCheck>(prompt);
        is_ours.then(|| cli::typed::<RequirementsCheck>(prompt, &asker())).flatten()
    };
    Facts::Prompt(Box::new(world), answered)
}

fn at_stop(context: &HookContext<'_>, stop: &Stop) -> Option<Facts> {
    let call = &context.request.call;
    Rule::all(context.settings).next()?;
    if never_blocked_by_input(call, stop).is_some() {
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
    let once = once.filter(|(_, marker)| !marker.exists()).collect();
    Facts::Start(Box::new(world), once)
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

/// The notice about a repository with a remote in which nothing is set up, and the file that remembers it.
fn newcomer(context: &HookContext<'_>, store: &Store, world: &World) -> Option<(String, PathBuf)> {
    let common_dir = &world.worktree.as_ref()?.common_dir;
    let marker = store.dir().join("told-of-init").join(file_key(&common_dir.to_string_lossy()));
    let file = context.places.project_claude_dir.as_ref().map(|dir| dir.join("requirements.yaml"));
    let is_unset = context.settings.requirements.is_empty() && file.is_none_or(|file| !file.exists());
    let is_new = is_unset && git::has_remote(common_dir);
    is_new.then(|| (NEWCOMER.to_owned(), marker))
}

/// The notice about a version of Claude Code under which the hooks were not proved, and the file that remembers it.
fn new_client(context: &HookContext<'_>, store: &Store) -> Option<(String, PathBuf)> {
    let running = proved::version_of_agent(context.host.environment.agent.as_deref()?)?;
    let before = proved::changed_from(store, &running)?;
    let text = format!(
        "requirements-check: Claude Code is {running} now; the hooks were last proved under {before}. To prove them again: \
         req doctor (this is said once)"
    );
    Some((text, store.dir().join("told-of-client").join(running)))
}
