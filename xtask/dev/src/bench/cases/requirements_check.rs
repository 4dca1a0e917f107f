//! requirements-check: the team's five requirements, one or two of each type, in a repository with work in progress, where
//! the plan is marked, the decisions are reviewed, and the tests have passed on the files that are there.

use super::{Case, Edit, Event, HookCases, Journals, Prints};

pub(super) const CASES: HookCases = HookCases {
    hook: "requirements-check",
    budget: 3.0,
    files: &[
        ("project/.gitignore", "/.claude/requirements.local.yaml\n"),
        ("project/Cargo.toml", "[package]\nname = \"calculator\"\n"),
        ("project/src/main.rs", "mod parser;\n\nfn main() {\n    parser::parse();\n}\n"),
        ("project/src/parser.rs", "pub fn parse() -> u32 {\n    2 + 2\n}\n"),
    ],
    // The parser is the work in progress: a branch of its own, and a file that is not tracked yet.
    git: &[
        &["add", ".gitignore", "Cargo.toml", "src/main.rs", ".claude/requirements.yaml"],
        &["commit", "--quiet", "--message", "first"],
        &["switch", "--quiet", "--create", "parser"],
    ],
    earlier: &[
        Event {
            recording: "UserPromptSubmit",
            changes: &[("prompt", "\"req satisfy commit_plan adr_reviewed\"")],
        },
        Event { recording: "PreToolUse-Edit", changes: &[PARSER, ("tool_use_id", "\"toolu_e{n}\"")] },
        Event { recording: "PostToolUse-Edit", changes: &[PARSER, ("tool_use_id", "\"toolu_e{n}\"")] },
        Event { recording: "PreToolUse-Bash", changes: &[TESTS, ("tool_use_id", "\"toolu_t{n}\"")] },
        Event { recording: "PostToolUse-Bash", changes: &[TESTS, ("tool_use_id", "\"toolu_t{n}\"")] },
    ],
    cases: &[
        Case {
            name: "disabled",
            // Like every hook that is switched off.
            budget: Some(2.0),
            config: &[
                UNHURRIED,
                Edit {
                    layer: "global",
                    from: "\nrequirements:\n",
                    to: "\nrequirements-check: { enabled: false }\nrequirements:\n",
                },
            ],
            ..CALL
        },
        Case { name: "a Read", event: Event { recording: "PreToolUse-Read", changes: &[PARSER] }, ..CALL },
        Case {
            name: "a Bash line that needs nothing",
            event: Event {
                recording: "PreToolUse-Bash",
                changes: &[("tool_input", r#"{"command":"grep -rn parse src | head -5"}"#)],
            },
            ..CALL
        },
        Case { name: "an Edit that has what it needs", ..CALL },
        Case {
            name: "an Edit is refused",
            budget: Some(REFUSES),
            config: &[
                UNHURRIED,
                Edit {
                    layer: "project",
                    from: "  commit_plan:\n    enabled: true",
                    to: "  other_plan:\n    enabled: true",
                },
            ],
            prints: Prints::Object(&[r#""permissionDecision":"deny""#, "req satisfy other_plan"]),
            journals: Journals::Line(r#""what":"deny""#),
            ..CALL
        },
        Case {
            name: "a commit that has its evidence",
            budget: Some(LOOKS_AT_FILES),
            event: Event {
                recording: "PreToolUse-Bash",
                changes: &[("tool_input", r#"{"command":"git add -A && git commit -m 'A parser'"}"#)],
            },
            ..CALL
        },
        Case {
            name: "after an Edit",
            event: Event { recording: "PostToolUse-Edit", changes: &[PARSER] },
            ..CALL
        },
        Case { name: "a prompt", event: Event { recording: "UserPromptSubmit", changes: &[] }, ..CALL },
        Case {
            name: "a stop with nothing open",
            budget: Some(LOOKS_AT_FILES),
            event: Event { recording: "Stop", changes: &[] },
            ..CALL
        },
        Case {
            name: "a session's start",
            budget: Some(COUNTS),
            event: Event { recording: "SessionStart", changes: &[] },
            prints: Prints::Object(&["additionalContext", "Commits are signed here.", "tests_green"]),
            journals: Journals::Line(r#""what":"tell""#),
            ..CALL
        },
    ],
};

/// A refusal finds the lines it names and writes what it said down. It is rare, and Claude waits longer for itself.
const REFUSES: f64 = 5.0;

/// Evidence is compared with every changed file, which opens the repository: before a commit and at the end of a turn.
const LOOKS_AT_FILES: f64 = 5.0;

/// The branch is counted whole, once per session.
const COUNTS: f64 = 8.0;

/// The file that is worked on, in an Edit or a Read.
const PARSER: (&str, &str) = (
    "tool_input",
    r#"{"file_path":"{project}/src/parser.rs","old_string":"2 + 2","new_string":"4","replace_all":false}"#,
);

/// The run of the tests.
const TESTS: (&str, &str) = ("tool_input", r#"{"command":"cargo test"}"#);

/// The branch is counted at most once while a case is measured; what a count costs is no question of every call.
const UNHURRIED: Edit = Edit {
    layer: "project",
    from: "calculator: branch_size\n",
    to: "calculator: branch_size\n    cache_ttl: 3600\n",
};

/// An Edit in the team's configuration, answered by silence.
const CALL: Case = Case {
    name: "",
    budget: None,
    event: Event { recording: "PreToolUse-Edit", changes: &[PARSER] },
    config: &[UNHURRIED],
    transcript: &[],
    state: &[],
    prints: Prints::Nothing,
    journals: Journals::Nothing,
};
