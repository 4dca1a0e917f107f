//! What a text holds, whoever's it is, and what makes Claude Code ignore hooks.

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
    let text = r#"{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash",
        "hooks": [
          { "type": "command", "command": "/x", "args": ["a"] },
          { "type": "prompt", "prompt": "p", "args": 1 } ] }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "y z" }] }], "PreCompact": null
  }
}"#;
    let found: Vec<String> = contents(text)
        .entries
        .iter()
        .map(|entry| {
            format!(
                "{} {} {:?} {:?} {:?} {}",
                entry.line, entry.event, entry.matcher, entry.command, entry.args, entry.is_command
            )
        })
        .collect();
    let expected = [
        r#"6 PreToolUse Some("Bash") Some("/x") Some(["a"]) true"#,
        r#"7 PreToolUse Some("Bash") None None false"#,
        r#"9 Stop None Some("y z") None true"#,
    ];
    assert_eq!(found, expected);
    assert_eq!(faults(text), [""; 0]);
}

#[test]
fn finds_switches_and_plugins_and_no_value_of_the_environment() {
    let text = "{\"disableAllHooks\":true,\n\"allowManagedHooksOnly\":false,\n\"env\":{\n\"TOKEN\":\"secret\"},\n\"enabledPlugins\":{\"a@m\":true,\n\"b@m\":false,\"c@m\":\"?\"}}";
    let found = contents(text);
    assert_eq!(found.disables_all_hooks, Some(Flag { is_on: true, line: 1 }));
    assert_eq!(found.allows_managed_only, Some(Flag { is_on: false, line: 2 }));
    assert_eq!(found.env, [("TOKEN".to_owned(), 4)]);
    let plugin = |name: &str, is_on, line| (name.to_owned(), Flag { is_on, line });
    assert_eq!(found.plugins, [plugin("a@m", true, 5), plugin("b@m", false, 6)]);
    assert!(!format!("{found:?}").contains("secret"));
}

#[test]
fn reads_the_last_of_two_equal_keys() {
    let found = contents("{\"disableAllHooks\":false,\n\"disableAllHooks\":true}");
    assert_eq!(found.disables_all_hooks, Some(Flag { is_on: true, line: 2 }));
    let entry = r#"{"type":"command","command":"x","command":"y","timeout":5,"timeout":1}"#;
    let found = contents(&format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{entry}]}}]}}}}"#));
    let [entry] = found.entries.as_slice() else { panic!("{found:?}") };
    assert_eq!((entry.command.as_deref(), entry.timeout_secs.clone()), (Some("y"), Some(1.into())));
    assert!(found.refused.is_some());
}

#[test]
fn empty_text_holds_nothing_and_other_text_is_refused_with_its_place() {
    for text in ["", " \n", "{}", "\u{feff}{}", r#"{"hooks":{}}"#] {
        assert_eq!(contents(text), Contents::default(), "{text:?}");
    }
    assert_eq!(read("{\n  \"hooks\": ,\n}", &owner()).unwrap_err().line, 2);
    assert!(read("[]", &owner()).is_err());
    assert!(read("{ // comment\n}", &owner()).is_err(), "Claude Code takes no comments");
}

#[test]
fn names_each_setting_of_the_wrong_kind() {
    for (text, what) in [
        (r#""cleanupPeriodDays":"x""#, "`cleanupPeriodDays` must be a number of days, more than 0"),
        (r#""outputStyle":5"#, "`outputStyle` must be text"),
        (r#""includeCoAuthoredBy":"x""#, "`includeCoAuthoredBy` must be true or false"),
        (r#""availableModels":[1]"#, "`availableModels` must be a list of texts"),
        (r#""permissions":null"#, "`permissions` must be an object, `{ ... }`"),
        (r#""permissions":{"allow":"x"}"#, "`permissions.allow` must be a list, `[ ... ]`"),
        (r#""permissions":{"defaultMode":5}"#, "`permissions.defaultMode` must be text"),
        (r#""statusLine":{"type":"command"}"#, "`statusLine` needs a `type` and a `command`"),
        (r#""model":"x","model":1"#, "`model` must be text"),
        (r#""hooks":[]"#, "`hooks` must be an object, `{ ... }`"),
    ] {
        assert_eq!(faults(&format!("{{{text}}}")), [format!("1 : {what}")]);
    }
    for text in [r#""permissions":{"allow":[1]}"#, r#""env":{"A":{}}"#, r#""model":1,"model":"x""#] {
        assert_eq!(faults(&format!("{{{text}}}")), [""; 0], "{text}");
    }
}

#[test]
fn names_each_misshapen_group_and_entry() {
    for (group, what) in [
        ("null", "a group must be an object"),
        ("{}", "a group needs a list `hooks`"),
        (r#"{"type": "command", "command": "x"}"#, "a group needs a list `hooks`"),
        (r#"{"hooks": [], "matcher": null}"#, "`matcher` must be text"),
        (r#"{"hooks": ["x"]}"#, "an entry must be an object"),
        (r#"{"hooks": [{"command": "x"}]}"#, "an entry needs a `type`"),
        (r#"{"hooks": [{"type": 1, "command": "x"}]}"#, "an entry needs a `type`"),
        (r#"{"hooks": [{"type": "comand", "command": "x"}]}"#, "its `type` is unknown"),
        (r#"{"hooks": [{"type": "command", "command": 1}]}"#, "an entry of type command needs a `command`"),
    ] {
        let text = format!("{{\"hooks\": {{\n\"Stop\": [\n{group}],\n\"PreToolUse\": []}}}}");
        assert_eq!(faults(&text), [format!("3 Stop: {what}")], "{group}");
    }
    let command = r#""type":"command","command":"x""#;
    for (keys, what) in [
        (format!(r#"{command},"timeout":0"#), "`timeout` must be a number of seconds, more than 0"),
        (format!(r#"{command},"timeout":"5""#), "more than 0"),
        (format!(r#"{command},"args":[1]"#), "`args` must be a list of texts"),
        (format!(r#"{command},"if":5"#), "`if` must be text"),
        (format!(r#"{command},"async":"false""#), "`async` must be true or false"),
        (format!(r#"{command},"shell":"zsh""#), r#"`shell` must be "bash" or "powershell""#),
        (format!(r#"{command},"rewakeMessage":"""#), "`rewakeMessage` must be text"),
        (r#""type":"prompt""#.to_owned(), "needs a `prompt`"),
        (r#""type":"http","url":"nowhere""#.to_owned(), "needs a `url`"),
        (r#""type":"mcp_tool","tool":"t""#.to_owned(), "needs a `server`"),
    ] {
        let found = faults(&format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{{keys}}}]}}]}}}}"#));
        assert!(found.len() == 1 && found[0].contains(what), "{keys}: {found:?}");
    }
    for group in [
        r#"{"matcher": "Bash|Edit", "description": 1, "hooks": [{"type": "command", "command": "", "unknown": {}}]}"#,
        r#"{"hooks": [{"type": "command", "command": "\ud83d", "args": [], "timeout": 1.50e+1, "async": true}]}"#,
        r#"{"hooks": [{"type": "http", "url": "http://localhost", "headers": {"a": "b"}, "timeout": 0.5}]}"#,
        r#"{"hooks": [{"type": "prompt", "prompt": "p", "args": 1, "async": "x"}, {"type": "agent", "prompt": "p"}]}"#,
        r#"{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"command": 1}}]}"#,
    ] {
        assert_eq!(faults(&format!(r#"{{"hooks": {{"NoSuchEvent": [{group}]}}}}"#)), [""; 0], "{group}");
    }
}
