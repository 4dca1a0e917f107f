//! Giving back what was there before us, also where hooks come and go one by one, and never against a change of the user's.

use serde_json::{Value, json};

use super::{arrange, installed, on, owner, unregister};
use crate::{Owner, Registration, StatusLine, Wanted, present};

const RULE: &str = "Bash(req status*)";

/// Every kind of part at once.
struct Everything {
    rules: Vec<String>,
    line: Option<&'static str>,
}

impl Everything {
    fn new(line: Option<&'static str>) -> Self {
        Self { rules: vec![RULE.to_owned()], line }
    }

    fn owner(&self) -> Owner<'_> {
        Owner { rules: &self.rules, status_line_before: self.line, ..owner() }
    }

    fn wanted(&self) -> Wanted {
        let command = "/home/me/.claude/hooks/b-watch statusline".to_owned();
        Wanted {
            hooks: super::wanted(),
            rules: self.rules.clone(),
            status_line: Some(StatusLine { command, replaces: true }),
            leaves_entries: false,
        }
    }

    #[track_caller]
    fn put(&self, text: &str) -> String {
        arrange(Some(text), &self.owner(), &self.wanted(), &[]).unwrap().unwrap()
    }

    #[track_caller]
    fn take(&self, text: &str, earlier: &[Option<String>]) -> Option<String> {
        arrange(Some(text), &self.owner(), &Wanted::default(), earlier).unwrap()
    }
}

#[test]
fn what_we_made_goes_and_what_was_empty_before_comes_back() {
    for before in [
        "",
        "{}",
        "{ }\n",
        "{\n}\n",
        "\u{feff}{ }",
        "{\"hooks\":{}}",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\"hooks\":{\"Stop\":[ ]}}",
        "{\"hooks\": { \"Stop\" : [\t], \"PreToolUse\":[\n] }, \"permissions\": { }}",
        "{\"permissions\":{\"allow\":[ ]}}",
    ] {
        let everything = Everything::new(None);
        let earlier = [Some("{\"other\":1}".to_owned()), Some(before.to_owned())];
        assert_eq!(everything.take(&everything.put(before), &earlier).as_deref(), Some(before));
        assert_eq!(unregister(&installed(before), &owner(), &earlier).unwrap().as_deref(), Some(before));
    }
    let after = installed("");
    assert_eq!(unregister(&after, &owner(), &[None]).unwrap(), None, "what did not exist goes");
    assert_eq!(
        unregister(&after, &owner(), &[]).unwrap().as_deref(),
        Some("{}\n"),
        "without a backup it is empty"
    );
}

/// The user changes something else between install and uninstall.
#[test]
fn what_was_empty_comes_back_as_written_beside_a_change_of_the_users() {
    for before in [
        r#"{"n": 1, "hooks": {"Stop": [ ]}}"#,
        r#"{"n": 1, "hooks":{ }}"#,
        r#"{"n": 1, "hooks": {"PreToolUse": [	], "Stop": [ ], "SessionEnd": [  ]}, "permissions": { }}"#,
        r#"{"n": 1, "permissions": {"allow": [   ], "deny": [ ]}}"#,
        r#"{"n": 1, "permissions": {"deny": [ ]}, "statusLine": { "type":"command", "command":"mine" }}"#,
        "{\n  \"n\": 1,\n  \"hooks\": {\n\n  },\n  \"permissions\": {\n    \"allow\": [\n    ]\n  }\n}\n",
    ] {
        let line = before.contains("statusLine").then_some(r#"{ "type":"command", "command":"mine" }"#);
        let everything = Everything::new(line);
        let edit = |text: &str| text.replacen("\"n\": 1", "\"n\": [ 2 ]", 1);
        let earlier = [Some(before.to_owned())];
        let after = everything.take(&edit(&everything.put(before)), &earlier);
        assert_eq!(after.as_deref(), Some(edit(before).as_str()));
    }
}

#[test]
fn what_the_user_has_emptied_since_stays_and_is_empty() {
    let before =
        r#"{"hooks": {"Stop": [{"hooks": []}], "SessionEnd": [1]}, "permissions": {"allow": ["x"]}}"#;
    let everything = Everything::new(None);
    let emptied = everything.put(before).replace(r#"{"hooks": []}, "#, "").replace(r#""x", "#, "");
    let after = everything.take(&emptied, &[Some(before.to_owned())]).unwrap();
    assert_eq!(after, r#"{"hooks": {"Stop": [], "SessionEnd": [1]}, "permissions": {"allow": []}}"#);
}

#[test]
fn a_file_that_is_the_users_now_does_not_go() {
    let everything = Everything::new(None);
    let ours = everything.put("{}");
    for (edited, left) in [
        (ours.replacen('{', "{\"model\": 1,", 1), json!({ "model": 1 })),
        (ours.replacen("\"timeout\": 10", "\"timeout\": 11", 1), json!({})),
    ] {
        let after = everything.take(&edited, &[Some("{}".to_owned()), None]).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&after).unwrap(), left);
    }
    let touched = ours.replacen("\"timeout\": 10", "\"timeout\": 11", 1);
    assert_eq!(everything.take(&touched, &[None]), None, "only ours was ever in it");
}

/// Two hooks, one of them on two events.
fn hooks() -> (Vec<Registration>, Vec<Registration>) {
    let first = vec![on("Stop", None, "a-gate", 10), on("PreToolUse", Some("Bash"), "a-gate", 5)];
    (first, vec![on("PreToolUse", None, "b-watch", 5), on("SessionEnd", None, "b-watch", 5)])
}

#[test]
fn hooks_that_come_and_go_leave_the_bytes_of_those_that_stay() {
    let (a, b) = hooks();
    let both: Vec<Registration> = a.iter().chain(&b).cloned().collect();
    for before in [
        r#"{"model":"x"}"#,
        "{ }",
        r#"{"hooks": {"Stop": [ ], "PreToolUse": [ {"hooks": [ ]} ] }}"#,
        "{\n\t\"hooks\": {\n\t\t\"SessionEnd\": [\n\t\t]\n\t}\n}\n",
    ] {
        let mut earlier = Vec::new();
        let mut text = before.to_owned();
        let alone = |wanted: &[Registration]| {
            arrange(Some(before), &owner(), &super::hooks(wanted), &[]).unwrap().unwrap()
        };
        for wanted in [&a, &both, &b, &both, &a, &b, &both, &a] {
            let next = arrange(Some(&text), &owner(), &super::hooks(wanted), &earlier).unwrap().unwrap();
            assert_eq!(next, alone(wanted));
            earlier.insert(0, Some(std::mem::replace(&mut text, next)));
        }
        assert_eq!(unregister(&text, &owner(), &earlier).unwrap().as_deref(), Some(before));
    }
}

#[test]
fn a_hook_that_comes_back_finds_its_place_and_its_keys_again() {
    let (a, b) = hooks();
    let both: Vec<Registration> = a.iter().chain(&b).cloned().collect();
    let of = |text: &str, wanted: &[Registration], earlier: &[Option<String>]| {
        arrange(Some(text), &owner(), &super::hooks(wanted), earlier).unwrap().unwrap()
    };
    for before in [r#"{"n":1}"#, r#"{"n":1,"hooks":{"Stop":[ ]}}"#] {
        let installed = of(before, &both, &[]);
        let touched = installed.replacen(r#""timeout":10"#, r#""timeout":10,"statusMessage":"mine""#, 1);
        let earlier = [Some(touched.clone()), Some(before.to_owned())];
        let without = of(&touched, &b, &earlier[1..]);
        assert_eq!(of(&without, &both, &earlier), touched);
        let edited = without.replacen("\"n\":1", "\"n\":2", 1);
        let after = of(&edited, &both, &earlier);
        assert!(after.starts_with("{\"n\":2,") && !after.contains("statusMessage"), "{after}");
    }
}

/// A timeout of the user's in an entry of ours, and another hook that came after it and goes again.
#[test]
fn a_timeout_that_the_user_has_changed_stays_where_entries_are_left_as_they_are() {
    let (a, b) = hooks();
    let both: Vec<Registration> = a.iter().chain(&b).cloned().collect();
    let before = r#"{"n":1}"#;
    let of = |text: &str, wanted: &Wanted, earlier: &[Option<String>]| {
        arrange(Some(text), &owner(), wanted, earlier).unwrap().unwrap()
    };
    let edit = |text: &str| text.replacen(r#""timeout":10"#, r#""timeout":2.5"#, 1);
    let first = of(before, &super::hooks(&a), &[]);
    let second = edit(&of(&first, &super::hooks(&both), &[]));
    let wanted = Wanted { leaves_entries: true, ..super::hooks(&a) };
    let some = |text: &str| Some(text.to_owned());
    for earlier in [vec![], vec![some(&first)], vec![some(before)], vec![some(&first), some(before)]] {
        assert_eq!(of(&second, &wanted, &earlier), edit(&first), "{earlier:?}");
        assert_eq!(of(&second, &super::hooks(&a), &earlier), first, "{earlier:?}");
    }
}

#[test]
fn what_is_there_already_stays_where_it_is_once_the_user_has_changed_something() {
    let (a, b) = hooks();
    let before = "{\"n\":1}";
    let first = arrange(Some(before), &owner(), &super::hooks(&b), &[]).unwrap().unwrap();
    let edited = first.replacen("\"n\":1", "\"n\":2", 1);
    let both: Vec<Registration> = a.iter().chain(&b).cloned().collect();
    let after =
        arrange(Some(&edited), &owner(), &super::hooks(&both), &[Some(before.to_owned())]).unwrap().unwrap();
    let order: Vec<String> =
        present(&after, &owner()).unwrap().hooks.iter().map(|hook| hook.name.clone()).collect();
    assert_eq!(order, ["b-watch", "a-gate", "b-watch", "a-gate"]);
}

#[test]
fn a_change_of_the_users_since_then_is_never_undone() {
    let after = installed("{}").replacen('{', "{\n  \"model\": \"opus\",", 1);
    let without = unregister(&after, &owner(), &[Some("{}".to_owned()), None]).unwrap().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&without).unwrap(), json!({ "model": "opus" }));
}

/// Earlier texts that hold what the user has taken away, or lack what is wanted now.
#[test]
fn no_earlier_text_is_given_back_that_differs_in_more_than_our_parts() {
    let everything = Everything::new(None);
    let base = r#"{"model": "opus", "env": {"A": "1"}}"#;
    let edited = r#"{"model": "haiku", "env": {"A": "1"}}"#;
    let (then, now) = (everything.put(base), everything.put(edited));
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(everything.take(&now, &[some(base)]).as_deref(), Some(edited));
    assert_eq!(everything.take(&now, &[some(&then), some(base), None, some("")]).as_deref(), Some(edited));
    assert_eq!(everything.take(&now, &[some("{}"), None]).as_deref(), Some(edited));

    // The rule is wanted and was not there then; the hooks are the same.
    let without_rule = Wanted { rules: Vec::new(), ..everything.wanted() };
    let then = arrange(Some(base), &everything.owner(), &without_rule, &[]).unwrap();
    let fewer = Wanted { hooks: vec![], status_line: None, ..everything.wanted() };
    let there = everything.put(base);
    let after = arrange(Some(&there), &everything.owner(), &fewer, &[then, some(base)]).unwrap().unwrap();
    assert_eq!(present(&after, &everything.owner()).unwrap().rules, [RULE]);
    let without_line = Wanted { status_line: None, ..everything.wanted() };
    let then = arrange(Some(base), &everything.owner(), &without_rule, &[]).unwrap();
    let after =
        arrange(Some(&there), &everything.owner(), &without_line, &[then, some(base)]).unwrap().unwrap();
    let there = present(&after, &everything.owner()).unwrap();
    assert_eq!((there.rules.len(), there.hooks.len(), there.status_line), (1, 2, None));
}

#[test]
fn earlier_texts_that_cannot_be_read_are_no_help_and_no_harm() {
    let after = installed("{\"n\":1}");
    let earlier = ["{", "[]", "{\"hooks\":1}", "\u{0}"].map(|text| Some(text.to_owned()));
    assert_eq!(unregister(&after, &owner(), &earlier).unwrap().as_deref(), Some("{\"n\":1}"));
}
