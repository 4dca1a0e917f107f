//! Giving back what was there before us, also where hooks come and go one by one, and never against a change of the user's.

use serde_json::{Value, json};

use super::{arrange, on, owner};
use crate::{Owner, Registration, Wanted};

const RULE: &str = "Bash(req status*)";

/// Every kind of part at once.
struct Everything {
    rules: Vec<String>,
}

impl Everything {
    fn new() -> Self {
        Self { rules: vec![RULE.to_owned()] }
    }

    fn owner(&self) -> Owner {
        Owner { rules: self.rules.clone(), ..owner() }
    }

    fn wanted(&self) -> Wanted {
        let command = "/home/me/.claude/hooks/b-watch statusline".to_owned();
        Wanted {
            hooks: super::wanted(),
            rules: self.rules.clone(),
            status_line: Some(command),
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
    for before in ["{ }\n", "{\"hooks\": { \"Stop\" : [\t], \"PreToolUse\": null }, \"permissions\": { }}"] {
        let everything = Everything::new();
        let earlier = [Some("{\"other\":1}".to_owned()), Some(before.to_owned())];
        assert_eq!(everything.take(&everything.put(before), &earlier).as_deref(), Some(before));
    }
    let everything = Everything::new();
    let after = everything.put("");
    assert_eq!(everything.take(&after, &[None]), None, "what did not exist goes");
    assert_eq!(everything.take(&after, &[]).as_deref(), Some("{}\n"), "without a backup it is empty");
}

#[test]
fn what_the_user_has_emptied_since_stays_and_is_empty() {
    let before =
        r#"{"hooks": {"Stop": [{"hooks": []}], "SessionEnd": [1]}, "permissions": {"allow": ["x"]}}"#;
    let everything = Everything::new();
    let emptied = everything.put(before).replace(r#"{"hooks": []}, "#, "").replace(r#""x", "#, "");
    let after = everything.take(&emptied, &[Some(before.to_owned())]).unwrap();
    assert_eq!(after, r#"{"hooks": {"Stop": [], "SessionEnd": [1]}, "permissions": {"allow": []}}"#);
}

#[test]
fn a_file_that_is_the_users_now_does_not_go() {
    let everything = Everything::new();
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

/// Earlier texts that hold what the user has taken away, or lack what is wanted now.
#[test]
fn no_earlier_text_is_given_back_that_differs_in_more_than_our_parts() {
    let everything = Everything::new();
    let base = r#"{"model": "opus", "env": {"A": "1"}}"#;
    let edited = r#"{"model": "haiku", "env": {"A": "1"}}"#;
    let (then, now) = (everything.put(base), everything.put(edited));
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(everything.take(&now, &[some(base)]).as_deref(), Some(edited));
    assert_eq!(everything.take(&now, &[some(&then), some(base), None, some("")]).as_deref(), Some(edited));
    assert_eq!(everything.take(&now, &[some("{}"), None]).as_deref(), Some(edited));
}
