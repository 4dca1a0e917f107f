//! Entries for which the client drops its hooks: each kind with its place, and nothing legal among them.

use crate::faults;

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
            "`timeout` must be a number of seconds, more than 0",
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
fn a_value_of_the_wrong_kind_is_a_fault_of_the_types_that_have_that_key() {
    for (keys, what) in [
        (r#""type":"command","command":"x","timeout":0"#, "more than 0"),
        (r#""type":"command","command":"x","timeout":-5"#, "more than 0"),
        (r#""type":"command","command":"x","timeout":null"#, "more than 0"),
        (r#""type":"command","command":"x","args":[1]"#, "`args` must be a list of texts"),
        (r#""type":"command","command":"x","args":[null]"#, "`args` must be a list of texts"),
        (r#""type":"command","command":"x","args":{}"#, "`args` must be a list of texts"),
        (r#""type":"command","command":"x","if":5"#, "`if` must be text"),
        (r#""type":"command","command":"x","statusMessage":5"#, "`statusMessage` must be text"),
        (r#""type":"command","command":"x","async":"false""#, "`async` must be true or false"),
        (r#""type":"command","command":"x","once":"x""#, "`once` must be true or false"),
        (r#""type":"command","command":"x","shell":"zsh""#, "`shell` must be"),
        (r#""type":"command","command":"x","onFailure":"stop""#, "`onFailure` must be"),
        (r#""type":"prompt""#, "needs a `prompt`"),
        (r#""type":"agent""#, "needs a `prompt`"),
        (r#""type":"http""#, "needs a `url`"),
        (r#""type":"http","url":"nowhere""#, "needs a `url`"),
        (r#""type":"mcp_tool","tool":"t""#, "needs a `server`"),
        (r#""type":"mcp_tool","server":"s""#, "needs a `tool`"),
    ] {
        let told = told(&format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{{keys}}}]}}]}}}}"#));
        assert!(told.len() == 1 && told[0].contains(what), "{keys}: {told:?}");
    }
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
        r#"{"hooks": [{"type": "prompt", "prompt": "p", "args": 1, "async": "x"}, {"type": "agent", "prompt": "p"}]}"#,
        r#"{"hooks": [{"type": "command", "command": "x", "timeout": 0.5, "url": 1, "prompt": 1}]}"#,
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
