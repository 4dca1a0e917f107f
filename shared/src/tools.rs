//! The tools of Claude Code by name. A notice reports a misspelt name, because nothing would ever match it.

use crate::config::nearest;

/// The client's own tools, those it had once included: a matcher may still name them. Sorted.
pub const TOOLS: [&str; 48] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillBash",
    "KillShell",
    "LS",
    "LSP",
    "ListMcpResourcesTool",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "PushNotification",
    "Read",
    "ReadMcpResourceTool",
    "RemoteTrigger",
    "ScheduleWakeup",
    "SendMessage",
    "SendUserMessage",
    "Skill",
    "SlashCommand",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TeamCreate",
    "TeamDelete",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// Nearest known name to an unknown `tool`; `Some(None)` if none is near. Tools of MCP servers are known by their form alone.
#[must_use]
pub fn unknown_tool(tool: &str) -> Option<Option<String>> {
    if TOOLS.contains(&tool) || tool.starts_with("mcp__") {
        return None;
    }
    let alike = TOOLS.iter().find(|known| known.eq_ignore_ascii_case(tool)).map(|known| (*known).to_owned());
    Some(alike.or_else(|| nearest(tool, &TOOLS)))
}

/// The tool that `tool` is a slip of: another case, or one letter more, less, other or at its neighbour's place. A newer
/// client may have any other name.
#[must_use]
pub fn misspelt_tool(tool: &str) -> Option<&'static str> {
    if TOOLS.contains(&tool) {
        return None;
    }
    let is_slip = |known: &&str| {
        known.eq_ignore_ascii_case(tool) || known.len() > 3 && strsim::osa_distance(known, tool) == 1
    };
    TOOLS.into_iter().find(is_slip)
}

#[cfg(test)]
mod tests {
    use super::{TOOLS, misspelt_tool, unknown_tool};

    #[test]
    fn a_name_that_is_no_plain_slip_may_be_a_newer_tools() {
        for (tool, expected) in [
            ("Edit", None),
            ("Edti", Some("Edit")),
            ("edit", Some("Edit")),
            ("Edt", Some("Edit")),
            ("Wrtie", Some("Write")),
            ("NotebookEdits", Some("NotebookEdit")),
            ("TaskArchive", None),
            ("LSQ", None),
            ("mcp__github__create", None),
            ("", None),
        ] {
            assert_eq!(misspelt_tool(tool), expected, "{tool}");
        }
    }

    #[test]
    fn a_slip_in_a_tools_name_is_told_with_the_nearest_one() {
        for (tool, expected) in [
            ("Edit", None),
            ("mcp__github__create", None),
            ("edit", Some(Some("Edit"))),
            ("Edt", Some(Some("Edit"))),
            ("bash", Some(Some("Bash"))),
            ("Wirte", Some(Some("Write"))),
            ("qqq", Some(None)),
            ("", Some(None)),
        ] {
            let found = unknown_tool(tool);
            assert_eq!(found.as_ref().map(Option::as_deref), expected, "{tool}");
        }
        assert!(TOOLS.is_sorted());
    }
}
