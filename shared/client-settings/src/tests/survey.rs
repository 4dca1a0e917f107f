//! What a text registers, whoever's it is.

use crate::{Entry, Flag, Group, Named, Survey, survey};

fn read(text: &str) -> Survey {
    survey(text).unwrap()
}

#[test]
fn every_entry_is_found_with_its_line() {
    let text = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          { "type": "command", "command": "/x", "args": ["a"] },
          { "type": "prompt", "prompt": "p" }
        ]
      }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "y z" }] }]
  }
}"#;
    let found = read(text);
    let entry =
        |event: &str, matcher: Option<&str>, command: Option<&str>, args: Option<&[&str]>, line| Entry {
            event: event.to_owned(),
            matcher: matcher.map(str::to_owned),
            command: command.map(str::to_owned),
            args: args.map(|args| args.iter().map(|&arg| arg.to_owned()).collect()),
            is_command: command.is_some(),
            line,
            ..Entry::default()
        };
    assert_eq!(
        found.entries,
        [
            entry("PreToolUse", Some("Bash"), Some("/x"), Some(&["a"]), 7),
            entry("PreToolUse", Some("Bash"), None, None, 8),
            entry("Stop", None, Some("y z"), None, 12),
        ]
    );
    let group = |event: &str, matcher: Option<&str>, line| Group {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        line,
    };
    assert_eq!(found.groups, [group("PreToolUse", Some("Bash"), 5), group("Stop", None, 12)]);
    assert_eq!(found.faults, []);
}

#[test]
fn what_decides_whether_hooks_run_is_found_and_no_value_of_the_environment() {
    let text = "{\"disableAllHooks\":true,\n\"allowManagedHooksOnly\":false,\n\"env\":{\n\"TOKEN\":\"secret\"},\n\"enabledPlugins\":{\"a@m\":true,\n\"b@m\":false,\"c@m\":\"?\"}}";
    let found = read(text);
    assert_eq!(found.disables_all_hooks, Some(Flag { is_on: true, line: 1 }));
    assert_eq!(found.allows_managed_only, Some(Flag { is_on: false, line: 2 }));
    assert_eq!(found.env, [Named { name: "TOKEN".to_owned(), line: 4 }]);
    let plugin = |name: &str, is_on, line| (name.to_owned(), Flag { is_on, line });
    assert_eq!(found.plugins, [plugin("a@m", true, 5), plugin("b@m", false, 6)]);
    assert!(!format!("{found:?}").contains("secret"));
}

#[test]
fn each_such_setting_is_told_with_what_it_must_be() {
    for (text, what) in [
        (r#""cleanupPeriodDays":"x""#, "more than 0"),
        (r#""outputStyle":5"#, "must be text"),
        (r#""includeCoAuthoredBy":"x""#, "true or false"),
        (r#""availableModels":[1]"#, "list of texts"),
        (r#""permissions":null"#, "must be an object"),
        (r#""permissions":{"allow":"x"}"#, "`permissions.allow` must be a list"),
        (r#""permissions":{"defaultMode":5}"#, "`permissions.defaultMode` must be text"),
        (r#""statusLine":{"type":"command"}"#, "needs a `type` and a `command`"),
        (r#""model":"x","model":1"#, "`model` must be text"),
    ] {
        let faults = read(&format!("{{{text}}}")).faults;
        assert!(faults.len() == 1 && faults[0].what.contains(what), "{text}: {faults:?}");
    }
    for text in [r#""permissions":{"allow":[1]}"#, r#""env":{"A":{}}"#, r#""model":1,"model":"x""#] {
        assert_eq!(read(&format!("{{{text}}}")).faults, [], "{text}");
    }
}

#[test]
fn of_a_key_that_stands_twice_the_last_counts() {
    let found = read("{\"disableAllHooks\":false,\n\"disableAllHooks\":true}");
    assert_eq!(found.disables_all_hooks, Some(Flag { is_on: true, line: 2 }));
    let entry = r#"{"type":"command","command":"x","command":"y","timeout":5,"timeout":1,"async":true,"async":false}"#;
    let found = read(&format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{entry}]}}]}}}}"#));
    let [entry] = found.entries.as_slice() else { panic!("{found:?}") };
    assert_eq!((entry.command.as_deref(), entry.timeout_secs.clone()), (Some("y"), Some(1.into())));
}

#[test]
fn an_entry_tells_what_may_keep_it_from_being_heard_and_an_event_that_is_null_is_none() {
    let found = read(
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","args":[],"async":true,"if":"Bash(x)"},{"type":"prompt","command":"x","prompt":"p"}]}],"PreCompact":null}}"#,
    );
    let told: Vec<(bool, usize)> =
        found.entries.iter().map(|entry| (entry.is_command, entry.harmful_keys.len())).collect();
    assert_eq!((told[0], told[1].0, found.faults), ((true, 2), false, Vec::new()));
}

#[test]
fn nothing_holds_nothing_and_what_is_no_json_is_refused_with_its_place() {
    for text in ["", " \n", "{}", "\u{feff}{}", r#"{"hooks":{}}"#] {
        assert_eq!(read(text), Survey::default(), "{text:?}");
    }
    let refused = survey("{\n  \"hooks\": ,\n}").unwrap_err();
    assert_eq!(refused.line, 2);
    assert!(survey("[]").is_err());
    assert!(survey("{ // comment\n}").is_err(), "the client takes no comments");
}
