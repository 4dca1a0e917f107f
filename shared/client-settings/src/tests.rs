//! Texts in, texts out: what is added, what stays to the byte, what is refused and where.

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Entry, Owner, Program, Refused, Registration, Wanted, arrange, read, status_line_command};

mod generated;
mod reading;

const FOLDER: &str = "/home/me/.claude/hooks";

fn owner() -> Owner {
    let former = ["/old/place/.claude/hooks", "/a b/.claude/hooks", r"C:\Users\me\.claude\hooks"];
    Owner {
        folders: [FOLDER].into_iter().chain(former).map(PathBuf::from).collect(),
        binaries: ["a-gate", "b-watch", "d-team", "notice"].map(str::to_owned).to_vec(),
        ..Owner::default()
    }
}

fn on(event: &str, matcher: Option<&str>, binary: &str, timeout_secs: u32) -> Registration {
    Registration {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        program: Program::Path(format!("{FOLDER}/{binary}")),
        timeout_secs: Some(timeout_secs.into()),
        status_message: None,
    }
}

fn wanted() -> Vec<Registration> {
    vec![on("Stop", None, "a-gate", 10), on("PreToolUse", Some("Bash|Edit"), "b-watch", 5)]
}

fn hooks(hooks: &[Registration]) -> Wanted {
    Wanted { hooks: hooks.to_vec(), ..Wanted::default() }
}

fn register(text: &str, wanted: &[Registration]) -> Result<String, Refused> {
    arrange(Some(text), &owner(), &hooks(wanted), &[]).map(Option::unwrap_or_default)
}

fn registered(text: &str) -> Vec<Entry> {
    read(text, &owner()).unwrap().ours().cloned().collect()
}

#[track_caller]
fn installed(before: &str) -> String {
    let after = register(before, &wanted()).unwrap();
    assert_eq!(register(&after, &wanted()).unwrap(), after, "a second time changes nothing");
    after
}

#[test]
fn an_empty_file_becomes_readable_settings() {
    let entry = |name: &str, timeout: u32| json!({ "type": "command", "command": format!("{FOLDER}/{name}"), "args": [], "timeout": timeout });
    let expected = json!({ "hooks": {
        "Stop": [{ "hooks": [entry("a-gate", 10)] }],
        "PreToolUse": [{ "matcher": "Bash|Edit", "hooks": [entry("b-watch", 5)] }],
    } });
    let expected = format!("{expected:#}\n");
    for empty in ["", "\n", "{}\n", "{ }\n", "{\n}\n"] {
        assert_eq!(installed(empty), expected, "{empty:?}");
    }
}

#[test]
fn the_file_keeps_its_own_style() {
    for (before, begins, has_line_ends) in [
        (
            "{\r\n\t\"model\": \"opus\"\r\n}\r\n",
            "{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [",
            true,
        ),
        (r#"{"model":"opus"}"#, r#"{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"#, false),
        (
            r#"{"model": "opus", "hooks": {}}"#,
            r#"{"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "#,
            false,
        ),
    ] {
        let after = installed(before);
        assert!(after.starts_with(begins), "{after}");
        assert_eq!(after.contains("\r\n"), has_line_ends);
        assert!(!after.replace("\r\n", "").contains('\n'));
    }
}

/// Settings with these groups on Stop.
fn on_stop(groups: &str) -> String {
    format!(r#"{{"hooks": {{"Stop": [{groups}]}}}}"#)
}

/// An entry as it is wanted, with more keys.
fn entry(keys: &str) -> String {
    format!(r#"{{"type": "command", "command": "{FOLDER}/a-gate", "args": []{keys}, "timeout": 10}}"#)
}

#[track_caller]
fn check_stop(before: &str, after: &str) {
    assert_eq!(register(before, &[on("Stop", None, "a-gate", 10)]).unwrap(), after);
}

#[test]
fn stale_and_doubled_entries_are_replaced_and_a_changed_one_is_put_right_in_place() {
    let before = r#"{"hooks": {"Stop": [
  {"hooks": [{"type": "command", "command": "/old/place/.claude/hooks/a-gate", "args": [], "timeout": 3, "statusMessage": "x"}]},
  {"hooks": [{"type": "command", "command": "/home/me/.claude/hooks/a-gate", "args": []}]}
], "SubagentStop": [{"hooks": [{"command": "C:\\Users\\me\\.claude\\hooks\\a-gate.exe", "args": []}]}]}}"#;
    let after = r#"{"hooks": {"Stop": [
  {"hooks": [{"type": "command", "command": "/home/me/.claude/hooks/a-gate", "args": [], "timeout": 10, "statusMessage": "x"}]}
]}}"#;
    check_stop(before, after);
}

/// An entry that stands in a group with others, or with keys of the user's.
#[test]
fn an_entry_that_the_user_has_moved_goes_alone() {
    let ours = entry("");
    for (with, without) in [
        (format!(r#"[{ours}, {{"type": "prompt"}}]"#), r#"[{"type": "prompt"}]"#),
        (format!(r#"[ {{"type": "prompt"}} , {ours} ]"#), r#"[ {"type": "prompt"} ]"#),
        (format!(r#"["x",{ours},"y"]"#), r#"["x","y"]"#),
    ] {
        let text = |entries: &str| on_stop(&format!(r#"{{"hooks": {entries}, "k": 1}}"#));
        check_stop(&text(&with), &text(&with));
        assert_eq!(register(&text(&with), &[]).unwrap(), text(without));
    }
}

#[test]
fn a_key_that_keeps_an_entry_from_its_promise_is_taken_out_of_ours_alone() {
    let foreign = r#"{"hooks": [{"type": "command", "command": "x", "async": true}]}"#;
    for (matcher, keys, harmful) in [
        ("", r#", "async": true"#, &["async"][..]),
        ("", r#", "async": 1, "asyncRewake": null"#, &["async", "asyncRewake"]),
        ("", r#", "if": "Bash(zzz *)""#, &["if"]),
        ("", r#", "not-known": 1"#, &["not-known"]),
        ("", r#", "async": false, "asyncRewake": false, "once": false"#, &[]),
        ("", r#", "if": "", "onFailure": "block", "shell": "powershell", "statusMessage": "x""#, &[]),
        (r#""matcher": ".*", "#, "", &[]),
        (r#""matcher": "*", "#, "", &[]),
        (r#""matcher": "", "#, "", &[]),
    ] {
        let text = |keys| on_stop(&format!(r#"{foreign}, {{{matcher}"hooks": [{}]}}"#, entry(keys)));
        assert_eq!(registered(&text(keys))[0].harmful_keys, harmful);
        check_stop(&text(keys), &text(if harmful.is_empty() { keys } else { "" }));
    }
}

#[test]
fn somebody_elses_line_stays() {
    for (kind, line) in [
        ("command", "true; : barbless a-gate; x"),
        ("command", ": barbless-a-gate; x"),
        ("command", "/home/me/.claude/hooks/a-gate"),
        // A shell would run such a name as a part of its line.
        ("command", ": barbless x$(touch${IFS}y);"),
        ("command", ": barbless ;"),
        ("prompt", ": barbless a-gate; x"),
    ] {
        let before = on_stop(&format!(r#"{{"hooks": [{{"type": "{kind}", "command": "{line}"}}]}}"#));
        assert_eq!(registered(&before), [], "{line}");
        assert_eq!(register(&installed(&before), &[]).unwrap(), before);
    }
}

#[track_caller]
fn check_refused(text: &str, owner: &Owner, wanted: &Wanted, expected: &str) {
    let Refused { line, column, why } = arrange(Some(text), owner, wanted, &[]).unwrap_err();
    assert_eq!(format!("{line}:{column} {why}"), expected, "{text}");
}

#[test]
fn ambiguous_settings_give_an_error_with_their_line() {
    for (text, expected) in [
        ("{\n  // mine\n}", "2:3 not plain JSON without comments (key must be a string)"),
        ("{\"a\": 1,}", "1:9 not plain JSON without comments (key must be a string)"),
        ("{\n \"é\": tru }", "2:10 not plain JSON without comments (expected ident)"),
        ("[]", "1:1 the settings must be an object, `{ ... }`"),
        ("{\"hooks\": null}", "1:11 `hooks` must be an object, `{ ... }`"),
        ("{\"hooks\": {},\n \"hooks\": {}}", "2:2 the key `hooks` stands here a second time"),
        (r#"{"hooks": {"Stop": {}}}"#, "1:20 `hooks.Stop` must be a list, `[ ... ]`"),
        (r#"{"hooks":{"Stop":[{"hooks":[],"hooks":[]}]}}"#, "1:31 the key `hooks` stands here a second time"),
        (r#"{"hooks":{"a":[{"hooks":[{"k":1,"\u006b":1}]}]}}"#, "1:33 the key `k` stands here a second time"),
    ] {
        for hooks in [hooks(&wanted()), Wanted::default()] {
            check_refused(text, &owner(), &hooks, expected);
        }
    }
    assert!(register(&"[".repeat(100_000), &[]).is_err());
}

/// Status lines and rules, ours or not yet there.
#[test]
fn a_place_that_cannot_take_our_parts_is_refused_only_where_they_are_wanted() {
    let (with_rules, wanted) = everything();
    for (text, expected) in [
        (r#"{"permissions": []}"#, "1:17 `permissions` must be an object, `{ ... }`"),
        ("{\"permissions\": {\n  \"allow\": \"x\"}}", "2:12 `permissions.allow` must be a list, `[ ... ]`"),
        (r#"{"permissions":{"allow":[],"\u0061llow":[]}}"#, "1:28 the key `allow` stands here a second time"),
        (r#"{"statusLine": 1, "statusLine": 1}"#, "1:19 the key `statusLine` stands here a second time"),
    ] {
        check_refused(text, &with_rules, &wanted, expected);
        assert_eq!(arrange(Some(text), &owner(), &Wanted::default(), &[]).unwrap().as_deref(), Some(text));
    }
}

proptest! {
    #[test]
    fn any_text_is_edited_or_refused_never_a_panic(text in any::<String>()) {
        let _ = register(&text, &wanted());
    }
}

fn ours() -> String {
    format!("{FOLDER}/b-watch statusline")
}

/// The text with our status line, or without.
fn with(text: &str, before: Option<&str>, wanted: bool) -> String {
    let status_line = wanted.then(ours);
    let owner = Owner { status_line_before: before.map(str::to_owned), ..owner() };
    let wanted = Wanted { status_line, ..Wanted::default() };
    arrange(Some(text), &owner, &wanted, &[]).unwrap().unwrap()
}

#[test]
fn later_changes_beside_the_command_stay() {
    let raw = r#"{"type": "command", "command": "mine", "padding": 1}"#;
    let before = format!(r#"{{"statusLine": {raw}}}"#);
    let after = with(&before, None, true);
    assert_eq!(with(&after, Some(raw), false), before);
    let padded = after.replace("\"padding\": 1", "\"padding\": 0");
    assert_eq!(with(&padded, Some(raw), false), before.replace("\"padding\": 1", "\"padding\": 0"));
    let emptied = format!(r#"{{"statusLine": {{"command": "{}"}}}}"#, ours());
    assert_eq!(with(&emptied, Some(raw), false), r#"{"statusLine": {"command": "mine"}}"#);
}

#[test]
fn repair_changes_only_the_command_of_our_entry() {
    for stale in ["/old/place/.claude/hooks/b-watch --x", r#"\"/a b/.claude/hooks/b-watch\" statusline"#] {
        let text = |command: &str| {
            format!(r#"{{"statusLine": {{"padding": 0, "command": "{command}", "type": "command"}}}}"#)
        };
        assert!(read(&text(stale), &owner()).unwrap().status_line.unwrap().is_ours);
        assert_eq!(with(&text(stale), None, true), text(&ours()));
        assert_eq!(with(&text(stale), None, false), "{}");
    }
}

#[cfg(unix)]
#[test]
fn a_shell_starts_the_program_whatever_its_path_holds() {
    for home in ["plain", "two words", "o'brien", "$HOME", "`id`", "a\"b", "back\\slash", "*", "é;x&y", "''"]
    {
        let folder = format!("/Users/{home}/.claude/hooks");
        let line = status_line_command(&format!("{folder}/b-watch"), "statusline");
        let printed = std::process::Command::new("sh").args(["-c", &format!("printf '%s|' {line}")]).output();
        let printed = String::from_utf8(printed.unwrap().stdout).unwrap();
        assert_eq!(printed, format!("{folder}/b-watch|statusline|"), "{line}");
        let owner = Owner { folders: vec![folder.into()], ..owner() };
        let text = json!({ "statusLine": { "type": "command", "command": line } }).to_string();
        assert!(read(&text, &owner).unwrap().status_line.unwrap().is_ours, "{line}");
    }
}

/// An owner of a rule, and every kind of part at once.
fn everything() -> (Owner, Wanted) {
    let rules = vec!["Bash(req status*)".to_owned()];
    let owner = Owner { rules: rules.clone(), ..owner() };
    (owner, Wanted { rules, status_line: Some(ours()), ..hooks(&wanted()) })
}

#[test]
fn a_file_that_is_the_users_now_does_not_go() {
    let (owner, wanted) = everything();
    let put = |text| arrange(Some(text), &owner, &wanted, &[]).unwrap().unwrap();
    let nothing = Wanted::default();
    let take = |text: &str, earlier: &[_]| arrange(Some(text), &owner, &nothing, earlier).unwrap();
    let ours = put("{}");
    let touched = ours.replacen("\"timeout\": 10", "\"timeout\": 11", 1);
    let left = |edited: &str| {
        let text = take(edited, &[Some("{}".to_owned()), None]).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    assert_eq!(left(&ours.replacen('{', "{\"model\": 1,", 1)), json!({ "model": 1 }));
    assert_eq!(left(&touched), json!({}));
    assert_eq!(take(&touched, &[None]), None, "only ours was ever in it");
    assert_eq!(take(&put(""), &[]).as_deref(), Some("{}\n"), "without a backup it is empty");
}

/// A timeout of the user's in an entry of ours, and another hook that came after it and goes again.
#[test]
fn a_timeout_that_the_user_has_changed_stays_where_entries_are_left_as_they_are() {
    let a = vec![on("Stop", None, "a-gate", 10), on("PreToolUse", Some("Bash"), "a-gate", 5)];
    let both = [&a[..], &[on("PreToolUse", None, "b-watch", 5)]].concat();
    let before = r#"{"n":1}"#;
    let of = |text: &str, wanted: &Wanted, earlier: &[Option<String>]| {
        arrange(Some(text), &owner(), wanted, earlier).unwrap().unwrap()
    };
    let edit = |text: &str| text.replacen(r#""timeout":10"#, r#""timeout":2.5"#, 1);
    let first = of(before, &hooks(&a), &[]);
    let second = edit(&of(&first, &hooks(&both), &[]));
    let wanted = Wanted { leaves_entries: true, ..hooks(&a) };
    let some = |text: &str| Some(text.to_owned());
    for earlier in [vec![], vec![some(&first)], vec![some(before)], vec![some(&first), some(before)]] {
        assert_eq!(of(&second, &wanted, &earlier), edit(&first), "{earlier:?}");
        assert_eq!(of(&second, &hooks(&a), &earlier), first, "{earlier:?}");
    }
}
