//! Hook entries: what is added and in which style, what is found to be ours, and that nobody else's changes.

use super::{FOLDER, installed, on, owner, register, registered};

#[test]
fn an_empty_file_becomes_readable_settings() {
    let expected = r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/home/me/.claude/hooks/a-gate",
            "args": [],
            "timeout": 10
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "Bash|Edit",
        "hooks": [
          {
            "type": "command",
            "command": "/home/me/.claude/hooks/b-watch",
            "args": [],
            "timeout": 5
          }
        ]
      }
    ]
  }
}
"#;
    for empty in ["", "\n", "{}\n", "{ }\n", "{\n}\n"] {
        assert_eq!(installed(empty), expected, "{empty:?}");
    }
}

#[test]
fn the_file_keeps_its_own_style() {
    let tabs = installed("{\r\n\t\"model\": \"opus\"\r\n}\r\n");
    assert!(tabs.starts_with("{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {\r\n\t\t\"Stop\": ["), "{tabs}");
    assert!(!tabs.replace("\r\n", "").contains('\n'));

    let dense = installed(r#"{"model":"opus"}"#);
    assert!(dense.starts_with(r#"{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"#), "{dense}");
    let spaced = installed(r#"{"model": "opus", "hooks": {}}"#);
    assert!(spaced.starts_with(r#"{"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "#), "{spaced}");
    assert!(!spaced.contains('\n'));
}

#[test]
fn stale_and_doubled_entries_are_replaced_and_a_changed_one_is_put_right_in_place() {
    let before = r#"{"hooks": {"Stop": [
  {"hooks": [{"type": "command", "command": "/old/place/.claude/hooks/a-gate", "args": [], "timeout": 3, "statusMessage": "x"}]},
  {"hooks": [{"type": "command", "command": "/home/me/.claude/hooks/a-gate", "args": []}]}
], "SubagentStop": [{"hooks": [{"command": "C:\\Users\\me\\.claude\\hooks\\a-gate.exe", "args": []}]}]}}"#;
    let after = register(before, &owner(), &[on("Stop", None, "a-gate", 10)]).unwrap();
    assert_eq!(
        after,
        r#"{"hooks": {"Stop": [
  {"hooks": [{"type": "command", "command": "/home/me/.claude/hooks/a-gate", "args": [], "timeout": 10, "statusMessage": "x"}]}
]}}"#
    );
}

/// An entry that stands in a group with others, or with keys of the user's.
#[test]
fn an_entry_that_the_user_has_moved_goes_alone() {
    let ours = format!(r#"{{"type": "command", "command": "{FOLDER}/a-gate", "args": [], "timeout": 10}}"#);
    for (with, without) in [
        (format!(r#"[{ours}, {{"type": "prompt"}}]"#), r#"[{"type": "prompt"}]"#),
        (format!(r#"[ {{"type": "prompt"}} , {ours} ]"#), r#"[ {"type": "prompt"} ]"#),
        (format!(r#"["x",{ours},"y"]"#), r#"["x","y"]"#),
    ] {
        let text = |entries: &str| format!(r#"{{"hooks": {{"Stop": [{{"hooks": {entries}, "k": 1}}]}}}}"#);
        let stop = [on("Stop", None, "a-gate", 10)];
        assert_eq!(register(&text(&with), &owner(), &stop).unwrap(), text(&with), "it stays where it is");
        assert_eq!(register(&text(&with), &owner(), &[]).unwrap(), text(without));
    }
}

#[test]
fn a_key_that_keeps_an_entry_from_its_promise_is_taken_out_of_ours_alone() {
    let entry = |keys: &str| {
        format!(r#"{{"hooks": [{{"type": "command", "command": "{FOLDER}/a-gate", "args": []{keys}}}]}}"#)
    };
    let foreign = r#"{"hooks": [{"type": "command", "command": "x", "async": true}]}"#;
    for (keys, count) in [
        (r#", "async": true"#, 1),
        (r#", "async": 1, "asyncRewake": null"#, 2),
        (r#", "if": "Bash(zzz *)""#, 1),
        (r#", "not-known": 1"#, 1),
    ] {
        let before = format!(
            r#"{{"hooks": {{"Stop": [{foreign}, {}]}}}}"#,
            entry(&format!("{keys}, \"timeout\": 10"))
        );
        let found = registered(&before).remove(0);
        assert_eq!(found.harmful_keys.len(), count, "{keys}");
        let after = register(&before, &owner(), &[on("Stop", None, "a-gate", 10)]).unwrap();
        let timeout = r#", "timeout": 10"#;
        assert_eq!(after, format!(r#"{{"hooks": {{"Stop": [{foreign}, {}]}}}}"#, entry(timeout)));
        assert!(registered(&after)[0].harmful_keys.is_empty());
    }
}

#[test]
fn what_makes_no_difference_is_left_as_it_is() {
    let entry = format!(r#""type": "command", "command": "{FOLDER}/a-gate", "args": [], "timeout": 10"#);
    for (matcher, keys) in [
        ("", r#", "async": false, "asyncRewake": false, "once": false"#),
        ("", r#", "if": "", "onFailure": "block", "shell": "powershell", "statusMessage": "x""#),
        (r#""matcher": ".*", "#, ""),
        (r#""matcher": "*", "#, ""),
        (r#""matcher": "", "#, ""),
    ] {
        let text = format!(r#"{{"hooks": {{"Stop": [{{{matcher}"hooks": [{{{entry}{keys}}}]}}]}}}}"#);
        assert_eq!(registered(&text)[0].harmful_keys, [""; 0], "{text}");
        assert_eq!(register(&text, &owner(), &[on("Stop", None, "a-gate", 10)]).unwrap(), text);
    }
}
