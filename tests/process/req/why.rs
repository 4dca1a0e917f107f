//! `req why`, asked after a denial or block of each kind: it names hook, rule, layer, file, line and next step.

use super::desk::{Desk, TEAM, json_of, yes};
use crate::driver::{Driver, denial};
use serde_json::json;
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
    let file = driver.sandbox.project().join("src/peculiar.rs").display().to_string();
    driver
        .session
        .pre_tool_use("Edit", json!({ "file_path": file, "old_string": "peculiar", "new_string": "b" }))
}

#[track_caller]
fn deny(driver: &Driver) {
    assert!(denial(driver.ask(&edit(driver)).as_ref()).is_some());
}

/// `req why` tells what the hook did, by which rule, where that is set, and a part of the next step.
#[track_caller]
fn assert_told(driver: &Driver, did: &str, rule: &str, (place, layer): (&str, &str), next: &str) {
    let text = yes(req(driver, &["why"]));
    let first = text.lines().next().unwrap();
    assert!(first.starts_with(&format!("{did}, ")), "{text}");
    assert!(first.contains(", in this session. Its id is "), "{text}");
    assert!(text.contains(&format!("\nRule: {rule}\nSet: ")), "{text}");
    assert!(text.contains(&format!("{place} ({layer})\n")) && text.contains(next), "{next} in {text}");
}

#[test]
fn after_a_denial_of_each_type_of_requirement() {
    let guard = "{enabled: true, type: guard, guard_type: protected_branch}";
    for (requirement, next) in [("{enabled: true}", "satisfy it"), (guard, "git switch")] {
        let desk = Desk::new(&format!("version: \"1.0\"\nrequirements:\n  it: {requirement}\n"));
        desk.sandbox.write("a.txt", "a line\n");
        deny(&desk);
        let place = (".claude/requirements.yaml:3", "project");
        assert_told(&desk, "requirements-check denied Edit", "requirements.it", place, next);
    }
}

#[test]
fn denial_that_was_followed_says_so_and_nothing_of_the_call_is_told() {
    let desk = Desk::new(TEAM);
    deny(&desk);
    for words in [&["why"][..], &["why", "--json"], &["log"], &["log", "--json"]] {
        let told = yes(desk.claude(words));
        assert!(told.contains("Edit") && !told.contains("peculiar"), "{told}");
    }
    yes(desk.claude(&["satisfy", "commit_plan", "adr_reviewed", "license_checked"]));
    desk.user("satisfy release_notes --session 5e55104e");
    assert_eq!(desk.ask(&edit(&desk)), None);
    let json = json_of(desk.claude(&["why", "--json"]));
    assert_eq!(json["outcome"]["how"], "followed", "{json}");
    let text = yes(desk.claude(&["why"]));
    assert!(text.contains("\nIt asked for:") && !text.contains("\nNext"), "{text}");
    let line = json["outcome"]["id"].as_str().unwrap();
    assert!(yes(desk.claude(&["why", line])).starts_with("requirements-check was followed, "));
}
