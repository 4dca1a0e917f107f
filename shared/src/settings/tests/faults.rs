//! Entries for which the client drops its hooks: each kind with its place, and nothing legal among them.

use crate::settings::faults;

#[track_caller]
fn told(text: &str) -> Vec<String> {
    faults(text).iter().map(ToString::to_string).collect()
}

#[test]
fn each_kind_is_told_with_its_line_and_event() {
    for (group, what) in [
        (r#""x""#, "a group must be an object"),
        ("null", "a group must be an object"),
        ("[]", "a group must be an object"),
        ("{}", "a group needs a list `hooks`"),
        (r#"{"type": "command", "command": "x"}"#, "a group needs a list `hooks`"),
        (r#"{"hooks": {}}"#, "a group needs a list `hooks`"),
        (r#"{"matcher": 1, "hooks": []}"#, "`matcher` must be text"),
        (r#"{"hooks": [], "matcher": null}"#, "`matcher` must be text"),
        (r#"{"hooks": ["x"]}"#, "an entry must be an object"),
        (r#"{"hooks": [{}]}"#, "an entry needs a `type`"),
        (r#"{"hooks": [{"command": "x"}]}"#, "an entry needs a `type`"),
        (r#"{"hooks": [{"type": 1, "command": "x"}]}"#, "an entry needs a `type`"),
        (r#"{"hooks": [{"type": "comand", "command": "x"}]}"#, "its `type` is unknown"),
        (r#"{"hooks": [{"type": "command"}]}"#, "an entry of type command needs a `command`"),
        (r#"{"hooks": [{"type": "command", "command": 1}]}"#, "an entry of type command needs a `command`"),
        (
            r#"{"hooks": [{"type": "command", "command": "x", "timeout": "5"}]}"#,
            "`timeout` must be a number of seconds",
        ),
        (
            r#"{"hooks": [{"type": "command", "command": "x", "args": "y"}]}"#,
            "`args` must be a list of texts",
        ),
    ] {
        let text = format!("{{\"hooks\": {{\n\"Stop\": [\n{group}],\n\"PreToolUse\": []}}}}");
        assert_eq!(told(&text), [format!("line 3, hooks.Stop: {what}")], "{group}");
        assert_eq!(told(&format!("\u{feff}{text}")).len(), 1, "behind a byte order mark");
    }
}

#[test]
fn all_of_them_are_told_in_the_order_of_the_text_each_at_its_own_line() {
    let text = r#"{"hooks": {
  "PreToolUse": [
    {"matcher": "Bash", "hooks": [
      {"type": "command", "command": "good"},
      {"type": "command", "command": "x",
       "timeout": "5"},
      7
    ]},
    {
      "matcher": {},
      "hooks": [{"type": "nothing"}]
    }
  ],
  "N\u0065w\n": [ {
    "hooks": 5 } ]
}}"#;
    assert_eq!(
        told(text),
        [
            "line 6, hooks.PreToolUse: `timeout` must be a number of seconds",
            "line 7, hooks.PreToolUse: an entry must be an object",
            "line 10, hooks.PreToolUse: `matcher` must be text",
            "line 11, hooks.PreToolUse: its `type` is unknown",
            "line 14, hooks.New\\n: a group needs a list `hooks`",
        ]
    );
}

#[test]
fn what_the_client_takes_is_no_fault() {
    for group in [
        r#"{"hooks": []}"#,
        r#"{"matcher": "", "hooks": []}"#,
        r#"{"matcher": "Bash|Edit", "description": 1, "hooks": [{"type": "command", "command": "", "unknown": {}}]}"#,
        r#"{"hooks": [{"type": "command", "command": "x", "args": [], "timeout": 1.50e+1, "async": true, "if": "Bash(x)"}]}"#,
        r#"{"hooks": [{"type": "command", "command": "\ud83d", "shell": "bash", "statusMessage": "s", "once": true}]}"#,
        r#"{"hooks": [{"type": "http", "url": "http://localhost", "headers": {"a": "b"}, "timeout": 5}]}"#,
        r#"{"hooks": [{"type": "prompt", "prompt": "p", "model": "m", "timeout": 5}, {"type": "agent", "prompt": "p"}]}"#,
        r#"{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"command": 1}}]}"#,
    ] {
        for event in ["Stop", "PreToolUse", "NoSuchEvent", ""] {
            let text = format!(r#"{{"hooks": {{"{event}": [{group}]}}}}"#);
            assert_eq!(told(&text), [""; 0], "{text}");
        }
    }
    for text in
        ["", "{}", r#"{"hooks": {}}"#, r#"{"hooks": {"Stop": []}}"#, r#"{"Stop": [5], "hook": {"Stop": 1}}"#]
    {
        assert_eq!(told(text), [""; 0], "{text}");
    }
}

#[test]
fn a_text_that_is_refused_as_a_whole_has_no_faults_of_its_own() {
    for text in ["{", "[]", r#"{"hooks": 1}"#, r#"{"hooks": {"Stop": {}}}"#] {
        assert_eq!(told(text), [""; 0], "{text}");
    }
}
