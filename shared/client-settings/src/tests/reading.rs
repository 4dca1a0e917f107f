//! Entries of a text, ours and others', and faults for which Claude Code ignores hooks.

use super::owner;
use crate::{Contents, Flag, read};

fn contents(text: &str) -> Contents {
    read(text, &owner()).unwrap()
}

/// Each fault as `LINE EVENT: WHAT`.
fn faults(text: &str) -> Vec<String> {
    let faults = contents(text).faults.into_iter();
    faults.map(|fault| format!("{} {}: {}", fault.line, fault.event, fault.what)).collect()
}

#[test]
fn finds_every_entry_with_its_line() {
    let text = r#"{"hooks": {"PreToolUse": [
  { "matcher": "Bash", "hooks": [
    { "type": "command", "command": "/x", "args": ["a"] },
    { "type": "prompt", "prompt": "p", "args": 1 } ] }
 ], "Stop": [{ "hooks": [{ "type": "command", "command": "y z" }] }], "PreCompact": null}}"#;
    let contents = contents(text);
    let found = contents.entries.iter().map(|entry| {
        let (matcher, command) = (entry.matcher.as_deref(), entry.command.as_deref());
        (entry.line, &*entry.event, matcher, command, entry.args.is_some(), entry.is_command)
    });
    let expected = [
        (3, "PreToolUse", Some("Bash"), Some("/x"), true, true),
        (4, "PreToolUse", Some("Bash"), None, false, false),
        (5, "Stop", None, Some("y z"), false, true),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(faults(text), [""; 0]);
}

#[test]
fn finds_switches_and_plugins_and_reads_the_last_of_two_equal_keys() {
    let text = "{\"disableAllHooks\":false,\n\"disableAllHooks\":true,\"allowManagedHooksOnly\":false,\n\"enabledPlugins\":{\"a@m\":true,\n\"b@m\":false,\"c@m\":\"?\"}}";
    let found = contents(text);
    assert_eq!(found.disables_all_hooks, Some(Flag { is_on: true, line: 2 }));
    assert_eq!(found.allows_managed_only, Some(Flag { is_on: false, line: 2 }));
    let plugin = |name: &str, is_on, line| (name.to_owned(), Flag { is_on, line });
    assert_eq!(found.plugins, [plugin("a@m", true, 3), plugin("b@m", false, 4)]);
    let entry = r#"{"type":"command","command":"x","command":"y","timeout":5,"timeout":1}"#;
    let found = contents(&format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{entry}]}}]}}}}"#));
    let [entry] = found.entries.as_slice() else { panic!("{found:?}") };
    assert_eq!((entry.command.as_deref(), entry.timeout_secs.clone()), (Some("y"), Some(1.into())));
    assert!(found.refused.is_some());
}

#[test]
fn names_each_value_of_the_wrong_kind_with_its_line_and_what_was_expected() {
    for (text, what) in [
        (r#""cleanupPeriodDays":"x""#, "`cleanupPeriodDays` must be a number of at least 0.001"),
        (r#""availableModels":[1]"#, "`availableModels` must be a list, each entry text"),
        (r#""permissions":{"allow":"x"}"#, "`permissions.allow` must be a list"),
        (r#""statusLine":{"type":"command"}"#, "`statusLine.command` must be text"),
        (r#""hooks":[]"#, "`hooks` must be a map of settings"),
    ] {
        assert_eq!(faults(&format!("{{{text}}}")), [format!("1 : {what}")]);
    }
    for (group, what) in [
        ("null", "a group must be a map of settings"),
        (r#"{"type": "command", "command": "x"}"#, "`hooks` must be a list"),
        (r#"{"hooks": [], "matcher": null}"#, "`matcher` must be text"),
        (r#"{"hooks": ["x"]}"#, "an entry must be a map of settings"),
        (r#"{"hooks":[{"type":"x"}]}"#, "`type` must be one of: command, prompt, agent, http, mcp_tool"),
        (r#"{"hooks": [{"type": "mcp_tool", "tool": "t"}]}"#, "`server` must be text"),
        (r#"{"hooks":[{"type":"command","command":"x","async":"false"}]}"#, "`async` must be true or false"),
        (r#"{"hooks":[{"type":"command","command":"","rewakeMessage":""}]}"#, "`rewakeMessage` must be text"),
    ] {
        let text = format!("{{\"hooks\": {{\n\"Stop\": [\n{group}],\n\"PreToolUse\": []}}}}");
        assert_eq!(faults(&text), [format!("3 Stop: {what}")], "{group}");
    }
    let harmless = r#"{"permissions": {"allow": [1]}, "env": {"A": {}}, "model": 1, "model": "x", "hooks": {"NoSuchEvent": [
{"matcher": "Bash|Edit", "description": 1, "hooks": [{"type": "command", "command": "", "unknown": {}}]},
{"hooks": [{"type": "http", "url": "http://localhost", "headers": {"a": "b"}, "timeout": 1.50e-1}]},
{"hooks": [{"type": "prompt", "prompt": "p", "args": 1, "async": "x"}, {"type": "agent", "prompt": "p"}]}]}}"#;
    assert_eq!(faults(harmless), [""; 0]);
}
