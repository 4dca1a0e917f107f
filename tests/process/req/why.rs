//! `req why`, asked after each kind of refusal and block of each hook: it names hook, rule, layer, file, line and next step.

use super::desk::{Desk, TEAM, json_of, yes};
use crate::driver::{Driver, denial};
use crate::gate::{self, WORDS};
use serde_json::{Value, json};
use tests::binaries;
use tests::payloads::Payload;
use tests::process::Invocation;

/// `req` in Claude's shell, in the world of some hook.
fn req(driver: &Driver, words: &[&str]) -> Invocation {
    Invocation::new(binaries::path("req"), &driver.sandbox)
        .args(words.iter().copied())
        .env("CLAUDECODE", "1")
        .env("CLAUDE_CODE_SESSION_ID", driver.session.id.as_str())
}

fn edit(driver: &Driver) -> Payload {
    let file = driver.sandbox.project().join("src/a.rs").display().to_string();
    driver.session.pre_tool_use("Edit", json!({ "file_path": file, "old_string": "a", "new_string": "b" }))
}

/// Refuses an edit in a project that requires this.
fn refused(requirements: &str) -> Desk {
    let desk = Desk::new(requirements);
    refuse(&desk, &edit(&desk));
    desk
}

#[track_caller]
fn refuse(driver: &Driver, payload: &Payload) -> String {
    denial(driver.ask(payload).as_ref()).expect("the call is refused")
}

/// What `req why` has to say.
struct Expected<'a> {
    hook: &'a str,
    did: &'a str,
    rule: &'a str,
    layer: &'a str,
    /// How file and line end.
    place: &'a str,
    /// A part of the next step.
    next: &'a str,
}

#[track_caller]
fn assert_told(driver: &Driver, expected: &Expected<'_>) {
    let text = yes(req(driver, &["why"]));
    let first = text.lines().next().unwrap();
    assert!(first.starts_with(&format!("{} {}, ", expected.hook, expected.did)), "{text}");
    assert!(first.contains(", in this session. Its id is "), "{text}");
    assert!(text.contains(&format!("\nRule: {}\n", expected.rule)), "{text}");
    let set = text.lines().find(|line| line.starts_with("Set: ")).unwrap_or_else(|| panic!("{text}"));
    assert!(set.ends_with(&format!("{} ({})", expected.place, expected.layer)), "{text}");
    assert!(text.contains(expected.next), "{} in {text}", expected.next);
    let json = json_of(req(driver, &["why", "--json"]));
    let entry = &json["entry"];
    assert_eq!((&json["version"], &entry["hook"]), (&json!(1), &json!(expected.hook)), "{json}");
    assert_eq!((&entry["rule"], &entry["layer"]), (&json!(expected.rule), &json!(expected.layer)), "{json}");
    assert!(entry["where"].as_str().unwrap().ends_with(expected.place), "{json}");
    assert_eq!(json["outcome"]["how"], "open");
    let steps = entry["next"].as_array().unwrap().iter().filter_map(Value::as_str);
    let said = entry["text"].as_str().unwrap();
    assert!(steps.chain([said]).any(|text| text.contains(expected.next)), "{json}");
}

#[test]
fn after_a_refusal_of_each_type_of_requirement() {
    let guard = "{enabled: true, type: guard, guard_type: protected_branch}";
    for (requirement, next) in [("{enabled: true}", "satisfy it"), (guard, "git switch")] {
        let desk = Desk::new(&format!("version: \"1.0\"\nrequirements:\n  it: {requirement}\n"));
        desk.sandbox.write("a.txt", "a line\n");
        refuse(&desk, &edit(&desk));
        let expected = Expected {
            hook: "requirements-check",
            did: "refused Edit",
            rule: "requirements.it",
            layer: "project",
            place: ".claude/requirements.yaml:3",
            next,
        };
        assert_told(&desk, &expected);
    }
}

#[test]
fn after_a_stop_that_needs_an_acknowledgement() {
    let gate = gate::Gate::new("version: \"1.0\"\nstop-momentum: {enabled: true}\n");
    let token = gate::token(&gate.blocked(WORDS));
    let expected = Expected {
        hook: "stop-momentum",
        did: "held the stop",
        rule: "stop-momentum.enabled",
        layer: "global",
        place: "~/.claude/requirements.yaml:2",
        next: &format!("include the token {token}"),
    };
    assert_told(&gate, &expected);
}

#[test]
fn after_a_call_too_many() {
    let driver = Driver::new("rate-awareness", "rate-awareness: {mode: deny, repeat: 2, ping_pong: 0}\n");
    driver.ask(&edit(&driver));
    refuse(&driver, &edit(&driver));
    let expected = Expected {
        hook: "rate-awareness",
        did: "refused Edit",
        rule: "rate-awareness.repeat",
        layer: "global",
        place: "~/.claude/requirements.yaml:1",
        next: "Any other call ends the row.",
    };
    assert_told(&driver, &expected);
}

#[test]
fn a_refusal_that_was_followed_says_so() {
    let desk = refused("requirements: {plan: {enabled: true}}\n");
    yes(desk.claude(&["satisfy", "plan"]));
    assert_eq!(desk.ask(&edit(&desk)), None);
    let json = json_of(desk.claude(&["why", "--json"]));
    assert_eq!(json["outcome"]["how"], "followed", "{json}");
    let text = yes(desk.claude(&["why"]));
    assert!(text.contains("\nIt asked for: run in Bash: ") && !text.contains("\nNext: "), "{text}");
    let line = json["outcome"]["id"].as_str().unwrap();
    assert!(yes(desk.claude(&["why", line])).starts_with("requirements-check was followed, "));
}

#[test]
fn nothing_of_what_went_into_the_call_is_told() {
    let desk = Desk::new(TEAM);
    let input =
        json!({ "file_path": "/somewhere/quite-peculiar.rs", "old_string": "peculiar", "new_string": "x" });
    refuse(&desk, &desk.session.pre_tool_use("Edit", input));
    for words in [&["why"][..], &["why", "--json"], &["log"], &["log", "--json"]] {
        let told = yes(desk.claude(words));
        assert!(told.contains("Edit") && !told.contains("peculiar"), "{told}");
    }
}
