//! Texts in, texts out: what is added, what stays to the byte, what is refused and where. No file is touched.

use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;

use super::{
    Owner, Program, Refused, Registered, Registration, StatusLine, Wanted, arrange, faults, present,
};

mod files;
mod generated;
mod reader;
mod world;

const FOLDER: &str = "/home/me/.claude/hooks";

fn owner() -> Owner<'static> {
    static BINARIES: std::sync::LazyLock<Vec<String>> =
        std::sync::LazyLock::new(|| ["a-gate", "b-watch"].map(str::to_owned).to_vec());
    Owner { folder: Path::new(FOLDER), binaries: &BINARIES, rules: &[], status_line_before: None }
}

fn on(event: &str, matcher: Option<&str>, binary: &str, timeout_secs: u32) -> Registration {
    Registration {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        program: Program::Path(format!("{FOLDER}/{binary}")),
        timeout_secs,
    }
}

fn wanted() -> Vec<Registration> {
    vec![on("Stop", None, "a-gate", 10), on("PreToolUse", Some("Bash|Edit"), "b-watch", 5)]
}

fn hooks(hooks: &[Registration]) -> Wanted {
    Wanted { hooks: hooks.to_vec(), ..Wanted::default() }
}

fn register(text: &str, owner: &Owner<'_>, wanted: &[Registration]) -> Result<String, Refused> {
    arrange(Some(text), owner, &hooks(wanted), &[]).map(Option::unwrap_or_default)
}

fn unregister(text: &str, owner: &Owner<'_>, earlier: &[Option<String>]) -> Result<Option<String>, Refused> {
    arrange(Some(text), owner, &Wanted::default(), earlier)
}

fn registered(text: &str, owner: &Owner<'_>) -> Result<Vec<Registered>, Refused> {
    present(text, owner).map(|present| present.hooks)
}

#[track_caller]
fn installed(before: &str) -> String {
    let after = register(before, &owner(), &wanted()).unwrap();
    assert_eq!(register(&after, &owner(), &wanted()).unwrap(), after, "a second time changes nothing");
    after
}

#[track_caller]
fn refusal(text: &str) -> Refused {
    assert_eq!(register(text, &owner(), &[]).unwrap_err(), register(text, &owner(), &wanted()).unwrap_err());
    register(text, &owner(), &wanted()).unwrap_err()
}

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
fn nothing_wanted_and_nothing_there_changes_nothing() {
    for text in ["", " \n", "{}", "{\"model\":\"x\"}", "\u{feff}{ }"] {
        assert_eq!(register(text, &owner(), &[]).unwrap(), text);
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

/// Foreign groups of every kind, some of which look nearly like ours.
const FOREIGN: &str = r#"{
    "$schema": "https://json.schemastore.org/claude-code-settings.json",
    "permissions" : { "allow": [ "Bash(ls *)" ] },
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [ { "type": "command", "command": "/home/me/.claude/hooks/a-gate" } ] },
            {"hooks": [{"type": "command", "command": "/opt/bin/a-gate", "args": []}, { "type": "prompt", "prompt": "ünïcode" }]}
        ],
        "Stop": [
            {
                "hooks": [
                    { "type": "command", "command": "~/bin/a-gate-of-mine", "args": [] }
                ]
            }
        ]
    },
    "model": "opus",
    "env": { "A": "1.50e3", "n": 1.50 }
}"#;

#[test]
fn foreign_entries_keep_their_bytes_and_uninstall_gives_the_file_back() {
    let after = installed(FOREIGN);
    for line in FOREIGN.lines().filter(|line| line.trim().len() > 2) {
        assert!(after.contains(line.trim_end_matches(',')), "{line}");
    }
    assert_eq!(register(&after, &owner(), &[]).unwrap(), FOREIGN);
    assert_eq!(registered(&after, &owner()).unwrap().len(), 2);
}

#[test]
fn a_byte_order_mark_stays_where_it_is() {
    let after = installed("\u{feff}{\"model\":\"x\"}");
    assert!(after.starts_with("\u{feff}{"));
    assert_eq!(register(&after, &owner(), &[]).unwrap(), "\u{feff}{\"model\":\"x\"}");
    assert!(installed("\u{feff}").starts_with("\u{feff}{"));
}

#[test]
fn what_we_made_goes_and_what_was_empty_before_comes_back() {
    for before in [
        "",
        "{}",
        "{ }\n",
        "{\n}\n",
        "{\"hooks\":{}}",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\"hooks\":{\"Stop\":[ ]}}",
    ] {
        let after = installed(before);
        let earlier = [Some("{\"other\":1}".to_owned()), Some(before.to_owned())];
        assert_eq!(unregister(&after, &owner(), &earlier).unwrap().as_deref(), Some(before));
    }
    let after = installed("");
    assert_eq!(unregister(&after, &owner(), &[None]).unwrap(), None, "what did not exist goes");
    assert_eq!(
        unregister(&after, &owner(), &[]).unwrap().as_deref(),
        Some("{}\n"),
        "without a backup it is empty"
    );
}

#[test]
fn a_change_of_the_users_since_then_is_never_undone() {
    let after = installed("{}").replacen('{', "{\n  \"model\": \"opus\",", 1);
    let without = unregister(&after, &owner(), &[Some("{}".to_owned()), None]).unwrap().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&without).unwrap(), serde_json::json!({ "model": "opus" }));
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

#[test]
fn another_matcher_is_another_registration() {
    let before = register("{}", &owner(), &[on("PreToolUse", Some("Bash"), "a-gate", 10)]).unwrap();
    let after = register(&before, &owner(), &[on("PreToolUse", None, "a-gate", 10)]).unwrap();
    let ours = registered(&after, &owner()).unwrap();
    assert_eq!(ours.len(), 1);
    assert_eq!((ours[0].matcher.as_deref(), ours[0].timeout_secs, ours[0].args.len()), (None, Some(10.0), 0));
    let everything = before.replace("\"Bash\"", "\"*\"");
    assert_eq!(register(&everything, &owner(), &[on("PreToolUse", None, "a-gate", 10)]).unwrap(), everything);
}

#[test]
fn what_cannot_be_read_for_certain_is_refused_with_its_place() {
    for (text, line, column, why) in [
        ("{\n  \"a\": 1,\n  // mine\n  \"b\": 2\n}", 3, 3, "comments are not allowed"),
        ("{\"a\": 1,}", 1, 8, "trailing commas are not allowed"),
        ("{\n \"é\": tru }", 2, 7, "unexpected word"),
        ("[]", 1, 1, "the settings must be an object, `{ ... }`"),
        ("{\"a\": 1}\n{}", 2, 1, "text cannot contain more than one JSON value"),
        ("{\"hooks\": []}", 1, 11, "`hooks` must be an object, `{ ... }`"),
        ("{\"hooks\": {},\n \"hooks\": {}}", 2, 2, "the key `hooks` stands here a second time"),
        ("{\"hooks\": {\"Stop\": [],\n\"Stop\": []}}", 2, 1, "the key `Stop` stands here a second time"),
        ("{\"hooks\": {\"Stop\": {}}}", 1, 20, "`hooks.Stop` must be a list, `[ ... ]`"),
        ("{\"a\": \"\u{1}\"}", 1, 7, "not plain JSON"),
    ] {
        let refused = refusal(text);
        assert_eq!((refused.line, refused.column, refused.why.as_str()), (line, column, why), "{text}");
    }
    assert!(register(&"[".repeat(100_000), &owner(), &[]).is_err());
    assert!(register("{\"a\": ", &owner(), &[]).is_err());
}

#[test]
fn a_doubled_key_elsewhere_is_none_of_our_business() {
    let text = "{\"a\": 1, \"a\": 2}";
    assert_eq!(register(&installed(text), &owner(), &[]).unwrap(), text);
}

/// JSON in any layout: keys in any order, any indentation, any spaces.
fn any_settings() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1.50".to_owned()),
        Just("\"ü\\u0041\"".to_owned()),
        Just("[ ]".to_owned()),
        Just("{}".to_owned())
    ];
    let hooks = prop_oneof![
        Just(r#""hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}"#.to_owned()),
        Just("\"hooks\" :\t{\n\"Notification\":[{\n\"hooks\":[ ]}\n] }".to_owned()),
        Just("\"hooks\": {\n      \"PreToolUse\": [\n        {\"matcher\": \"\", \"hooks\": []}\n      ]\n    }".to_owned()),
        Just("\"z\": 1".to_owned()),
    ];
    let separator =
        prop_oneof![Just(",".to_owned()), Just(",\n    ".to_owned()), Just(" ,\r\n\t".to_owned())];
    let ends = prop_oneof![Just(("{", "}")), Just(("{\n    ", "\n}\n")), Just(("\u{feff}{\r\n", "\r\n}"))];
    (proptest::collection::vec(leaf, 1..4), hooks, separator, ends, 0..4_usize).prop_map(
        |(leaves, hooks, separator, (open, close), at)| {
            let mut items: Vec<String> =
                leaves.iter().enumerate().map(|(index, leaf)| format!("\"k{index}\": {leaf}")).collect();
            items.insert(at.min(items.len()), hooks);
            format!("{open}{}{close}", items.join(&separator))
        },
    )
}

proptest! {
    #[test]
    fn install_then_uninstall_gives_the_same_bytes(before in any_settings()) {
        let after = register(&before, &owner(), &wanted()).unwrap();
        prop_assert!(serde_json::from_str::<Value>(after.strip_prefix(super::BOM).unwrap_or(&after)).is_ok());
        prop_assert_eq!(registered(&after, &owner()).unwrap().len(), 2);
        prop_assert_eq!(&register(&after, &owner(), &wanted()).unwrap(), &after);
        prop_assert_eq!(register(&after, &owner(), &[]).unwrap(), before);
    }

    #[test]
    fn any_text_is_edited_or_refused_never_a_panic(text in any::<String>()) {
        let _ = register(&text, &owner(), &wanted());
    }
}
