//! delegation-guard: a tool call of the main session or of a subagent, in the team's configuration, with a reminder every
//! tenth executed tool.

use super::{Case, Edit, Event, HookCases, Journals, Prints};

pub(super) const CASES: HookCases = HookCases {
    hook: "delegation-guard",
    budget: 2.0,
    files: &[("home/.claude/my-delegation.md", "Ask yourself first who could do this for you.\n")],
    git: &[],
    // The first of them is refused, the others make a streak of 19.
    earlier: &[Event { recording: "PreToolUse-Bash", changes: &[("tool_use_id", "\"toolu_{n}\"")] }],
    cases: &[
        Case {
            name: "disabled",
            config: &[Edit {
                layer: "project",
                from: "delegation-guard:\n  enabled: true",
                to: "delegation-guard:\n  enabled: false",
            }],
            ..CALL
        },
        Case {
            name: "a subagent's call",
            event: Event { recording: "PreToolUse-Bash-in-subagent", changes: &[] },
            ..CALL
        },
        Case {
            name: "an exempt tool",
            event: Event { recording: "PreToolUse-TaskCreate", changes: &[] },
            ..CALL
        },
        Case { name: "counts in silence", ..CALL },
        Case {
            name: "advises",
            state: &[(
                STATE,
                r#"{"version":1,"session":"{session}","state":{"streak":31,"block_fired":true}}"#,
            )],
            prints: Prints::Object(&["additionalContext", "streak 32"]),
            journals: Journals::Line(r#""what":"advise""#),
            ..CALL
        },
        Case {
            name: "refuses",
            state: &[(
                STATE,
                r#"{"version":1,"session":"{session}","state":{"streak":0,"block_fired":false}}"#,
            )],
            prints: Prints::Object(&[r#""permissionDecision":"deny""#, "who could do this"]),
            journals: Journals::Line(r#""what":"deny""#),
            ..CALL
        },
        Case {
            name: "after a call, without a reminder",
            event: Event { recording: "PostToolUse-Bash", changes: &[] },
            ..CALL
        },
        Case {
            name: "after a call, with a reminder",
            event: Event { recording: "PostToolUse-Bash", changes: &[] },
            state: &[(
                STATE,
                r#"{"version":1,"session":"{session}","state":{"streak":30,"block_fired":true,"executed":29}}"#,
            )],
            prints: Prints::Object(&["additionalContext", "30 tools"]),
            journals: Journals::Line(r#""what":"advise""#),
            ..CALL
        },
    ],
};

const STATE: &str = "{session}-delegation.json";

/// A call of the main session, in the team's configuration, answered by silence.
const CALL: Case = Case {
    name: "",
    budget: None,
    event: Event { recording: "PreToolUse-Bash", changes: &[] },
    config: &[],
    transcript: &[],
    state: &[],
    prints: Prints::Nothing,
    journals: Journals::Nothing,
};
