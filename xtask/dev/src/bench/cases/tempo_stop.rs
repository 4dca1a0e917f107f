//! tempo-stop: stops that need no model, in the team's configuration.

use super::{Case, Edit, Event, HookCases, Journals, Prints};

pub(super) const CASES: HookCases = HookCases {
    hook: "tempo-stop",
    budget: 2.0,
    files: &[],
    git: &[],
    // The user is there.
    earlier: &[Event { recording: "UserPromptSubmit", changes: &[] }],
    cases: &[
        Case {
            name: "disabled",
            config: &[Edit {
                layer: "global",
                from: "tempo-stop:\n  enabled: true",
                to: "tempo-stop:\n  enabled: false",
            }],
            ..STOP
        },
        Case {
            name: "the turn made no tool call",
            event: Event { recording: "Stop", changes: &[("prompt_id", "\"words\"")] },
            config: &[Edit { layer: "global", from: "  mode: auto", to: "  mode: \"on\"" }],
            transcript: &[
                r#"{"type":"user","promptId":"words","message":{"role":"user","content":"what is a monad?"}}"#,
                r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"A burrito."}]}}"#,
            ],
            journals: Journals::Line("the turn made no tool call"),
            ..STOP
        },
        Case {
            name: "mode auto and the user is here",
            journals: Journals::Line("the user is not away"),
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
