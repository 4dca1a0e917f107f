//! intent-validator: a file that is to be written, in the team's configuration. No case asks a model.

use super::{Case, Edit, Event, HookCases, Journals, Prints};

pub(super) const CASES: HookCases = HookCases {
    hook: "intent-validator",
    budget: 2.0,
    files: &[],
    git: &[],
    earlier: &[Event {
        recording: "PostToolUse-Bash",
        changes: &[(
            "tool_input",
            r#"{"command":"intent-validator declare --file src/part_{n}.py --changes 'adds a function that reads a line' --goal 'the importer reads its file line by line' --test tests/test_part_{n}.py"}"#,
        )],
    }],
    cases: &[
        Case {
            name: "disabled",
            event: PARSER,
            config: &[Edit {
                layer: "global",
                from: "intent-validator:\n  enabled: true",
                to: "intent-validator:\n  enabled: false",
            }],
            ..WRITE
        },
        Case {
            name: "a file that is no source",
            event: Event {
                recording: "PreToolUse-Write",
                changes: &[(
                    "tool_input",
                    r##"{"file_path":"{project}/notes.md","content":"# Notes\n\nThe importer reads lines.\n"}"##,
                )],
            },
            ..WRITE
        },
        Case {
            name: "local verdict",
            // It reads the end of the transcript, the declaration in it, and looks through the file's new text.
            budget: Some(3.0),
            event: PARSER,
            config: &[Edit {
                layer: "global",
                from: "  stage2_model: claude-opus-5-5",
                to: "  stage2: \"off\"",
            }],
            transcript: &[
                r#"{"type":"assistant","message":{"id":"msg_bench","role":"assistant","content":[{"type":"text","text":"FILE: src/parser.py\nCHANGES: adds parse_line, which splits a line at its commas and strips each field\nGOAL: the importer reads its file line by line\nTEST: tests/test_parser.py"}]}}"#,
                r#"{"type":"assistant","message":{"id":"msg_bench","role":"assistant","content":[{"type":"tool_use","id":"toolu_bench","name":"Write","input":{}}]}}"#,
            ],
            ..WRITE
        },
    ],
};

/// A source file of the project's core.
const PARSER: Event = Event {
    recording: "PreToolUse-Write",
    changes: &[
        (
            "tool_input",
            r#"{"file_path":"{project}/src/parser.py","content":"def parse_line(line):\n    return [field.strip() for field in line.split(\",\")]\n"}"#,
        ),
        ("tool_use_id", "\"toolu_bench\""),
    ],
};

/// A call that is let through in silence.
const WRITE: Case = Case {
    name: "",
    budget: None,
    event: Event { recording: "PreToolUse-Write", changes: &[] },
    config: &[],
    transcript: &[],
    state: &[],
    prints: Prints::Nothing,
    journals: Journals::Nothing,
};
