//! The only place that looks at the world: git, marks, files, other sessions. Nothing is decided here, and what no rule in
//! force asks for is not looked at: the usual call costs a look at its tool's name.

mod files;
mod fingerprints;
mod look;
mod own;
mod sizes;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Deserialize;
use shared::cli::{self, Asker};
use shared::hook::Context;
use shared::operator::{Caller, typed as prompts};
use shared::own_calls::is_own_call;
use shared::protocol::{Event, ToolCall, ToolFailure, ToolResult};
use shared::stop_gate::never_blocked_by_input;
use transcript::{Patience, TurnWork, turn_work};

use crate::RequirementsCheck;
use crate::call::Call;
use crate::command_line::{Directory, Simple};
use crate::deadline::within;
use crate::decide;
use crate::evidence;
use crate::facts::{After, Answered, Before, Facts, Prompt, Start, Stop, Visit};
use crate::paths::real;
use crate::rails::{self, Guarded};
use crate::rule::Rule;
use crate::settings::{Kind, Pattern, Settings, Terms};
use crate::state::{Run, State};
use crate::typed;
use crate::view::View;
pub use look::Look;

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    context.request.call.session_id.as_ref()?;
    match &context.request.event {
        Event::PreToolUse(tool) => before(context, tool).map(|facts| Facts::Before(Box::new(facts))),
        Event::PostToolUse(result) => {
            after(context, &Ended::of(result)).map(|facts| Facts::After(Box::new(facts)))
        }
        Event::PostToolUseFailure(failure) => {
            after(context, &Ended::of_failure(failure)).map(|facts| Facts::After(Box::new(facts)))
        }
        Event::UserPromptSubmit { prompt, source } => {
            Some(Facts::Prompt(Box::new(submitted(context, prompt, source.as_deref()))))
        }
        Event::Stop(stop) if stop.session_crons.iter().any(|prompt| prompts::ours(prompt).is_some()) => Some(
            Facts::Scheduled(stop.session_crons.iter().filter_map(|prompt| prompts::ours(prompt)).collect()),
        ),
        Event::Stop(_) => at_stop(context).map(|facts| Facts::Stop(Box::new(facts))),
        Event::SessionStart { .. } => Some(Facts::Start(Box::new(at_start(context)))),
        Event::SessionEnd { .. } => Some(Facts::End(Box::new(Look::new(context).world))),
        _ => None,
    }
}

fn before(context: &Context<'_, Settings>, tool: &ToolCall) -> Option<Before> {
    let rules = || Rule::all(context.settings);
    rules().next()?;
    let rails = rails::in_force(context.settings, context.locked);
    let home = context.host.environment.home.as_deref();
    let mut call = Call::read(tool, rails.is_some() || rules().any(|rule| rule.reads_lines())).at_home(home);
    let rails = rails.filter(|_| rails::may_breach(&call));
    if is_plan(context, &call) {
        return None;
    }
    let scheduled = prompts::scheduled_by(tool);
    let is_quiet = Look::is_quiet(context);
    let triggered: Vec<Rule<'_>> =
        rules().filter(|rule| rule.is_for_calls() && rule.is_triggered_by(&call)).collect();
    let due = lazily_due(context);
    let proving: Vec<Rule<'_>> =
        rules().filter(|rule| may_prove(rule, &call) || may_become_due(rule, &call, &due)).collect();
    if triggered.is_empty() && proving.is_empty() && rails.is_none() && scheduled.is_none() && !is_quiet {
        return None;
    }
    let cwd = Look::cwd(context);
    let mut place = call.place(&cwd);
    let by_place = by_place(&triggered, &call, &place, &cwd);
    if proving.is_empty() && by_place.iter().all(|(at, _)| *at != place) {
        place = by_place.first().map_or(place, |(at, _)| at.clone());
    }
    let mut look = Look::at(context, &place);
    let breach = rails.and_then(|(rule, why)| {
        let guarded = guarded(context, &look, &cwd);
        let input = tool.tool_input.as_ref().map_or("{}", |raw| raw.get());
        rails::breach(&call, input, &guarded, &rule, why)
    });
    resolve_links(&mut call, &cwd);
    let (mut runs, mut elsewhere) = (Vec::new(), Vec::new());
    if breach.is_none() {
        let (here, others): (Vec<_>, Vec<_>) = by_place.into_iter().partition(|(at, _)| *at == place);
        let mut judged: Vec<Rule<'_>> = here.into_iter().flat_map(|(_, rules)| rules).collect();
        for (at, rules) in others {
            let mut other = Look::at(context, &at);
            if other.world.here.worktree == look.world.here.worktree {
                judged.extend(rules);
            } else {
                other.measure_for(&rules, &call);
                let judged = rules.iter().map(|rule| rule.name.to_owned()).collect();
                elsewhere.push(Visit { world: other.world, judged });
            }
        }
        look.measure_for(&judged, &call);
        look.judged = judged.iter().map(|rule| rule.name.to_owned()).collect();
        runs = proving.iter().filter_map(|rule| begin(rule, &call, &look)).collect();
    }
    let judged = Some(look.judged);
    Some(Before { call, world: look.world, judged, elsewhere, breach, runs, scheduled, registers: is_quiet })
}

/// The rules by where what needs them acts: each command of a line in its own folder, git in the one it is told.
fn by_place<'r>(
    triggered: &[Rule<'r>],
    call: &Call,
    place: &Path,
    cwd: &Path,
) -> Vec<(PathBuf, Vec<Rule<'r>>)> {
    let mut places: Vec<(PathBuf, Vec<Rule<'r>>)> = Vec::new();
    for rule in triggered {
        let by_commands =
            call.commands().iter().filter(|command| rule.is_triggered_by_command(call, command));
        let mut all: Vec<PathBuf> = by_commands.map(|command| command.place(cwd)).collect();
        if all.is_empty() || rule.is_triggered_by_tool(call) {
            all.push(place.to_path_buf());
        }
        for at in all {
            match places.iter_mut().find(|(known, _)| *known == at) {
                Some((_, rules)) if rules.iter().any(|known| known.name == rule.name) => {}
                Some((_, rules)) => rules.push(*rule),
                None => places.push((at, vec![*rule])),
            }
        }
    }
    places
}

fn guarded<'a>(context: &'a Context<'_, Settings>, look: &'a Look<'_, '_>, cwd: &'a Path) -> Guarded<'a> {
    Guarded {
        config_dir: context.places.config_dir.as_deref(),
        root: context.places.root.as_deref(),
        state_dirs: [context.places.state_dir.as_deref(), context.places.default_state_dir.as_deref()]
            .into_iter()
            .flatten()
            .collect(),
        common_dir: look.world.here.worktree.as_ref().map(|worktree| worktree.common_dir.as_path()),
        cwd,
    }
}

/// The call's command may become evidence if it passes: it decides the line, and what it asserts is something.
fn may_prove(rule: &Rule<'_>, call: &Call) -> bool {
    let found = (rule.kind() == Kind::Evidence).then(|| evidence::command_of(rule, call)).flatten();
    found.is_some_and(|found| found.hidden.is_none() && !found.proves_nothing) && !call.in_background
}

/// A line that may change files may make evidence due that is not due yet.
fn may_become_due(rule: &Rule<'_>, call: &Call, is_due: &dyn Fn(&str) -> bool) -> bool {
    let may_change = call.line.is_some() && !call.only_reads();
    rule.kind() == Kind::Evidence && rule.is_for_stops() && may_change && !is_due(rule.name)
}

/// Evidence that an edit has made due.
fn lazily_due<'a>(context: &'a Context<'_, Settings>) -> impl Fn(&str) -> bool + 'a {
    let state: OnceCell<State> = OnceCell::new();
    move |name| state.get_or_init(|| context.peek()).edited.contains(name)
}

/// The files as they are when the command begins.
fn begin(rule: &Rule<'_>, call: &Call, look: &Look<'_, '_>) -> Option<Run> {
    let found = evidence::command_of(rule, call);
    let files = look.keep_fingerprint(rule, may_prove(rule, call))?;
    let shown = found.map(|found| found.shown).unwrap_or_default();
    let command = crate::words::cut(&shown, 200);
    Some(Run { call: call.id.clone()?, name: rule.name.to_owned(), command, files })
}

/// Plans are written before anything else can be: the client's own, and those a project keeps.
fn is_plan(context: &Context<'_, Settings>, call: &Call) -> bool {
    let Some(file) = call.file.as_ref().filter(|_| call.is_edit()) else { return false };
    let file = Look::cwd(context).join(file);
    // Most files are no plans by their path already; resolving links is for the few that may be.
    if !file.components().any(|part| part.as_os_str() == "plans") {
        return false;
    }
    let file = real(&file);
    let own = context.places.config_dir.as_ref().map(|dir| real(&dir.join("plans")));
    let root = context.places.root.as_ref().map(|root| real(root));
    // A project's folder of plans that is itself a link would exempt whatever it leads to.
    let of_project =
        ["docs/plans", ".claude/plans"].map(|folder| root.as_ref().map(|root| root.join(folder)));
    of_project.into_iter().chain([own]).flatten().any(|folder| file.starts_with(folder))
}

/// Spells what the call names in full as work trees are spelled, which may have been reached through a link.
fn resolve_links(call: &mut Call, cwd: &Path) {
    if let Some(file) = &mut call.file {
        *file = real(&cwd.join(&file));
    }
    for command in call.line.iter_mut().flat_map(|line| line.commands.iter_mut().flatten()) {
        if let Directory::Changed(folder) = &mut command.directory
            && folder.is_absolute()
        {
            *folder = real(folder);
        }
        for file in command.writes.iter_mut().filter(|file| file.starts_with('/')) {
            *file = real(Path::new(file)).display().to_string();
        }
    }
}

/// A call that has run.
struct Ended<'a> {
    call: &'a ToolCall,
    succeeded: bool,
    is_unfinished: bool,
    /// What it printed.
    output: String,
    persisted: Option<PathBuf>,
}

/// A shell's answer, as far as it matters.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Response {
    stdout: Option<String>,
    stderr: Option<String>,
    interrupted: Option<bool>,
    background_task_id: Option<serde::de::IgnoredAny>,
    success: Option<bool>,
    /// Where all of the output is, of which only the beginning stands here.
    persisted_output_path: Option<PathBuf>,
}

/// So much of a persisted output is searched, in bytes.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

impl<'a> Ended<'a> {
    fn of(result: &'a ToolResult) -> Self {
        let text = result.tool_response.as_ref().map_or("{}", |raw| raw.get());
        let response: Response = serde_json::from_str(text).unwrap_or_default();
        Self {
            call: &result.call,
            succeeded: response.success.unwrap_or(true),
            is_unfinished: response.interrupted.unwrap_or(false) || response.background_task_id.is_some(),
            output: [response.stdout, response.stderr].into_iter().flatten().collect::<Vec<_>>().join("\n"),
            persisted: response.persisted_output_path,
        }
    }

    /// Its output has a match.
    fn has(&self, pattern: &Pattern, deadline: Option<Instant>) -> bool {
        let (pattern, output, persisted) = (pattern.clone(), self.output.clone(), self.persisted.clone());
        let search = move || {
            let rest = || shared::state::read_regular(persisted.as_deref()?, MAX_OUTPUT).ok();
            pattern.is_in(&output)
                || rest().is_some_and(|bytes| pattern.is_in(&String::from_utf8_lossy(&bytes)))
        };
        within(deadline, search).unwrap_or(false)
    }

    fn of_failure(failure: &'a ToolFailure) -> Self {
        Self {
            call: &failure.call,
            succeeded: false,
            is_unfinished: failure.is_interrupt,
            output: String::new(),
            persisted: None,
        }
    }
}

fn after(context: &Context<'_, Settings>, ended: &Ended<'_>) -> Option<After> {
    let rules: Vec<Rule<'_>> = Rule::all(context.settings).collect();
    if rules.is_empty() {
        return None;
    }
    let is_shell = matches!(ended.call.tool_name.as_str(), "Bash" | "PowerShell");
    let mut call = Call::read(ended.call, is_shell).at_home(context.host.environment.home.as_deref());
    let satisfied = satisfied_by_line(&call);
    let is_own = is_own_call(ended.call, context.places);
    let touches = |rule: &Rule<'_>| {
        rule.is_triggered_by(&call)
            || match &rule.set.terms {
                Terms::Blocking(blocking) => {
                    call.skill.as_deref().is_some_and(|skill| blocking.is_by_skill(skill))
                }
                Terms::Evidence(_) | Terms::Dynamic(_) => call.is_edit() || is_shell,
                Terms::Guard(_) | Terms::Off(_) => false,
            }
    };
    let is_plan_exit = call.tool == "ExitPlanMode";
    if !satisfied.is_empty() || is_plan_exit || (!is_own && rules.iter().any(touches)) {
        let cwd = Look::cwd(context);
        let mut look = Look::at(context, &call.place(&cwd));
        resolve_links(&mut call, &cwd);
        let wanted: Vec<Rule<'_>> = if is_plan_exit { rules.clone() } else { Vec::new() };
        look.measure(&wanted);
        look.recount(&rules, &call);
        let lacks = |rule: &&Rule<'_>| {
            let wanted = rule.set.evidence().and_then(|evidence| evidence.min_output.as_ref());
            wanted.is_some_and(|pattern| !ended.has(pattern, look.deadline))
        };
        let without_output = rules.iter().filter(lacks).map(|rule| rule.name.to_owned()).collect();
        let changed = changed(context, &rules, &call, &look);
        let Ended { succeeded, is_unfinished, .. } = *ended;
        return Some(After {
            call,
            world: look.world,
            succeeded,
            is_unfinished,
            changed,
            without_output,
            satisfied,
        });
    }
    None
}

/// The evidence whose files the line has changed. One that only goes to another branch has changed none.
fn changed(
    context: &Context<'_, Settings>,
    rules: &[Rule<'_>],
    call: &Call,
    look: &Look<'_, '_>,
) -> Vec<String> {
    let Some(id) = call.id.as_deref().filter(|_| call.line.is_some() && !call.only_reads()) else {
        return Vec::new();
    };
    let switches = call.commands().iter().any(Simple::switches_branch);
    let state: State = context.peek();
    // What the files were is not known where nobody saw the call begin, or not in time.
    let keeps = call.commands().iter().all(|command| command.keeps_files() && command.writes.is_empty());
    let has_changed = |rule: &&Rule<'_>| match state.running(id, rule.name) {
        _ if state.edited.contains(rule.name) => false,
        Some(run) => look.has_changed_since(rule, &run.files),
        None => rule.is_for_stops() && !keeps,
    };
    let evidence = rules.iter().filter(|rule| rule.kind() == Kind::Evidence && !switches);
    evidence.filter(has_changed).map(|rule| rule.name.to_owned()).collect()
}

/// The names that `req satisfy` in the line marks.
pub(crate) fn satisfied_by_line(call: &Call) -> Vec<String> {
    let commands =
        call.commands().iter().filter(|command| command.program() == "req" && command.decides.is_ok());
    commands.flat_map(|command| typed::satisfied(&command.words[1..])).collect()
}

fn submitted(context: &Context<'_, Settings>, prompt: &str, source: Option<&str>) -> Prompt {
    let look = Look::new(context);
    let is_switch = cli::is_typed::<RequirementsCheck>(prompt);
    let answered = match typed::line(prompt) {
        Some(Ok(line)) => by_req(line, context, prompt, source, &look.world.cwd),
        Some(Err(text)) => Some(Answered { text, changes: Vec::new() }),
        None if is_switch => switched(prompt, &Asker::of_prompt(context, prompt, source)),
        None => None,
    };
    Prompt { answered, world: look.world }
}

/// What `req` answers.
fn by_req(
    line: typed::Line,
    context: &Context<'_, Settings>,
    prompt: &str,
    source: Option<&str>,
    cwd: &Path,
) -> Option<Answered> {
    let is_typed = Asker::of_prompt(context, prompt, source).caller == Caller::Typed;
    let session = context.request.call.session_id.clone()?;
    let asking = typed::Asking { session, is_typed, project: context.places.root.clone() };
    let text = line.answer(&asking, context.places, cwd)?;
    Some(Answered { text, changes: Vec::new() })
}

/// The answer to a verb every hook has.
fn switched(prompt: &str, asker: &Asker<'_>) -> Option<Answered> {
    let cli::Reply { text, effects, .. } = cli::typed::<RequirementsCheck>(prompt, asker)?;
    Some(Answered { text, changes: effects })
}

fn at_stop(context: &Context<'_, Settings>) -> Option<Stop> {
    let Event::Stop(stop) = &context.request.event else { return None };
    let settings = &context.settings.hooks.stop;
    if !settings.verify_requirements || Rule::all(context.settings).next().is_none() {
        return None;
    }
    if never_blocked_by_input(&context.request.call, stop).is_some() {
        return None;
    }
    let state: State = context.peek();
    let look = Look::new(context);
    // What is due shows before anything is measured, and only that needs to be.
    let session = context.request.call.session_id.as_deref();
    let view = View { session, call: None, state: &state, world: &look.world, now: context.host.now() };
    let due: Vec<Rule<'_>> = decide::stop::due(context.settings, &view).collect();
    if due.is_empty() {
        return None;
    }
    let mut look = look;
    look.measure(&due);
    let call = &context.request.call;
    let work = call
        .transcript_path
        .as_deref()
        .map_or(TurnWork::Unknown, |path| turn_work(path, call.prompt_id.as_deref(), Patience::FLUSH));
    Some(Stop { world: look.world, work })
}

fn at_start(context: &Context<'_, Settings>) -> Start {
    let rules: Vec<Rule<'_>> = Rule::all(context.settings).collect();
    let mut look = Look::new(context);
    look.measure(&rules);
    look.sweep();
    look.note_a_tracked_local_file();
    if context.settings.requirements.is_empty() {
        look.look_for_a_newcomer();
    }
    look.look_for_a_new_client();
    Start { world: look.world }
}
