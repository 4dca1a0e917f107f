//! After a tool call: what its answer says, which files it changed, how large the branch is now.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::IgnoredAny;
use shared::own_commands::is_own_call;
use shared::protocol::{ToolCall, ToolFailure, ToolResult};
use shared::state::read_regular;

use super::{HookContext, resolved_place};
use crate::call::Call;
use crate::deadline::within;
use crate::facts::{After, Facts};
use crate::rule::Rule;
use crate::settings::{Kind, Pattern};
use crate::state::State;
use crate::typed;
use crate::world::{Freshness, World, cwd};

/// Bytes of a persisted output that are searched.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

/// A shell's answer.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Response {
    stdout: String,
    stderr: String,
    interrupted: bool,
    background_task_id: Option<IgnoredAny>,
    success: Option<bool>,
    /// The file with all of the output, if `stdout` is only its beginning.
    persisted_output_path: Option<PathBuf>,
}

impl Response {
    pub(super) fn of(result: &ToolResult) -> Self {
        let text = result.tool_response.as_ref().map_or("{}", |raw| raw.get());
        serde_json::from_str(text).unwrap_or_default()
    }

    pub(super) fn of_failure(failure: &ToolFailure) -> Self {
        Self { success: Some(false), interrupted: failure.is_interrupt, ..Self::default() }
    }

    /// The output has a match, in the part that was persisted, too.
    fn has(&self, pattern: &Pattern, world: &World) -> bool {
        let output = format!("{}\n{}", self.stdout, self.stderr);
        let (pattern, file) = (pattern.clone(), self.persisted_output_path.clone());
        let search = move || {
            let rest = || read_regular(file.as_deref()?, MAX_OUTPUT).ok();
            pattern.is_in(&output)
                || rest().is_some_and(|bytes| pattern.is_in(&String::from_utf8_lossy(&bytes)))
        };
        within(world.deadlines.all, search).unwrap_or(false)
    }
}

pub(super) fn observe(context: &HookContext<'_>, tool: &ToolCall, response: &Response) -> Option<Facts> {
    let rules: Vec<Rule<'_>> = Rule::all(context.settings).collect();
    rules.first()?;
    let mut call = Call::read(tool, context.host.environment.home.as_deref());
    let satisfied = satisfied_by_line(&call);
    let is_plan_exit = call.tool == "ExitPlanMode";
    let may_change = call.is_edit() || call.line.is_some();
    let is_concerned = |rule: &Rule<'_>| {
        let looks_at_files = matches!(rule.kind(), Kind::Evidence | Kind::Dynamic);
        rule.is_triggered_by(&call) || (may_change && looks_at_files)
    };
    let is_concerned = is_plan_exit || call.skill.is_some() || rules.iter().any(is_concerned);
    if satisfied.is_empty() && (!is_concerned || is_own_call(tool, context.places)) {
        return None;
    }
    let cwd = cwd(context);
    let place = resolved_place(&mut call, &cwd, &rules);
    let mut world = World::at(context, &cwd, &place);
    if is_plan_exit {
        world.measure(context, &rules);
    }
    if !call.only_reads() && (call.file.is_some() || call.line.is_some()) {
        for rule in &rules {
            drop(world.size(context, rule, true));
        }
    }
    let lacks = |rule: &&Rule<'_>| {
        let wanted = rule.set.evidence().and_then(|evidence| evidence.min_output.as_ref());
        wanted.is_some_and(|pattern| !response.has(pattern, &world))
    };
    let without_output = rules.iter().filter(lacks).map(|rule| rule.name.to_owned()).collect();
    Some(Facts::After(Box::new(After {
        succeeded: response.success.unwrap_or(true),
        is_unfinished: response.interrupted || response.background_task_id.is_some(),
        changed: changed(context, &rules, &call, &mut world),
        without_output,
        satisfied,
        call,
        world,
    })))
}

/// Evidence whose files the line has changed, and which.
fn changed(
    context: &HookContext<'_>,
    rules: &[Rule<'_>],
    call: &Call,
    world: &mut World,
) -> BTreeMap<String, Vec<String>> {
    let may_change = call.line.is_some() && !call.only_reads();
    let Some(id) = call.id.as_deref().filter(|_| may_change) else { return BTreeMap::new() };
    let state: State = context.peek();
    let changed = |rule: &Rule<'_>| {
        let files = match state.running(id, rule.name).map(|run| world.since(rule, &run.files)) {
            Some(Freshness::Different(files)) => files,
            // It is due already, or the files could not be noted in time.
            None if rule.is_for_stops() => Vec::new(),
            _ => return None,
        };
        Some((rule.name.to_owned(), files))
    };
    rules.iter().filter(|rule| rule.kind() == Kind::Evidence).filter_map(changed).collect()
}

/// The requirements that a `req satisfy` in the line names.
pub(crate) fn satisfied_by_line(call: &Call) -> Vec<String> {
    let commands =
        call.commands().iter().filter(|command| command.program() == "req" && command.hidden.is_none());
    commands.flat_map(|command| typed::satisfied(&command.words[1..])).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;
    use shared::protocol::ToolResult;

    use super::Response;
    use crate::scene::tool_call;

    #[test]
    fn an_answer_of_no_known_shape_is_one_of_a_call_that_succeeded() {
        for (response, expected) in [
            (json!(null), None),
            (json!("text"), None),
            (json!({ "stdout": 7 }), None),
            (json!({ "success": false }), Some(false)),
        ] {
            let call = tool_call("t1", "Bash", &json!({ "command": "true" }));
            let tool_response = Some(to_raw_value(&response).unwrap());
            let result = ToolResult { call, tool_response };
            assert_eq!(Response::of(&result).success, expected, "{response}");
        }
    }
}
