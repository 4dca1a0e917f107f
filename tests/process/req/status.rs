//! `req status` where there is a session, another one, several, none.

use super::desk::{Desk, OTHER, TEAM, json_of, standing, yes};
use serde_json::{Value, json};
use std::fs;

#[test]
fn whose_session_is_meant_follows_from_who_is_there() {
    let desk = Desk::new(TEAM);
    yes(desk.claude(&["satisfy", "commit_plan"]));
    yes(desk.claude_of(OTHER, &["satisfy", "adr_reviewed"]));
    let of = |words: &[&str]| {
        let status = json_of(desk.script(words));
        (status["session"].clone(), standing(&status, "commit_plan"))
    };
    assert_eq!(of(&["status", "--json"]), (Value::Null, "open".to_owned()), "none is live: the next one's");
    desk.starts(&desk.session);
    assert_eq!(of(&["status", "--json"]), (json!(desk.session.id), "met".to_owned()), "the only one");
    desk.starts(&desk.another());
    assert_eq!(of(&["status", "--json"]), (Value::Null, "unknown".to_owned()), "one of two");
    assert!(yes(desk.script(&["status"])).contains("; name one with --session)"));
    assert_eq!(
        of(&["status", "--json", "--session", "5e55104e"]),
        (json!(desk.session.id), "met".to_owned())
    );
    assert_eq!(of(&["status", "--json", "--session", OTHER]), (json!(OTHER), "open".to_owned()));
    desk.ask(&desk.session.session_end("other"));
    assert_eq!(of(&["status", "--json"]), (json!(OTHER), "open".to_owned()), "the one that is left");
}

#[test]
fn evidence_is_judged_by_the_session_that_is_meant_whoever_asks() {
    let desk = Desk::new(TEAM);
    desk.starts(&desk.session);
    fs::create_dir_all(desk.sandbox.project().join("src")).unwrap();
    desk.sandbox.write("src/a", "one");
    let of = |words: &[&str]| standing(&json_of(desk.script(words)), "tests_green");
    assert_eq!(desk.ran("./run-tests"), [None, None]);
    assert_eq!(desk.standing("tests_green"), "met");
    assert_eq!(of(&["status", "--json"]), "met", "in a shell without a session");
    assert_eq!(of(&["status", "--json", "--session", "5e55104e"]), "met");
    let others = desk.claude_of(OTHER, &["status", "--json", "--session", "5e55104e"]);
    assert_eq!(standing(&json_of(others), "tests_green"), "met", "in the shell of another session");
    let others = desk.claude_of(OTHER, &["status", "--json"]);
    assert_eq!(standing(&json_of(others), "tests_green"), "open");
    desk.sandbox.write("src/a", "two");
    assert_eq!(of(&["status", "--json"]), "open");
}
