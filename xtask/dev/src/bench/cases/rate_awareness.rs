//! rate-awareness: one tool call among many, in the team's configuration.

use super::{Case, Edit, Event, HookCases, Journals, Prints};

pub(super) const CASES: HookCases = HookCases {
    hook: "rate-awareness",
    budget: 2.0,
    files: &[],
    git: &[],
    // Twenty times the recorded call: the next one of its kind is the 16th past the team's `repeat: 6`, and told.
    earlier: &[Event { recording: "PreToolUse-Bash", changes: &[] }],
    cases: &[
        Case {
            name: "disabled",
            config: &[Edit {
                layer: "global",
                from: "rate-awareness:\n",
                to: "rate-awareness:\n  enabled: false\n",
            }],
            ..CALL
        },
        Case { name: "a call pays", ..CALL },
        Case { name: "a Skill call", event: Event { recording: "PreToolUse-Skill", changes: &[] }, ..CALL },
        Case {
            name: "a subagent's call pays",
            event: Event { recording: "PreToolUse-Bash-in-subagent", changes: &[] },
            ..CALL
        },
        Case { name: "refused and silent", state: &[("{session}-buckets.json", REFUSED_TWICE)], ..CALL },
        Case {
            name: "refused with a message",
            state: &[("{session}-buckets.json", REFUSED_THREE_TIMES)],
            prints: Prints::Object(&["systemMessage", "the bucket `ungated` is empty", "80 at once"]),
            journals: Journals::Line("the bucket `ungated` is empty"),
            ..CALL
        },
        Case {
            name: "repeat message",
            event: Event { recording: "PreToolUse-Bash", changes: &[] },
            prints: Prints::Object(&["systemMessage", "called Bash 21 times in a row"]),
            journals: Journals::Line("called Bash 21 times in a row"),
            ..CALL
        },
    ],
};

/// An empty bucket; its time has not come yet, so that no token comes back while it is measured.
const REFUSED_TWICE: &str = r#"{"version":1,"session":"{session}","state":{"_buckets":{"main::ungated":{"tokens":0.25,"last":4102444800000000,"refused":2,"minute":{"slot":820488960,"calls":[82,0,0,0,0,0,0,0,0,0,0,0]}}},"agents":{}}}"#;

/// The same, one call later.
const REFUSED_THREE_TIMES: &str = r#"{"version":1,"session":"{session}","state":{"_buckets":{"main::ungated":{"tokens":0.25,"last":4102444800000000,"refused":3,"minute":{"slot":820488960,"calls":[83,0,0,0,0,0,0,0,0,0,0,0]}}},"agents":{}}}"#;

/// A call that has not been made before, in the team's configuration, answered by silence.
const CALL: Case = Case {
    name: "",
    budget: None,
    event: Event {
        recording: "PreToolUse-Bash",
        changes: &[("tool_input", r#"{"command":"cargo test","description":"Run the tests"}"#)],
    },
    config: &[],
    transcript: &[],
    state: &[],
    prints: Prints::Nothing,
    journals: Journals::Nothing,
};
