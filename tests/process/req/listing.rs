//! `req list`, `req prune`, `req sessions`.

use super::desk::{Desk, OTHER, TEAM, json_of, yes};
use serde_json::{Value, json};
use std::fs;

/// Marks on main, on a branch with a slash, and in the repository.
fn marked() -> Desk {
    let desk = Desk::new(TEAM);
    desk.sandbox.git(&["branch", "feature/x"]);
    yes(desk.claude(&["satisfy", "commit_plan", "adr_reviewed", "license_checked"]));
    yes(desk.claude_of(OTHER, &["satisfy", "commit_plan"]));
    yes(desk.claude(&["satisfy", "commit_plan", "--branch", "feature/x"]));
    desk
}

/// Kind, name, requirements, sessions, gone: of each entry.
fn listed(desk: &Desk) -> Vec<(Value, Value, Value, Value, Value)> {
    let list = json_of(desk.claude(&["list", "--json"]));
    assert_eq!(list["version"], 1);
    let marks = list["marks"].as_array().unwrap().iter();
    let one = |one: &Value| {
        assert!(one["updated_at"].as_i64().is_some_and(|at| at > 1_700_000_000), "{one}");
        let of = |key: &str| one[key].clone();
        (of("kind"), of("name"), of("requirements"), of("sessions"), of("gone"))
    };
    marks.map(one).collect()
}

fn entry(
    kind: &str,
    name: Option<&str>,
    requirements: u32,
    sessions: u32,
    gone: bool,
) -> (Value, Value, Value, Value, Value) {
    (json!(kind), json!(name), json!(requirements), json!(sessions), json!(gone))
}

#[test]
fn a_branch_that_is_gone_loses_its_marks_and_no_other_does() {
    let desk = marked();
    let kept = ["main.json", "permanent.json"].map(|file| fs::read(desk.marks_file(file)).unwrap());
    assert!(yes(desk.claude(&["prune"])).contains("nothing was removed"));
    desk.sandbox.git(&["branch", "--delete", "feature/x"]);
    assert_eq!(listed(&desk)[0], entry("branch", Some("feature/x"), 1, 0, true));
    assert_eq!(yes(desk.claude(&["prune"])), "removed the satisfactions of feature/x");
    assert!(!desk.marks_file("feature-x.json").exists());
    assert_eq!(["main.json", "permanent.json"].map(|file| fs::read(desk.marks_file(file)).unwrap()), kept);
    assert_eq!(listed(&desk).len(), 2);
    assert!(yes(desk.claude(&["prune"])).contains("nothing was removed"));
}

#[test]
fn what_a_linked_work_tree_has_out_is_not_gone() {
    let desk = Desk::new(TEAM);
    desk.sandbox.commit("what is required");
    let linked = desk.sandbox.root().join("linked");
    desk.sandbox.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    yes(desk.claude(&["satisfy", "adr_reviewed"]).cwd(&linked));
    let commit = desk.sandbox.git(&["rev-parse", "HEAD"]);
    assert_eq!(listed(&desk), [entry("commit", Some(&commit), 1, 0, false)]);
    yes(desk.claude(&["prune"]));
    assert_eq!(listed(&desk).len(), 1);
    desk.sandbox.git(&["worktree", "remove", "--force", linked.to_str().unwrap()]);
    assert!(yes(desk.claude(&["prune"])).contains(&format!("commit {}", &commit[..8])));
    assert!(listed(&desk).is_empty());
}
