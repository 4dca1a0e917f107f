//! Texts that are not edited, and the place that the error names.

use proptest::prelude::*;

use super::{arrange, owner, register, wanted};
use crate::{Owner, Refused, Wanted};

#[test]
fn what_cannot_be_read_for_certain_is_refused_with_its_place() {
    for (text, line, column, why) in [
        ("{\n  \"a\": 1,\n  // mine\n  \"b\": 2\n}", 3, 3, "not plain JSON (key must be a string)"),
        ("{\"a\": 1,}", 1, 9, "not plain JSON (key must be a string)"),
        ("{\n \"é\": tru }", 2, 10, "not plain JSON (expected ident)"),
        ("[]", 1, 1, "the settings must be an object, `{ ... }`"),
        ("{\"hooks\": []}", 1, 11, "`hooks` must be an object, `{ ... }`"),
        ("{\"hooks\": {},\n \"hooks\": {}}", 2, 2, "the key `hooks` stands here a second time"),
        ("{\"hooks\": {\"Stop\": {}}}", 1, 20, "`hooks.Stop` must be a list, `[ ... ]`"),
        ("{\"hooks\": null}", 1, 11, "`hooks` must be an object, `{ ... }`"),
        (
            "{\"hooks\": {\"Stop\": [{},\n{\"hooks\": [], \"hooks\": []}]}}",
            2,
            15,
            "the key `hooks` stands here a second time",
        ),
        (
            "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"a\",\n \"c\\u006fmmand\": \"b\"}]}]}}",
            2,
            2,
            "the key `command` stands here a second time",
        ),
        (
            "{\"a\": \"é\u{1}\"}",
            1,
            8,
            "not plain JSON (control character (\\u0000-\\u001F) found while parsing a string)",
        ),
    ] {
        let refused = refusal(text);
        assert_eq!((refused.line, refused.column, refused.why.as_str()), (line, column, why), "{text}");
    }
    assert!(register(&"[".repeat(100_000), &owner(), &[]).is_err());
    assert!(register("{\"a\": ", &owner(), &[]).is_err());
}

#[track_caller]
fn refusal(text: &str) -> Refused {
    let refused = register(text, &owner(), &[]).unwrap_err();
    assert_eq!(register(text, &owner(), &wanted()).unwrap_err(), refused);
    refused
}

/// Status lines and rules, ours or not yet there.
#[test]
fn a_place_that_cannot_take_our_parts_is_refused_only_where_they_are_wanted() {
    let rules = vec!["Bash(req status*)".to_owned()];
    let with_rules = Owner { rules: rules.clone(), ..owner() };
    let wanted = Wanted { rules, status_line: Some("x".to_owned()), ..Wanted::default() };
    for (text, line, column, why) in [
        ("{\"permissions\": []}", 1, 17, "`permissions` must be an object, `{ ... }`"),
        ("{\"permissions\": {\n  \"allow\": \"x\"}}", 2, 12, "`permissions.allow` must be a list, `[ ... ]`"),
        (
            "{\"permissions\": {\"allow\": [], \"\\u0061llow\": []}}",
            1,
            31,
            "the key `allow` stands here a second time",
        ),
        ("{\"statusLine\": 1,\n \"statusLine\": 1}", 2, 2, "the key `statusLine` stands here a second time"),
    ] {
        let refused = arrange(Some(text), &with_rules, &wanted, &[]).unwrap_err();
        assert_eq!((refused.line, refused.column, refused.why.as_str()), (line, column, why), "{text}");
        assert_eq!(arrange(Some(text), &owner(), &Wanted::default(), &[]).unwrap().as_deref(), Some(text));
    }
}

proptest! {
    #[test]
    fn any_text_is_edited_or_refused_never_a_panic(text in any::<String>()) {
        let _ = register(&text, &owner(), &wanted());
    }
}
