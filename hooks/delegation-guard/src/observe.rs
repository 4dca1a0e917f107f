//! The kind of an event, and the texts for it. An event that does not concern the hook costs no lock and no file.

use shared::hook::Context;
use shared::own_commands::is_own_call;
use shared::protocol::{Event, ToolCall};

use crate::messages::Wording;
use crate::settings::Settings;

/// The tool that starts a subagent, and its name in older versions of Claude Code.
const DELEGATES: [&str; 2] = ["Agent", "Task"];

/// The facts of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Facts {
    /// The main session is about to start a subagent.
    Delegation,
    /// The main session is about to use a tool itself.
    Call(Wording),
    /// The main session has used a tool itself, whatever came of it.
    Executed(Wording),
    /// A subagent begins whose calls will carry its id.
    NamedSubagentStart,
    /// A subagent begins, and nothing tells its calls from the main session's.
    SubagentStart,
    /// A subagent has ended.
    SubagentStop,
    SessionEnd,
}

/// The kinds of tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It starts a subagent.
    Delegation,
    /// It neither counts nor resets.
    Exempt,
    Work,
}

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    let call = &context.request.call;
    call.session_id.as_ref()?;
    match &context.request.event {
        Event::SessionEnd { .. } => Some(Facts::SessionEnd),
        Event::SubagentStart(_) if call.agent_id.is_some() => Some(Facts::NamedSubagentStart),
        Event::SubagentStart(_) => Some(Facts::SubagentStart),
        Event::SubagentStop(_) => Some(Facts::SubagentStop),
        _ if call.agent_id.is_some() => None,
        Event::PreToolUse(tool) => before(context, tool),
        Event::PostToolUse(result) => after(context, &result.call),
        Event::PostToolUseFailure(failure) => after(context, &failure.call),
        _ => None,
    }
}

fn before(context: &Context<'_, Settings>, tool: &ToolCall) -> Option<Facts> {
    match kind(&tool.tool_name, context.settings) {
        Kind::Delegation => Some(Facts::Delegation),
        Kind::Work => Some(Facts::Call(Wording::read(context))),
        Kind::Exempt => None,
    }
}

/// Only what counts as work before it ran counts as an executed tool after it did; a call of our own commands was never
/// counted before.
fn after(context: &Context<'_, Settings>, tool: &ToolCall) -> Option<Facts> {
    let counts = context.settings.reminder.enabled
        && kind(&tool.tool_name, context.settings) == Kind::Work
        && !is_own_call(tool, context.places);
    counts.then(|| Facts::Executed(Wording::read(context)))
}

/// Delegation comes first: a list of exempt tools cannot make it none. A call without a name is none of ours.
pub(crate) fn kind(tool: &str, settings: &Settings) -> Kind {
    let mut exempt = settings.exempt_tools.iter().chain(&settings.exempt_tools_add);
    if DELEGATES.contains(&tool) {
        Kind::Delegation
    } else if tool.is_empty() || exempt.any(|exempt| exempt == tool) {
        Kind::Exempt
    } else {
        Kind::Work
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, kind};
    use crate::decide::tests::defaults;
    use crate::settings::Settings;

    #[test]
    fn tools_are_delegation_exempt_or_work() {
        let added = Settings { exempt_tools_add: vec!["Read".to_owned(), "Agent".to_owned()], ..defaults() };
        let replaced = Settings { exempt_tools: vec!["Read".to_owned()], ..defaults() };
        for (settings, expected, tools) in [
            (&added, Kind::Delegation, &["Agent", "Task"][..]),
            (&added, Kind::Exempt, &["Skill", "AskUserQuestion", "TaskList", "ExitPlanMode", "", "Read"]),
            (&added, Kind::Work, &["Bash", "TodoWrite", "TaskStop", "mcp__a__b", "agent", "Skills"]),
            (&replaced, Kind::Exempt, &["Read"]),
            (&replaced, Kind::Work, &["Skill", "TaskCreate"]),
        ] {
            for tool in tools {
                assert_eq!(kind(tool, settings), expected, "{tool:?}");
            }
        }
    }
}
