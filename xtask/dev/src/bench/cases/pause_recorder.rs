//! pause-recorder: events of a session whose context is far from full, and a call of one that is recorded.

use super::{Case, Edit, Event, HookCases, Journals, Prints};

pub(super) const CASES: HookCases = HookCases {
    hook: "pause-recorder",
    budget: 2.0,
    files: &[],
    git: &[],
    // The model's name is remembered.
    earlier: &[Event { recording: "SessionStart", changes: &[("model", "\"claude-opus-4-8\"")] }],
    cases: &[
        Case {
            name: "disabled",
            config: &[Edit {
                layer: "global",
                from: "pause-recorder:\n",
                to: "pause-recorder:\n  enabled: false\n",
            }],
            ..CALL
        },
        Case { name: "40 %, as the status line tells", ..CALL },
        Case {
            name: "40 %, as 64 KiB of transcript tell",
            transcript: &[REPLY, RESULT],
            state: &[("pause-recorder/models.json", MODELS)],
            ..CALL
        },
        Case { name: "a turn's end", event: Event { recording: "Stop", changes: &[] }, ..CALL },
        Case { name: "a prompt", event: Event { recording: "UserPromptSubmit", changes: &[] }, ..CALL },
        Case {
            name: "recording",
            // The call is written down, under two locks.
            budget: Some(3.0),
            state: &[
                ("{session}-usage.json", NEARLY_FULL),
                ("{session}-pause.json", TOLD),
                ("pause-recorder/models.json", MODELS),
                (RECORD, BEGUN),
            ],
            ..CALL
        },
    ],
};

/// It is fresh for a minute, which is longer than a case takes.
const HARDLY_FULL: &str = r#"{"version":1,"session":"{session}","state":{"observed_at":0,"written_at":{now+0},"model":"claude-opus-4-8","context":{"size":200000,"used_tokens":80000,"used_percent":40.0},"windows":{},"total_api_duration_ms":70}}"#;

const NEARLY_FULL: &str = r#"{"version":1,"session":"{session}","state":{"observed_at":0,"written_at":{now+0},"model":"claude-opus-4-8","context":{"size":200000,"used_tokens":184000,"used_percent":92.0},"windows":{},"total_api_duration_ms":70}}"#;

const TOLD: &str = r#"{"version":1,"session":"{session}","state":{"told":["caution","warning","auto_pause"],"model":"claude-opus-4-8"}}"#;

const MODELS: &str = r#"{"version":1,"session":"","state":{"models":{"claude-opus-4-8":{"window":200000,"compacted_at":167000},"claude-opus-5-5":{"window":1000000,"compacted_at":967000}}}}"#;

/// From the state folder on: no file of the state, so it grows with each run, as records do.
const RECORD: &str = "../../../project/.claude/sessions/ACTIVE-PAUSE-d73d3325.jsonl";

const BEGUN: &str = concat!(
    r#"{"type":"pause_started","timestamp":"2026-11-21T05:38:06.681Z","session_id":"session-20261121-053806","data":{"context_percentage":0.9,"initial_state":{"claude_session_id":"{session}"},"reason":"auto_pause"},"context_percentage":0.9}"#,
    "\n"
);

const REPLY: &str = r#"{"type":"assistant","isSidechain":false,"message":{"id":"msg_1","role":"assistant","model":"claude-opus-4-8","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"echo hi"}}],"usage":{"input_tokens":10,"cache_creation_input_tokens":900,"cache_read_input_tokens":79000,"output_tokens":90}}}"#;

const RESULT: &str = r#"{"type":"user","promptId":"p","isSidechain":false,"message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"hi","is_error":false}]}}"#;

/// The end of a call, in the team's configuration, answered by silence.
const CALL: Case = Case {
    name: "",
    budget: None,
    event: Event { recording: "PostToolUse-Bash", changes: &[] },
    config: &[],
    transcript: &[],
    state: &[("{session}-usage.json", HARDLY_FULL), ("pause-recorder/models.json", MODELS)],
    prints: Prints::Nothing,
    journals: Journals::Nothing,
};
