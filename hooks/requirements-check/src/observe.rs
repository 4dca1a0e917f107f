//! The only place that looks at the world: git, satisfactions, files, other sessions. Nothing is decided here, and only what a
//! rule in force asks for is looked at.

mod commands;
mod files;
mod fingerprints;
mod look;
mod sizes;
mod start;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use shared::cli::{self, Asker};
use shared::hook::Context;
use shared::operator::Caller;
use shared::own_calls::is_own_call;
use shared::protocol::{Event, Stop, ToolCall, ToolFailure, ToolResult};
use shared::stop_gate::never_blocked_by_input;
use transcript::{Patience, TurnWork, turn_work};

use crate::RequirementsCheck;
use crate::call::Call;
use crate::command_line::Simple;
use crate::deadline::within;
use crate::decide;
use crate::evidence;
use crate::facts::{After, Answered, Before, Facts, Place};
use crate::paths::real;
use crate::rails::{self, Guarded};
use crate::registry::Registry;
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
        Event::PostToolUse(result) => after(context, &Ended::of(result)),
        Event::PostToolUseFailure(failure) => after(context, &Ended::of_failure(failure)),
        Event::UserPromptSubmit { prompt, source } => Some(submitted(context, prompt, source.as_deref())),
        Event::Stop(stop) => at_stop(context, stop),
        Event::SessionStart { source, .. } => Some(at_start(context, source)),
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
    let registers = is_quiet(context);
    let triggered: Vec<Rule<'_>> =
        rules().filter(|rule| rule.is_for_calls() && rule.is_triggered_by(&call)).collect();
    let due = lazily_due(context);
    let proving: Vec<Rule<'_>> =
        rules().filter(|rule| may_prove(rule, &call) || may_become_due(rule, &call, &due)).collect();
    if triggered.is_empty() && proving.is_empty() && rails.is_none() && !registers {
        return None;
    }
    let cwd = Look::cwd(context);
    let place = call.place(&cwd);
    let by_place = by_place(&triggered, &call, &place, &cwd);
    let own = Look::at(context, &place);
    let named = call.file.clone();
    resolve_links(&mut call, &cwd);
    let breach = rails.and_then(|rails| {
        let input = tool.tool_input.as_ref().map_or("{}", |raw| raw.get());
        rails::breach(&call, named.as_deref(), input, &guarded(context, &own, &cwd), rails)
    });
    let mut looks: Vec<(Look<'_, '_>, Vec<Rule<'_>>)> = vec![(own, Vec::new())];
    for (at, rules) in by_place {
        if at == place {
            looks[0].1.extend(rules);
            continue;
        }
        let look = looks[0].0.elsewhere(&at);
        let tree = &look.world.here.worktree;
        match looks.iter_mut().find(|(known, _)| known.world.here.worktree == *tree) {
            Some((_, known)) => known.extend(rules),
            None => looks.push((look, rules)),
        }
    }
    let mut runs = Vec::new();
    if breach.is_none() {
        for (look, rules) in &mut looks {
            look.measure_for(rules, &call);
        }
        runs = proving.iter().filter_map(|rule| begin(rule, &call, &looks[0].0)).collect();
    }
    let named = |rules: Vec<Rule<'_>>| rules.iter().map(|rule| rule.name.to_owned()).collect();
    let places =
        looks.into_iter().map(|(look, rules)| Place { world: look.world, judged: named(rules) }).collect();
    Some(Before { call, places, breach, runs, registers })
}

/// The session has given no sign of life for a while.
fn is_quiet(context: &Context<'_, Settings>) -> bool {
    let registry = context.store.zip(context.request.call.session_id.as_deref());
    registry.is_some_and(|(store, session)| Registry::new(store.dir()).is_quiet(session, context.host.now()))
}

/// The triggered rules by where what triggers them acts: each command of a line in its own folder, git where it is told to.
fn by_place<'r>(
    triggered: &[Rule<'r>],
    call: &Call,
    place: &Path,
    cwd: &Path,
) -> BTreeMap<PathBuf, Vec<Rule<'r>>> {
    let mut places: BTreeMap<PathBuf, Vec<Rule<'r>>> = BTreeMap::new();
    for rule in triggered {
        let commands = call.commands().iter().filter(|command| rule.is_triggered_by_command(call, command));
        let mut all: Vec<PathBuf> = commands.map(|command| command.place(cwd)).collect();
        if all.is_empty() || rule.is_triggered_by_tool(call) {
            all.push(place.to_path_buf());
        }
        all.sort();
        all.dedup();
        for at in all {
            places.entry(at).or_default().push(*rule);
        }
    }
    places
}

fn guarded<'a>(context: &'a Context<'_, Settings>, look: &'a Look<'_, '_>, cwd: &'a Path) -> Guarded<'a> {
    let state_dirs = [context.places.state_dir.as_deref(), context.places.default_state_dir.as_deref()];
    Guarded {
        config_dir: context.places.config_dir.as_deref(),
        root: context.places.root.as_deref(),
        state_dirs: state_dirs.into_iter().flatten().collect(),
        common_dir: look.world.here.worktree.as_ref().map(|worktree| worktree.common_dir.as_path()),
        cwd,
    }
}

/// A command of the call may become evidence: it decides the line's exit status, in the foreground, and proves something.
fn may_prove(rule: &Rule<'_>, call: &Call) -> bool {
    let found = (rule.kind() == Kind::Evidence).then(|| evidence::command_of(rule, call)).flatten();
    found.is_some_and(|found| found.counts()) && !call.in_background
}

/// The line may change files, and so make evidence due that is not due yet.
fn may_become_due(rule: &Rule<'_>, call: &Call, is_due: &dyn Fn(&str) -> bool) -> bool {
    let may_change = call.line.is_some() && !call.only_reads();
    rule.kind() == Kind::Evidence && rule.is_for_stops() && may_change && !is_due(rule.name)
}

/// Whether evidence is due already; reads the state at the first question.
fn lazily_due<'a>(context: &'a Context<'_, Settings>) -> impl Fn(&str) -> bool + 'a {
    let state: OnceCell<State> = OnceCell::new();
    move |name| state.get_or_init(|| context.peek()).edited.contains(name)
}

/// Notes the files as they are when the command begins.
fn begin(rule: &Rule<'_>, call: &Call, look: &Look<'_, '_>) -> Option<Run> {
    let found = evidence::command_of(rule, call);
    let deadline = if may_prove(rule, call) { look.deadline_of_files() } else { look.deadline };
    let files = fingerprints::keep(look, rule, deadline)?;
    let shown = found.map(|found| found.shown).unwrap_or_default();
    let command = crate::words::cut(&shown, 200);
    Some(Run { call: call.id.clone()?, name: rule.name.to_owned(), command, files })
}

/// Plans need nothing: those of Claude Code, and those a project keeps.
fn is_plan(context: &Context<'_, Settings>, call: &Call) -> bool {
    let Some(file) = call.file.as_ref().filter(|_| call.is_edit()) else { return false };
    let file = Look::cwd(context).join(file);
    // Resolving links is dear, and most files are no plans by their path already.
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

/// Resolves links in what the call names, as git does in the paths of work trees.
fn resolve_links(call: &mut Call, cwd: &Path) {
    if let Some(file) = &mut call.file {
        *file = real(&cwd.join(&file));
    }
    for command in call.line.iter_mut().flat_map(|line| line.commands.iter_mut().flatten()) {
        if let Some(folder) = command.directory.as_mut().filter(|folder| folder.is_absolute()) {
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
    response: Response,
}

/// A shell's answer.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Response {
    stdout: Option<String>,
    stderr: Option<String>,
    interrupted: Option<bool>,
    background_task_id: Option<serde::de::IgnoredAny>,
    success: Option<bool>,
    /// The file with all of the output, if `stdout` is only its beginning.
    persisted_output_path: Option<PathBuf>,
}

/// Bytes of a persisted output that are searched.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

impl<'a> Ended<'a> {
    fn of(result: &'a ToolResult) -> Self {
        let text = result.tool_response.as_ref().map_or("{}", |raw| raw.get());
        let response: Response = serde_json::from_str(text).unwrap_or_default();
        Self {
            call: &result.call,
            succeeded: response.success.unwrap_or(true),
            is_unfinished: response.interrupted.unwrap_or(false) || response.background_task_id.is_some(),
            response,
        }
    }

    fn of_failure(failure: &'a ToolFailure) -> Self {
        let (call, is_unfinished) = (&failure.call, failure.is_interrupt);
        Self { call, succeeded: false, is_unfinished, response: Response::default() }
    }

    /// The output has a match, in the part that was persisted, too.
    fn has(&self, pattern: &Pattern, look: &Look<'_, '_>) -> bool {
        let Response { stdout, stderr, persisted_output_path: file, .. } = &self.response;
        let output: Vec<String> = [stdout, stderr].into_iter().flatten().cloned().collect();
        let (pattern, output, file) = (pattern.clone(), output.join("\n"), file.clone());
        let search = move || {
            let rest = || shared::state::read_regular(file.as_deref()?, MAX_OUTPUT).ok();
            pattern.is_in(&output)
                || rest().is_some_and(|bytes| pattern.is_in(&String::from_utf8_lossy(&bytes)))
        };
        within(look.deadline, search).unwrap_or(false)
    }
}

fn after(context: &Context<'_, Settings>, ended: &Ended<'_>) -> Option<Facts> {
    let rules: Vec<Rule<'_>> = Rule::all(context.settings).collect();
    if rules.is_empty() {
        return None;
    }
    let is_shell = matches!(ended.call.tool_name.as_str(), "Bash" | "PowerShell");
    let mut call = Call::read(ended.call, is_shell).at_home(context.host.environment.home.as_deref());
    let satisfied = satisfied_by_line(&call);
    let concerns = |rule: &Rule<'_>| {
        let by_type = match &rule.set.terms {
            Terms::Blocking(blocking) => {
                call.skill.as_deref().is_some_and(|skill| blocking.is_by_skill(skill))
            }
            Terms::Evidence(_) | Terms::Dynamic(_) => call.is_edit() || is_shell,
            Terms::Guard(_) | Terms::Off(_) => false,
        };
        by_type || rule.is_triggered_by(&call)
    };
    let is_plan_exit = call.tool == "ExitPlanMode";
    let is_own = is_own_call(ended.call, context.places);
    if satisfied.is_empty() && !is_plan_exit && (is_own || !rules.iter().any(concerns)) {
        return None;
    }
    let cwd = Look::cwd(context);
    let mut look = Look::at(context, &call.place(&cwd));
    resolve_links(&mut call, &cwd);
    if is_plan_exit {
        look.measure(&rules);
    }
    look.recount(&rules, &call);
    let lacks = |rule: &&Rule<'_>| {
        let wanted = rule.set.evidence().and_then(|evidence| evidence.min_output.as_ref());
        wanted.is_some_and(|pattern| !ended.has(pattern, &look))
    };
    let without_output = rules.iter().filter(lacks).map(|rule| rule.name.to_owned()).collect();
    let changed = changed(context, &rules, &call, &look);
    let (succeeded, is_unfinished) = (ended.succeeded, ended.is_unfinished);
    let world = look.world;
    Some(Facts::After(Box::new(After {
        call,
        world,
        succeeded,
        is_unfinished,
        changed,
        without_output,
        satisfied,
    })))
}

/// Evidence whose files the line has changed. Going to another branch changes none.
fn changed(
    context: &Context<'_, Settings>,
    rules: &[Rule<'_>],
    call: &Call,
    look: &Look<'_, '_>,
) -> Vec<String> {
    let Some(id) = call.id.as_deref().filter(|_| call.line.is_some() && !call.only_reads()) else {
        return Vec::new();
    };
    if call.commands().iter().any(Simple::switches_branch) {
        return Vec::new();
    }
    let state: State = context.peek();
    // Nobody may have seen the call begin, or not in time.
    let keeps = call.commands().iter().all(|command| command.keeps_files() && command.writes.is_empty());
    let has_changed = |rule: &&Rule<'_>| match state.running(id, rule.name) {
        _ if state.edited.contains(rule.name) => false,
        Some(run) => fingerprints::has_changed(look, rule, &run.files),
        None => rule.is_for_stops() && !keeps,
    };
    let evidence = rules.iter().filter(|rule| rule.kind() == Kind::Evidence);
    evidence.filter(has_changed).map(|rule| rule.name.to_owned()).collect()
}

/// The requirements that a `req satisfy` in the line names.
pub(crate) fn satisfied_by_line(call: &Call) -> Vec<String> {
    let commands =
        call.commands().iter().filter(|command| command.program() == "req" && command.hidden.is_none());
    commands.flat_map(|command| typed::satisfied(&command.words[1..])).collect()
}

fn submitted(context: &Context<'_, Settings>, prompt: &str, source: Option<&str>) -> Facts {
    let world = Look::new(context).world;
    let asker = || Asker::of_prompt(context, prompt, source);
    let answered = match typed::line(prompt) {
        Some(Ok(line)) => by_req(line, context, &asker(), &world.cwd),
        Some(Err(text)) => Some(Answered { text, changes: Vec::new() }),
        None if cli::is_typed::<RequirementsCheck>(prompt) => {
            cli::typed::<RequirementsCheck>(prompt, &asker())
                .map(|cli::Reply { text, effects, .. }| Answered { text, changes: effects })
        }
        None => None,
    };
    Facts::Prompt(Box::new(world), answered)
}

/// The answer of the program `req`.
fn by_req(
    line: typed::Line,
    context: &Context<'_, Settings>,
    asker: &Asker<'_>,
    cwd: &Path,
) -> Option<Answered> {
    let session = context.request.call.session_id.clone()?;
    let is_typed = asker.caller == Caller::Typed;
    let asking = typed::Asking { session, is_typed, project: context.places.root.clone() };
    let text = line.answer(&asking, context.places, cwd)?;
    Some(Answered { text, changes: Vec::new() })
}

fn at_stop(context: &Context<'_, Settings>, stop: &Stop) -> Option<Facts> {
    let call = &context.request.call;
    let is_verified = context.settings.hooks.stop.verify_requirements;
    if !is_verified
        || Rule::all(context.settings).next().is_none()
        || never_blocked_by_input(call, stop).is_some()
    {
        return None;
    }
    let state: State = context.peek();
    let mut look = Look::new(context);
    let session = call.session_id.as_deref();
    let view = View { session, call: None, state: &state, world: &look.world, now: context.host.now() };
    // What is due shows before anything is measured, and only that is measured.
    let due: Vec<Rule<'_>> = decide::stop::due(context.settings, &view).collect();
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

fn at_start(context: &Context<'_, Settings>, source: &str) -> Facts {
    let rules: Vec<Rule<'_>> = Rule::all(context.settings).collect();
    let mut look = Look::new(context);
    look.measure(&rules);
    look.look_for_start(source);
    Facts::Start(Box::new(look.world))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;
    use shared::protocol::ToolResult;

    use super::Ended;
    use crate::scene::tool_call;

    #[test]
    fn an_answer_of_no_known_shape_is_one_of_a_call_that_succeeded() {
        let ended = |response: &serde_json::Value| {
            let call = tool_call("t1", "Bash", &json!({ "command": "true" }));
            let tool_response = Some(to_raw_value(response).unwrap());
            let result = ToolResult { call, tool_response, ..ToolResult::default() };
            let ended = Ended::of(&result);
            (ended.succeeded, ended.is_unfinished)
        };
        for response in
            [json!(null), json!("text"), json!([]), json!({ "stdout": 7 }), json!({ "success": "no" })]
        {
            assert_eq!(ended(&response), (true, false), "{response}");
        }
        assert_eq!(ended(&json!({ "success": false })), (false, false));
        assert_eq!(ended(&json!({ "interrupted": true })), (true, true));
        assert_eq!(ended(&json!({ "backgroundTaskId": "b" })), (true, true));
    }
}
