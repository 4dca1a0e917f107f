//! Permission rules: added at the end, taken out again, and never one of the user's.

use super::{Wanted, arrange, owner};
use crate::{Owner, Refused};

const OURS: [&str; 2] = ["Bash(req status*)", "Bash(req satisfy *)"];

fn rules(rules: &[&str]) -> Vec<String> {
    rules.iter().map(|rule| (*rule).to_owned()).collect()
}

/// The text with these rules; those in `added` were added for us.
fn with(text: &str, added: &[&str], wanted: &[&str]) -> Result<String, Refused> {
    let wanted = Wanted { rules: rules(wanted), ..Wanted::default() };
    let added = rules(added);
    arrange(Some(text), &Owner { rules: added, ..owner() }, &wanted, &[]).map(Option::unwrap_or_default)
}

#[test]
fn a_rule_of_the_users_that_reads_like_ours_stays_and_is_not_doubled() {
    let theirs = r#"{"permissions": {"allow": ["Bash(req\u0020status*)", "x"]}}"#;
    let both = r#"{"permissions": {"allow": ["Bash(req\u0020status*)", "x", "Bash(req satisfy *)"]}}"#;
    assert_eq!(with(theirs, &OURS[1..], &OURS).unwrap(), both);
    assert_eq!(with(both, &OURS[1..], &[]).unwrap(), theirs);
    assert_eq!(with(both, &[], &[]).unwrap(), both);
}

#[test]
fn a_place_for_them_of_another_kind_is_refused_where_it_stands() {
    let (object, list) =
        ("`permissions` must be an object, `{ ... }`", "`permissions.allow` must be a list, `[ ... ]`");
    for (text, line, column, why) in [
        ("{\"permissions\": []}", 1, 17, object),
        ("{\"permissions\": {\n  \"allow\": \"x\"}}", 2, 12, list),
        (
            "{\"permissions\": {},\n\"permissions\": {}}",
            2,
            1,
            "the key `permissions` stands here a second time",
        ),
        (
            "{\"permissions\": {\"allow\": [], \"\\u0061llow\": []}}",
            1,
            31,
            "the key `allow` stands here a second time",
        ),
    ] {
        let refused = with(text, &OURS, &OURS).unwrap_err();
        assert_eq!((refused.line, refused.column, refused.why.as_str()), (line, column, why), "{text}");
        assert_eq!(with(text, &[], &[]).unwrap(), text, "none of our business without rules of ours");
    }
}
