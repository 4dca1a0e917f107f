//! Taking out what was put in, where the user has changed the file in between.

use serde_json::{Value, json};

use super::{arrange, on, owner, wanted};
use crate::{Owner, Wanted};

/// An owner of a rule, and every kind of part at once.
fn everything() -> (Owner, Wanted) {
    let rules = vec!["Bash(req status*)".to_owned()];
    let status_line = Some("/home/me/.claude/hooks/b-watch statusline".to_owned());
    let owner = Owner { rules: rules.clone(), ..owner() };
    (owner, Wanted { hooks: wanted(), rules, status_line, leaves_entries: false })
}

#[track_caller]
fn put(text: &str) -> String {
    let (owner, wanted) = everything();
    arrange(Some(text), &owner, &wanted, &[]).unwrap().unwrap()
}

#[track_caller]
fn take(text: &str, earlier: &[Option<String>]) -> Option<String> {
    arrange(Some(text), &everything().0, &Wanted::default(), earlier).unwrap()
}

#[test]
fn a_file_that_is_the_users_now_does_not_go() {
    let ours = put("{}");
    let touched = ours.replacen("\"timeout\": 10", "\"timeout\": 11", 1);
    for (edited, left) in
        [(ours.replacen('{', "{\"model\": 1,", 1), json!({ "model": 1 })), (touched.clone(), json!({}))]
    {
        let after = take(&edited, &[Some("{}".to_owned()), None]).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&after).unwrap(), left);
    }
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
    let first = of(before, &super::hooks(&a), &[]);
    let second = edit(&of(&first, &super::hooks(&both), &[]));
    let wanted = Wanted { leaves_entries: true, ..super::hooks(&a) };
    let some = |text: &str| Some(text.to_owned());
    for earlier in [vec![], vec![some(&first)], vec![some(before)], vec![some(&first), some(before)]] {
        assert_eq!(of(&second, &wanted, &earlier), edit(&first), "{earlier:?}");
        assert_eq!(of(&second, &super::hooks(&a), &earlier), first, "{earlier:?}");
    }
}
