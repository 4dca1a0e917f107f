//! stop-momentum: a stop after work, in the team's configuration.

use super::{Case, Edit, Event, HookCases, Journals, Prints};

pub(super) const CASES: HookCases = HookCases {
    hook: "stop-momentum",
    budget: 2.0,
    files: &[(
        "home/.claude/my-momentum.md",
        "Go through what was asked, point by point, before you stop.\n",
    )],
    git: &[],
    earlier: &[Event {
        recording: "Stop",
        // A transcript that is not there is waited for; none at all is not.
        changes: &[
            ("transcript_path", "null"),
            ("prompt_id", "\"earlier-{n}\""),
            ("last_assistant_message", "\"The parser is done. I'll continue with the printer.\""),
        ],
    }],
    cases: &[
        Case {
            name: "disabled",
            config: &[Edit {
                layer: "global",
                from: "  enabled: true\n  max_blocks",
                to: "  enabled: false\n  max_blocks",
            }],
            ..STOP
        },
        Case {
            name: "the turn made no tool call",
            event: Event { recording: "Stop", changes: &[("prompt_id", "\"words\"")] },
            transcript: &[
                r#"{"type":"user","promptId":"words","message":{"role":"user","content":"what is a monad?"}}"#,
                r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"A burrito."}]}}"#,
            ],
            journals: Journals::Line("the turn made no tool call"),
            ..STOP
        },
        Case {
            name: "lets a question go",
            event: Event { recording: "Stop", changes: &[("last_assistant_message", "\"Shall I go on?\"")] },
            journals: Journals::Line("the last message ends in a question"),
            ..STOP
        },
        Case {
            name: "lets an acknowledged stop go",
            event: Event {
                recording: "Stop",
                changes: &[("last_assistant_message", "\"All done. ACK-X7K2\"")],
            },
            state: &[(
                "stop-ack-{session}",
                r#"{"version":1,"session":"{session}","state":{"token":"ACK-X7K2"}}"#,
            )],
            journals: Journals::Line("acknowledged"),
            ..STOP
        },
        Case {
            name: "blocks",
            prints: Prints::Object(&[r#""decision":"block""#, "ACK-", "point by point"]),
            journals: Journals::Line(r#""what":"block""#),
            ..STOP
        },
        Case {
            name: "blocks, only_when: unfinished",
            // It reads and parses the newest 32 KiB of the transcript, which the other cases do not.
            budget: Some(2.5),
            config: &[Edit { layer: "project", from: "only_when: always", to: "only_when: unfinished" }],
            prints: Prints::Object(&[r#""decision":"block""#, "ACK-", "What looks unfinished"]),
            journals: Journals::Line(r#""what":"block""#),
            ..STOP
        },
    ],
};

/// A stop after work, in the team's configuration, answered by silence.
const STOP: Case = Case {
    name: "",
    budget: None,
    event: Event { recording: "Stop", changes: &[] },
    config: &[],
    transcript: &[],
    state: &[],
    prints: Prints::Nothing,
    journals: Journals::Nothing,
};
