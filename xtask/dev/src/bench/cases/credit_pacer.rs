//! credit-pacer: the end of a tool call, with fresh readings and a history of both windows.

use super::{Case, Edit, Event, HookCases, Journals, Prints};

pub(super) const CASES: HookCases = HookCases {
    hook: "credit-pacer",
    budget: 3.0,
    files: &[("home/.claude/hook-state/usage.json", UNDER)],
    git: &[],
    earlier: &[Event { recording: "PostToolUse-Bash", changes: &[] }],
    cases: &[
        Case {
            name: "disabled",
            budget: Some(2.0),
            config: &[Edit {
                layer: "project",
                from: "credit-pacer:\n",
                to: "credit-pacer:\n  enabled: false\n",
            }],
            ..CALL
        },
        Case { name: "nothing to delay", ..CALL },
        Case { name: "no readings", state: &[("usage.json", "")], ..CALL },
        Case { name: "in the first hour of a week", state: &[("usage.json", EARLY)], ..CALL },
        Case {
            name: "over, but nothing waits",
            state: &[("usage.json", OVER)],
            config: &[Edit { layer: "project", from: "  max_delay_secs: 120", to: "  max_delay_secs: 0" }],
            ..CALL
        },
        Case { name: "a prompt", event: Event { recording: "UserPromptSubmit", changes: &[] }, ..CALL },
        Case { name: "a session's start", event: Event { recording: "SessionStart", changes: &[] }, ..CALL },
    ],
};

/// Half of what may be used is used, in the middle of both windows.
const UNDER: &str = r#"{"version":1,"session":"","state":{"observed_at":{now-30},"source":"status_line","windows":{"five_hour":{"used_percent":20.0,"resets_at":{now+9000},"observed_at":{now-30}},"seven_day":{"used_percent":25.0,"resets_at":{now+300000},"observed_at":{now-30}}},"earlier":[{"at":{now-4000},"windows":{"five_hour":{"used_percent":10.0,"resets_at":{now+9000},"observed_at":{now-4000}},"seven_day":{"used_percent":24.0,"resets_at":{now+300000},"observed_at":{now-4000}}}},{"at":{now-2000},"windows":{"five_hour":{"used_percent":15.0,"resets_at":{now+9000},"observed_at":{now-2000}},"seven_day":{"used_percent":24.0,"resets_at":{now+300000},"observed_at":{now-2000}}}}]}}"#;

/// So little is used that no time of work needs to be counted.
const EARLY: &str = r#"{"version":1,"session":"","state":{"observed_at":{now-30},"source":"status_line","windows":{"five_hour":{"used_percent":3.0,"resets_at":{now+14400},"observed_at":{now-30}},"seven_day":{"used_percent":2.0,"resets_at":{now+601200},"observed_at":{now-30}}},"earlier":[]}}"#;

/// The five hours are nearly used up; no alert is due, because it was given.
const OVER: &str = r#"{"version":1,"session":"","state":{"observed_at":{now-30},"source":"status_line","windows":{"five_hour":{"used_percent":79.0,"resets_at":{now+9000},"observed_at":{now-30}},"seven_day":{"used_percent":25.0,"resets_at":{now+300000},"observed_at":{now-30}}},"earlier":[]}}"#;

/// The end of a call, in the team's configuration, answered by silence.
const CALL: Case = Case {
    name: "",
    budget: None,
    event: Event { recording: "PostToolUse-Bash", changes: &[] },
    config: &[],
    transcript: &[],
    state: &[],
    prints: Prints::Nothing,
    journals: Journals::Nothing,
};
