//! `req list`, `req prune`, `req sessions`.

use super::desk::{Desk, TEAM, json_of, yes};
use std::fs;

#[test]
fn a_branch_that_is_gone_loses_its_marks_and_no_other_does() {
    let desk = Desk::new(TEAM);
    desk.sandbox.git(&["branch", "feature/x"]);
    yes(desk.claude(&["satisfy", "commit_plan", "license_checked"]));
    yes(desk.claude(&["satisfy", "commit_plan", "--branch", "feature/x"]));
    let kept = ["main.json", "permanent.json"].map(|file| fs::read(desk.marks_file(file)).unwrap());
    assert!(yes(desk.claude(&["prune"])).contains("nothing was removed"));
    desk.sandbox.git(&["branch", "--delete", "feature/x"]);
    let list = json_of(desk.claude(&["list", "--json"]));
    assert_eq!((&list["marks"][0]["name"], &list["marks"][0]["gone"]), (&"feature/x".into(), &true.into()));
    assert_eq!(yes(desk.claude(&["prune"])), "removed the satisfactions of feature/x");
    assert!(!desk.marks_file("feature-x.json").exists());
    assert_eq!(["main.json", "permanent.json"].map(|file| fs::read(desk.marks_file(file)).unwrap()), kept);
}
